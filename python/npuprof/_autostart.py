"""Profiling a program whose code does not mention it.

Two variables of the environment count when npuprof is imported, by the program or, if
`<package>/_site` is on PYTHONPATH, by the interpreter when it starts:

PROF_CONFIG_PATH    a directory for dynamic profiling; steps are those of the optimizer
NPUPROF_RECORD      what to record: a JSON object, or the path of a file with one. Its keys are
                    those of profiler_config.json, all optional, and for recording by time
                    "delay_seconds" (0) and "duration_seconds" (to the end of the program).
                    With "active" or "start_step", and without those two, steps of the optimizer
                    count; start_step 0 means from the first step on.

So does a third one in programs of MindSpore: MS_PROFILER_OPTIONS (_mindspore_variable).

Console lines go to standard error then: the program's output may be meant for another one.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import logging
import os
import sys
import threading
import time
from typing import Any, Callable, Dict, Optional

from . import _backend, _console, _environment, _mindspore_variable, _optimizer_hook
from .profiler import dynamic_profile
from .profiler._analysis import location_of
from .profiler._dynamic import log
from .profiler._dynamic.config import DynamicConfig
from .profiler._dynamic.controller import controller
from .profiler.profiler import _KinetoProfile

# A file for what a process that recorded nothing has to say; `npuprof record` reads it.
_NOTES_VARIABLE = "NPUPROF_RECORD_NOTES"
_TIME_KEYS = ("delay_seconds", "duration_seconds")
_STEP_KEYS = ("active", "start_step")
# How long the main thread may be busy before another thread does its work.
_MAIN_THREAD_PATIENCE_S = 5.0

_activated = False


@_console.no_except()
def activate() -> None:
    """Does what the environment asks for, once for a process."""
    global _activated
    if _activated:
        return
    _activated = True
    request = os.environ.get("NPUPROF_RECORD")
    directory = os.environ.get("PROF_CONFIG_PATH")
    if request or directory:
        _console.use_standard_error()
    if request:
        _note("")  # An empty line: the process was there.
        values = _read_request(request)
        if values is not None:
            _record(values)
    elif directory:
        _listen(directory)
    _mindspore_variable.activate(_is_helper)


def _read_request(text: str) -> Optional[Dict[str, Any]]:
    try:
        if not text.lstrip().startswith("{"):
            with open(os.path.expanduser(text), encoding="utf-8") as file:
                text = file.read()
        values = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError("it is no JSON object")
        return values
    except (OSError, ValueError) as failure:
        _console.error(f"NPUPROF_RECORD cannot be read: {failure}")
        return None


def _is_helper() -> bool:
    """Whether this process serves another: it is one only if it comes to train something."""
    if os.environ.get("RANK"):
        return False
    if dynamic_profile.is_launcher():
        return True
    arguments = getattr(sys, "orig_argv", [])
    return any("multiprocessing" in argument for argument in arguments[1:3])


def _when_at_work(function: Callable[[], None]) -> None:
    """Calls the function now, or in a helper process when it makes an optimizer."""
    if _is_helper():
        _optimizer_hook.when_constructed(function)
    else:
        function()


def _listen(directory: str) -> None:
    if os.path.isfile(directory):
        _console.error(f"PROF_CONFIG_PATH must be a directory, but this is a file: {directory}")
        return
    # The user may edit the configuration while the program is still loading.
    baseline_ns = time.time_ns()
    _when_at_work(lambda: controller.init(directory, baseline_ns))
    _optimizer_hook.after_each_step(dynamic_profile.step)


def _note(text: str) -> None:
    try:
        with open(os.environ[_NOTES_VARIABLE], "a", encoding="utf-8") as file:
            file.write(text + "\n")
    except (KeyError, OSError):
        pass


def _note_at_exit(why_idle: Callable[[], Optional[str]]) -> None:
    pid = os.getpid()

    def note() -> None:
        reason = why_idle() if pid == os.getpid() else None
        if reason is not None:
            _note(reason)

    atexit.register(note)


def _record(values: Dict[str, Any]) -> None:
    by_time = any(key in values for key in _TIME_KEYS)
    if not by_time and any(key in values for key in _STEP_KEYS):
        if not _is_helper():
            _note_at_exit(controller.why_idle)
        _optimizer_hook.when_constructed(lambda: controller.order(values))
        _optimizer_hook.after_each_step(dynamic_profile.step)
        return
    delay_s = _seconds(values, "delay_seconds", 0.0)
    duration_s = _seconds(values, "duration_seconds", None)
    _when_at_work(lambda: TimedRecording(values, delay_s, duration_s).begin())


def _seconds(values: Dict[str, Any], name: str, default: Any) -> Any:
    value = values.get(name, default)
    if value is None or (isinstance(value, (int, float)) and value >= 0):
        return default if value is None else float(value)
    _console.warning(f"NPUPROF_RECORD: {name} must be a number of at least 0, not {value!r}.")
    return default


class _Steps:
    """Ranges of the optimizer's steps, in a recording that does not go by them."""

    def __init__(self) -> None:
        self.is_recorded = False
        self._number = 0
        self._thread = 0  # That has an open range; 0: none.

    def watch(self) -> None:
        """Counts from now on; a program may be recorded before it comes to its optimizer."""
        _optimizer_hook.when_constructed(self._open)
        _optimizer_hook.after_each_step(self._next)

    def close(self) -> None:
        """After the recording this has no effect but on the thread: an unfinished step is none."""
        if self._thread == threading.get_ident():
            _backend.range_pop()
        self._thread = 0

    def _open(self) -> None:
        if self.is_recorded:
            self._thread = threading.get_ident()
            _backend.range_push(f"ProfilerStep#{self._number}")

    def _next(self) -> None:
        self.close()
        self._number += 1
        self._open()


