"""Which options hold: those of the program, or those of the environment."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from .. import _backend

_MODE, _OPTIONS = "PROFILING_MODE", "PROFILING_OPTIONS"


def native() -> Any:
    """The compiled module; raises RuntimeError without it."""
    if _backend._native is None:
        raise RuntimeError("npuprof was built without its compiled modules, which options of "
                           "TensorFlow programs need")
    return _backend._native


def adapter_default() -> str:
    """What is collected if profiling is on and no options are given."""
    return str(native().ADAPTER_DEFAULT_OPTIONS)


def check_profiling_options(text: str) -> Dict[str, Any]:
    """Checks the text of profiling_options as the graph engine and the collector do.

    Returns the directory, the points of iterations and `notes`: sentences on what has no effect.
    Raises ValueError; its text begins with the code of the check that refused (E10001, EK0001,
    EK0003, EK0005) and says what to do.
    """
    if not isinstance(text, str):
        raise TypeError(f"profiling_options must be a text, not {type(text).__name__}")
    return dict(native().check_profiling_options(text))


class Decision(NamedTuple):
    """`options` None: nothing is collected. `notes` are for the user."""

    options: Optional[str]
    notes: List[str]


def decide(enabled: bool, options: str,
           environment: Optional[Mapping[str, str]] = None) -> Decision:
    """The program's options if it enables profiling and has some, else the environment's."""
    environment = os.environ if environment is None else environment
    mode = environment.get(_MODE, "")
    if enabled and options:
        unused = mode == "true"
        return Decision(options, [f"{_OPTIONS} of the environment is not used: the program has "
                                  "options of its own"] if unused else [])
    notes = []
    if enabled:
        notes.append("profiling is enabled, but its options are empty: only the environment can "
                     "say what to collect")
    if mode == "true":
        return Decision(environment.get(_OPTIONS) or str(native().ENVIRONMENT_DEFAULT_OPTIONS),
                        notes)
    if mode and mode != "dynamic":
        notes.append(f"{_MODE} is '{mode}' and has no effect: only 'true' is known")
    elif not mode and environment.get(_OPTIONS):
        notes.append(f"{_OPTIONS} has no effect without {_MODE}=true")
    if enabled:
        notes.append(f"nothing is collected: give options, or set {_MODE}=true")
    elif options:
        notes.append("options are given, but profiling is not enabled: nothing is collected")
    return Decision(None, notes)
