"""The operations a run of any profiler consists of, from a new directory to its last file."""

from __future__ import annotations

import errno
import functools
import os
import threading
from typing import Any, Callable, Dict, List, Optional

from . import _backend, _markers, _paths
from ._console import error, no_except, warning

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_FOREIGN_PROFILERS = ("PROFILER_SAMPLECONFIG", "PROFILING_MODE")

# CANN records for one collection at a time in a process.
_owner: Optional["Run"] = None
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
    def guarded(self: "Run") -> None:
        if not other_profiler_active():
            self.drop_session_of_parent()
            function(self)

    return guarded


class Run:
    """Operations out of turn do nothing. What a framework adds is in the methods that begin with
    an underscore and do nothing here."""

    # Whether hooks into PyTorch go with the session.
    hooks_into_torch = True

    def __init__(self) -> None:
        other_profiler_active()
        # Of the run under way, or of the last one.
        self.result_dir: Optional[str] = None
        self.finished = False
        self._session: Optional[_backend.Session] = None
        self._session_pid = os.getpid()
        self._started = False
        self._start_info: Dict[str, Any] = {}
        # The user thinks it is stopped: whoever wants to record next may complete it.
        self.is_given_up = False

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
        _complete_given_up(self)
        if self._session is not None:  # It was stopped and begins again.
            return
        with _owner_lock:
            if _owner is not None:
                error("A profiler of this process is recording already; this one does not start.")
                return
            _owner = self
        self.finished = False
        try:
            self.result_dir = self._make_directory()
        except Exception:
            self.result_dir = None
            _release(self)
            raise
        config = {"hooks_into_torch": self.hooks_into_torch, **self._session_config()}
        self._session = _backend.Session(self.result_dir, config)
        self._session_pid = os.getpid()
        self._opened()

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
        self._before_start()
        self._start_info = self._session.start()
        domains = self._marker_domains()
        if domains is not None:
            _markers.activate(*domains)
        self._after_start()

    @_operation
    def stop_trace(self) -> None:
        """Ends recording."""
        if self._session is None or not self._started:
            return
        self._started = False
        self._before_stop()
        if self._marker_domains() is not None:
            _markers.deactivate()
        self._session.stop()
        self._after_stop()

    @_operation
    def finalize_trace(self) -> None:
        """Completes the files of the directory."""
        if self._session is None or self.result_dir is None:
            return
        session, self._session = self._session, None
        try:
            session.finalize()
            self.finished = True
            self._write_files(self.result_dir)
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

    def _make_directory(self) -> str:
        raise NotImplementedError

    def _session_config(self) -> Dict[str, Any]:
        """Options for the recorder, as plain values."""
        return {}

    def _marker_domains(self) -> Optional[tuple]:
        """Domains to include and to exclude, None if markers are not recorded."""
        return None

    def _write_files(self, result_dir: str) -> None:
        """Writes what the recorder does not know."""

    def _opened(self) -> None:
        pass

    def _before_start(self) -> None:
        pass

    def _after_start(self) -> None:
        pass

    def _before_stop(self) -> None:
        pass

    def _after_stop(self) -> None:
        pass


def _complete_given_up(other: Run) -> None:
    run = _owner
    if run is not None and run is not other and run.is_given_up:
        warning(f"A profiler that was never stopped is completed: {run.result_dir}")
        run.stop_trace()
        run.finalize_trace()


def _release(run: Run) -> None:
    global _owner
    with _owner_lock:
        if _owner is run:
            _owner = None


def _forget_in_child() -> None:
    """A forked child does not record; it may open a run of its own."""
    global _owner, _owner_lock
    _owner = None
    _owner_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
