"""What MindSpore itself tells while a profiler records.

MindSpore has a recorder of its own for its operators, launches, stages of compilation and data
pipelines, for Python frames and for ranges of the program. On an NPU its profiler switches it on;
it is in the library for any device, and here it is switched on by its functions:

    ProfilingDataDumper   writes FRAMEWORK/mindspore.op_range, and mindspore.record_shapes if the
                          profiler of the NPU wants it (_backend.tell_mindspore_shapes)
    PythonTracer          Python frames, into the same file
    CPU profiler          FRAMEWORK/cpu_*: each operator that ran on the host, with the shapes of
                          its inputs in graphs, and the totals of the memory pool
    profiling_manager     FRAMEWORK/*.json and *.txt of the data pipeline

The stamps are ticks of the processor's counter, which CANN's own files relate to the time of the
day. Where there is no CANN, or a simulated one, the files go to a folder beside first and are
completed (_backend.complete_mindspore) when recording ends.
"""

from __future__ import annotations

import ctypes
import os
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from .. import _backend, _environment, _import_hook, _paths
from .._console import no_except, warning
from ._own_ranges import now_ticks, own_ranges

_LIBRARY = "libmindspore_profiler.so"
_RING_RECORDS = 1024 * 1024
_DUMPER = "_ZN9mindspore8profiler6ascend19ProfilingDataDumper"
_TRACER = "_ZN9mindspore8profiler12PythonTracer4callENS0_7CommandEj"
_TICKS = "_ZN9mindspore8profiler14GetClockSyscntEv"
_TRACE_THREAD, _TRACE_STOP, _TRACE_CLEAR = 0, 2, 3

Clock = Tuple[int, int]  # Ticks of the records, ns of CLOCK_MONOTONIC_RAW.


class _Library:
    """The functions of MindSpore's recorder; raises AttributeError if this version has them not."""

    def __init__(self, package: str) -> None:
        path = os.path.join(package, "lib", _LIBRARY)
        library = ctypes.CDLL(path)
        pointer = ctypes.c_void_p
        self.dumper = _function(library, _DUMPER + "11GetInstanceEv", pointer)()
        self.init = _function(library, _DUMPER + "4InitERKSsm", None, pointer, pointer,
                              ctypes.c_size_t)
        self.start = _function(library, _DUMPER + "5StartEv", None, pointer)
        self.stop = _function(library, _DUMPER + "4StopEv", None, pointer)
        self.close = _function(library, _DUMPER + "6UnInitEv", None, pointer)
        self.ticks = _function(library, _TICKS, ctypes.c_uint64)
        # The tracer talks to the interpreter, so it is called with the interpreter's lock.
        self.trace = _function(ctypes.PyDLL(path), _TRACER, None, ctypes.c_int, ctypes.c_uint32)
        self._strings = ctypes.CDLL("libstdc++.so.6")

    def open(self, directory: str) -> None:
        """The dumper writes to this directory from now on."""
        # A std::string of the old kind, which is what the library was built with. The dumper keeps
        # a share of it, so it is never given back.
        text, allocator = ctypes.c_void_p(), ctypes.c_char()
        self._strings._ZNSsC1EPKcRKSaIcE(ctypes.byref(text), os.fsencode(directory),
                                         ctypes.byref(allocator))
        self.init(self.dumper, ctypes.byref(text), _RING_RECORDS)
        self.start(self.dumper)

    def shut(self) -> None:
        """What was recorded is in the files."""
        self.stop(self.dumper)
        self.close(self.dumper)


