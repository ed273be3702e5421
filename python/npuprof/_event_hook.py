"""Shows calls of NPU events as operators while a profiler records."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict

from . import _backend, _environment

_METHODS = ("record", "wait", "query", "elapsed_time", "synchronize")


def _wrap(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        context = _backend.record_function(f"Event::{name}")
        if context is None:
            return method(*args, **kwargs)
        with context:
            return method(*args, **kwargs)

    return wrapped


class EventHook:
    """Wraps the methods of the event class of torch_npu, if the program uses that."""

    def __init__(self) -> None:
        self._class: Any = None
        self._originals: Dict[str, Any] = {}

    def install(self, event_class: Any = None) -> None:
        """Wraps the methods; a second call does nothing."""
        if event_class is None:
            event_class = getattr(getattr(_environment.loaded("torch_npu"), "npu", None), "Event",
                                  None)
        if event_class is None or self._class is not None:
            return
        self._class = event_class
        for name in _METHODS:
            if hasattr(event_class, name):
                # What the class itself defines comes back as it was; the inherited is uncovered.
                self._originals[name] = vars(event_class).get(name)
                setattr(event_class, name, _wrap(getattr(event_class, name), name))

    def remove(self) -> None:
        """Puts the methods back."""
        for name, original in self._originals.items():
            if original is None:
                delattr(self._class, name)
            else:
                setattr(self._class, name, original)
        self._class = None
        self._originals.clear()
