"""The profiler objects users work with."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from typing import Any, Callable, Iterable, List, Optional, TypeVar

from .._console import error, last_words, no_except, warning
from ..profiler import _transitions
from ..profiler._metadata import WithMetadata
from ..profiler._schedule import ProfilerAction as SharedAction
from . import _analysis, _framework, _op_analysis
from ._analysis import DEFAULT_PROCESSES, tensorboard_trace_handler
from ._constants import ProfilerAction
from ._experimental_config import _ExperimentalConfig
from ._info import Metadata
from ._options import Options
from ._schedule import Schedule, checked_action, record_always
from ._trace import Trace

__all__ = ["Profile", "Profiler", "analyse", "profile", "tensorboard_trace_handler"]

# Those that have data which is not complete.
_open: "weakref.WeakSet[_Base]" = weakref.WeakSet()

AnyProfiler = TypeVar("AnyProfiler", bound="_Base")


class _Base(WithMetadata):
    """What both classes have in common."""

    _trace: Optional[Trace] = None

    def __init__(self, given: dict, schedule: Callable[[int], Any], records_steps: bool) -> None:
        self._pid = os.getpid()
        self._has_started = False
        self._metadata = Metadata()
        self._options = Options(given)
        self._trace = Trace(self._options, self._metadata)
        self.schedule = schedule
        self._records_steps = records_steps
        self.step_num = 0
        self.current_action = checked_action(schedule(0))
        self._step_range: Any = None
        self._say_incomplete = last_words("The profiler is not stopped at the end of the program: "
                                          "its data may be incomplete.")
        if self._options.switches["start_profile"]:
            self.start()

    @no_except()
    def __enter__(self: "AnyProfiler") -> "AnyProfiler":
        if not self._has_started:
            self.start()
        return self

    @no_except()
    def __exit__(self, *_: Any) -> None:
        if self._has_started:
            self.stop()

    def __del__(self, getpid: Callable[[], int] = os.getpid,
                is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # The constructor failed, or this is a copy in a forked child.
        if self._trace is None or not self._has_started or self._pid != getpid():
            return
        if is_finalizing():  # Names of modules may be gone.
            self._say_incomplete()
            return
        self.stop()
        warning("The profiler was deleted while it was at work; it is stopped.")

    @no_except()
    def start(self) -> None:
        """Begins with the action of the first step."""
        if self._has_started:
            warning("The profiler has started already; start has no effect.")
            return
        self._has_started = True
        _open.add(self)
        self._pass_over(ProfilerAction.NONE, self.current_action)
        self._open_step_range()

    def stop(self) -> None:
        """Ends what is under way."""
        raise NotImplementedError

    def _next_step(self) -> None:
        self._close_step_range()
        before = self.current_action
        self.step_num += 1
        self.current_action = checked_action(self.schedule(self.step_num))
        self._pass_over(before, self.current_action)
        self._open_step_range()

    def _pass_over(self, before: ProfilerAction, after: Optional[ProfilerAction]) -> None:
        _transitions.pass_over(
            self._trace, lambda: _analysis.call_handler(self._options.on_trace_ready, self._trace),
            SharedAction(before.value), None if after is None else SharedAction(after.value))

    def _open_step_range(self) -> None:
        if self._records_steps:
            self._step_range = _framework.open_range(f"ProfilerStep#{self.step_num}")

    def _close_step_range(self) -> None:
        opened, self._step_range = self._step_range, None
        if opened is not None:
            _framework.close_range(opened)


class Profiler(_Base):
    """The class of MindSpore before 2.7, which newer versions have too."""

    def __init__(self, **kwargs: Any) -> None:
        warning("Profiler is deprecated, use profile instead.")
        schedule = kwargs.get("schedule")
        if schedule is not None and not isinstance(schedule, Schedule):
            warning(f"Profiler: schedule must be a schedule object, not {schedule!r:.100}; it is "
                    "not used.")
            schedule = None
        self._has_schedule = schedule is not None
        self._has_stepped = False
        super().__init__({**kwargs, "schedule": schedule}, schedule or record_always,
                         self._has_schedule)

    @no_except()
    def stop(self) -> None:
        """Ends recording. Without a schedule analyse() makes results of it."""
        if self._has_schedule and not self._has_stepped:
            warning("Profiler: with a schedule step() must be called; stop has no effect before "
                    "that.")
            # Nobody may ever end it: the next profiler shall not have to wait for that.
            self._trace.is_given_up = True
            return
        if not self._has_started:
            error("The profiler has not started; stop has no effect.")
            return
        self._has_started = False
        self._close_step_range()
        if self._has_schedule:
            self._pass_over(self.current_action, None)
            _open.discard(self)
        else:
            self._trace.stop_trace()
            self._trace.write_metadata()

    @no_except()
    def step(self) -> None:
        """The next step of the training begins."""
        if not self._has_schedule:
            error("The profiler has no schedule; step has no effect.")
            return
        if not self._has_started:
            error("The profiler is stopped; step has no effect.")
            return
        self._trace.is_given_up = False
        self._next_step()
        self._has_stepped = True

    @no_except()
    def analyse(self, offline_path: Optional[str] = None, pretty: bool = False,
                step_list: Optional[List[int]] = None, mode: str = "sync") -> None:
        """Stops if need be, and makes results of what was recorded."""
        if self._has_started:
            self._has_started = False
            self._close_step_range()
            self._trace.stop_trace()
        if self._has_schedule:
            warning("Profiler: with a schedule it is on_trace_ready that analyses; analyse has no "
                    "effect.")
            return
        if offline_path is not None:
            warning("Profiler: offline_path is deprecated, use offline_analyse instead.")
        if mode not in ("sync", "async"):
            warning(f"Profiler: mode must be \"sync\" or \"async\", not {mode!r}; \"sync\" is "
                    "used.")
        steps = _analysis.checked_steps(step_list)
        self._trace.finalize_trace()
        _open.discard(self)
        _analysis.Interface(self._trace).analyse(async_mode=mode == "async", pretty=pretty is True,
                                                 step_list=steps)

    @classmethod
    @no_except()
    def offline_analyse(cls, path: str, pretty: bool = False,
                        step_list: Optional[List[int]] = None,
                        data_simplification: bool = True) -> None:
        """Analyses a result directory, or those in a directory, that were recorded earlier."""
        _analysis.analyse_all(path, DEFAULT_PROCESSES, pretty, step_list, data_simplification)

    @no_except()
    def op_analyse(self, op_name: Any, device_id: Optional[int] = None) -> Optional[str]:
        """Times of operators that ran on the host, as JSON text."""
        return _op_analysis.op_analyse(self._trace.result_dir, op_name, device_id)


class profile(_Base):
    """Records the steps its schedule chooses and calls on_trace_ready after each cycle."""

    def __init__(self, activities: Optional[Iterable[Any]] = None, with_stack: bool = False,
                 profile_memory: bool = False, data_process: bool = False,
                 parallel_strategy: bool = False, start_profile: bool = True,
                 hbm_ddr: bool = False, pcie: bool = False, sync_enable: bool = True,
                 record_shapes: bool = False, schedule: Optional[Callable[[int], Any]] = None,
                 on_trace_ready: Optional[Callable[..., Any]] = None,
                 experimental_config: Optional[_ExperimentalConfig] = None) -> None:
        given = {name: value for name, value in locals().items()
                 if name not in ("self", "__class__")}
        if schedule is not None and not callable(schedule):
            warning(f"Profiler: schedule must be callable, not {schedule!r:.100}; it is not used.")
            schedule = None
        elif schedule is not None and not isinstance(schedule, Schedule):
            warning("Profiler: schedule is no schedule object, so results do not tell the steps of "
                    "kernels.")
        super().__init__(given, schedule or record_always, schedule is not None)

    @no_except()
    def stop(self) -> None:
        """Ends what is under way; on_trace_ready is called if something was recorded."""
        if not self._has_started:
            error("The profiler has not started; stop has no effect.")
            return
        self._has_started = False
        self._close_step_range()
        self._pass_over(self.current_action, None)
        _open.discard(self)

    @no_except()
    def step(self) -> None:
        """The next step of the training begins."""
        if not self._has_started:
            error("The profiler is stopped; step has no effect.")
            return
        self._next_step()


Profile = profile


@no_except()
def analyse(profiler_path: str, max_process_number: int = DEFAULT_PROCESSES, pretty: bool = False,
            step_list: Optional[List[int]] = None, data_simplification: bool = True) -> None:
    """Analyses a result directory, or those in a directory, that were recorded earlier."""
    _analysis.analyse_all(profiler_path, max_process_number, pretty, step_list,
                          data_simplification)


@atexit.register
def _complete_at_exit() -> None:
    """Later modules and what they need are gone, and a profiler cannot complete its files."""
    for profiler in list(_open):
        if profiler._pid != os.getpid() or profiler._trace is None:
            continue
        if profiler._has_started:
            warning("The program ends while the profiler is at work; it is stopped.")
            if isinstance(profiler, Profiler):
                profiler._has_stepped = True
            profiler.stop()
        profiler._trace.finalize_trace()
