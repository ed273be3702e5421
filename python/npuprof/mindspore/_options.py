"""The options a profiler object is constructed with, checked."""

from __future__ import annotations

import enum
import warnings
from typing import Any, Dict, List

from .._console import warning
from ..profiler._constants import AiCMetrics, WithActivities
from ._constants import AicoreMetrics, ExportType, HostSystem, ProfilerActivity, ProfilerLevel
from ._experimental_config import _ExperimentalConfig
from ._schedule import NO_SCHEDULE, Schedule

_SWITCHES = {"with_stack": False, "profile_memory": False, "data_process": False,
             "parallel_strategy": False, "start_profile": True, "l2_cache": False,
             "hbm_ddr": False, "pcie": False, "sys_io": False, "sys_interconnection": False,
             "sync_enable": True, "data_simplification": True, "record_shapes": False,
             "mstx": False}
_OLD_OPTIONS = {"profile_communication": "choose profiler_level Level1 or Level2",
                "op_time": "choose the activity NPU",
                "profile_framework": "choose the activity CPU",
                "host_stack": "use with_stack", "timeline_limit": "it is not needed"}
_SOON_OLD_OPTIONS = {"hbm_ddr": "profile_memory", "pcie": "sys_interconnection"}

# The order of the parameters in profiler_info.
_ORDER = ("output_path", "profiler_level", "activities", "aic_metrics", "with_stack",
          "profile_memory", "data_process", "parallel_strategy", "start_profile", "l2_cache",
          "hbm_ddr", "pcie", "sys_io", "sys_interconnection", "host_sys", "sync_enable",
          "data_simplification", "record_shapes", "export_type", "mstx", "mstx_domain_include",
          "mstx_domain_exclude")

DEFAULT_OUTPUT_PATH = "./data"


def _refuse(name: str, given: Any, needed: str, used: Any) -> Any:
    warning(f"Profiler: {name} must be {needed}, not {given!r:.100}; {_text(used)} is used.")
    return used


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_text(item) for item in value)}]"
    return value.name if isinstance(value, enum.Enum) else repr(value)


