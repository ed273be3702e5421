"""The extended options of a profiler."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Union

from .._console import info, warning
from ._constants import AiCMetrics, ExportType, HostSystem, ProfilerLevel, values


def _is_any(value: Any, allowed: set) -> bool:
    return isinstance(value, str) and value in allowed


def _without_duplicates(entries: List[str]) -> List[str]:
    return list(dict.fromkeys(entries))


class _ExperimentalConfig:
    """Level, counters, markers, exports and samples. A bad value is replaced, with a warning.

    The names of the attributes are those of profiler_info.json.
    """

    def __init__(self, profiler_level: str = ProfilerLevel.Level0,
                 aic_metrics: str = AiCMetrics.PipeUtilization, l2_cache: bool = False,
                 msprof_tx: bool = False, mstx: bool = False,
                 data_simplification: Optional[bool] = True, record_op_args: bool = False,
                 op_attr: bool = False, gc_detect_threshold: Optional[float] = None,
                 export_type: Union[str, List[str]] = ExportType.Text,
                 host_sys: Optional[List[str]] = None,
                 mstx_domain_include: Optional[List[str]] = None,
                 mstx_domain_exclude: Optional[List[str]] = None, sys_io: bool = False,
                 sys_interconnection: bool = False) -> None:
        self._profiler_level = profiler_level
        self._aic_metrics = aic_metrics
        self._l2_cache = l2_cache
        self._msprof_tx = msprof_tx
        self._mstx = mstx
        self._data_simplification = data_simplification
        self.record_op_args = record_op_args
        self._export_type: Any = export_type
        self._host_sys: Any = [] if host_sys is None else host_sys
        self._op_attr = op_attr
        self._gc_detect_threshold = gc_detect_threshold
        self._mstx_domain_include: Any = [] if mstx_domain_include is None else mstx_domain_include
        self._mstx_domain_exclude: Any = [] if mstx_domain_exclude is None else mstx_domain_exclude
        self._sys_io = sys_io
        self._sys_interconnection = sys_interconnection
        self._check()

    def __call__(self) -> Dict[str, Any]:
        """The options as plain values, for the recorder."""
        return {name.lstrip("_"): value for name, value in vars(self).items()}

    @property
    def export_type(self) -> List[str]:
        """What a parse writes: "text", "db" or both."""
        return self._export_type

    @property
    def with_gc(self) -> bool:
        """Whether garbage collections of Python are recorded."""
        return self._gc_detect_threshold is not None

    @property
    def gc_detect_threshold(self) -> Optional[float]:
        """Shortest garbage collection that is recorded, in milliseconds."""
        return self._gc_detect_threshold

    @property
    def tx_enabled(self) -> bool:
        """Whether markers are recorded."""
        return self._mstx or self._msprof_tx

    # The order of the checks decides what conflicting options end as.
    def _check(self) -> None:
        self._check_metrics_of_level()
        for name in ("_l2_cache", "_msprof_tx", "_mstx", "record_op_args"):
            self._check_bool(name)
        self._check_simplification()
        if self._msprof_tx:
            warnings.warn("msprof_tx is out of date, use mstx instead.")
        self._check_markers_of_level()
        self._check_level_and_metrics()
        self._check_export_type()
        self._check_op_attr()
        self._check_gc_threshold()
        self._check_bool("_sys_io")
        self._check_bool("_sys_interconnection")
        self._check_domains()
        self._check_host_sys()

    def _check_bool(self, name: str) -> None:
        value = getattr(self, name)
        if not isinstance(value, bool):
            warning(f"Experimental config: {name.lstrip('_')} must be a bool, not {value!r}; "
                    "False is used.")
            setattr(self, name, False)

    def _check_metrics_of_level(self) -> None:
        low = (ProfilerLevel.Level0, ProfilerLevel.Level_none)
        if self._profiler_level in low and self._aic_metrics != AiCMetrics.AiCoreNone:
            warning(f"Experimental config: {self._profiler_level} has no AI Core counters; "
                    "aic_metrics is set to AiCoreNone.")
            self._aic_metrics = AiCMetrics.AiCoreNone

    def _check_simplification(self) -> None:
        if self._data_simplification is not None and \
                not isinstance(self._data_simplification, bool):
            warning("Experimental config: data_simplification must be a bool, not "
                    f"{self._data_simplification!r}; True is used.")
            self._data_simplification = True

    def _check_markers_of_level(self) -> None:
        if self._profiler_level == ProfilerLevel.Level_none and not self.tx_enabled:
            warning("Experimental config: Level_none records markers only; mstx is switched on.")
            self._mstx = True

    def _check_level_and_metrics(self) -> None:
        if not _is_any(self._profiler_level, values(ProfilerLevel)):
            warning(f"Experimental config: {self._profiler_level!r} is no profiler level; "
                    "Level0 is used.")
            self._profiler_level = ProfilerLevel.Level0
        given = self._aic_metrics
        named = getattr(AiCMetrics, given, None) if isinstance(given, str) else None
        if _is_any(named, values(AiCMetrics)):
            warning(f"Experimental config: the text {given!r} is taken for AiCMetrics.{given}, "
                    "which other profilers do not do.")
            self._aic_metrics = named
        if not _is_any(self._aic_metrics, values(AiCMetrics)):
            fallback = "AiCoreNone" if self._profiler_level == ProfilerLevel.Level0 \
                else "PipeUtilization"
            warning(f"Experimental config: {self._aic_metrics!r} is no group of AI Core counters; "
                    f"{fallback} is used.")
            self._aic_metrics = getattr(AiCMetrics, fallback)

    def _check_export_type(self) -> None:
        given = self._export_type
        kinds = [given] if isinstance(given, str) else given
        known = values(ExportType)
        if isinstance(kinds, list) and kinds and all(_is_any(kind, known) for kind in kinds):
            self._export_type = _without_duplicates(kinds)
            return
        warning(f"Experimental config: export_type must be \"text\", \"db\" or a list of them, "
                f"not {given!r}; [\"text\"] is used.")
        self._export_type = [ExportType.Text]

    def _check_op_attr(self) -> None:
        self._check_bool("_op_attr")
        if self._op_attr and ExportType.Db not in self._export_type:
            warning("Experimental config: op_attr needs the export type db; it is switched off.")
            self._op_attr = False

    def _check_gc_threshold(self) -> None:
        value = self._gc_detect_threshold
        if value is None:
            return
        # Not a number, or NaN, which is not at least 0 either.
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            warning("Experimental config: gc_detect_threshold must be a time in ms of at least 0, "
                    f"not {value!r}; garbage collections are not recorded.")
            self._gc_detect_threshold = None
        elif value == 0:
            info("Experimental config: gc_detect_threshold is 0, all garbage collections are "
                 "recorded.")

    def _check_domains(self) -> None:
        if not self._mstx_domain_include and not self._mstx_domain_exclude:
            self._mstx_domain_include, self._mstx_domain_exclude = [], []
            return
        if not self.tx_enabled:
            warning("Experimental config: mstx_domain_include and mstx_domain_exclude have no "
                    "effect without mstx.")
            self._mstx_domain_include, self._mstx_domain_exclude = [], []
            return
        for name in ("_mstx_domain_include", "_mstx_domain_exclude"):
            setattr(self, name, self._checked_domains(name.lstrip("_"), getattr(self, name)))
        if self._mstx_domain_include and self._mstx_domain_exclude:
            warning("Experimental config: mstx_domain_include and mstx_domain_exclude are both "
                    "set; mstx_domain_exclude is ignored.")
            self._mstx_domain_exclude = []

    @staticmethod
    def _checked_domains(name: str, given: Any) -> List[str]:
        if isinstance(given, list) and all(isinstance(entry, str) for entry in given):
            return _without_duplicates(given)
        warning(f"Experimental config: {name} must be a list of texts, not {given!r}; it is "
                "ignored.")
        return []

    def _check_host_sys(self) -> None:
        given, known = self._host_sys, values(HostSystem)
        if isinstance(given, list) and all(_is_any(entry, known) for entry in given):
            self._host_sys = _without_duplicates(given)
            return
        warning(f"Experimental config: host_sys must be a list of {sorted(known)}, not {given!r}; "
                "the host is not sampled.")
        self._host_sys = []
