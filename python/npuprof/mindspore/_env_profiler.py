"""Profiling a program whose code does not mention it: the variable MS_PROFILER_OPTIONS.

It counts when npuprof.mindspore is imported, and holds a JSON object. Its keys are the options of
profile() and _ExperimentalConfig, values of enumerations as texts, and `start`, which must be true.
"""

from __future__ import annotations

import enum
import inspect
import json
import os
from typing import Any, Dict, List, Optional, Type

from .._console import error, no_except, warning
from .._environment import loaded
from .._mindspore_variable import READER, VARIABLE
from ._analysis import tensorboard_trace_handler
from ._constants import AicoreMetrics, ExportType, HostSystem, ProfilerActivity, ProfilerLevel
from ._experimental_config import _ExperimentalConfig
from .profiler import profile

_NOT_BY_ENVIRONMENT = ("schedule", "on_trace_ready", "experimental_config", "start_profile")
_ENUMERATIONS: Dict[str, Type[enum.Enum]] = {"profiler_level": ProfilerLevel,
                                             "aic_metrics": AicoreMetrics}
_LISTS: Dict[str, Type[enum.Enum]] = {"activities": ProfilerActivity, "export_type": ExportType,
                                      "host_sys": HostSystem}


def _member(name: str, kind: Type[enum.Enum], given: Any) -> Optional[enum.Enum]:
    """By value, or by name; None and a warning for what is neither."""
    for member in kind:
        if given in (member.value, member.name):
            return member
    warning(f"{VARIABLE}: {name} has no value {given!r:.100}; the default is used.")
    return None


def _members(name: str, kind: Type[enum.Enum], given: Any) -> Optional[List[enum.Enum]]:
    """One that is wrong makes the default of all of them."""
    values = [given] if isinstance(given, str) else given
    if not isinstance(values, list):
        warning(f"{VARIABLE}: {name} must be a list, not {given!r:.100}; the default is used.")
        return None
    members = [_member(name, kind, value) for value in values]
    return None if None in members else [member for member in members if member is not None]


def converted(options: Dict[str, Any]) -> Dict[str, Any]:
    """Arguments for profile() and _ExperimentalConfig, by name."""
    result: Dict[str, Any] = {}
    for name, value in options.items():
        if name in _ENUMERATIONS:
            result[name] = _member(name, _ENUMERATIONS[name], value)
        elif name in _LISTS:
            result[name] = _members(name, _LISTS[name], value)
        else:
            result[name] = value
    return result


def _chosen(function: Any, options: Dict[str, Any]) -> Dict[str, Any]:
    known = inspect.signature(function).parameters
    return {name: value for name, value in options.items()
            if name in known and name not in _NOT_BY_ENVIRONMENT}


class EnvProfiler:
    """The profiler that the environment asks for; it ends with the program."""

    profiler: Optional[profile] = None

    @classmethod
    @no_except()
    def init_profiler(cls) -> None:
        """Starts it, if the variable is set and says so."""
        text = os.environ.get(VARIABLE)
        if not text or cls.profiler is not None:
            return
        try:
            options = json.loads(text)
        except ValueError:
            options = None
        if not isinstance(options, dict) or not options:
            error(f"{VARIABLE} is no JSON object with options: {text:.100}")
            return
        if options.get("start") is not True:
            return
        if getattr(getattr(loaded(READER), "EnvProfiler", None), "profiler", None) is not None:
            warning(f"MindSpore has read {VARIABLE} too, and its own profiler writes a second "
                    "directory: import npuprof.mindspore before mindspore.")
        arguments = converted(options)
        config = _ExperimentalConfig(**_chosen(_ExperimentalConfig, arguments))
        cls.profiler = profile(on_trace_ready=tensorboard_trace_handler(options.get("output_path")),
                               experimental_config=config, **_chosen(profile, arguments))

    @no_except()
    def analyse(self) -> None:
        """Ends it now; results are made as at the end of the program."""
        if EnvProfiler.profiler is not None:
            EnvProfiler.profiler.stop()
