"""The options a profiler object is constructed with, checked."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from .._console import warning
from ._constants import ProfilerActivity, WithActivities
from ._experimental_config import _ExperimentalConfig

SWITCHES = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")


def checked_switch(name: str, value: Any) -> bool:
    """A bool; anything else is False, with a warning."""
    if isinstance(value, bool):
        return value
    warning(f"Profiler: {name} must be a bool, not {value!r}; False is used.")
    return False


def _checked_activities(given: Any) -> List[ProfilerActivity]:
    everything = list(ProfilerActivity)
    if given is None:
        return everything
    try:
        wanted = list(given)
    except TypeError:
        wanted = [given]
        known = False
    else:
        known = all(isinstance(activity, ProfilerActivity) for activity in wanted)
    if not known:
        warning(f"Profiler: activities must be members of ProfilerActivity, not {wanted!r}; CPU "
                "and NPU are used.")
        return everything
    return [activity for activity in everything if activity in wanted] or everything


class CommonOptions(WithActivities):
    """Everything but the schedule and the handler. A bad value is replaced, with a warning."""

    def __init__(self, activities: Any, experimental_config: Any, switches: Dict[str, Any]) -> None:
        self.activities = _checked_activities(activities)
        self.switches = {name: checked_switch(name, switches[name]) for name in SWITCHES}
        if experimental_config is None:
            experimental_config = _ExperimentalConfig()
        elif not isinstance(experimental_config, _ExperimentalConfig):
            warning("Profiler: experimental_config must be an _ExperimentalConfig, not "
                    f"{type(experimental_config).__name__}; the default is used.")
            experimental_config = _ExperimentalConfig()
        self.experimental_config: _ExperimentalConfig = experimental_config
        self._warn_of_idle_options()

    @property
    def with_markers(self) -> bool:
        """Whether mstx markers are recorded."""
        return self.with_npu and self.experimental_config.tx_enabled

    def for_recorder(self) -> Dict[str, Any]:
        """All options as plain values."""
        return {"activities": [activity.name for activity in self.activities], **self.switches,
                **self.experimental_config()}

    def _warn_of_idle_options(self) -> None:
        if not self.with_npu:
            warning("Profiler: without the activity NPU the experimental config is not used.")
        if not self.with_cpu and self.experimental_config.with_gc:
            warning("Profiler: without the activity CPU gc_detect_threshold has no effect.")


def checked_callable(name: str, given: Any) -> Optional[Callable[..., Any]]:
    """A callable or None; anything else but an empty value is None, with a warning."""
    if callable(given):
        return given
    if given:
        warning(f"Profiler: {name} must be callable, not {given!r}; it is not used.")
    return None
