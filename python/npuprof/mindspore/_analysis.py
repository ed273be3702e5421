"""From recorded data to results: when a run is over, and later."""

from __future__ import annotations

import inspect
import json
import mmap
import os
import re
from typing import Any, Callable, List, Optional

from .. import _parser
from .._console import error, no_except, warning
from .._simplify import cann_directories, simplify
from . import _location
from ._constants import ExportType

RESULT_FOLDER = "ASCEND_PROFILER_OUTPUT"
_STEP_NAME = re.compile(rb"ProfilerStep#(\d+)")


class Interface:
    """What a trace handler gets: the run that has just ended."""

    def __init__(self, trace: Any) -> None:
        self._trace = trace

    @property
    def result_dir(self) -> Optional[str]:
        """The directory with the data."""
        return self._trace.result_dir

    @no_except()
    def analyse(self, async_mode: bool = False, pretty: bool = False,
                step_list: Optional[List[int]] = None) -> None:
        """Makes results of what was recorded."""
        trace = self._trace
        if trace.result_dir is None or not trace.finished:
            return
        kinds = [kind.value for kind in trace.options.export_type]
        thorough = trace.options.switches["data_simplification"]
        if async_mode:
            # Nothing remains to be done here when the other process is ready.
            _simplify(trace.result_dir, thorough)
            _parser.parse_async(trace.result_dir, kinds)
        else:
            _analyse_directory(trace.result_dir, kinds, pretty, step_list, thorough)


@no_except()
def tensorboard_trace_handler(dir_name: Optional[str] = None, worker_name: Optional[str] = None,
                              analyse_flag: bool = True,
                              async_mode: bool = False) -> Optional[Callable[[Any], None]]:
    """The usual on_trace_ready: results go to `dir_name` and are analysed unless told otherwise.

    The directory counts from now on for all profilers of the process. Samples of MindSpore also give
    the function itself as on_trace_ready, without a call; then it is the handler.
    """
    if isinstance(dir_name, Interface):
        dir_name.analyse()
        return None
    _location.remember(dir_name, worker_name)
    wanted = _parser.checked_flag("analyse_flag", analyse_flag, True)
    beside = _parser.checked_flag("async_mode", async_mode, False)

    def handler(interface: Any) -> None:
        if wanted:
            interface.analyse(async_mode=beside)

    return handler


def tensor_board_trace_handler(interface: Any) -> None:
    """The handler of MindSpore 2.5 and 2.6, which was the callback itself."""
    interface.analyse()


def call_handler(handler: Optional[Callable[..., Any]], trace: Any) -> None:
    """Handlers take the run that has ended; those written for MindSpore up to 2.7 take nothing."""
    if handler is None:
        return
    try:
        inspect.signature(handler).bind(None)
        takes_interface = True
    except TypeError:
        takes_interface = False
    except ValueError:  # It is compiled and does not tell.
        takes_interface = True
    handler(*([Interface(trace)] if takes_interface else []))


def checked_steps(given: Any) -> Optional[List[int]]:
    """Steps in a row; None for all of them, which also takes the place of anything else."""
    if given is None or given == []:
        return None
    if not isinstance(given, list) or \
            not all(isinstance(step, int) and not isinstance(step, bool) for step in given):
        error(f"analyse: step_list must be a list of whole numbers, not {given!r:.100}; all steps "
              "are analysed.")
        return None
    steps = sorted(given)
    if steps != list(range(steps[0], steps[0] + len(steps))):
        error(f"analyse: step_list must be steps in a row, not {given!r:.100}; all steps are "
              "analysed.")
        return None
    return steps


def _first_step(result_dir: str) -> Optional[int]:
    """The smallest number of a recorded step; None if there is none."""
    try:
        with open(os.path.join(result_dir, "FRAMEWORK", "mindspore.op_range"), "rb") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return min((int(match.group(1)) for match in _STEP_NAME.finditer(content)),
                           default=None)
    except (OSError, ValueError):
        return None


def _options_for_steps(result_dir: str, step_list: Optional[List[int]]) -> List[str]:
    if not step_list:
        return []
    first = _first_step(result_dir)
    if first is None:
        warning(f"analyse: there are no steps in {result_dir}, so step_list has no effect.")
        return []
    # The first recorded step is number 1 here, whatever the program calls it.
    return ["--steps", f"{step_list[0] + first - 1}-{step_list[-1] + first - 1}"]


def _analyse_directory(result_dir: str, kinds: List[str], pretty: bool,
                       step_list: Optional[List[int]], thorough: bool, jobs: int = 0) -> None:
    if _parser.parse(result_dir, kinds, jobs, _options_for_steps(result_dir, step_list)):
        if pretty:
            _make_pretty(os.path.join(result_dir, RESULT_FOLDER))
        _simplify(result_dir, thorough)


def _make_pretty(folder: str) -> None:
    for entry in os.scandir(folder):
        if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False):
            with open(entry.path, encoding="utf-8") as file:
                content = json.load(file)
            with open(entry.path, "w", encoding="utf-8") as file:
                json.dump(content, file, ensure_ascii=False, indent=4)


def _simplify(result_dir: str, thorough: bool) -> None:
    if not thorough:
        return
    simplify(result_dir, True)
    for cann_dir in cann_directories(result_dir):
        for folder, _, names in os.walk(cann_dir):
            if "all_file.complete" in names:
                os.unlink(os.path.join(folder, "all_file.complete"))


def _stored_kinds(result_dir: str) -> List[str]:
    """The kinds of results that the profile was taken for."""
    known = [kind.value for kind in ExportType]
    stored = _parser.stored_setting(
        result_dir, lambda info: [kind for kind in info["profiler_parameters"]["export_type"]
                                  if kind in known])
    return stored or known[:1]


DEFAULT_PROCESSES = max(1, (os.cpu_count() or 1) // 2)


def analyse_all(path: Any, max_process_number: Any, pretty: Any, step_list: Any,
                data_simplification: Any) -> None:
    """Analyses a result directory, or those in a directory, side by side; each fails alone."""
    limit = _parser.checked_process_count(max_process_number, DEFAULT_PROCESSES)
    steps = checked_steps(step_list)
    if not isinstance(path, str):
        raise ValueError(f"the path must be a text, not {path!r:.100}")
    real = os.path.realpath(os.path.expanduser(path))
    if not os.path.isdir(real):
        error(f"analyse: this is no directory: {path}")
        return
    found = _parser.result_directories(real)
    if not found:
        error(f"analyse: there is no profiling data in {path}; expected is a directory whose name "
              f"ends in {_location.SUFFIX}, or one that holds such directories.")
        return
    _parser.for_each(found, limit, lambda directory, jobs: _analyse_directory(
        directory, _stored_kinds(directory), pretty is True, steps,
        data_simplification is not False, jobs))
