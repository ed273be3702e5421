"""Which steps of a training are recorded."""

from __future__ import annotations

import enum
from typing import Any

from .._console import warning


class ProfilerAction(enum.Enum):
    """What the profiler does during a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class Schedule:
    """Skips, waits, warms up and records, in cycles; a callable from step number to action."""

    def __init__(self, wait: int, active: int, warmup: int = 0, repeat: int = 0,
                 skip_first: int = 0, skip_first_wait: int = 0) -> None:
        self.wait = self._checked("wait", wait, 0, 0)
        self.active = self._checked("active", active, 1, 1)
        self.warmup = self._checked("warmup", warmup, 0, 0)
        self.repeat = self._checked("repeat", repeat, 0, 0)
        self.skip_first = self._checked("skip_first", skip_first, 0, 0)
        self.skip_first_wait = skip_first_wait
        if not isinstance(skip_first_wait, int):
            warning(f"Schedule: skip_first_wait must be a whole number, not {skip_first_wait!r}; "
                    "0 is used.")
            self.skip_first_wait = 0
        if self.warmup == 0:
            warning("Schedule: without a warmup step the first recorded step carries the cost of "
                    "starting the profiler.")

    @staticmethod
    def _is_number(value: Any) -> bool:
        return isinstance(value, int)

    def _checked(self, name: str, value: Any, lowest: int, fallback: int) -> int:
        if self._is_number(value) and value >= lowest:
            return value
        warning(f"Schedule: {name} must be a whole number of at least {lowest}, not {value!r}; "
                f"{fallback} is used.")
        return fallback

    def __call__(self, step: int) -> ProfilerAction:
        if step < 0:
            raise ValueError(f"Invalid parameter step, which must be not less than 0: {step}")
        if step < self.skip_first:
            return ProfilerAction.NONE
        step -= self.skip_first
        # The wait of the first cycle counts as done.
        if self.skip_first_wait != 0:
            step += self.wait
        cycle = self.wait + self.warmup + self.active
        if self.repeat > 0 and step // cycle >= self.repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < self.wait:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE


def record_always(_: int) -> ProfilerAction:
    """The schedule of a profiler that was given none."""
    return ProfilerAction.RECORD
