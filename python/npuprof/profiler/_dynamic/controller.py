"""Starts and stops profilers as configurations ask for."""

from __future__ import annotations

import atexit
import json
import logging
import os
import time
from typing import Any, Dict, Optional, Tuple, Union

from ... import _console, _environment, _markers, _paths
from ..profiler import profile
from . import daemon, log, monitor
from .config import NEXT_STEP, DynamicConfig

# Steps between which the time of a step is measured, and limits of the poll interval made of it.
_MEASURE_FROM, _MEASURE_TO = 10, 11
_MIN_POLL_S, _MAX_POLL_S = 1, 50

Source = Union[monitor.ConfigFileSource, daemon.DaemonSource]


class Controller:
    """One for a process."""

    def __init__(self) -> None:
        self._uses_daemon = daemon.is_selected()
        self._reset()

    def _reset(self) -> None:
        self._source: Optional[Source] = None
        self._logger: logging.Logger = logging.Logger("npuprof.dynamic_profile")
        self._logger.addHandler(logging.NullHandler())
        self._cur_step = 0
        self._status = daemon.UNINITIALISED
        self._pending: Optional[DynamicConfig] = None
        self._ordered: Optional[DynamicConfig] = None
        self._profiler: Optional[profile] = None
        self._run_count = 0
        self._failure: Optional[str] = None  # Of the last start.
        self._steps_left = 0
        self._stop_step = -1
        self._measured_from = 0.0
        self._step_range_id = 0

    def init(self, path: Optional[str], baseline_ns: Optional[int] = None) -> None:
        """Begins to listen for configurations."""
        if self._source is not None:
            _console.warning("dynamic_profile is initialised already; init has no effect.")
            return
        if self._uses_daemon:
            self._logger = log.console_logger()
            self._source = daemon.DaemonSource(self._logger, monitor.FIRST_POLL_INTERVAL_S)
        elif not self._init_file(path, baseline_ns):
            return
        self._status = daemon.IDLE
        self._logger.info("Dynamic profiler is initialised.")
        atexit.register(self._at_exit)

    def _init_file(self, path: Any, baseline_ns: Optional[int]) -> bool:
        if not isinstance(path, str) or not path:
            _console.error(f"dynamic_profile: init needs the path of a directory, not {path!r}.")
            return False
        path = os.path.abspath(os.path.expanduser(path))
        _paths.check_directory(path)
        if not os.path.isdir(path):
            _paths.make_directory(path)
        self._logger = log.open_logger(path)
        self._source = monitor.ConfigFileSource(path, baseline_ns)
        return True

    def forget(self) -> None:
        """In a forked child: what runs is the parent's."""
        atexit.unregister(self._at_exit)
        self._reset()

    def _at_exit(self) -> None:
        self._end_step_range()
        if self._profiler is not None:
            _console.warning("The program ends while dynamic_profile records; the profiler is "
                             "stopped.")
            self._stop()
        if self._source is not None:
            self._source.close()
            self._source = None
        log.close_logger(self._logger)

    def step(self) -> None:
        """The next step of the program begins."""
        self._end_step_range()  # The profiler may stop with this step, and would not see it then.
        self._cur_step += 1
        self._take_news()
        self._measure_step_time()
        if self._profiler is not None:
            self._profiler.step()
            self._steps_left -= 1
            if self._steps_left <= 0:
                self._stop()
        elif self._pending is not None:
            self._consider(self._pending)
        self._report()
        self._begin_step_range()

    def order(self, values: Dict[str, Any]) -> None:
        """Takes a configuration as if it had just come; one without start_step starts now."""
        if self._source is None:
            self._logger = log.console_logger(logging.WARNING)
        self._ordered = wanted = DynamicConfig(values, self._logger)
        if not wanted.is_for(_environment.rank_number()):
            return
        if wanted.start_step == 0:
            self._start(wanted)
        else:
            self._pending = wanted
        atexit.register(self._at_exit)

    def why_idle(self) -> Optional[str]:
        """Why nothing was recorded as order() asked for; None if something was."""
        if self._run_count > 0:
            return None
        if self._ordered is None:
            return "it made no optimizer of PyTorch, whose steps would have been counted"
        reason = self._ordered.why_not_for(_environment.rank_number())
        return reason or self._failure or (
            f"its optimizer made {self._cur_step} steps, and step {self._ordered.start_step} was "
            "to be the first that is recorded")

    def _take_news(self) -> None:
        values = None if self._source is None else self._source.poll()
        if values is None:
            return
        wanted = DynamicConfig(values, self._logger)
        if not wanted.is_for(_environment.rank_number()):
            return
        wanted.drop_analysis_of_chosen_ranks()
        self._pending = wanted

    def _measure_step_time(self) -> None:
        if self._cur_step == _MEASURE_FROM:
            self._measured_from = time.time()
        elif self._cur_step == _MEASURE_TO and self._source is not None:
            seconds = int(time.time() - self._measured_from)
            interval_s = min(max(seconds, _MIN_POLL_S), _MAX_POLL_S)
            self._source.poll_interval_s = interval_s
            self._logger.info("Dynamic profiler poll interval is %d s.", interval_s)

    def _consider(self, pending: DynamicConfig) -> None:
        if pending.start_step in (NEXT_STEP, self._cur_step):
            self._pending = None
            self._start(pending)
        elif pending.start_step < self._cur_step:
            self._pending = None
            self._logger.warning("The configuration is not effective: start_step %d is not after "
                                 "the current step %d.", pending.start_step, self._cur_step)
        else:
            self._status = daemon.READY

    def _start(self, wanted: DynamicConfig) -> None:
        self._steps_left = wanted.active + wanted.warmup
        self._stop_step = self._cur_step + self._steps_left
        self._status = daemon.RUNNING
        self._logger.info("Start Dynamic Profiler at %d step.", self._cur_step)
        self._profiler = wanted.make_profiler(self._cur_step)
        self._profiler.start()
        self._failure = self._profiler._trace.why_not_open()
        self._run_count += self._failure is None
        self._begin_step_range()

    def _stop(self) -> None:
        profiler, self._profiler = self._profiler, None
        if profiler is not None:
            profiler.stop()
        self._status = daemon.IDLE
        self._stop_step = -1
        self._logger.info("Stop Dynamic Profiler at %d step.", self._cur_step)

    def _begin_step_range(self) -> None:
        if self._step_range_id == 0 and _markers.active():
            self._step_range_id = _markers.range_start(f"step {self._cur_step}",
                                                       stream=_environment.current_stream())

    def _end_step_range(self) -> None:
        _markers.range_end(self._step_range_id)
        self._step_range_id = 0

    def _report(self) -> None:
        if isinstance(self._source, daemon.DaemonSource):
            start_step = -1 if self._pending is None else self._pending.start_step
            self._source.report(self._status, self._cur_step, start_step, self._stop_step)

    def start(self, config_path: Optional[str]) -> None:
        """Records at once, as a file says; the file is not watched."""
        if self._profiler is not None:
            _console.error("dynamic_profile: a profiler is running; start has no effect.")
            return
        values = self._values_to_start_with(config_path)
        if values is not None:
            self._start(DynamicConfig(values, self._logger))

    def _values_to_start_with(self, given: Any) -> Optional[Dict[str, Any]]:
        """Those of the file; without one, or if it is broken, those of the file of init()."""
        default = None if self._source is None else self._source.path
        if given is not None:
            values, failure = _load(given)
            if values is not None:
                return values
            _console.error(f"dynamic_profile: {failure}; " +
                           (f"{default} is used." if default else "nothing is started."))
        elif default is None:
            _console.error("dynamic_profile: start needs a configuration file, since init was not "
                           "called with a directory; nothing is started.")
        if default is None:
            return None
        values, failure = _load(default)
        if values is None:
            _console.error(f"dynamic_profile: {failure}; nothing is started.")
        return values

    def set_state(self, state: Any) -> None:
        """Sets the number of the current step, after a restart from a checkpoint."""
        step = state.get("cur_step", 0) if isinstance(state, dict) else None
        if not isinstance(step, int) or isinstance(step, bool) or step < 0:
            _console.error("dynamic_profile: set_state needs a dict whose cur_step is a whole "
                           f"number of at least 0, not {state!r}.")
            return
        self._cur_step = step


def _load(path: Any) -> Tuple[Optional[Dict[str, Any]], str]:
    """The values of a file; or None, and what is wrong with it."""
    if not isinstance(path, str) or not os.path.isfile(path):
        return None, f"there is no configuration file {path!r}"
    try:
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
    except (OSError, ValueError, RecursionError) as failure:
        return None, f"{path} cannot be read: {failure}"
    if not isinstance(values, dict) or not values:
        return None, f"{path} holds no configuration"
    return values, ""


controller = Controller()
os.register_at_fork(after_in_child=controller.forget)
