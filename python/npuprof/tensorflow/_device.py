"""Options in the words of the 2.x adapter."""

from __future__ import annotations

from typing import Any

from . import _hooks, _options
from ._engine import engine, say_once


class _ProfilingOptions:
    """global_options().profiling_config: two attributes, and no others."""

    def __init__(self) -> None:
        object.__setattr__(self, "enable_profiling", False)

    def __getattr__(self, name: str) -> Any:
        if name == "profiling_options":  # It was not set yet.
            return _options.adapter_default()
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "enable_profiling":
            if not isinstance(value, (bool, int)):
                raise TypeError(f"enable_profiling must be True or False, not {value!r}")
            if value not in (True, False):
                raise ValueError(f"enable_profiling must be True or False, not {value!r}")
            value = bool(value)
        elif name != "profiling_options":
            raise ValueError(f"there is no option {name}: enable_profiling and profiling_options "
                             "are known")
        if _opened is not None:
            say_once(f"{name} is set after open() and has no effect")
        object.__setattr__(self, name, value)

    def text(self) -> str:
        """What is handed on; empty: nothing."""
        if "profiling_options" not in vars(self) and not self.enable_profiling:
            return ""
        return "" if self.profiling_options is None else str(self.profiling_options)


class _GlobalOptions:
    """What this profiler has to do with; other attributes are taken and left alone."""

    def __init__(self) -> None:
        self.profiling_config = _ProfilingOptions()


class Device:
    """The device that open() returns."""

    def as_default(self) -> "Device":
        """Operators of this thread run there from now on."""
        _hooks.follow_eager_operators()
        return self

    def name(self) -> str:
        """As TensorFlow writes it."""
        return "/job:localhost/replica:0/task:0/device:NPU:0"


_options_of_process = _GlobalOptions()
_opened: Any = None


def global_options() -> _GlobalOptions:
    """Options of this process; set them before open()."""
    return _options_of_process


def open(device_id: Any = None) -> Device:  # noqa: A001 (the name that programs know)
    """Begins to use the NPU, and to collect if the options say so.

    Raises ValueError if the options are refused.
    """
    del device_id  # Which NPU it is follows from LOCAL_RANK.
    global _opened
    if _opened is None:
        config = _options_of_process.profiling_config
        engine.initialize(config.enable_profiling, config.text())
        _opened = Device()
    return _opened


def close() -> None:
    """Ends the collection; otherwise it ends with the program."""
    global _opened
    _hooks.leave_eager_operators()
    engine.finalize()
    _opened = None
