"""Ranges of the profiler itself, such as steps, for programs in which MindSpore records none."""

from __future__ import annotations

import struct
import threading
import time
from typing import List, Optional, Tuple

# Thread, flow, step, start, end, process, module, event, stage, level, three flags.
_FIXED = struct.Struct("<5Qi3Hb3?")
_TLV = struct.Struct("<HI")
_RECORD, _NAME, _FULL_NAME, _MODULE_TEXT, _EVENT_TEXT = 0, 13, 14, 15, 16
_NO_FLOW = (1 << 64) - 1
_MODULE_PYTHON, _EVENT_OBSERVED, _STAGE_DEFAULT, _LEVEL_DEFAULT = 5, 53, 0, -1


def now_ticks() -> int:
    """The ticks of these ranges are nanoseconds."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def _field(number: int, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return _TLV.pack(number, len(data)) + data


def _encode(name: str, start: int, end: int) -> bytes:
    thread = threading.get_native_id()
    fixed = _FIXED.pack(thread, _NO_FLOW, 0, start, end, thread, _MODULE_PYTHON, _EVENT_OBSERVED,
                        _STAGE_DEFAULT, _LEVEL_DEFAULT, False, False, False)
    body = (fixed + _field(_NAME, name) + _field(_FULL_NAME, name) + _field(_MODULE_TEXT, "") +
            _field(_EVENT_TEXT, ""))
    return _TLV.pack(_RECORD, len(body)) + body


class OwnRanges:
    """Those that begin and end while recording."""

    def __init__(self) -> None:
        self._records: Optional[List[bytes]] = None

    def start(self) -> None:
        """Begins recording."""
        self._records = []

    def open(self, name: str) -> Tuple[str, int]:
        """The begin of a range, for close()."""
        return name, now_ticks() if self._records is not None else 0

    def close(self, begun: Tuple[str, int]) -> None:
        """Ends a range."""
        name, start = begun
        if self._records is not None and start:
            self._records.append(_encode(name, start, now_ticks()))

    def stop(self) -> bytes:
        """Ends recording; returns the records."""
        records, self._records = self._records, None
        return b"".join(records or ())


own_ranges = OwnRanges()
