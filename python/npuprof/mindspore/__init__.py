"""The interface of mindspore.profiler."""

from . import mstx
from ._analysis import tensor_board_trace_handler, tensorboard_trace_handler
from ._constants import (AicoreMetrics, ExportType, HostSystem, ProfilerAction, ProfilerActivity,
                         ProfilerLevel)
from ._dynamic import DynamicProfilerMonitor
from ._env_profiler import EnvProfiler
from ._experimental_config import _ExperimentalConfig
from ._schedule import Schedule as schedule
from .profiler import Profile, Profiler, analyse, profile

__all__ = [
    "AicoreMetrics", "DynamicProfilerMonitor", "EnvProfiler", "ExportType", "HostSystem", "Profile",
    "Profiler", "ProfilerAction", "ProfilerActivity", "ProfilerLevel", "_ExperimentalConfig",
    "analyse", "mstx", "profile", "schedule", "tensor_board_trace_handler",
    "tensorboard_trace_handler",
]

EnvProfiler.init_profiler()
