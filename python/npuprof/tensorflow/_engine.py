"""What stands for the graph engine: one collection for a process, or one for a local profiler."""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any, Dict, Optional, Set

from .. import _console
from . import _options, _simulated

_lock = threading.RLock()
_said: Set[str] = set()


def say_once(text: str) -> None:
    """A warning that is printed once in a process."""
    with _lock:
        if text in _said:
            return
        _said.add(text)
    _console.warning(text)


class Collection:
    """A running collection; on the simulated NPU the program's graphs are launched there."""

    def __init__(self, native_collection: Any, fp_point: str = "", bp_point: str = "") -> None:
        self._native = native_collection
        self._pid = os.getpid()
        self.graph_runs = 0
        self.launcher: Optional[_simulated.Launcher] = None
        if native_collection.is_simulated:
            self.launcher = _simulated.Launcher(fp_point, bp_point, say_once)

    @property
    def is_here(self) -> bool:
        """Whether it belongs to this process and not to the one that forked it."""
        return self._pid == os.getpid()

    def stop(self) -> None:
        """Completes the files."""
        self.launcher = None
        if self.is_here:
            self._native.stop()


class Engine:
    """The state of this process. Everything that runs graphs asks it before it does."""

    def __init__(self) -> None:
        self._whole: Optional[Collection] = None  # Of the whole process.
        self._initialized_with: Optional[Dict[str, Any]] = None
        self._local: Any = None  # A profiler.Profiler that is armed.

    @property
    def collects_whole_process(self) -> bool:
        """Whether options of the program or of the environment have started a collection."""
        return self._whole is not None

    def initialize(self, enabled: bool, options: str) -> None:
        """What the graph engine does when the program begins to use it; only the first call counts.

        Raises ValueError if options are refused: the program could not go on either.
        """
        with _lock:
            given = {"enabled": enabled, "options": options}
            if self._initialized_with is not None:
                if self._initialized_with != given and enabled:
                    say_once("these profiling options come too late and have no effect: the graph "
                             "engine was initialized before")
                return
            decision = _options.decide(enabled, options)
            for note in decision.notes:
                say_once(note)
            if decision.options is not None:
                self._start(decision.options)
            self._initialized_with = given

    def _start(self, options: str) -> None:
        facts = _options.check_profiling_options(options)
        for note in facts["notes"]:
            say_once(note)
        try:
            native_collection = _options.native().GraphCollection(options)
        except RuntimeError as failure:
            if str(failure).startswith("EK"):
                raise ValueError(str(failure)) from None
            # Such as a collection that runs already: the program goes on without this one.
            say_once(f"profiling_options are ignored: {failure}")
            return
        self._whole = Collection(native_collection, facts["fp_point"], facts["bp_point"])

    def finalize(self) -> None:
        """Ends the collection of the whole process; the next initialize() counts again."""
        with _lock:
            collection, self._whole = self._whole, None
            self._initialized_with = None
        if collection is not None:
            try:
                if collection.is_here and collection.graph_runs == 0:
                    say_once("no graph and no operator ran while the profile was collected")
                collection.stop()
            except RuntimeError as failure:
                _console.error(f"the profile is not complete: {failure}")

    def arm(self, profiler: Any) -> None:
        """A local profiler waits for the next graph. Raises RuntimeError if there is one."""
        with _lock:
            if self._local is not None:
                raise RuntimeError("a Profiler is in use already: they cannot be nested")
            self._local = profiler

    def disarm(self) -> None:
        """The local profiler has ended."""
        with _lock:
            self._local = None

    def before_graph(self) -> None:
        """A graph is about to be built or run. Raises what the program's call must raise."""
        with _lock:
            if self._local is not None:
                self._local.begin(self.collects_whole_process
                                  or os.environ.get("PROFILING_MODE") == "true")

    def collection(self) -> Optional[Collection]:
        """What collects now, in this process."""
        local = self._local
        collection = local.collection if local is not None else self._whole
        return collection if collection is not None and collection.is_here else None


engine = Engine()
atexit.register(engine.finalize)
