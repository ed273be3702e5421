"""Names and values of options, as users of torch_npu.profiler know them."""

from __future__ import annotations

import enum
from typing import Sequence, Set

from .. import _backend
from .._console import no_except


class ProfilerActivity(enum.Enum):
    """What is recorded: the host program, the NPU."""

    CPU = 1
    NPU = 2


class WithActivities:
    """Options with activities, of this framework or another."""

    activities: Sequence[enum.Enum] = ()

    @property
    def with_cpu(self) -> bool:
        """Whether the host program is recorded."""
        return self._has("CPU")

    @property
    def with_npu(self) -> bool:
        """Whether the NPU is recorded."""
        return self._has("NPU")

    def _has(self, name: str) -> bool:
        return any(activity.name == name for activity in self.activities)


class ProfilerLevel:
    """How much CANN tells."""

    Level_none = "Level_none"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics:
    """Groups of AI Core counters."""

    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"
    ArithmeticUtilization = "ACL_AICORE_ARITHMETIC_UTILIZATION"
    Memory = "ACL_AICORE_MEMORY_BANDWIDTH"
    MemoryL0 = "ACL_AICORE_L0B_AND_WIDTH"
    MemoryUB = "ACL_AICORE_MEMORY_UB"
    ResourceConflictRatio = "ACL_AICORE_RESOURCE_CONFLICT_RATIO"
    L2Cache = "ACL_AICORE_L2_CACHE"
    MemoryAccess = "ACL_AICORE_MEMORY_ACCESS"
    AiCoreNone = "ACL_AICORE_NONE"


class ExportType:
    """What a parse writes."""

    Text = "text"
    Db = "db"


class HostSystem:
    """Use of the host that is sampled."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"
    NUMA = "numa"


def values(constants: type) -> Set[str]:
    """The values of a class of string constants."""
    return {value for name, value in vars(constants).items() if not name.startswith("_")}


@no_except(default=set())
def supported_activities() -> Set[ProfilerActivity]:
    """What can be recorded; empty if that cannot be found out."""
    _backend.supported_features()
    return {ProfilerActivity.CPU, ProfilerActivity.NPU}


@no_except(default=set())
def supported_profiler_level() -> Set[str]:
    """All levels."""
    return values(ProfilerLevel)


@no_except(default=set())
def supported_ai_core_metrics() -> Set[str]:
    """All groups of AI Core counters."""
    return values(AiCMetrics)


@no_except(default=set())
def supported_export_type() -> Set[str]:
    """All kinds of results."""
    return values(ExportType)
