"""Which steps of a training are recorded."""

from __future__ import annotations

from typing import Any, Dict

from .._console import warning
from ..profiler import _schedule as _shared
from ._constants import ProfilerAction

_KEYS = ("wait", "active", "warmup", "repeat", "skip_first")


class Schedule(_shared.Schedule):
    """Skips, waits, warms up and records, in cycles; a callable from step number to action."""

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0,
                 skip_first: int = 0) -> None:
        super().__init__(wait, active, warmup, repeat, skip_first)

    @staticmethod
    def _is_number(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    def __call__(self, step: int) -> ProfilerAction:
        return ProfilerAction(super().__call__(step).value)

    def __repr__(self) -> str:
        pairs = ", ".join(f"{name}={value}" for name, value in self.to_dict().items())
        return f"schedule({pairs})"

    def to_dict(self) -> Dict[str, int]:
        """The five numbers, by name."""
        return {name: getattr(self, name) for name in _KEYS}


# What profiler_info says of a profiler without a schedule.
NO_SCHEDULE: Dict[str, int] = {"wait": 0, "active": 1, "warmup": 0, "repeat": 0, "skip_first": 0}


def record_always(_: int) -> ProfilerAction:
    """The schedule of a profiler that was given none."""
    return ProfilerAction.RECORD


def checked_action(given: Any) -> ProfilerAction:
    """What a callable of the user gave for a step."""
    if isinstance(given, ProfilerAction):
        return given
    value = getattr(given, "value", None)
    if value in [action.value for action in ProfilerAction]:
        return ProfilerAction(value)
    warning(f"Profiler: a schedule must return members of ProfilerAction, not {given!r}; NONE is "
            "used.")
    return ProfilerAction.NONE
