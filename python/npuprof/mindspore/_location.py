"""Where results go."""

from __future__ import annotations

import os
import re
import time
from typing import Any, Optional

from .. import _paths
from .._console import warning
from ..profiler import _result_directory
from ._options import DEFAULT_OUTPUT_PATH

SUFFIX = "_ascend_ms"
_MAX_WORKER_LENGTH = 226
_MAX_PATH_LENGTH = 4096
_MAX_NAME_LENGTH = 255
_ALLOWED = re.compile(r"[./_\-\s~0-9A-Za-z\u4e00-\u9fa5]+\Z")

# What the last trace handler asked for: it counts for all profilers of the process, also for those
# that have no handler.
_directory: Optional[str] = None
_worker: Optional[str] = None


def checked_path(path: str) -> str:
    """The path in full. Raises ValueError for one that no results may go to."""
    full = os.path.abspath(os.path.expanduser(path))
    if os.path.islink(full):
        raise ValueError(f"this is a symbolic link: {full}")
    full = os.path.realpath(full)
    if len(full) > _MAX_PATH_LENGTH:
        raise ValueError(f"the path is longer than {_MAX_PATH_LENGTH} characters: {full[:80]}...")
    if not _ALLOWED.match(full):
        raise ValueError(f"the path has characters that are not allowed: {full}")
    if any(len(name) > _MAX_NAME_LENGTH for name in full.split(os.sep)):
        raise ValueError(f"a part of the path is longer than {_MAX_NAME_LENGTH} characters: {full}")
    if os.path.lexists(full) and not os.path.isdir(full):
        raise ValueError(f"a directory is needed, but this is none: {full}")
    return full


def remember(dir_name: Any, worker_name: Any) -> None:
    """Takes what a trace handler was made with."""
    global _directory, _worker
    if isinstance(dir_name, str) and dir_name:
        _directory = checked_path(dir_name)
    elif dir_name is not None:
        warning(f"Trace handler: dir_name must be a text, not {dir_name!r:.100}; it is ignored.")
    if isinstance(worker_name, str) and 0 < len(worker_name) < _MAX_WORKER_LENGTH:
        _worker = worker_name
    elif worker_name is not None:
        warning(f"Trace handler: worker_name must be a text shorter than {_MAX_WORKER_LENGTH} "
                f"characters, not {worker_name!r:.100}; it is ignored.")


def forget() -> None:
    """As if no handler had been made."""
    global _directory, _worker
    _directory = _worker = None


def base_directory(output_path: str) -> str:
    """The directory for result directories. Raises ValueError if it cannot be used."""
    path = checked_path(output_path)
    if _directory is None:
        return path
    if output_path != DEFAULT_OUTPUT_PATH and path != _directory:
        warning(f"Profiler: the directory of the trace handler, {_directory}, is used in place of "
                f"output_path {output_path}.")
    return _directory


def create(base: str) -> str:
    """Makes a new result directory, with room for the framework's data."""
    path = _result_directory.make(base, _worker, SUFFIX, time.gmtime)
    _paths.make_directory(os.path.join(path, "FRAMEWORK"))
    return path
