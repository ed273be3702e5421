"""Shapes of the inputs of PyNative operators, which MindSpore's CPU profiler does not tell.

Operators of the newer kind (PyBoost) go through compiled functions that two modules of MindSpore
hold under the names pyboost_*; while recording, each notes the operator and its inputs. What is
called from compiled code, as backward passes are, is not seen. Asking a tensor for its shape waits
until MindSpore knows it, so this is done only for those who want shapes.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Tuple

from .._environment import loaded
from ._own_ranges import now_ticks

FILE_NAME = "npuprof_calls.txt"

_MODULES = ("mindspore.ops.auto_generate.gen_ops_prim",
            "mindspore.ops.auto_generate.pyboost_inner_prim")
_PREFIX = "pyboost_"


def _shape_text(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return ",".join(map(str, shape)) if isinstance(shape, tuple) else ""


class CallShapes:
    """Notes calls from install() to remove()."""

    def __init__(self) -> None:
        self._replaced: List[Tuple[Any, str, Any]] = []
        self._lines: List[str] = []

    def install(self) -> None:
        """Wraps the functions of the modules that the program has loaded."""
        for name in _MODULES:
            module = loaded(name)
            functions: Dict[str, Any] = {} if module is None else vars(module)
            for key, function in list(functions.items()):
                if key.startswith(_PREFIX) and callable(function):
                    self._replaced.append((module, key, function))
                    setattr(module, key, self._noting(function))

    def remove(self) -> str:
        """Puts the functions back; returns a line for each call: time, operator and shapes."""
        for module, key, function in self._replaced:
            setattr(module, key, function)
        self._replaced.clear()
        lines, self._lines = self._lines, []
        return "".join(lines)

    def _noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            try:
                primitive, inputs = args
                shapes = ";".join(map(_shape_text, inputs))
                self._lines.append(f"{now_ticks()};{primitive.name};{shapes}\n")
            except Exception:  # Another kind of call: it is not for us to complain.
                pass
            return function(*args, **kwargs)

        return wrapped