class TimedRecording:
    """Records from a moment to another one, or to the end of the program."""

    def __init__(self, values: Dict[str, Any], delay_s: float, duration_s: Optional[float]) -> None:
        self._config = DynamicConfig(values, log.console_logger(logging.WARNING))
        self._delay_s = delay_s
        self._duration_s = duration_s
        self._pid = os.getpid()
        self._steps = _Steps()
        self._profiler: Optional[_KinetoProfile] = None
        self._handler: Optional[Callable[[Any], None]] = None
        self._started = False
        self._failure: Optional[str] = None
        self._ended = False
        self._lock = threading.RLock()

    def begin(self) -> None:
        """Starts now or leaves that to a timer."""
        _note_at_exit(self.why_idle)
        if not self._config.is_for(_environment.rank_number()):
            return
        atexit.register(self._stop)
        self._steps.watch()
        if self._delay_s == 0:
            self._start()
        if self._delay_s > 0 or self._duration_s is not None:
            threading.Thread(target=self._run, name="npuprof-timer", daemon=True).start()

    def why_idle(self) -> Optional[str]:
        """Why nothing was recorded; None if something was."""
        if self._started:
            return self._failure
        return (self._config.why_not_for(_environment.rank_number()) or
                f"it ended before the delay of {self._delay_s:g} s did")

    def _run(self) -> None:
        if self._delay_s > 0:
            time.sleep(self._delay_s)
            on_main_thread(self._start)
        if self._duration_s is not None:
            time.sleep(self._duration_s)
            on_main_thread(self._stop)

    @_console.no_except()
    def _start(self) -> None:
        with self._lock:
            if self._profiler is not None or self._ended:
                return
            self._handler = self._config.make_handler()
            self._profiler = _KinetoProfile(**self._config.profiler_options())
            self._config.add_metadata(self._profiler)
            trace = self._profiler._trace
            trace.location = location_of(self._handler)
            trace.init_trace()
            self._failure = trace.why_not_open()
            self._started = True
            trace.start_trace()
            self._steps.is_recorded = True

    @_console.no_except()
    def _stop(self) -> None:
        with self._lock:
            profiler, self._profiler = self._profiler, None
            self._ended = True
        if profiler is not None and self._pid == os.getpid():
            self._steps.is_recorded = False
            profiler.stop()
            self._steps.close()
            if self._handler is not None:
                self._handler(profiler)


_PendingCall = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


def on_main_thread(function: Callable[[], None]) -> None:
    """Has the main thread call a function soon, since hooks belong to the thread that sets them.

    Waits for it. If the main thread stays in compiled code, the calling thread does the work.
    """
    lock = threading.Lock()
    done = threading.Event()
    state = {"taken": False}

    def take() -> bool:
        with lock:
            taken, state["taken"] = state["taken"], True
        return not taken

    def call(_: Any) -> int:
        if take():
            try:
                function()
            finally:
                done.set()
        return 0

    pending = _PendingCall(call)
    _kept_alive.append(pending)
    ctypes.pythonapi.Py_AddPendingCall(pending, None)
    if not done.wait(_MAIN_THREAD_PATIENCE_S) and take():
        function()
        return
    done.wait()


# The interpreter may call these at any later time.
_kept_alive: list = []
