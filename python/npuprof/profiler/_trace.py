"""The operations a run of the profiler consists of."""

from __future__ import annotations

import errno
import functools
import json
import os
import threading
from typing import Any, Callable, Dict, List, Optional

from .. import _backend, _environment, _markers, _paths
from .._console import error, no_except, warning
from .._event_hook import EventHook
from .._flops import FlopsHook
from . import _info, _result_directory
from ._common_options import CommonOptions
from ._gc_detector import GcDetector
from ._metadata import Metadata, make_trace_id
from ._result_directory import Location

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_FOREIGN_PROFILERS = ("PROFILER_SAMPLECONFIG", "PROFILING_MODE")

# CANN records for one collection at a time in a process.
_owner: Optional["Trace"] = None
_owner_lock = threading.Lock()


@functools.lru_cache(maxsize=None)
def other_profiler_active() -> bool:
    """Whether the process runs under msprof; asked once, at the first profiler."""
    found = _foreign_profilers()
    for name in found:
        warning(f"The variable {name} is set, so another profiler is at work; this one stays off.")
    return bool(found)


def _foreign_profilers() -> List[str]:
    return [name for name in _FOREIGN_PROFILERS if os.environ.get(name)]


def _operation(function: Callable[..., None]) -> Callable[..., None]:
    """An operation that never raises, and does nothing beside another profiler."""

    @no_except()
    @functools.wraps(function)
    def guarded(self: "Trace") -> None:
        if not other_profiler_active():
            self.drop_session_of_parent()
            function(self)

    return guarded


class Trace:
    """From a new directory to its last file. Operations out of turn do nothing."""

    def __init__(self, options: CommonOptions, metadata: Metadata, schedule: Any) -> None:
        other_profiler_active()
        self.options = options
        self.metadata = metadata
        self.trace_id_callback: Optional[Callable[[], Any]] = None
        self.trace_id = ""
        # None: there is no trace handler.
        self.location: Optional[Location] = None
        # Of the run under way, or of the last one.
        self.result_dir: Optional[str] = None
        self.finished = False
        self._schedule = schedule
        self._session: Optional[_backend.Session] = None
        self._session_pid = os.getpid()
        self._started = False
        self._start_info: Dict[str, Any] = {}
        self._gc: Optional[GcDetector] = None
        self._events = EventHook()
        self._flops = FlopsHook()

    def drop_session_of_parent(self) -> None:
        """After a fork the run under way is the parent's: the child must not end it."""
        if self._session is not None and self._session_pid != os.getpid():
            self._session = None
            self._started = False
            self.finished = False
            self.result_dir = None

    @_operation
    def init_trace(self) -> None:
        """Makes the directory and opens the recorder."""
        global _owner
        with _owner_lock:
            if _owner is not None:
                error("A profiler of this process is recording already; this one does not start.")
                return
            _owner = self
        self.finished = False
        try:
            self.result_dir = _result_directory.create(self.location)
        except Exception:
            self.result_dir = None
            _release(self)
            raise
        settings = _info.settings(self.options, self._schedule)
        config = {**self.options.for_recorder(), "rank": _environment.rank_number(),
                  "info_json": json.dumps(settings)}
        self._session = _backend.Session(self.result_dir, config)
        self._session_pid = os.getpid()
        self.trace_id = make_trace_id(self.trace_id_callback)

    @property
    def is_open(self) -> bool:
        """Whether a run is under way."""
        return self._session is not None

    def why_not_open(self) -> Optional[str]:
        """Why there is no run under way after init_trace(), None if there is."""
        if self.is_open:
            return None
        if other_profiler_active():
            return f"the variable {_foreign_profilers()[0]} is set: another profiler is at work"
        return "the recorder could not begin, for the reason that was printed"

    @_operation
    def warmup_trace(self) -> None:
        """Arms the recorder, so that the first recorded step does not pay for it."""
        if self._session is not None:
            self._session.warmup()

    @_operation
    def start_trace(self) -> None:
        """Begins recording."""
        if self._session is None or self._started:
            return
        self._started = True
        options = self.options
        self._events.install()
        self._start_info = self._session.start()
        if options.with_markers:
            config = options.experimental_config()
            _markers.activate(config["mstx_domain_include"], config["mstx_domain_exclude"])
            if options.switches["with_flops"]:
                self._flops.install()
        threshold = options.experimental_config.gc_detect_threshold
        if options.with_cpu and threshold is not None:
            self._gc = GcDetector(threshold)
            self._gc.start()

    @_operation
    def stop_trace(self) -> None:
        """Ends recording."""
        if self._session is None or not self._started:
            return
        self._started = False
        if self.options.with_npu:
            _environment.synchronize_device()
        self._flops.remove()
        if self.options.with_markers:
            _markers.deactivate()
        self._session.stop()
        gc_detector, self._gc = self._gc, None
        try:
            if gc_detector is not None and self.result_dir is not None:
                gc_detector.stop(self.result_dir)
        finally:
            self._events.remove()

    @_operation
    def finalize_trace(self) -> None:
        """Completes the files of the directory."""
        if self._session is None or self.result_dir is None:
            return
        session, self._session = self._session, None
        try:
            session.finalize()
            self.finished = True
            _info.write(self.result_dir, self.options, self._schedule, self._start_info)
            config = self.options.experimental_config
            self.metadata.write(self.result_dir, config.export_type, self.trace_id)
        except OSError as failure:
            if failure.errno not in _NO_SPACE:
                raise
            error(f"The disk is full: {self.result_dir} has not all that was recorded, and what it "
                  "was recorded with.")
        finally:
            _release(self)

    @_operation
    def delete_trace(self) -> None:
        """Removes the directory."""
        if self.result_dir is not None:
            _paths.remove_directory(self.result_dir)
            self.result_dir = None
        self.finished = False


def _release(trace: Trace) -> None:
    global _owner
    with _owner_lock:
        if _owner is trace:
            _owner = None


def _forget_in_child() -> None:
    """A forked child does not record; it may open a run of its own."""
    global _owner, _owner_lock
    _owner = None
    _owner_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
