"""Markers of MindSpore programs: moments and ranges with a message, in domains."""

from __future__ import annotations

from typing import Any

from .. import _markers
from .._console import no_except, warning
from .._environment import loaded
from ._own_ranges import own_ranges

__all__ = ["mark", "range_end", "range_start"]


class _StreamHandle:
    """A stream as the recorder wants it."""

    def __init__(self, handle: int) -> None:
        self.npu_stream = handle


def _handle(stream: Any) -> Any:
    """None for no stream; raises TypeError for what is none of MindSpore's."""
    if stream is None:
        return None
    stream_class = getattr(loaded("mindspore.runtime"), "Stream", None)
    if not isinstance(stream_class, type) or not isinstance(stream, stream_class):
        raise TypeError(f"the stream of a marker must be a mindspore.runtime.Stream, not "
                        f"{type(stream).__name__}")
    return _StreamHandle(int(stream.device_stream() or 0))


def _acceptable(message: Any, domain: Any) -> bool:
    if not isinstance(message, str) or not message:
        warning(f"mstx: the message must be a text that is not empty, not {message!r:.100}.")
        return False
    return _acceptable_domain(domain)


def _acceptable_domain(domain: Any) -> bool:
    if isinstance(domain, str) and domain:
        return True
    warning(f"mstx: the domain must be a text that is not empty, not {domain!r:.100}.")
    return False


@no_except()
def mark(message: str, stream: Any = None, domain: str = "default") -> None:
    """Marks a moment on the host, and on the device if a stream is given."""
    if _markers.active() and _acceptable(message, domain):
        begin = own_ranges.now()
        _markers.mark(message, domain, _handle(stream))
        own_ranges.call_of_marker("Mark", begin)


@no_except(default=0)
def range_start(message: str, stream: Any = None, domain: str = "default") -> int:
    """Opens a range; returns its id for range_end(), 0 if it is not recorded."""
    if not _markers.active() or not _acceptable(message, domain):
        return 0
    begin = own_ranges.now()
    range_id = _markers.range_start(message, domain, _handle(stream))
    own_ranges.call_of_marker("RangeStart", begin)
    return range_id


@no_except()
def range_end(range_id: int, domain: str = "default") -> None:
    """Closes a range, from any thread; `domain` is that of its start."""
    if range_id == 0 or not _markers.active():
        return
    if not isinstance(range_id, int) or isinstance(range_id, bool) or range_id < 0:
        warning(f"mstx: the id of a range must be what range_start returned, not {range_id!r}.")
    elif _acceptable_domain(domain):
        begin = own_ranges.now()
        _markers.range_end(range_id, domain)
        own_ranges.call_of_marker("RangeEnd", begin)
