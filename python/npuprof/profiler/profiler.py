"""The profiler objects users work with."""

from __future__ import annotations

import atexit
import os
import weakref
from typing import Any, Callable, Iterable, Optional, TypeVar

from .. import _backend, _environment, _markers, _paths
from .._console import no_except, warning
from . import _exports, _result_directory, _transitions
from ._analysis import analyse, location_of, tensorboard_trace_handler
from ._common_options import SWITCHES, CommonOptions, checked_callable, checked_switch
from ._experimental_config import _ExperimentalConfig
from ._key_averages import EventList, KeyAverages
from ._metadata import Metadata, WithMetadata
from ._schedule import ProfilerAction, record_always
from ._trace import Trace

# Those that were started and not stopped.
_running: "weakref.WeakSet[_KinetoProfile]" = weakref.WeakSet()

Profiler = TypeVar("Profiler", bound="_KinetoProfile")

__all__ = ["_KinetoProfile", "analyse", "profile", "tensorboard_trace_handler"]


class _KinetoProfile(WithMetadata):
    """Records from start() to stop(), without schedule and handler."""

    def __init__(self, *, activities: Optional[Iterable[Any]] = None, record_shapes: bool = False,
                 profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
                 with_modules: bool = False,
                 experimental_config: Optional[_ExperimentalConfig] = None,
                 custom_trace_id_callback: Optional[Callable[[], str]] = None) -> None:
        self._set_up(record_always, activities, experimental_config, custom_trace_id_callback,
                     record_shapes=record_shapes, profile_memory=profile_memory,
                     with_stack=with_stack, with_flops=with_flops, with_modules=with_modules)

    def _set_up(self, schedule: Any, activities: Any, experimental_config: Any,
                trace_id_callback: Any, **switches: Any) -> None:
        self._pid = os.getpid()
        self._metadata = Metadata()
        options = CommonOptions(activities, experimental_config, switches)
        self._trace = Trace(options, self._metadata, schedule)
        self._trace.trace_id_callback = checked_callable("custom_trace_id_callback",
                                                         trace_id_callback)

    def __del__(self) -> None:
        trace = getattr(self, "_trace", None)
        # The constructor failed, or this is a copy in a forked child.
        if trace is not None and self._pid == os.getpid():
            if trace.is_open:
                self.stop()
            _remove_export_only_result(trace)

    def __enter__(self: "Profiler") -> "Profiler":
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    @no_except()
    def start(self) -> None:
        """Begins recording."""
        _running.add(self)
        self._trace.location = None
        self._trace.init_trace()
        self._trace.start_trace()

    @no_except()
    def stop(self) -> None:
        """Ends recording."""
        _running.discard(self)
        self._trace.stop_trace()
        self._trace.finalize_trace()

    @no_except()
    def export_chrome_trace(self, output_path: str) -> None:
        """Writes the timeline of the last run to a JSON file."""
        _exports.export_chrome_trace(self._trace, output_path)

    @no_except()
    def export_stacks(self, output_path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the time of each call stack of the last run to a text file."""
        _exports.export_stacks(self._trace, output_path, metric)

    @no_except()
    def export_memory_timeline(self, output_path: str, device: Optional[str] = None) -> None:
        """Writes memory by category over the time of the last run, as JSON or HTML."""
        _exports.export_memory_timeline(self._trace, output_path, device)

    @no_except()
    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> Optional[KeyAverages]:
        """Operators of the last run, those of one name (shape, top of the stack) added up."""
        return _exports.key_averages(self._trace, group_by_input_shape, group_by_stack_n)

    @no_except()
    def events(self) -> Optional[EventList]:
        """Every call of an operator of the last run."""
        return _exports.events(self._trace)


class profile(_KinetoProfile):
    """Records the steps its schedule chooses and calls on_trace_ready after each cycle."""

    def __init__(self, *, activities: Optional[Iterable[Any]] = None,
                 schedule: Optional[Callable[[int], ProfilerAction]] = None,
                 on_trace_ready: Optional[Callable[..., Any]] = None, record_shapes: bool = False,
                 profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
                 with_modules: bool = False,
                 experimental_config: Optional[_ExperimentalConfig] = None,
                 execution_trace_observer: Any = None,
                 custom_trace_id_callback: Optional[Callable[[], str]] = None,
                 use_cuda: Any = None) -> None:
        self.schedule = checked_callable("schedule", schedule) or record_always
        self._with_step_markers = self.schedule is not record_always
        self.on_trace_ready = checked_callable("on_trace_ready", on_trace_ready)
        if use_cuda is not None:
            warning("Profiler: use_cuda has no effect.")
        self._set_up(self.schedule, activities, experimental_config, custom_trace_id_callback,
                     record_shapes=record_shapes, profile_memory=profile_memory,
                     with_stack=with_stack, with_flops=with_flops, with_modules=with_modules)
        self._observer = execution_trace_observer
        self.step_num = 0
        self.current_action = self.schedule(self.step_num)
        self._stopped = True
        self._marker_open = False
        self._marker_range_id = 0
        # Set by dynamic profiling, which counts steps from the begin of the program and has
        # marker ranges of its own.
        self._step_offset = 0
        self._with_marker_ranges = True

    def __del__(self) -> None:
        if not getattr(self, "_stopped", True) and self._pid == os.getpid():
            self.stop()

    @no_except()
    def start(self) -> None:
        """Begins with the action of the first step."""
        _running.add(self)
        self._stopped = False
        self._trace.location = location_of(self.on_trace_ready)
        self._pass_over(ProfilerAction.NONE, self.current_action)
        self._open_step_marker()
        if self._observer is not None:
            self._observer.start()

    @no_except()
    def stop(self) -> None:
        """Ends what is under way."""
        _running.discard(self)
        if self._stopped:
            return
        self._close_step_marker()
        self._pass_over(self.current_action, None)
        self._stopped = True
        if self._observer is not None:
            self._observer.stop()

    @no_except()
    def step(self) -> None:
        """The next step of the training begins."""
        if self._stopped:
            warning("Profiler is stopped, step takes no effect!")
            return
        self._close_step_marker()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._pass_over(before, self.current_action)
        self._open_step_marker()

    @no_except()
    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Gives the id of runs that begin from now on."""
        self._trace.trace_id_callback = checked_callable("custom_trace_id_callback", callback)

    @no_except(default="")
    def get_trace_id(self) -> str:
        """The id of the run under way, or of the last one."""
        return self._trace.trace_id

    @classmethod
    @no_except()
    def enable_profiler_in_child_thread(cls, record_shapes: bool = False,
                                        profile_memory: bool = False, with_stack: bool = False,
                                        with_flops: bool = False,
                                        with_modules: bool = False) -> None:
        """Records the operators of the calling thread too."""
        given = (record_shapes, profile_memory, with_stack, with_flops, with_modules)
        _backend.enable_thread({name: checked_switch(name, value)
                                for name, value in zip(SWITCHES, given)})

    @classmethod
    @no_except()
    def disable_profiler_in_child_thread(cls) -> None:
        """Ends what enable_profiler_in_child_thread() began, in the same thread."""
        _environment.synchronize_device()
        _backend.disable_thread()

    def _pass_over(self, before: ProfilerAction, after: Optional[ProfilerAction]) -> None:
        _transitions.pass_over(self._trace, self._call_handler, before, after)

    def _call_handler(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _open_step_marker(self) -> None:
        if not self._with_step_markers:
            return
        name = f"ProfilerStep#{self.step_num + self._step_offset}"
        self._marker_open = True
        _backend.range_push(name)
        if self._with_marker_ranges and _markers.active():
            self._marker_range_id = _markers.range_start(name,
                                                         stream=_environment.current_stream())

    def _close_step_marker(self) -> None:
        if not self._marker_open:
            return
        self._marker_open = False
        _backend.range_pop()
        _markers.range_end(self._marker_range_id)
        self._marker_range_id = 0


@no_except()
def _remove_export_only_result(trace: Trace) -> None:
    """Data that was recorded only to be exported goes when nobody can ask for an export."""
    if trace.result_dir is None:
        return
    parent = os.path.dirname(trace.result_dir)
    if os.path.basename(parent) != _result_directory.EXPORT_ONLY_NAME:
        return
    _paths.remove_directory(trace.result_dir)
    try:
        os.rmdir(parent)  # Only if no other process uses it.
    except OSError:
        pass


@atexit.register
def _stop_at_exit() -> None:
    """Later modules and what they need are gone, and a profiler cannot complete its files."""
    for profiler in list(_running):
        if profiler._pid == os.getpid():
            warning("The program ends while the profiler is at work; it is stopped.")
            profiler.stop()
