"""Where results go."""

from __future__ import annotations

import os
import socket
import time
from typing import Any, Callable, Optional

from .. import _paths
from .._console import error, warning

SUFFIX = "_ascend_pt"
EXPORT_ONLY_NAME = "export_only_prof_dir"
_MAX_WORKER_LENGTH = 226


class Location:
    """The directory and the name that a trace handler asks for."""

    def __init__(self, dir_name: Any = None, worker_name: Any = None) -> None:
        self.base: Optional[str] = None
        self.worker: Optional[str] = None
        if isinstance(dir_name, str) and dir_name:
            self.base = _paths.expand(dir_name)
            if os.path.isfile(self.base):  # Results go nowhere else; recording does not start.
                error(f"Trace handler: dir_name must be a directory, but this is a file: "
                      f"{self.base}; nothing will be recorded.")
        elif dir_name is not None:
            warning(f"Trace handler: dir_name must be a text, not {dir_name!r}; the default "
                    "directory is used.")
        if isinstance(worker_name, str) and 0 < len(worker_name) < _MAX_WORKER_LENGTH:
            self.worker = worker_name
        elif worker_name is not None:
            warning("Trace handler: worker_name must be a text shorter than "
                    f"{_MAX_WORKER_LENGTH} characters, not {worker_name!r:.100}; the host name is "
                    "used.")


# A handler of the user may call one of ours, whose place we cannot see from outside: then the one
# created last counts.
last_location: Optional[Location] = None


def base_directory(location: Optional[Location]) -> str:
    """The directory for result directories; `location` is None without a trace handler."""
    if location is not None and location.base is not None:
        return location.base
    work_path = os.environ.get("ASCEND_WORK_PATH")
    if work_path:
        return os.path.join(_paths.expand(work_path), "profiling_data")
    return os.getcwd() if location is not None else os.path.join(os.getcwd(), EXPORT_ONLY_NAME)


def create(location: Optional[Location]) -> str:
    """Makes a new result directory; raises if that is impossible."""
    base = base_directory(location)
    _paths.check_directory(base)
    return make(base, location.worker if location is not None else None, SUFFIX, time.localtime)


def make(base: str, worker: Optional[str], suffix: str,
         calendar: Callable[[float], time.struct_time]) -> str:
    """Makes `<base>/<worker or host>_<process>_<time><suffix>`, of a name that is not in use."""
    _paths.make_directory(base)
    prefix = f"{worker or socket.gethostname()}_{os.getpid()}_"
    time_ms = time.time_ns() // 1_000_000
    while True:
        stamp = time.strftime("%Y%m%d%H%M%S", calendar(time_ms // 1000))
        path = os.path.join(base, f"{prefix}{stamp}{time_ms % 1000:03d}{suffix}")
        try:
            os.mkdir(path, _paths.DIRECTORY_MODE)
            return path
        except FileExistsError:  # Two results within a millisecond.
            time_ms += 1
