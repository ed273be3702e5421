"""PyTorch's own profilers beside ours: where both want the same thing, ours gives way.

PyTorch has one place in each thread for who is told of memory, and Python has one for who is told
of calls. A profiler of PyTorch that finds them taken does not start, or fails when it stops.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from . import _environment

_watched = False


def watch(leave_memory: Callable[[], None], leave_calls: Callable[[], None]) -> None:
    """Calls these before a profiler of PyTorch starts, from now on, on its thread."""
    global _watched
    if _watched:
        return
    _watched = True
    # Functions of Python, not compiled ones: Python reports the end of a compiled function to
    # whoever traces at its end, and PyTorch's tracer would not know that call.
    for module_name, name in (("torch.autograd.profiler", "_enable_profiler"),
                              ("torch.autograd.profiler_legacy", "_enable_profiler_legacy")):
        _call_before(_environment.loaded(module_name), name, lambda _: leave_memory())

    def leave_calls_to(profiler: Any) -> None:
        if getattr(profiler, "with_stack", False) or getattr(profiler, "with_modules", False):
            leave_calls()

    owner = getattr(_environment.loaded("torch.autograd.profiler"), "profile", None)
    _call_before(owner, "_start_trace", leave_calls_to)


def _call_before(owner: Any, name: str, action: Callable[[Any], None]) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        action(args[0] if args else None)
        return original(*args, **kwargs)

    setattr(owner, name, wrapper)