def _function(library: Any, name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


def _at_one_moment(read_other: Callable[[], int]) -> Clock:
    """Another clock and CLOCK_MONOTONIC_RAW: of several pairs the one that was read fastest."""
    pairs: List[Tuple[int, Clock]] = []
    for _ in range(8):
        before = now_ticks()
        other = read_other()
        after = now_ticks()
        pairs.append((after - before, (other, (before + after) // 2)))
    return min(pairs)[1]


_library: Optional[_Library] = None
_library_sought = False


def _open_library() -> Optional[_Library]:
    global _library, _library_sought
    if not _library_sought:
        _library_sought = True
        framework = _environment.loaded("mindspore")
        try:
            _library = _Library(os.path.dirname(framework.__file__))
        except Exception as failure:
            version = getattr(framework, "__version__", "of this version")
            warning(f"MindSpore {version} has not the recorder that npuprof uses ({failure}): "
                    "operators are not recorded, only steps are.")
    return _library


class FrameworkRecorder:
    """Switches MindSpore's own recorder on and off; before the program imports MindSpore, and
    without it, ranges of the profiler are all there is."""

    def __init__(self, result_dir: str, options: Any, rank: int, has_clock: bool) -> None:
        self._result_dir = result_dir
        self._final_directory = os.path.join(result_dir, "FRAMEWORK")
        self._can_complete = _backend.can_complete_mindspore()
        self._directory = self._final_directory
        if not has_clock:
            self._record_beside()
        self._options = options
        self._rank = rank
        self._recording = False
        self._library: Optional[_Library] = None
        self._cpu_profiler: Any = None
        self._pipeline: Any = None
        self.begin: Clock = (0, 0)
        self.end: Clock = (0, 0)

    def _record_beside(self) -> None:
        if self._can_complete:
            self._directory = os.path.join(self._result_dir, "FRAMEWORK.recording")

    @property
    def is_to_be_completed(self) -> bool:
        """Whether what was recorded is in a folder beside, and not on the clock of the result."""
        return self._directory != self._final_directory

    @no_except()
    def start(self) -> None:
        """Records from now on, or from when the program imports MindSpore."""
        if not self._options.with_cpu:
            return
        self._recording = True
        own_ranges.start()
        self.begin = self._clock()
        _import_hook.when_imported("mindspore", self._hook)

    def _hook(self, _: Any) -> None:
        if not self._recording or self._library is not None:
            return
        self._library = _open_library()
        if self._library is None:
            return
        from mindspore import _c_expression as expression
        _paths.make_directory(self._directory)
        self._library.open(self._directory)
        own_ranges.count_like(self._library.ticks)
        self.begin = self._clock()
        self._ask_for_shapes(expression)
        expression._framework_profiler_enable_mi()
        expression.ProfilerManager.get_instance().set_profile_framework("time")
        self._start_cpu_profiler(expression)
        if self._options.switches["data_process"]:
            self._start_pipeline()
        if self._options.switches["with_stack"]:
            self._library.trace(_TRACE_THREAD, self._rank)

    @property
    def _needs_shapes(self) -> bool:
        """The user wants them, or the simulated NPU, whose kernels take the time that they say."""
        return self._options.switches["record_shapes"] or self.is_to_be_completed

    def _ask_for_shapes(self, expression: Any) -> None:
        if self._needs_shapes:
            self._finish_operators(expression)
        if not _backend.tell_mindspore_shapes(self._needs_shapes) and self._needs_shapes:
            warning("This version of MindSpore does not tell the inputs of operators in PyNative "
                    "mode.")

    @staticmethod
    def _finish_operators(expression: Any) -> None:
        """Inputs are told when an operator is called, before it runs: none may be in between when
        recording begins or ends."""
        expression.PyNativeExecutor_.get_instance().sync()

    def _start_cpu_profiler(self, expression: Any) -> None:
        profiler = expression.Profiler.get_instance("CPU")
        if profiler is None:
            return
        profiler.init(self._directory)
        profiler.step_profiling_enable(True)
        profiler.enable_op_time()
        if self._options.switches["profile_memory"]:
            profiler.enable_profile_memory()
        self._cpu_profiler = profiler

    def _start_pipeline(self) -> None:
        from mindspore import _c_dataengine as engine
        self._pipeline = engine.GlobalContext.profiling_manager()
        self._pipeline.init()
        self._pipeline.start()

    @no_except()
    def stop(self) -> None:
        """Ends recording; all files are whole afterwards."""
        if not self._recording:
            return
        self._recording = False
        own = own_ranges.stop()
        if self._library is not None:
            self._stop_framework(self._library)
        else:  # Ranges of the profiler have a clock of their own.
            self._record_beside()
            _paths.make_directory(self._directory)
        if own:
            _paths.append_file(os.path.join(self._directory, "mindspore.op_range"), own)
        self.end = self._clock()

    def _stop_framework(self, library: _Library) -> None:
        from mindspore import _c_expression as expression
        if self._options.switches["with_stack"]:
            library.trace(_TRACE_STOP, self._rank)
        if self._needs_shapes:
            self._finish_operators(expression)
            _backend.tell_mindspore_shapes(False)
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is not None:
            pipeline.stop()
            pipeline.save(self._final_directory)
        profiler, self._cpu_profiler = self._cpu_profiler, None
        if profiler is not None:
            profiler.stop()
        expression._framework_profiler_disable_mi()
        expression.ProfilerManager.get_instance().set_profile_framework("NULL")
        if self._options.switches["with_stack"]:
            library.trace(_TRACE_CLEAR, self._rank)
        library.shut()

    def _clock(self) -> Clock:
        if self._library is None:
            now = now_ticks()
            return now, now
        return _at_one_moment(self._library.ticks)

    @staticmethod
    def _wall_offset_ns() -> int:
        wall_ns, now_ns = _at_one_moment(time.time_ns)
        return wall_ns - now_ns

    def settings(self) -> Dict[str, Any]:
        """What it takes to complete the files that MindSpore wrote."""
        return {"result_directory": self._result_dir, "recorded_directory": self._directory,
                "begin_ticks": self.begin[0], "begin_ns": self.begin[1],
                "end_ticks": self.end[0], "end_ns": self.end[1],
                "wall_offset_ns": self._wall_offset_ns(), "rank": self._rank,
                "launches": self._options.with_npu,
                "memory": self._options.switches["profile_memory"],
                "shapes": self._options.switches["record_shapes"]}


def open_range(name: str) -> Any:
    """Begins a range of the program, such as a step; returns what close_range() needs."""
    if _library is None:
        return own_ranges.open(name)
    from mindspore import _c_expression as expression
    recorder = expression.PythonProfilerRecorder(name)
    recorder.record_start()
    return recorder


def close_range(opened: Any) -> None:
    """Ends a range; it counts if it began while recording too."""
    if isinstance(opened, tuple):
        own_ranges.close(opened)
    else:
        opened.record_end()
