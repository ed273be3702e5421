"""Graphs and operators of the program, launched on the simulated NPU."""

from __future__ import annotations

import importlib
import threading
from typing import Any, Callable, Dict, Hashable, List, Sequence, Tuple

# Name, type, edges (place of an operator before, its output or -1), tensors in and out.
Tensor = Tuple[int, Sequence[int]]
Op = Tuple[str, str, List[Tuple[int, int]], List[Tensor], List[Tensor]]

_MOST_GRAPHS = 256


class Launcher:
    """Nothing here raises: a failure is said once, and the program goes on."""

    def __init__(self, fp_point: str, bp_point: str, say_once: Callable[[str], None]) -> None:
        self._compiled = importlib.import_module("npuprof._tensorflow_sim")
        self._points = (fp_point, bp_point)
        self._say_once = say_once
        self._lock = threading.Lock()
        self._models: Dict[Hashable, int] = {}
        self._varying: Dict[Hashable, bool] = {}

    def knows(self, key: Hashable) -> bool:
        """Whether this graph was loaded, or cannot be."""
        return key in self._models or len(self._models) >= _MOST_GRAPHS

    def varies(self, key: Hashable, ask: Callable[[], bool]) -> bool:
        """Whether runs of this graph differ; asked once."""
        if key not in self._varying:
            self._varying[key] = self._attempt(ask) is True
        return self._varying[key]

    def load(self, key: Hashable, name: str, ops: List[Op], outputs: List[int]) -> None:
        """Compiles a graph for the device; execute() runs it under its key."""
        with self._lock:
            if self.knows(key):
                return
            model = self._attempt(self._compiled.load_graph, name, ops, outputs, *self._points)
            self._models[key] = -1 if model is None else model

    def execute(self, key: Hashable, wait: bool) -> None:
        """Runs a graph that was loaded."""
        model = self._models.get(key)
        if model is None:
            self._say_once(f"the program runs more than {_MOST_GRAPHS} graphs: those after the "
                           "first ones are not launched on the simulated NPU")
        elif model >= 0:
            self._attempt(self._compiled.execute_graph, model, wait)

    def launch(self, op: Op) -> None:
        """Runs one operator."""
        self._attempt(self._compiled.launch, op)

    def _attempt(self, function: Callable[..., Any], *args: Any) -> Any:
        try:
            return function(*args)
        except Exception as failure:
            self._say_once(f"the simulated NPU does not run all of the program: {failure}")
            return None
