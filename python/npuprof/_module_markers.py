"""Markers around the modules of a model, its attention, forward passes and steps."""

from __future__ import annotations

import functools
import inspect
import json
import threading
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from . import _aliases, _environment, _markers, _optimizer_hook
from ._console import no_except, warning

MODULE_DOMAIN = "Module"
ATTENTION_DOMAIN = "flash_attn_args"


class Instrumentation:
    """What was attached to a program; remove() takes it off."""

    def __init__(self) -> None:
        self._undo: List[Callable[[], None]] = []

    def add(self, undo: Callable[[], None]) -> None:
        """Remembers how something is undone."""
        self._undo.append(undo)

    @no_except()
    def remove(self) -> None:
        """Undoes everything, once."""
        while self._undo:
            self._undo.pop()()

    def __enter__(self) -> Instrumentation:
        return self

    def __exit__(self, failure: Any, *_: Any) -> None:
        """At the end of what attaches: if that failed, nothing stays."""
        if failure is not None:
            self.remove()


class _OpenRanges(threading.local):
    """Modules of this thread whose call is under way, with the ids of their ranges."""

    def __init__(self) -> None:
        self.ranges: List[Tuple[int, int]] = []


_open = _OpenRanges()


# Functions of this module, not closures: a model with these hooks can still be pickled.
def _enter(module: Any, _inputs: Any) -> None:
    range_id = _markers.range_start(type(module).__name__, MODULE_DOMAIN)
    _open.ranges.append((id(module), range_id))


def _leave(module: Any, _inputs: Any, _output: Any) -> None:
    ranges = _open.ranges
    if not any(key == id(module) for key, _ in ranges):
        return
    # Above it may be modules that failed, if this PyTorch does not call hooks then.
    while ranges:
        key, range_id = ranges.pop()
        _markers.range_end(range_id, MODULE_DOMAIN)
        if key == id(module):
            return


def _is_wanted(module: Any, only: Optional[List[Any]]) -> bool:
    if only is None:
        return True
    return any(type(module).__name__ == entry if isinstance(entry, str)
               else isinstance(entry, type) and isinstance(module, entry) for entry in only)


@no_except(default=Instrumentation())
def instrument_modules(model: Any, only: Optional[Iterable[Any]] = None) -> Instrumentation:
    """Ranges in domain "Module" around each call of a module, and marks of attention arguments.

    `only` lists the classes, or names of classes, that get ranges; without it all modules do.
    """
    wanted = None if only is None else list(only)
    count = 0
    with Instrumentation() as instrumentation:
        for module in model.modules():
            if _is_wanted(module, wanted):
                count += 1
                instrumentation.add(module.register_forward_pre_hook(_enter).remove)
                instrumentation.add(_register_leave(module).remove)
        if count == 0:
            warning("instrument_modules: the model has no such modules.")
        replaced = _aliases.replace(_attention_wrappers())
        instrumentation.add(lambda: _aliases.restore(replaced))
    return instrumentation


def _register_leave(module: Any) -> Any:
    register = module.register_forward_hook
    if "always_call" in inspect.signature(register).parameters:
        return register(_leave, always_call=True)
    return register(_leave)


# Module, function, parameters to note with their place in the call.
_ATTENTION: Tuple[Tuple[str, str, Dict[str, int]], ...] = (
    ("torch_npu", "npu_fusion_attention",
     {"input_layout": 4, "sparse_mode": 16, "actual_seq_qlen": 14, "actual_seq_kvlen": 15}),
    ("torch.nn.functional", "scaled_dot_product_attention", {"is_causal": 5}),
)


def _attention_wrappers() -> Dict[Tuple[Any, str], Callable[..., Any]]:
    wrappers = {}
    for module_name, name, parameters in _ATTENTION:
        module = _environment.loaded(module_name)
        if hasattr(module, name):
            wrappers[module, name] = _marked_attention(getattr(module, name), parameters)
    return wrappers


def attention_message(parameters: Dict[str, int], args: tuple, kwargs: Dict[str, Any]) -> str:
    """The noted parameters that the call gives, as JSON."""
    noted = {}
    for name, place in parameters.items():
        value = args[place] if len(args) > place else kwargs.get(name)
        if value is not None:
            noted[name] = value.tolist() if hasattr(value, "tolist") else value
    if "is_causal" in parameters:
        noted.setdefault("is_causal", False)
    return json.dumps(noted, default=str)


def _marked_attention(function: Callable[..., Any],
                      parameters: Dict[str, int]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if _markers.wanted(ATTENTION_DOMAIN):
            _mark_attention(parameters, args, kwargs)
        return function(*args, **kwargs)

    return wrapped


@no_except()
def _mark_attention(parameters: Dict[str, int], args: tuple, kwargs: Dict[str, Any]) -> None:
    _markers.mark(attention_message(parameters, args, kwargs), ATTENTION_DOMAIN)


@no_except(default=Instrumentation())
def instrument_training() -> Instrumentation:
    """Ranges "forward" around outermost module calls and "step <n>" between optimizer steps."""
    instrumentation = Instrumentation()
    torch = _environment.loaded("torch")
    if torch is None:
        warning("instrument_training: import torch first.")
        return instrumentation
    module_class = torch.nn.Module
    original = module_class.__call__
    loss_class = getattr(torch.nn.modules.loss, "_Loss", ())
    with instrumentation:
        module_class.__call__ = _marked_forward(original, loss_class)
        instrumentation.add(lambda: setattr(module_class, "__call__", original))
        steps = _StepRanges()
        instrumentation.add(steps.close)
        instrumentation.add(_optimizer_hook.after_each_step(steps.next))
    return instrumentation


def _marked_forward(call: Callable[..., Any], loss_class: Any) -> Callable[..., Any]:
    inside = threading.local()

    @functools.wraps(call)
    def wrapped(module: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(inside, "busy", False) or not _markers.active() \
                or isinstance(module, loss_class):
            return call(module, *args, **kwargs)
        inside.busy = True
        range_id = _markers.range_start("forward", stream=_environment.current_stream())
        try:
            return call(module, *args, **kwargs)
        finally:
            inside.busy = False
            _markers.range_end(range_id)

    return wrapped


class _StepRanges:
    """A chain of ranges: one ends where the next begins."""

    def __init__(self) -> None:
        self._number = 0
        self._range_id = 0
        self._begin()

    def _begin(self) -> None:
        self._range_id = _markers.range_start(f"step {self._number}",
                                              stream=_environment.current_stream())

    def next(self) -> None:
        """The step is over."""
        self.close()
        self._number += 1
        self._begin()

    def close(self) -> None:
        """Ends the range under way."""
        _markers.range_end(self._range_id)
        self._range_id = 0
