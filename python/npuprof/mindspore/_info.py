"""profiler_info and profiler_metadata: how a profile was taken."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict

from .. import _paths
from .._version import __version__
from ..profiler._metadata import Metadata as SharedMetadata
from . import _environment
from ._options import Options

_DEVICE_DIRECTORY = re.compile(r"device_(\d+)\Z")


def _device_of(result_dir: str) -> int:
    """The number of the directory that CANN made for it, else what the program says."""
    for folder, directories, _ in os.walk(result_dir):
        if os.path.basename(folder).startswith("PROF_"):
            numbers = [int(match.group(1)) for match in map(_DEVICE_DIRECTORY.match, directories)
                       if match]
            if numbers:
                return min(numbers)
    return _environment.device()


def write(result_dir: str, options: Options, simulated: bool) -> None:
    """Writes profiler_info_<rank>.json."""
    rank = _environment.rank()
    content: Dict[str, Any] = {
        "profiler_parameters": options.parameters(),
        "ms_profiler_info": {"rank_id": str(rank), "device_id": str(_device_of(result_dir))},
        "cann_profiler_info": {},
        "analysis_cost_time": {},
        **_environment.versions(),
        "jit_level": _environment.jit_level(),
        "npuprof_version": __version__,
    }
    if simulated:
        content["simulated"] = True
    path = os.path.join(result_dir, f"profiler_info_{rank}.json")
    text = json.dumps(content, ensure_ascii=False, indent=4)
    _paths.write_file(path, text.encode("utf-8", "replace"))


class Metadata(SharedMetadata):
    """Keys and values of the user. Only the whole is limited, and generously."""

    max_text_length = None
    max_total_bytes = 100 * 1024 * 1024

    def write_to(self, result_dir: str) -> None:
        """Writes profiler_metadata.json if there is anything to write, and forgets it."""
        content = dict(self.values)
        self.values.clear()
        groups = _environment.parallel_groups()
        if groups:
            content["parallel_group_info"] = groups
        if content:
            text = json.dumps(content, ensure_ascii=False)
            _paths.write_file(os.path.join(result_dir, "profiler_metadata.json"),
                              text.encode("utf-8", "replace"))
