"""From recorded data to results: when a run is over, and later."""

from __future__ import annotations

import os
from typing import Any, Callable, List, Optional, Tuple

from .. import _parser
from .._console import error, no_except, warning
from . import _result_directory
from ._constants import ExportType, values
from ._result_directory import Location
from .._simplify import simplify


class TraceHandler:
    """Called with a profiler when a run is over; parses what it recorded."""

    def __init__(self, location: Location, analyse_flag: bool, async_mode: bool) -> None:
        self.location = location
        self._analyse_flag = analyse_flag
        self._async_mode = async_mode

    @no_except()
    def __call__(self, profiler: Any) -> None:
        trace = profiler._trace
        if not self._analyse_flag or not trace.finished or trace.result_dir is None:
            return
        config = trace.options.experimental_config
        thorough = config._data_simplification
        if self._async_mode:
            # Nothing remains to be done here when the other process is ready.
            simplify(trace.result_dir, thorough)
            _parser.parse_async(trace.result_dir, config.export_type)
        elif _parser.parse(trace.result_dir, config.export_type):
            simplify(trace.result_dir, thorough)


@no_except()
def tensorboard_trace_handler(dir_name: Optional[str] = None, worker_name: Optional[str] = None,
                              analyse_flag: bool = True,
                              async_mode: bool = False) -> Callable[[Any], None]:
    """The usual on_trace_ready: results go to `dir_name` and are parsed unless told otherwise."""
    location = Location(dir_name, worker_name)
    _result_directory.last_location = location
    return TraceHandler(location, _parser.checked_flag("analyse_flag", analyse_flag, True),
                        _parser.checked_flag("async_mode", async_mode, False))


def location_of(handler: Optional[Callable[[Any], None]]) -> Optional[Location]:
    """Where a profiler with this handler puts its results; None without a handler."""
    if handler is None:
        return None
    if isinstance(handler, TraceHandler):
        return handler.location
    return _result_directory.last_location or Location()


def _stored_options(result_dir: str) -> Tuple[List[str], Optional[bool]]:
    """Export types and simplification that the profile was taken with."""
    config = _parser.stored_setting(
        result_dir, lambda info: dict(info["config"]["experimental_config"])) or {}
    kinds = config.get("_export_type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    kinds = [kind for kind in kinds if isinstance(kind, str) and kind in values(ExportType)]
    return kinds or [ExportType.Text], config.get("_data_simplification", True)


def _checked_export_type(given: Any) -> Optional[List[str]]:
    if given is None:
        return None
    kinds = [given] if isinstance(given, str) else given
    if isinstance(kinds, list) and kinds and \
            all(isinstance(kind, str) and kind in values(ExportType) for kind in kinds):
        return list(dict.fromkeys(kinds))
    warning("analyse: export_type must be \"text\", \"db\" or a list of them, not "
            f"{given!r}; the type stored with the profile is used.")
    return None


_DEFAULT_PROCESSES = max(1, (os.cpu_count() or 1) // 2)


@no_except()
def analyse(profiler_path: str, max_process_number: int = _DEFAULT_PROCESSES,
            export_type: Any = None) -> None:
    """Parses a result directory, or those in a directory, that were recorded earlier."""
    limit = _parser.checked_process_count(max_process_number, _DEFAULT_PROCESSES)
    kinds = _checked_export_type(export_type)
    path = os.path.realpath(os.path.expanduser(profiler_path))
    if not os.path.isdir(path):
        error(f"analyse: this is no directory: {profiler_path}")
        return
    found = _parser.result_directories(path)
    if not found:
        error(f"analyse: there is no profiling data in {profiler_path}")
        return

    def parse(result_dir: str, jobs: int) -> None:
        stored_kinds, thorough = _stored_options(result_dir)
        if _parser.parse(result_dir, kinds or stored_kinds, jobs):
            simplify(result_dir, thorough)

    _parser.for_each(found, limit, parse)
