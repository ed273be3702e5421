"""Markers: moments and ranges with a message, in domains; the interface of torch_npu.npu.mstx."""

from __future__ import annotations

import functools
import threading
import warnings
from typing import Any, Callable, Dict, List, Optional

from . import _environment, _markers
from ._console import no_except
from ._module_markers import instrument_modules, instrument_training

__all__ = ["annotate", "instrument_modules", "instrument_training", "mark", "mstx_range",
           "range_end", "range_pop", "range_push", "range_start"]

# Ids of the ranges that range_push() opened in this thread, by domain; 0 for one that is not
# recorded, which keeps pushes and pops in pairs when recording begins or ends between them.
_pushed = threading.local()


def _is_stream(stream: Any) -> bool:
    for module, name in (("torch_npu", "npu"), ("torch", None), (f"{__package__}.sim", None)):
        namespace = _environment.loaded(module)
        stream_class = getattr(getattr(namespace, name, None) if name else namespace, "Stream",
                               None)
        if isinstance(stream_class, type) and isinstance(stream, stream_class):
            return True
    return False


def _acceptable(message: Any, stream: Any, domain: Any) -> bool:
    if not isinstance(message, str) or not message:
        warnings.warn(f"The message of a marker must be a text that is not empty, not {message!r}.")
        return False
    if stream is not None and not _is_stream(stream):
        warnings.warn(f"The stream of a marker must be an NPU stream, not {type(stream).__name__}.")
        return False
    return _acceptable_domain(domain)


def _acceptable_domain(domain: Any) -> bool:
    if isinstance(domain, str):
        return True
    warnings.warn(f"The domain of a marker must be a text, not {domain!r}.")
    return False


@no_except()
def mark(message: str, stream: Any = None, domain: str = "default") -> None:
    """Marks a moment on the host, and on the device if a stream is given."""
    if _acceptable(message, stream, domain):
        _markers.mark(message, domain, stream)


@no_except(default=0)
def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
    """Opens a range; returns its id for range_end(), 0 if it is not recorded."""
    if not _acceptable(message, stream, domain):
        return 0
    return _markers.range_start(message, domain, stream)


@no_except()
def range_end(range_id: int, domain: str = "default") -> None:
    """Closes a range, from any thread; `domain` is that of its start."""
    if not isinstance(range_id, int) or isinstance(range_id, bool):
        warnings.warn(f"The id of a marker range must be a whole number, not {range_id!r}.")
    elif _acceptable_domain(domain):
        _markers.range_end(range_id, domain)


def _ranges(domain: str) -> List[int]:
    if not hasattr(_pushed, "domains"):
        _pushed.domains = {}
    domains: Dict[str, List[int]] = _pushed.domains
    return domains.setdefault(domain, [])


def _depth(ranges: List[int]) -> int:
    return len(ranges) - ranges.count(0)


@no_except(default=-1)
def range_push(message: str, stream: Any = None, domain: str = "default") -> int:
    """Opens a range of this thread; returns the depth before it, -1 if it is not recorded."""
    if not _acceptable(message, stream, domain):
        return -1
    ranges = _ranges(domain)
    range_id = _markers.range_start(message, domain, stream)
    ranges.append(range_id)
    return _depth(ranges) - 1 if range_id else -1


@no_except(default=-1)
def range_pop(domain: str = "default") -> int:
    """Closes the innermost range of this thread; returns the depth after it, -1 without one."""
    if not _acceptable_domain(domain):
        return -1
    ranges = _ranges(domain)
    range_id = ranges.pop() if ranges else 0
    if not range_id:
        return -1
    _markers.range_end(range_id, domain)
    return _depth(ranges)


class annotate:
    """A range as a context manager or decorator; a decorator without message takes the name."""

    def __init__(self, message: str = "", stream: Any = None, domain: str = "default") -> None:
        self.message = message
        self.stream = stream
        self.domain = domain
        # One object may be entered again before it is left: by recursion, or in other threads.
        self._open = threading.local()

    def __enter__(self) -> "annotate":
        if not hasattr(self._open, "ids"):
            self._open.ids = []
        self._open.ids.append(range_start(self.message, self.stream, self.domain))
        return self

    def __exit__(self, *_: Any) -> None:
        if self._open.ids:
            range_end(self._open.ids.pop(), self.domain)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return _in_range(function, self.message or function.__name__, self.stream, self.domain)


def mstx_range(message: str, stream: Any = None,
               domain: str = "default") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: a range around each call of the function."""
    return lambda function: _in_range(function, message, stream, domain)


def _in_range(function: Callable[..., Any], message: str, stream: Optional[Any],
              domain: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        range_id = range_start(message, stream, domain)
        try:
            return function(*args, **kwargs)
        finally:
            range_end(range_id, domain)

    return wrapped
