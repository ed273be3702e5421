"""Where the profiler meets compiled code. (The simulated device, in sim.py, meets it too.)

Four compiled modules may lie beside this file; each is used if it can be imported:

    npuprof._native   the recorder, without PyTorch:
        Session(result_dir: str, config: dict) with warmup(), start(), stop(), finalize();
            start() may return {"syscnt_enable", "freq", "start_cnt", "start_monotonic", ...}
        mark(message, domain, stream), range_start(message, domain, stream) -> id,
        range_end(id, domain), range_push(name), range_pop(),
        timestamp() -> now in the clock of the records, supported_features() -> list of names
    npuprof._mindspore  what MindSpore recorded by itself, brought into the form and onto the clock
                      of a result directory; with a simulated NPU also the kernels of its operators:
        complete(settings: dict) -> number of kernels
    npuprof._torch    hooks into PyTorch, imported only if the program has imported torch, and the
                      one they were built for (_torch_build.py, which the build writes, says which):
        prepare(), start(config: dict), stop(), enable_thread(options: dict), disable_thread()
    npuprof._sim      the simulated NPU behind PyTorch, imported only where the simulated libraries
                      are in use; the import makes it known to `_torch`, which goes on with it

Streams are given as integer handles, 0 for none. Nothing here raises: a failure is said once and
the rest goes on. Without `_native` only what plain Python can see is recorded; that is said too.
"""

from __future__ import annotations

import importlib
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Set

from . import _console, _environment, _import_hook, _parser, _torch_match, sim
from ._python_recorder import PythonSession, timestamp_ns

_said: Set[str] = set()


def _say_once(text: str) -> None:
    if text not in _said:
        _said.add(text)
        _console.warning(text)


def _import_compiled(name: str) -> Any:
    full_name = f"{__package__}.{name}"
    try:
        return importlib.import_module(full_name)
    except ModuleNotFoundError as failure:
        if failure.name != full_name:
            _say_once(f"{full_name} cannot be loaded: {failure}")
    except Exception as failure:
        _say_once(f"{full_name} cannot be loaded: {failure}")
    return None


_native = _import_compiled("_native")
_torch: Any = None
_torch_sought = False


def _torch_hooks() -> Any:
    """The hooks into PyTorch, None if the program does not use it, or one they do not fit."""
    global _torch, _torch_sought
    torch = _environment.loaded("torch")
    if not _torch_sought and torch is not None:
        _torch_sought = True
        reason = _torch_match.mismatch(torch)
        if reason is not None:
            _say_once(reason)
        else:
            _torch = _import_compiled("_torch")
    return _torch


def _attempt(what: str, function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as failure:
        _say_once(f"The recorder failed to {what}: {failure}")
        return None


class Session:
    """One collection: fills one result directory."""

    def __init__(self, result_dir: str, config: Dict[str, Any]) -> None:
        self._config = config
        self._recording = False
        self._hooks: Any = None
        if _native is None:
            _say_once("npuprof was built without its recorder: operators, kernels, memory and "
                      "markers are not recorded, only steps and garbage collections are.")
            self._session: Any = PythonSession(result_dir, config)
        else:
            self._session = _attempt("open a session", _native.Session, result_dir, config)

    def _call(self, what: str, name: str) -> Any:
        method = getattr(self._session, name, None)
        return None if method is None else _attempt(what, method)

    def warmup(self) -> None:
        """Arms the recorder."""
        self._call("warm up", "warmup")

    def start(self) -> Dict[str, Any]:
        """Begins recording; returns the clock of the records."""
        clock = {"syscnt_enable": False, "freq": 100, "start_cnt": 0,
                 "start_monotonic": time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)}
        with_torch = _native is not None and self._config.get("hooks_into_torch", True)
        if with_torch and _torch_hooks() is not None:
            _attempt("wait for the device", _torch.prepare)
        told = self._call("start", "start")
        if isinstance(told, dict):
            clock.update(told)
        self._recording = True
        if with_torch:
            _import_hook.when_imported("torch", self._hook_into_torch)
        return clock

    def _hook_into_torch(self, _: Any) -> None:
        """Now, or when the program imports PyTorch."""
        if self._recording:
            self._hooks = _torch_hooks()
            if self._hooks is not None:
                if sim.library_is_in_use():
                    _import_compiled("_sim")
                _attempt("hook into PyTorch", self._hooks.start, self._config)

    @property
    def is_simulated(self) -> bool:
        """Whether there is no NPU, but a simulated one in its place."""
        return bool(self._call("tell of its device", "is_simulated"))

    def stop(self) -> None:
        """Ends recording."""
        self._recording = False
        if self._hooks is not None:
            _attempt("release PyTorch", self._hooks.stop)
            self._hooks = None
        self._call("stop", "stop")

    def finalize(self) -> None:
        """Completes the files."""
        self._call("complete its files", "finalize")


