"""Configurations from a monitoring service on the host (dynolog, msmonitor)."""

from __future__ import annotations

import importlib
import logging
import os
import threading
import time
from typing import Any, Dict, List, Optional, Tuple

from ... import _console, _environment

_VARIABLE, _OLD_VARIABLE = "MSMONITOR_USE_DAEMON", "KINETO_USE_DAEMON"
_MONITOR_REQUEST = "NPU_MONITOR_START"
_REPORT_INTERVAL_S = 1.0

# What a profiler does, as the service knows it.
UNINITIALISED, IDLE, RUNNING, READY = -1, 0, 1, 2

# Key of a message: place and name in the configuration, kind of value.
_KEYS: Dict[str, Tuple[str, str]] = {
    "PROFILE_START_STEP": ("start_step", "int"),
    "ACTIVITIES_ITERATIONS": ("active", "int"),
    "WARMUP_ITERATIONS": ("warmup", "int"),
    "ACTIVITIES_LOG_FILE": ("prof_dir", "text"),
    "PROFILE_ACTIVITIES": ("activities", "list"),
    "PROFILE_ANALYSE": ("analyse", "bool"),
    "PROFILE_ASYNC_MODE": ("async_mode", "bool"),
    "PROFILE_RECORD_SHAPES": ("record_shapes", "bool"),
    "PROFILE_PROFILE_MEMORY": ("profile_memory", "bool"),
    "PROFILE_WITH_STACK": ("with_stack", "bool"),
    "PROFILE_WITH_FLOPS": ("with_flops", "bool"),
    "PROFILE_WITH_MODULES": ("with_modules", "bool"),
    "PROFILE_IS_RANK": ("is_rank", "bool"),
    "PROFILE_RANK_LIST": ("rank_list", "ints"),
}
_EXPERIMENTAL_KEYS: Dict[str, Tuple[str, str]] = {
    "PROFILE_PROFILER_LEVEL": ("profiler_level", "text"),
    "PROFILE_AIC_METRICS": ("aic_metrics", "text"),
    "PROFILE_L2_CACHE": ("l2_cache", "bool"),
    "PROFILE_OP_ATTR": ("op_attr", "bool"),
    "PROFILE_GC_DETECT_THRESHOLD": ("gc_detect_threshold", "float"),
    "PROFILE_DATA_SIMPLIFICATION": ("data_simplification", "bool"),
    "PROFILE_EXPORT_TYPE": ("export_type", "kind"),
    "PROFILE_MSPROF_TX": ("msprof_tx", "bool"),
    "PROFILE_MSTX": ("mstx", "bool"),
    "PROFILE_HOST_SYS": ("host_sys", "list"),
    "PROFILE_MSTX_DOMAIN_INCLUDE": ("mstx_domain_include", "list"),
    "PROFILE_MSTX_DOMAIN_EXCLUDE": ("mstx_domain_exclude", "list"),
    "PROFILE_SYS_IO": ("sys_io", "bool"),
    "PROFILE_SYS_INTERCONNECTION": ("sys_interconnection", "bool"),
}


def is_selected() -> bool:
    """Whether the environment asks for the service instead of a configuration file."""
    if os.environ.get("PROF_CONFIG_PATH"):
        return False
    text = os.environ.get(_VARIABLE)
    if text is None:
        text = os.environ.get(_OLD_VARIABLE)
        if text is None:
            return False
        _console.warning(f"{_OLD_VARIABLE} is out of date, use {_VARIABLE} instead.")
    try:
        return int(text) == 1
    except ValueError:
        _console.error(f"{_VARIABLE} must be 0 or 1, not {text!r}.")
        return False


def _decode(kind: str, text: str) -> Any:
    if kind == "int":
        return int(text)
    if kind == "bool":
        return text.lower() == "true"
    if kind == "float":
        return None if text in ("", "None") else float(text)
    if kind == "kind":
        return text.lower()
    if kind in ("list", "ints"):
        entries: List[Any] = [entry.strip() for entry in text.split(",") if entry.strip()]
        return [int(entry) for entry in entries] if kind == "ints" else entries
    return text


def parse_lines(message: str) -> Dict[str, str]:
    """The KEY=VALUE lines of a message."""
    pairs = (line.partition("=") for line in message.splitlines() if "=" in line)
    return {key.strip(): value.strip() for key, _, value in pairs}


def parse_message(message: str, logger: logging.Logger) -> Dict[str, Any]:
    """The values a message gives, in the form of a configuration file."""
    values: Dict[str, Any] = {}
    experimental: Dict[str, Any] = {"record_op_args": False}
    for key, text in parse_lines(message).items():
        for keys, target in ((_KEYS, values), (_EXPERIMENTAL_KEYS, experimental)):
            if key not in keys:
                continue
            name, kind = keys[key]
            try:
                target[name] = _decode(kind, text)
            except ValueError:
                logger.warning("%s has no usable value: %r", key, text)
    values["experimental_config"] = experimental
    return values


class DaemonSource:
    """New configurations from the service. Idle if its client is not installed."""

    path: Optional[str] = None

    def __init__(self, logger: logging.Logger, poll_interval_s: float,
                 rank: Optional[int] = None) -> None:
        self.poll_interval_s = poll_interval_s
        self._logger = logger
        self._lock = threading.Lock()
        self._news: Optional[Dict[str, Any]] = None
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._last_report_s = 0.0
        rank = _environment.rank_number() if rank is None else rank
        try:
            self._client: Any = importlib.import_module("IPCMonitor").PyDynamicMonitorProxy()
        except (ImportError, AttributeError):
            self._client = None
        if self._client is not None and self._client.init_dyno(rank):
            self._thread = threading.Thread(target=self._listen, name="DynMonitorProc", daemon=True)
            self._thread.start()

    def poll(self) -> Optional[Dict[str, Any]]:
        """The values of a new configuration, None if there is none."""
        with self._lock:
            news, self._news = self._news, None
        return news

    def report(self, status: int, current_step: int, start_step: int, stop_step: int) -> None:
        """Tells the service what the profiler does, at most once in a second. Steps: -1 for none."""
        now_s = time.monotonic()
        if now_s - self._last_report_s < _REPORT_INTERVAL_S:
            return
        self._last_report_s = now_s
        if self._client is not None and hasattr(self._client, "update_profiler_status"):
            self._client.update_profiler_status(
                {"profiler_status": str(status), "current_step": str(current_step),
                 "start_step": str(start_step), "stop_step": str(stop_step)})

    def close(self) -> None:
        """Ends the talk with the service."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._client is not None:
            self._client.finalize_dyno()

    def _listen(self) -> None:
        while not self._stop.wait(self.poll_interval_s):
            try:
                message = self._client.poll_dyno()
                if message and _MONITOR_REQUEST in message:
                    self._client.enable_dyno_npu_monitor(parse_lines(message))
                elif message:
                    values = parse_message(message, self._logger)
                    with self._lock:
                        self._news = values
            except Exception as failure:
                self._logger.error("The monitoring service cannot be asked: %s", failure)
