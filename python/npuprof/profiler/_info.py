"""profiler_info.json: how a profile was taken, and its clock."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any, Dict, List

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


def _files(result_dir: str) -> List[str]:
    return [os.path.join(result_dir, name) for name in sorted(os.listdir(result_dir))
            if _NAME.match(name)]


def _written_by_recorder(result_dir: str) -> Dict[str, Any]:
    """What the recorder knows best, such as its clock."""
    for path in _files(result_dir):
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except (OSError, ValueError):
            continue
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


def settings(options: CommonOptions, schedule: Any) -> Dict[str, Any]:
    """What is known before recording begins."""
    content: Dict[str, Any] = {"config": {
        "common_config": {
            "activities": [str(activity) for activity in options.activities],
            "schedule": None if schedule is None else schedule_attributes(schedule),
            **options.switches,
        },
        "experimental_config": dict(vars(options.experimental_config)),
    }}
    content.update(_environment.versions())
    return content


def write(result_dir: str, options: CommonOptions, schedule: Any,
          start_info: Dict[str, Any]) -> None:
    """Writes the file of this process' rank."""
    recorded = _written_by_recorder(result_dir)
    content = {**recorded, **settings(options, schedule)}
    content["start_info"] = recorded.get("start_info", start_info)
    content["end_info"] = recorded.get("end_info") or end_info()
    content["npuprof_version"] = __version__
    rank = _environment.rank()
    if rank is not None:
        content["rank_id"] = rank
    number = _environment.rank_number()
    suffix = "" if number < 0 else f"_{number}"
    path = os.path.join(result_dir, f"profiler_info{suffix}.json")
    text = json.dumps(content, ensure_ascii=False, indent=4)
    _paths.write_file(path, text.encode("utf-8", "replace"))
    for other in _files(result_dir):
        if other != path:
            os.unlink(other)
