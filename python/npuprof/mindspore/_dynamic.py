"""Profiling of a running program, switched on by editing a file."""

from __future__ import annotations

import atexit
import importlib
import logging
import os
from typing import Any, Dict, List, Optional, Tuple

from .. import _console, _paths
from .._console import no_except
from .._environment import loaded
from ..profiler._dynamic import daemon
from ..profiler._dynamic.monitor import ConfigFileSource
from . import _environment, _location
from ._analysis import tensorboard_trace_handler
from ._constants import AicoreMetrics, ExportType, HostSystem, ProfilerActivity, ProfilerLevel
from ._experimental_config import _ExperimentalConfig
from ._schedule import Schedule
from .profiler import profile

TEMPLATE: Dict[str, Any] = {
    "start_step": -1,
    "stop_step": -1,
    "aic_metrics": "AiCoreNone",
    "profiler_level": "Level0",
    "analyse_mode": -1,
    "activities": ["CPU", "NPU"],
    "export_type": ["text"],
    "profile_memory": False,
    "mstx": False,
    "parallel_strategy": False,
    "with_stack": False,
    "data_simplification": True,
    "l2_cache": False,
    "analyse": False,
    "record_shapes": False,
    "prof_path": "./",
    "mstx_domain_include": [],
    "mstx_domain_exclude": [],
    "host_sys": [],
    "sys_io": False,
    "sys_interconnection": False,
}

_DEFAULT_OUTPUT = "./dyn_profile_data"
_DEFAULT_POLL_S = 2
_ASYNC = 1
_NO_STEPS = (-1, -1)

# Numbers that older versions had for these.
_OLD_NUMBERS: Dict[str, Dict[int, Any]] = {
    "profiler_level": {-1: "LevelNone", 0: "Level0", 1: "Level1", 2: "Level2"},
    "aic_metrics": dict(enumerate(("PipeUtilization", "ArithmeticUtilization", "Memory",
                                   "MemoryL0", "MemoryUB", "ResourceConflictRatio", "L2Cache",
                                   "MemoryAccess"))),
    "activities": {0: ["CPU", "NPU"], 1: ["CPU"], 2: ["NPU"]},
    "export_type": {0: ["text"], 1: ["db"], 2: ["text", "db"]},
}
# What a service calls otherwise.
_NAMES_OF_SERVICE = {"prof_dir": "prof_path", "msprof_tx": "mstx"}
_LISTS = {"activities": ProfilerActivity, "export_type": ExportType, "host_sys": HostSystem}
_NAMES = {"profiler_level": ProfilerLevel, "aic_metrics": AicoreMetrics}


def _say(text: str) -> None:
    print(f"[Dynamic Profiler] {text}", flush=True)


def from_service(given: Dict[str, Any]) -> Dict[str, Any]:
    """The values of a file, from those of a service's message; it says how many steps it wants."""
    given = {**given, **given.get("experimental_config", {})}
    values = {_NAMES_OF_SERVICE.get(name, name): [] if value == ["None"] else value
              for name, value in given.items()}
    values.setdefault("start_step", 0)
    values["stop_step"] = values["start_step"] + values.get("active", 0) - 1
    if "export_type" in values:
        values["export_type"] = [values["export_type"]]
    if values.get("profiler_level") == "Level_none":
        values["profiler_level"] = "LevelNone"
    return values