class Options(WithActivities):
    """What the profiler goes by. A bad value is replaced, with a warning."""

    def __init__(self, given: Dict[str, Any]) -> None:
        self.is_set_schedule = isinstance(given.get("schedule"), Schedule)
        self.schedule = given["schedule"] if self.is_set_schedule else None
        self._warn_of_old(given)
        given = {**given, **self._experimental(given.get("experimental_config"))}
        given = {name: value for name, value in given.items() if value is not None}
        self.switches = {name: self._switch(name, given.get(name, default), default)
                         for name, default in _SWITCHES.items()}
        self.output_path = self._of_type(given, "output_path", str, "a text", DEFAULT_OUTPUT_PATH)
        self.profiler_level = self._of_type(given, "profiler_level", ProfilerLevel,
                                            "a ProfilerLevel", ProfilerLevel.Level0)
        self.aic_metrics = self._of_type(given, "aic_metrics", AicoreMetrics, "an AicoreMetrics",
                                         AicoreMetrics.AiCoreNone)
        self.activities = self._activities(given)
        self.export_type = self._export_type(given.get("export_type"))
        self.host_sys = self._host_sys(given.get("host_sys"))
        self.domains = {name: self._domains(name, given.get(name))
                        for name in ("mstx_domain_include", "mstx_domain_exclude")}
        self.on_trace_ready = given.get("on_trace_ready")
        if self.on_trace_ready is not None and not callable(self.on_trace_ready):
            self.on_trace_ready = _refuse("on_trace_ready", self.on_trace_ready, "callable", None)
        self._settle_conflicts()

    def parameters(self) -> Dict[str, Any]:
        """All options as plain values, as profiler_info has them."""
        values = {**vars(self), **self.switches, **self.domains}
        schedule = NO_SCHEDULE if self.schedule is None else self.schedule.to_dict()
        return {"is_set_schedule": self.is_set_schedule,
                **{name: _plain(values[name]) for name in _ORDER}, "schedule": schedule}

    def for_recorder(self) -> Dict[str, Any]:
        """What the recorder needs, under the names it has for PyTorch programs too."""
        level = self.profiler_level.value
        metrics = getattr(AiCMetrics, self.aic_metrics.name)
        switches = self.switches
        return {"activities": _plain(self.activities),
                "profiler_level": "Level_none" if level == "LevelNone" else level,
                "aic_metrics": metrics, "host_sys": _plain(self.host_sys),
                "profile_memory": switches["profile_memory"] or switches["hbm_ddr"],
                "sys_interconnection": switches["sys_interconnection"] or switches["pcie"],
                **{name: switches[name] for name in ("l2_cache", "mstx", "sys_io", "with_stack",
                                                     "record_shapes")}, **self.domains}

    @staticmethod
    def _warn_of_old(given: Dict[str, Any]) -> None:
        for name in given:
            if name in _OLD_OPTIONS:
                warnings.warn(f"Profiler: {name} is out of date and has no effect: "
                              f"{_OLD_OPTIONS[name]}.")
            elif name in _SOON_OLD_OPTIONS and given[name] is True:
                warnings.warn(f"Profiler: {name} will be deprecated, use {_SOON_OLD_OPTIONS[name]} "
                              "instead.")

    @staticmethod
    def _experimental(config: Any) -> Dict[str, Any]:
        if config is None:
            return {}
        if not isinstance(config, _ExperimentalConfig):
            _refuse("experimental_config", config, "an _ExperimentalConfig", None)
            return {}
        return config.to_dict()

    @staticmethod
    def _switch(name: str, value: Any, default: bool) -> bool:
        return value if isinstance(value, bool) else _refuse(name, value, "a bool", default)

    @staticmethod
    def _of_type(given: Dict[str, Any], name: str, kind: type, needed: str, default: Any) -> Any:
        value = given.get(name, default)
        return value if isinstance(value, kind) else _refuse(name, value, needed, default)

    @staticmethod
    def _activities(given: Dict[str, Any]) -> List[ProfilerActivity]:
        both = [ProfilerActivity.CPU, ProfilerActivity.NPU]
        wanted = given.get("activities", both)
        if not isinstance(wanted, list) or \
                not all(isinstance(activity, ProfilerActivity) for activity in wanted):
            return _refuse("activities", wanted, "a list of ProfilerActivity", both)
        return [activity for activity in ProfilerActivity if activity in wanted]

    @staticmethod
    def _export_type(given: Any) -> List[ExportType]:
        if not given:
            return [ExportType.Text]
        if isinstance(given, str) and given in [kind.value for kind in ExportType]:
            return [ExportType(given)]
        kinds = [given] if isinstance(given, ExportType) else given
        if isinstance(kinds, list) and all(isinstance(kind, ExportType) for kind in kinds):
            return [kind for kind in ExportType if kind in kinds]
        return _refuse("export_type", given, "\"text\", \"db\", or a list of ExportType",
                       [ExportType.Text])

    @staticmethod
    def _host_sys(given: Any) -> List[HostSystem]:
        if not given:
            return []
        if isinstance(given, list) and all(isinstance(item, HostSystem) for item in given):
            return [item for item in HostSystem if item in given]
        return _refuse("host_sys", given, "a list of HostSystem", [])

    @staticmethod
    def _domains(name: str, given: Any) -> List[str]:
        if not given:
            return []
        if isinstance(given, list) and all(isinstance(item, str) and item for item in given):
            return list(dict.fromkeys(given))
        return _refuse(name, given, "a list of texts that are not empty", [])

    def _settle_conflicts(self) -> None:
        if self.is_set_schedule and self.switches["data_process"]:
            self.switches["data_process"] = False
            warnings.warn("Profiler: with a schedule data_process is switched off.")
        self._settle_level()
        if self.switches["record_shapes"] and not self.with_cpu:
            self.switches["record_shapes"] = False
            warnings.warn("Profiler: record_shapes needs the activity CPU; it is switched off.")
        include, exclude = "mstx_domain_include", "mstx_domain_exclude"
        if not self.switches["mstx"] and any(self.domains.values()):
            self.domains = {include: [], exclude: []}
            warnings.warn(f"Profiler: {include} and {exclude} have no effect without mstx.")
        if self.domains[include] and self.domains[exclude]:
            self.domains[exclude] = []
            warnings.warn(f"Profiler: {include} and {exclude} are both set; {exclude} is ignored.")

    def _settle_level(self) -> None:
        if self.profiler_level == ProfilerLevel.LevelNone and not self.switches["mstx"]:
            self.profiler_level = ProfilerLevel.Level0
            warnings.warn("Profiler: LevelNone records markers only and needs mstx; Level0 is "
                          "used.")
        has_counters = self.profiler_level in (ProfilerLevel.Level1, ProfilerLevel.Level2)
        if has_counters == (self.aic_metrics != AicoreMetrics.AiCoreNone):
            return
        self.aic_metrics = AicoreMetrics.PipeUtilization if has_counters \
            else AicoreMetrics.AiCoreNone
        warnings.warn(f"Profiler: {self.profiler_level.name} goes with "
                      f"{'some' if has_counters else 'no'} AI Core counters; aic_metrics is set to "
                      f"{self.aic_metrics.name}.")


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    return [_plain(item) for item in value] if isinstance(value, list) else value
