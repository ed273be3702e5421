"""Counts steps of a training by the steps of its optimizer, without a change to the program."""

from __future__ import annotations

import functools
import threading
import weakref
from typing import Any, Callable, List, Optional

from . import _console, _import_hook

_listeners: List[Callable[[], None]] = []
_construction_listeners: List[Callable[[], None]] = []
_installed = False
# Programs with several optimizers step the one they made last once for each batch.
_last: Optional["weakref.ref[Any]"] = None
_inside = threading.local()


def after_each_step(function: Callable[[], None]) -> Callable[[], None]:
    """Calls `function` after each step of the optimizer constructed last; returns how to end it."""
    _install()
    _listeners.append(function)
    return lambda: _listeners.remove(function) if function in _listeners else None


def when_constructed(function: Callable[[], None]) -> None:
    """Calls `function` once, when an optimizer is constructed."""
    _install()
    _construction_listeners.append(function)


def _install() -> None:
    global _installed
    if not _installed:
        _installed = True
        _import_hook.when_imported("torch.optim.optimizer", _hook_optimizers)


def _hook_optimizers(module: Any) -> None:
    """Every constructor calls one of these, depending on the version of PyTorch."""
    optimizer = module.Optimizer
    for name in ("_patch_step_function", "_hook_for_profile"):
        original = getattr(optimizer, name, None)
        if original is not None:
            setattr(optimizer, name, _followed_by_hook(original))
            return
    _console.error("This version of PyTorch gives no way to follow the steps of optimizers.")


def _followed_by_hook(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        _constructed(self)
        return result

    return wrapped


@_console.no_except()
def _constructed(optimizer: Any) -> None:
    global _last
    _last = weakref.ref(optimizer)
    while _construction_listeners:
        _construction_listeners.pop(0)()
    optimizer_class = type(optimizer)
    if "_npuprof_step_hooked" not in vars(optimizer_class):
        optimizer_class._npuprof_step_hooked = True
        optimizer_class.step = _counted(optimizer_class.step)


def _counted(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(_inside, "step", False):  # A subclass that calls the step of its base.
            return step(self, *args, **kwargs)
        _inside.step = True
        try:
            result = step(self, *args, **kwargs)
        finally:
            _inside.step = False
        if _last is not None and _last() is self:
            _tell_listeners()
        return result

    return wrapped


@_console.no_except()
def _tell_listeners() -> None:
    for listener in list(_listeners):
        listener()
