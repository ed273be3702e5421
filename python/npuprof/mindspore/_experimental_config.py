"""The extended options of a profiler."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._constants import AicoreMetrics, ExportType, HostSystem, ProfilerLevel


class _ExperimentalConfig:
    """Level, counters, markers, exports and samples. The profiler checks what is set here."""

    def __init__(self, profiler_level: ProfilerLevel = ProfilerLevel.Level0,
                 aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone, l2_cache: bool = False,
                 mstx: bool = False, data_simplification: bool = True,
                 export_type: Optional[List[ExportType]] = None,
                 mstx_domain_include: Optional[List[str]] = None,
                 mstx_domain_exclude: Optional[List[str]] = None, sys_io: bool = False,
                 sys_interconnection: bool = False,
                 host_sys: Optional[List[HostSystem]] = None) -> None:
        self.profiler_level = profiler_level
        self.aic_metrics = aic_metrics
        self.l2_cache = l2_cache
        self.mstx = mstx
        self.data_simplification = data_simplification
        self.export_type = export_type
        self.mstx_domain_include = mstx_domain_include
        self.mstx_domain_exclude = mstx_domain_exclude
        self.sys_io = sys_io
        self.sys_interconnection = sys_interconnection
        self.host_sys = host_sys

    def to_dict(self) -> Dict[str, Any]:
        """The options by name."""
        return dict(vars(self))
