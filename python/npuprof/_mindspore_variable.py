"""The variable MS_PROFILER_OPTIONS, for programs of MindSpore that do not mention npuprof.

MindSpore reads it while it is imported, and would start a profiler of its own. It does not see it
then: npuprof.mindspore, which is imported as soon as MindSpore is there, goes by it instead.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Callable

from . import _console, _import_hook

VARIABLE = "MS_PROFILER_OPTIONS"

# The module of MindSpore that reads it, and one that this one needs and imports before.
READER = "mindspore.profiler.envprofiler"
_NEEDED_BY_READER = "mindspore.profiler.profiler"


def activate(is_helper: Callable[[], bool]) -> None:
    """Does what the variable asks for, as soon as the program imports MindSpore."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    _console.use_standard_error()

    def hide(_: Any) -> None:
        os.environ.pop(VARIABLE, None)

    def show(_: Any) -> None:
        os.environ.setdefault(VARIABLE, text)

    def start(_: Any) -> None:
        if not is_helper():
            importlib.import_module("npuprof.mindspore")

    _import_hook.when_imported(_NEEDED_BY_READER, hide)
    _import_hook.when_imported(READER, show)
    _import_hook.when_imported("mindspore", show)
    _import_hook.when_imported("mindspore", start)
