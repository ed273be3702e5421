"""Ranges of the profiler itself: steps where MindSpore records none, and calls of mstx."""

from __future__ import annotations

import struct
import threading
import time
from typing import Callable, List, Optional, Tuple

# Thread, flow, step, start, end, process, module, event, stage, level, three flags.
_FIXED = struct.Struct("<5Qi3Hb3?")
_TLV = struct.Struct("<HI")
_RECORD, _NAME, _FULL_NAME, _MODULE_TEXT, _EVENT_TEXT = 0, 13, 14, 15, 16
_NO_FLOW = (1 << 64) - 1
_MODULE_PYTHON, _EVENT_OBSERVED, _STAGE_DEFAULT, _LEVEL_DEFAULT = 5, 53, 0, -1
_MODULE_OTHER, _EVENT_EXECUTE = 7, 66
_MARKS = ("Ascend", "Mstx")


def now_ticks() -> int:
    """The ticks of these ranges are nanoseconds where MindSpore's recorder gives no others."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def _field(number: int, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return _TLV.pack(number, len(data)) + data


def _encode(name: str, start: int, end: int, kind: Tuple[int, int],
            graph: Tuple[str, str] = ("", "")) -> bytes:
    thread = threading.get_native_id()
    fixed = _FIXED.pack(thread, _NO_FLOW, 0, start, end, thread, *kind, _STAGE_DEFAULT,
                        _LEVEL_DEFAULT, bool(graph[0]), False, False)
    body = (fixed + _field(_NAME, name) + _field(_FULL_NAME, name) +
            _field(_MODULE_TEXT, graph[0]) + _field(_EVENT_TEXT, graph[1]))
    return _TLV.pack(_RECORD, len(body)) + body


class OwnRanges:
    """Those that begin and end while recording."""

    def __init__(self) -> None:
        self._records: Optional[List[bytes]] = None
        self.now: Callable[[], int] = now_ticks

    def start(self) -> None:
        """Begins recording."""
        self._records = []
        self.now = now_ticks

    def count_like(self, now: Callable[[], int]) -> None:
        """Takes other ticks from now on, those of the file that the ranges go to."""
        if self._records:
            self._records.clear()
        self.now = now

    def open(self, name: str) -> Tuple[str, int, Callable[[], int]]:
        """The begin of a range, for close()."""
        return name, self.now() if self._records is not None else 0, self.now

    def close(self, begun: Tuple[str, int, Callable[[], int]]) -> None:
        """Ends a range; one that began in other ticks has no length."""
        name, start, now = begun
        if self._records is not None and start and now is self.now:
            self._records.append(_encode(name, start, self.now(),
                                         (_MODULE_PYTHON, _EVENT_OBSERVED)))

    def call_of_marker(self, name: str, start: int) -> None:
        """Records a call of mstx that began then, as MindSpore does: the call, and the marker."""
        if self._records is None or not start:
            return
        end = self.now()
        self._records.append(_encode(name, start, end, (_MODULE_OTHER, _EVENT_EXECUTE)))
        if name != "RangeEnd":
            marker = "Mark" if name == "Mark" else "Range"
            self._records.append(_encode(marker, start, end, (0, 0), _MARKS))

    def stop(self) -> bytes:
        """Ends recording; returns the records."""
        records, self._records = self._records, None
        return b"".join(records or ())


own_ranges = OwnRanges()
