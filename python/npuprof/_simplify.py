"""Removes what parsers of the vendor leave beside the raw data."""

from __future__ import annotations

import os
import re
from typing import List, Optional

from . import _paths

CANN_DIRECTORY = re.compile(r"PROF_\d+_\d+_[0-9a-zA-Z]+")
_SOURCE_DIRECTORY = re.compile(r"(device_\d+|host)\Z")
_ANALYSIS_LOG = re.compile(r"msprof_analysis_\d+\.log\Z")


def cann_directories(result_dir: str) -> List[str]:
    """The directories of CANN data."""
    try:
        return sorted(entry.path for entry in os.scandir(result_dir)
                      if CANN_DIRECTORY.match(entry.name) and entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def simplify(result_dir: str, thorough: Optional[bool]) -> None:
    """Removes data bases of parsers; if thorough, all that can be made from raw data again."""
    below_source = ("sqlite", "summary", "timeline") if thorough else ("sqlite",)
    below_cann = ("analyze", "mindstudio_profiler_log", "mindstudio_profiler_output")
    for cann_dir in cann_directories(result_dir):
        for name in os.listdir(cann_dir):
            path = os.path.join(cann_dir, name)
            if _SOURCE_DIRECTORY.match(name):
                for part in below_source:
                    _paths.remove_directory(os.path.join(path, part))
            elif thorough and name in below_cann:
                _paths.remove_directory(path)
            elif thorough and _ANALYSIS_LOG.match(name) and os.path.isfile(path):
                os.unlink(path)
