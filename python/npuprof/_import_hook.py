"""Runs a function as soon as a module is imported, without importing it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from . import _console

_waiting: Dict[str, List[Callable[[Any], None]]] = {}
_finder: Optional["_Finder"] = None


def when_imported(name: str, function: Callable[[Any], None]) -> None:
    """Calls `function` with the module: now if it is imported, else after its import."""
    global _finder
    module = sys.modules.get(name)
    if module is not None:
        _call(name, function, module)
        return
    _waiting.setdefault(name, []).append(function)
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)


def _call(name: str, function: Callable[[Any], None], module: Any) -> None:
    try:
        function(module)
    except Exception as failure:
        _console.error(f"npuprof cannot hook into {name}: {failure}")


def _call_waiting(name: str, module: Any) -> None:
    for function in _waiting.pop(name, []):
        _call(name, function, module)


class _Loader(importlib.abc.Loader):
    """The loader of a module, followed by the functions that wait for it."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        # The module keeps the loader it would have had, whoever asks for it later.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _call_waiting(module.__name__, module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules waited for, by asking the other finders."""

    def __init__(self) -> None:
        self._asking = threading.local()

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname not in _waiting or getattr(self._asking, "name", None) == fullname:
            return None
        self._asking.name = fullname
        try:
            spec = self._ask_others(fullname, path, target)
        finally:
            self._asking.name = None
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader)
        return spec

    def _ask_others(self, fullname: str, path: Any, target: Any) -> Any:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    return spec
        return None