class DynamicConfig:
    """Checked values. What is wrong is said and replaced by the default."""

    def __init__(self, values: Dict[str, Any]) -> None:
        self._values = values
        self.start_step = self._number("start_step")
        self.stop_step = self._number("stop_step")
        self.analyse_mode = self._number("analyse_mode")
        self.prof_path = self._of_type("prof_path", str)

    def make_profiler(self, directory: str, skip_first: int, start_profile: bool) -> profile:
        """One that records from start_step to stop_step."""
        active = self.stop_step - self.start_step + 1
        schedule = Schedule(wait=0, warmup=0, active=active, repeat=1, skip_first=skip_first)
        handler = tensorboard_trace_handler(directory, analyse_flag=self._of_type("analyse", bool),
                                            async_mode=self.analyse_mode == _ASYNC)
        experimental = {name: self._of_type(name, bool) for name in
                        ("l2_cache", "mstx", "data_simplification", "sys_io",
                         "sys_interconnection")}
        experimental.update({name: self._of_type(name, list) for name in
                             ("mstx_domain_include", "mstx_domain_exclude")})
        experimental.update({name: self._enumerated(name) for name in
                             ("profiler_level", "aic_metrics", "export_type", "host_sys")})
        switches = {name: self._of_type(name, bool) for name in
                    ("profile_memory", "parallel_strategy", "with_stack", "record_shapes")}
        return profile(activities=self._enumerated("activities"), schedule=schedule,
                       on_trace_ready=handler, start_profile=start_profile,
                       experimental_config=_ExperimentalConfig(**experimental), **switches)

    def _refuse(self, name: str, needed: str) -> Any:
        _console.warning(f"Dynamic profiler: {name} must be {needed}, not "
                         f"{self._values.get(name)!r:.100}; {TEMPLATE[name]!r} is used.")
        return TEMPLATE[name]

    def _number(self, name: str) -> int:
        value = self._values.get(name, TEMPLATE[name])
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= -1
        return value if is_number else self._refuse(name, "a whole number of at least -1")

    def _of_type(self, name: str, kind: type) -> Any:
        value = self._values.get(name, TEMPLATE[name])
        return value if isinstance(value, kind) else self._refuse(name, f"a {kind.__name__}")

    def _enumerated(self, name: str) -> Any:
        given = self._values.get(name, TEMPLATE[name])
        if isinstance(given, int) and not isinstance(given, bool):
            given = _OLD_NUMBERS.get(name, {}).get(given, given)
            _console.warning(f"Dynamic profiler: numbers for {name} are deprecated, use names.")
        kind = _LISTS.get(name) or _NAMES[name]
        members = {key: member for member in kind for key in (member.name, member.value)}
        names = given if name in _LISTS else [given]
        if not isinstance(names, list) or \
                not all(isinstance(item, str) and item in members for item in names):
            default = self._refuse(name, f"of {', '.join(member.name for member in kind)}")
            names = default if name in _LISTS else [default]
        found: List[Any] = [members[item] for item in names]
        return found if name in _LISTS else found[0]


