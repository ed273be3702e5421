"""Records garbage collections of Python: FRAMEWORK/torch.gc_record."""

from __future__ import annotations

import gc
import os
import struct
import time
from typing import List, Optional, Tuple

from .. import _backend, _paths

_RECORD = struct.Struct("<3Q")  # Process id, start, end in the clock of the recorder.


class GcDetector:
    """Listens to the garbage collector between start and stop."""

    def __init__(self, threshold_ms: float) -> None:
        self._threshold_ns = threshold_ms * 1_000_000
        self._records: List[Tuple[int, int, int]] = []
        self._pid = os.getpid()
        # In the clock of the recorder, and for the duration.
        self._began: Optional[Tuple[int, int]] = None
        self._callback: Optional[object] = None

    def start(self) -> None:
        """Begins to listen."""
        if self._callback is None:
            self._callback = self._on_collection
            gc.callbacks.append(self._callback)

    def stop(self, result_dir: str) -> None:
        """Ends listening and writes what was heard."""
        if self._callback is None:
            return
        if self._callback in gc.callbacks:
            gc.callbacks.remove(self._callback)
        self._callback = None
        records, self._records = self._records, []
        self._began = None
        if records:
            folder = os.path.join(result_dir, "FRAMEWORK")
            _paths.make_directory(folder)
            data = b"".join(_RECORD.pack(*record) for record in records)
            _paths.append_file(os.path.join(folder, "torch.gc_record"), data)

    def _on_collection(self, phase: str, _: dict) -> None:
        if os.getpid() != self._pid:  # In a forked child nobody would write the records.
            return
        now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        if phase == "start":
            self._began = (_backend.timestamp(), now_ns)
        elif phase == "stop" and self._began is not None:
            start, start_ns = self._began
            self._began = None
            if now_ns - start_ns >= self._threshold_ns:
                self._records.append((self._pid, start, _backend.timestamp()))
