"""Profiler for AI workloads on Ascend NPUs.

`import npuprof.profiler as profiler` serves programs that use torch_npu.profiler, and
`from npuprof import mstx` those with markers of torch_npu.npu.mstx.
"""

from . import mstx, profiler, sim
from ._autostart import activate as _activate
from ._flops import register_npu_flop
from ._version import __version__
from .profiler import (AiCMetrics, ExportType, HostSystem, ProfilerAction, ProfilerActivity,
                       ProfilerLevel, _ExperimentalConfig, _KinetoProfile, analyse,
                       dynamic_profile, profile, schedule, supported_activities,
                       supported_ai_core_metrics, supported_export_type, supported_profiler_level,
                       tensorboard_trace_handler)

__all__ = [
    "AiCMetrics", "ExportType", "HostSystem", "ProfilerAction", "ProfilerActivity",
    "ProfilerLevel", "_ExperimentalConfig", "_KinetoProfile", "__version__", "analyse",
    "dynamic_profile", "mstx", "profile", "profiler", "register_npu_flop", "schedule", "sim",
    "supported_activities", "supported_ai_core_metrics", "supported_export_type",
    "supported_profiler_level", "tensorboard_trace_handler",
]

_activate()
