"""profiler_info.json: how a profile was taken, and its clock."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any, Dict

from .. import _environment, _paths
from .._version import __version__
from ._common_options import CommonOptions

_NAME = re.compile(r"profiler_info(_\d+)?\.json\Z")


def schedule_attributes(schedule: Any) -> Dict[str, Any]:
    """What can be told of a schedule: the attributes of an object, nothing of a function."""
    attributes = {}
    for name, value in getattr(schedule, "__dict__", {}).items():
        if isinstance(value, (bool, int, float, str, type(None))):
            attributes[name] = value
    return attributes


def _written_by_recorder(result_dir: str) -> Dict[str, Any]:
    """What the recorder knows best, such as its clock. Its file is replaced by ours."""
    for name in sorted(os.listdir(result_dir)):
        if not _NAME.match(name):
            continue
        path = os.path.join(result_dir, name)
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except (OSError, ValueError):
            content = None
        os.unlink(path)
        if isinstance(content, dict):
            return content
    return {}


def end_info() -> Dict[str, int]:
    """Now, by the wall clock and by the clock that the recorder's time stamps refer to.

    Parsers take the difference of the two for the offset of stamps, and stamps refer to
    CLOCK_MONOTONIC_RAW; so does the second number, whatever its name says.
    """
    return {"collectionTimeEnd": time.time_ns(),
            "MonotonicTimeEnd": time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)}


def write(result_dir: str, options: CommonOptions, schedule: Any,
          start_info: Dict[str, Any]) -> None:
    """Writes the file of this process' rank."""
    recorded = _written_by_recorder(result_dir)
    content = dict(recorded)
    content["config"] = {
        "common_config": {
            "activities": [str(activity) for activity in options.activities],
            "schedule": None if schedule is None else schedule_attributes(schedule),
            **options.switches,
        },
        "experimental_config": dict(vars(options.experimental_config)),
    }
    content["start_info"] = recorded.get("start_info", start_info)
    content["end_info"] = end_info()
    content.update(_environment.versions())
    content["npuprof_version"] = __version__
    rank = _environment.rank()
    if rank is not None:
        content["rank_id"] = rank
    number = _environment.rank_number()
    suffix = "" if number < 0 else f"_{number}"
    text = json.dumps(content, ensure_ascii=False, indent=4)
    _paths.write_file(os.path.join(result_dir, f"profiler_info{suffix}.json"),
                      text.encode("utf-8", "replace"))
