"""Profiles of a part of a program, as with npu_bridge.profiler.profiler of the 1.x adapter."""

from __future__ import annotations

from typing import Any, Optional

from .. import _environment
from . import _options
from ._engine import Collection, engine, say_once

_LEVELS = ("L0", "L1", "L2")
_DEFAULT_METRICS = "PipeUtilization"


def _metrics_names() -> list:
    """Those that a local profiler takes."""
    return [name for name in _options.native().metrics_names() if name != "MemoryAccess"]


def _tensorflow_error(kind: str, text: str) -> Exception:
    """An error that a call of TensorFlow may raise; RuntimeError without TensorFlow."""
    errors = getattr(_environment.loaded("tensorflow"), "errors", None)
    return RuntimeError(text) if errors is None else getattr(errors, kind)(None, None, text)


class Profiler:
    """Collects from the first graph that is built or run inside a `with` block to its end.

    A block without a graph writes nothing. Raises ValueError for arguments that are no texts; start()
    raises RuntimeError for a level or metrics that are not known, and inside another block.
    """

    def __init__(self, *, level: str = "L0", aic_metrics: str = "", output_path: str = "") -> None:
        for name, value in (("level", level), ("aic_metrics", aic_metrics),
                            ("output_path", output_path)):
            if not isinstance(value, str):
                raise ValueError(f"{name} must be a text, not {type(value).__name__}")
        self._level = level
        self._metrics = aic_metrics
        self._output = output_path or "./"
        self._counts_as_started = False
        self.collection: Optional[Collection] = None

    def start(self) -> None:
        """Arms the profiler."""
        self._check()
        engine.arm(self)

    def _check(self) -> None:
        if self._level not in _LEVELS:
            raise RuntimeError(f"level is '{self._level}', but can be {', '.join(_LEVELS)}")
        if self._metrics and self._metrics not in _metrics_names():
            raise RuntimeError(f"aic_metrics is '{self._metrics}', but can be "
                               f"{', '.join(_metrics_names())}")
        if self._metrics and self._level == "L0":
            raise RuntimeError("aic_metrics needs level L1 or L2")

    def begin(self, is_collected_otherwise: bool) -> None:
        """Before a graph is built or run: starts the collection if it is the first one."""
        if self._counts_as_started:
            return
        if is_collected_otherwise:
            raise _tensorflow_error(
                "InvalidArgumentError",
                "a Profiler cannot be used while profiling_mode or PROFILING_MODE=true collects "
                "the whole program: switch one of them off")
        self._counts_as_started = True
        metrics = self._metrics or ("" if self._level == "L0" else _DEFAULT_METRICS)
        try:
            self.collection = Collection(
                _options.native().GraphCollection(self._output, self._level, metrics))
        except RuntimeError as failure:
            raise _tensorflow_error("InternalError",
                                    f"the profiler cannot start: {failure}") from None

    def stop(self) -> None:
        """Ends the collection and completes its files."""
        engine.disarm()
        collection, self.collection = self.collection, None
        started, self._counts_as_started = self._counts_as_started, False
        if collection is not None:
            collection.stop()
        elif started:
            raise RuntimeError("the profiler could not start, so there is nothing to stop")
        else:
            say_once("no graph was built or run inside a Profiler block, so nothing was written")

    def __enter__(self) -> "Profiler":
        self.start()
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self.stop()
