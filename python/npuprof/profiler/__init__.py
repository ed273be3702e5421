"""The interface of torch_npu.profiler."""

from . import dynamic_profile
from ._analysis import tensorboard_trace_handler
from ._constants import (AiCMetrics, ExportType, HostSystem, ProfilerActivity, ProfilerLevel,
                         supported_activities, supported_ai_core_metrics, supported_export_type,
                         supported_profiler_level)
from ._experimental_config import _ExperimentalConfig
from ._schedule import ProfilerAction
from ._schedule import Schedule as schedule
from .profiler import _KinetoProfile, analyse, profile

__all__ = [
    "AiCMetrics", "ExportType", "HostSystem", "ProfilerAction", "ProfilerActivity",
    "ProfilerLevel", "_ExperimentalConfig", "_KinetoProfile", "analyse", "dynamic_profile",
    "profile", "schedule", "supported_activities", "supported_ai_core_metrics",
    "supported_export_type", "supported_profiler_level", "tensorboard_trace_handler",
]