# What range_push() opened in this thread: a context of PyTorch, or None for one of the recorder.
_open_ranges = threading.local()


def range_push(name: str) -> None:
    """Opens a range of this thread. It ends with range_pop()."""
    if not hasattr(_open_ranges, "contexts"):
        _open_ranges.contexts = []
    # With hooks into PyTorch a range of PyTorch is recorded, and other profilers see it too.
    context = None
    if _native is not None and _torch_hooks() is not None:
        context = record_function(name)
    _open_ranges.contexts.append(context)
    if context is not None:
        _attempt("open a range", context.__enter__)
    elif _native is not None:
        _attempt("open a range", _native.range_push, name)
    else:
        PythonSession.range_push(name)


def range_pop() -> None:
    """Closes the innermost range of this thread."""
    contexts = getattr(_open_ranges, "contexts", None)
    if not contexts:
        return
    context = contexts.pop()
    if context is not None:
        _attempt("close a range", context.__exit__, None, None, None)
    elif _native is not None:
        _attempt("close a range", _native.range_pop)
    else:
        PythonSession.range_pop()


def mark(message: str, domain: str, stream: int = 0) -> None:
    """Records a marker."""
    if _native is not None:
        _attempt("record a marker", _native.mark, message, domain, stream)


def range_start(message: str, domain: str, stream: int = 0) -> int:
    """Opens a range of markers; 0 if nothing was recorded."""
    if _native is None:
        return 0
    return _attempt("open a marker range", _native.range_start, message, domain, stream) or 0


def range_end(range_id: int, domain: str) -> None:
    """Closes a range of markers, from whichever thread."""
    if _native is not None:
        _attempt("close a marker range", _native.range_end, range_id, domain)


def enable_thread(options: Dict[str, bool]) -> None:
    """Records the operators of the calling thread too."""
    hooks = _torch_hooks()
    if hooks is not None:
        _attempt("hook into a thread", hooks.enable_thread, options)


def disable_thread() -> None:
    """Ends what enable_thread began, in the same thread."""
    hooks = _torch_hooks()
    if hooks is not None:
        _attempt("release a thread", hooks.disable_thread)


def timestamp() -> int:
    """Now, in the clock of the records."""
    if _native is not None:
        value = _attempt("read its clock", _native.timestamp)
        if value is not None:
            return value
    return timestamp_ns()


def supported_features() -> List[str]:
    """Names of optional features of the installed CANN."""
    if _native is None:
        return []
    return list(_attempt("list its features", _native.supported_features) or [])


def record_function(name: str) -> Optional[Any]:
    """A context manager that PyTorch's profilers see too; None if the program has no PyTorch."""
    profiler = _environment.loaded("torch.autograd.profiler")
    return None if profiler is None else profiler.record_function(name)


def can_complete_mindspore() -> bool:
    """Whether complete_mindspore() can do its work. Without it, what MindSpore recorded stays as it
    is, and its times are ticks of the processor."""
    return _import_compiled("_mindspore") is not None


def complete_mindspore(settings: Dict[str, Any]) -> None:
    """Makes the framework's files of a result directory from what MindSpore has recorded."""
    _attempt("complete what MindSpore recorded", _import_compiled("_mindspore").complete, settings)


def tell_mindspore_shapes(wanted: bool) -> bool:
    """Has MindSpore record the inputs of operators of PyNative mode, or no longer; to be called
    before its first recording too. False if this version of MindSpore cannot be asked to."""
    module = _import_compiled("_mindspore")
    return module is not None and module.answer_shape_question(wanted)


def export(result_dir: str, kind: str, output_path: str, options: List[str]) -> bool:
    """Writes one file from recorded data, of a kind that `npuprof export` offers."""
    return _parser.run(["export", result_dir, "--to", kind, "-o", output_path, "--quiet", *options])