class DynamicProfilerMonitor:
    """Watches `<cfg_path>/profiler_config.json`, which is made if it is not there, and records the
    steps it asks for. Steps are those of a training with this object among its callbacks, or calls
    of step()."""

    def __new__(cls, *_: Any, **__: Any) -> "DynamicProfilerMonitor":
        """A callback of MindSpore, if the program has that."""
        if loaded("mindspore") is not None and cls is DynamicProfilerMonitor:
            callback = importlib.import_module("mindspore.train").Callback
            cls = type(cls.__name__, (cls, callback), {})
        return super().__new__(cls)

    def __init__(self, cfg_path: Optional[str] = None, output_path: str = _DEFAULT_OUTPUT,
                 poll_interval: int = _DEFAULT_POLL_S, **_: Any) -> None:
        uses_daemon = daemon.is_selected()
        if uses_daemon and cfg_path is not None:
            _console.warning("Dynamic profiler: with MSMONITOR_USE_DAEMON=1 cfg_path is not used.")
        elif not uses_daemon and not isinstance(cfg_path, str):
            raise TypeError(f"cfg_path must be a text, not {cfg_path!r}")
        if not isinstance(output_path, str):
            _console.warning(f"Dynamic profiler: output_path must be a text, not {output_path!r}; "
                             f"{_DEFAULT_OUTPUT} is used.")
            output_path = _DEFAULT_OUTPUT
        if not isinstance(poll_interval, int) or isinstance(poll_interval, bool) or \
                poll_interval < 1:
            _console.error("Dynamic profiler: poll_interval must be a whole number of at least 1, "
                           f"not {poll_interval!r}; {_DEFAULT_POLL_S} is used.")
            poll_interval = _DEFAULT_POLL_S
        self._output_path = output_path
        self._rank = _environment.rank()
        self._values: Optional[Dict[str, Any]] = None
        self._checked: Optional[DynamicConfig] = None
        self._profiler: Optional[profile] = None
        self._step_count = 0
        self._steps_left = 0
        self._last_steps: Tuple[int, int] = _NO_STEPS
        self._source: Any = self._make_source(cfg_path, poll_interval, uses_daemon)
        atexit.register(self._close)

    def _make_source(self, cfg_path: Any, poll_interval: int, uses_daemon: bool) -> Any:
        if uses_daemon:
            return daemon.DaemonSource(logging.getLogger("npuprof.dynamic"), poll_interval,
                                       self._rank)
        path = os.path.abspath(os.path.expanduser(cfg_path))
        _paths.make_directory(path)
        # What is in the file already counts too.
        source = ConfigFileSource(path, baseline_ns=0, template=TEMPLATE,
                                  poll_interval_s=poll_interval)
        _say(f"Init config json file: {source.path}")
        return source

    def _config(self) -> Optional[DynamicConfig]:
        """The newest; what is wrong with it is said once."""
        if self._source is None:
            return None
        news = self._source.poll()
        if news is not None:
            is_message = isinstance(self._source, daemon.DaemonSource)
            self._checked = DynamicConfig(from_service(news) if is_message else news)
        return self._checked

    def _report(self, step: int) -> None:
        if isinstance(self._source, daemon.DaemonSource):
            status = daemon.IDLE if self._profiler is None else daemon.RUNNING
            self._source.report(status, step, *self._last_steps)

    def _directory(self, config: DynamicConfig) -> str:
        base = config.prof_path if config.prof_path != "./" else self._output_path
        return _location.checked_path(os.path.join(
            base, f"rank{self._rank}_start{config.start_step}_stop{config.stop_step}"))

    def _begin(self, config: DynamicConfig, skip_first: int, start_profile: bool) -> None:
        directory = self._directory(config)
        self._last_steps = (config.start_step, config.stop_step)
        self._steps_left = config.stop_step - config.start_step + 1
        self._profiler = config.make_profiler(directory, skip_first, start_profile)
        _say(f"Rank {self._rank} create output path {directory}")
        _say(f"Rank {self._rank} Dynamic profiler start at step {config.start_step}, will stop at "
             f"step {config.stop_step}")

    @no_except()
    def step(self) -> None:
        """A step of a program without callbacks has ended; the first is number 1."""
        self._step_count += 1
        config = self._config()
        if config is not None and self._profiler is None and self._is_due(config):
            self._begin(config, skip_first=1, start_profile=True)
        if self._profiler is not None:
            self._profiler.step()
            self._steps_left -= 1
            if self._steps_left < 0:
                self._end()
        self._report(self._step_count)

    def _is_due(self, config: DynamicConfig) -> bool:
        steps = (config.start_step, config.stop_step)
        if steps == self._last_steps or min(steps) < 0 or self._step_count < config.start_step:
            return False
        if config.stop_step < config.start_step or self._step_count > config.stop_step:
            self._last_steps = steps  # Said once.
            _console.warning(f"Dynamic profiler: steps {steps[0]} to {steps[1]} cannot be recorded "
                             f"at step {self._step_count}.")
            return False
        return True

    @no_except()
    def step_begin(self, run_context: Any) -> None:
        """A step of a training begins."""
        config = self._config()
        if config is None or config.start_step in (-1, self._last_steps[0]):
            return
        number = run_context.original_args().cur_step_num
        start, stop = config.start_step, config.stop_step
        if start < 1 or stop < start or start < number:
            self._last_steps = (start, stop)  # Said once.
            _console.error(f"Dynamic profiler: steps {start} to {stop} cannot be recorded at step "
                           f"{number}.")
        elif number == start and self._profiler is not None:
            _console.error(f"Dynamic profiler: steps {self._last_steps[0]} to "
                           f"{self._last_steps[1]} are still being recorded.")
        elif number == start:
            self._begin(config, skip_first=0, start_profile=False)
            self._profiler.start()

    @no_except()
    def step_end(self, run_context: Any) -> None:
        """A step of a training ends."""
        number = run_context.original_args().cur_step_num
        if self._profiler is not None:
            self._profiler.step()
            if number >= self._last_steps[1]:
                self._end()
        self._report(number)

    def _end(self) -> None:
        profiler, self._profiler = self._profiler, None
        if profiler is not None and profiler._has_started:
            profiler.stop()
        _say(f"Rank {self._rank} Dynamic profiler stop at step {self._last_steps[1]}")

    @no_except()
    def on_train_end(self, _: Any) -> None:
        """The training is over."""
        self._close()

    def _close(self) -> None:
        if self._profiler is not None:
            self._end()
        source, self._source = self._source, None
        if source is not None:
            source.close()
        atexit.unregister(self._close)
