"""What can be recorded without compiled code: ranges of the profiler itself, such as steps."""

from __future__ import annotations

import os
import struct
import threading
import time
from typing import Any, Dict, List, Optional, Tuple

from . import _paths

# Start, end, sequence number, process, threads at start and end, forward thread, scope, async.
_OP_RANGE = struct.Struct("<3q4QB?")
_TLV = struct.Struct("<HI")
_RANGE_TYPE, _NAME_TYPE = 1, 2
_NO_SEQUENCE, _USER_SCOPE = -1, 7


def timestamp_ns() -> int:
    """The clock that stamps refer to when the processor's counter is not used."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def _encode_range(name: str, start_ns: int, end_ns: int, thread: int) -> bytes:
    text = name.encode("utf-8", "replace")
    fixed = _OP_RANGE.pack(start_ns, end_ns, _NO_SEQUENCE, os.getpid(), thread, thread, 0,
                           _USER_SCOPE, False)
    body = fixed + _TLV.pack(_NAME_TYPE, len(text)) + text
    return _TLV.pack(_RANGE_TYPE, len(body)) + body


class PythonSession:
    """Writes ranges that begin and end while it is recording to FRAMEWORK/torch.op_range."""

    _recording: Optional["PythonSession"] = None
    _open = threading.local()

    def __init__(self, result_dir: str, config: Dict[str, Any]) -> None:
        self._path = os.path.join(result_dir, "FRAMEWORK", "torch.op_range")
        self._wanted = "CPU" in config.get("activities", ())
        self._ranges: List[bytes] = []

    def start(self) -> None:
        """Begins recording."""
        if self._wanted:
            PythonSession._recording = self

    def stop(self) -> None:
        """Ends recording."""
        if PythonSession._recording is self:
            PythonSession._recording = None

    def finalize(self) -> None:
        """Writes what was recorded."""
        self.stop()
        ranges, self._ranges = self._ranges, []
        if ranges:
            _paths.make_directory(os.path.dirname(self._path))
            _paths.append_file(self._path, b"".join(ranges))

    @classmethod
    def _stack(cls) -> List[Tuple[str, int, Optional["PythonSession"]]]:
        if not hasattr(cls._open, "ranges"):
            cls._open.ranges = []
        return cls._open.ranges

    @classmethod
    def range_push(cls, name: str) -> None:
        """Opens a range of this thread."""
        cls._stack().append((name, timestamp_ns(), cls._recording))

    @classmethod
    def range_pop(cls) -> None:
        """Closes the innermost range; it counts if the same session recorded at its begin."""
        stack = cls._stack()
        if not stack:
            return
        name, start_ns, session = stack.pop()
        if session is not None and session is cls._recording:
            session._ranges.append(
                _encode_range(name, start_ns, timestamp_ns(), threading.get_native_id()))
