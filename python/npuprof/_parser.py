"""Runs the npuprof program, which turns raw data into results."""

from __future__ import annotations

import atexit
import datetime
import json
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, List, Optional, Sequence, Tuple

from . import _paths
from ._console import error, info, no_except, warning
from ._simplify import cann_directories

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_STATUS_OK, _STATUS_LOSSES = 0, 1

# Parses that run beside the program, with the directory each works on.
_running: List[Tuple["subprocess.Popen[bytes]", str]] = []


def binary() -> Optional[str]:
    """The program: NPUPROF_BINARY, that of the package, of the source tree, or on PATH."""
    named = os.environ.get("NPUPROF_BINARY")
    if named:
        return named if os.access(named, os.X_OK) else None
    places = [os.path.join(_PACKAGE, "bin", "npuprof")]
    tree = os.path.dirname(os.path.dirname(_PACKAGE))
    if os.path.isfile(os.path.join(tree, "python", "pyproject.toml")):
        places.append(os.path.join(tree, "build", "release", "bin", "npuprof"))
    for place in places:
        if os.access(place, os.X_OK) and os.path.isfile(place):
            return place
    return shutil.which("npuprof")


def _command(arguments: List[str]) -> Optional[List[str]]:
    program = binary()
    if program is None:
        error("The program npuprof was not found beside the package or on PATH. Set NPUPROF_BINARY "
              "to its place; recorded data can be parsed later with `npuprof parse`.")
        return None
    return [program, *arguments]


def run(arguments: List[str]) -> bool:
    """Runs the program and waits; what it complains about goes to the console."""
    command = _command(arguments)
    if command is None:
        return False
    # Reading its messages through a pipe keeps them out of a captured or closed stream.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    complaints = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line]
    for line in complaints:
        warning(line)
    if done.returncode not in (_STATUS_OK, _STATUS_LOSSES):
        error(f"npuprof {arguments[0]} failed with status {done.returncode}: "
              f"{complaints[-1] if complaints else 'no message'}")
        return False
    return True


def _is_result_directory(path: str) -> bool:
    return os.path.isdir(os.path.join(path, "FRAMEWORK")) or bool(cann_directories(path))


def stored_setting(result_dir: str, pick: Callable[[Any], Any]) -> Any:
    """What `pick` finds in the profiler_info of a profile; None without one that has it."""
    for name in sorted(os.listdir(result_dir)):
        if not (name.startswith("profiler_info") and name.endswith(".json")):
            continue
        try:
            with open(os.path.join(result_dir, name), encoding="utf-8") as file:
                return pick(json.load(file))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return None


def result_directories(path: str) -> List[str]:
    """The directory itself if it has recorded data, else those in it that have."""
    if _is_result_directory(path):
        return [path]
    return sorted(entry.path for entry in os.scandir(path)
                  if entry.is_dir(follow_symlinks=False) and _is_result_directory(entry.path))


def checked_flag(name: str, value: Any, default: bool) -> bool:
    """A flag of a trace handler."""
    if isinstance(value, bool):
        return value
    warning(f"Trace handler: {name} must be a bool, not {value!r}; {default} is used.")
    return default


def checked_process_count(given: Any, default: int) -> int:
    """How many directories may be parsed side by side."""
    cores = os.cpu_count() or 1
    if not isinstance(given, int) or isinstance(given, bool) or given <= 0:
        warning(f"analyse: max_process_number must be a positive whole number, not {given!r}; "
                f"{default} is used.")
        return default
    if given > cores:
        warning(f"analyse: this computer has {cores} cores; max_process_number {given} is reduced.")
        return cores
    return given


def for_each(directories: List[str], limit: int, parse_one: Callable[[str, int], None]) -> None:
    """Calls the function with each directory and a number of jobs; each fails alone."""
    workers = min(limit, len(directories))
    jobs = max(1, limit // workers)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(no_except()(lambda directory: parse_one(directory, jobs)), directories))


def _parse_arguments(result_dir: str, export_types: List[str], jobs: int) -> List[str]:
    arguments = ["parse", result_dir, "--export", ",".join(export_types), "--quiet"]
    return arguments + (["--jobs", str(jobs)] if jobs > 0 else [])


def parse(result_dir: str, export_types: List[str], jobs: int = 0,
          options: Sequence[str] = ()) -> bool:
    """Parses one result directory and waits for it; 0 jobs means one for each core."""
    info(f"Start parsing profiling data in sync mode at: {result_dir}")
    start = time.monotonic()
    if not run([*_parse_arguments(result_dir, export_types, jobs), *options]):
        return False
    elapsed = datetime.timedelta(seconds=time.monotonic() - start)
    info(f"All profiling data parsed in a total time of {elapsed}")
    return True


def parse_async(result_dir: str, export_types: List[str]) -> bool:
    """Begins to parse a result directory in a process of low priority and returns at once.

    The process is in a session of its own: signals for the program do not reach it, and it
    finishes its work if the program is killed.
    """
    command = _command(_parse_arguments(result_dir, export_types, 1))
    if command is None:
        return False
    if shutil.which("nice"):
        command = ["nice", "-n", "19", *command]
    logs = os.path.join(result_dir, "logs")
    _paths.make_directory(logs)
    stamp = time.strftime("%Y%m%d%H%M%S")
    with _paths.open_log(os.path.join(logs, f"profiler_{stamp}_{os.getpid()}_parse.log")) as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   cwd="/", start_new_session=True)
    info(f"Start parsing profiling data in async mode at: {result_dir}")
    reap()
    _running.append((process, result_dir))
    return True


def reap() -> None:
    """Forgets parses that have ended, so that they do not stay as zombies."""
    _running[:] = [(process, path) for process, path in _running if process.poll() is None]


def _wait_at_exit() -> None:
    """Results are there when the program has ended. Ctrl-C ends the wait, not the parse."""
    try:
        for process, path in _running:
            if process.poll() is None:
                info(f"Waiting for the parse of {path}")
                process.wait()
    except KeyboardInterrupt:
        pass


atexit.register(_wait_at_exit)
# A forked child must not wait for processes of its parent.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)
