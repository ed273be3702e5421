"""Lines for the user on the console, and the promise that the profiler never stops a program."""

from __future__ import annotations

import functools
import os
import sys
import time
from typing import Any, Callable, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

# Scripts of users look for this name, whichever file writes the line.
_SOURCE = "profiler.py"
_to_standard_error = False


def use_standard_error() -> None:
    """Lines go to standard error from now on."""
    global _to_standard_error
    _to_standard_error = True


def _warnings_wanted() -> bool:
    """Only one process of a job warns, and only if the user did not forbid it."""
    for variable in ("TORCH_NPU_WARNING_DISABLE", "TORCH_NPU_DISABLED_WARNING"):
        if os.environ.get(variable) == "1":
            return False
    return os.environ.get("RANK", "0") in ("", "0")


def _print_line(level: str, text: str) -> None:
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    try:
        print(f"[{stamp}] [{level}] [{os.getpid()}] {_SOURCE}: {text}", flush=True,
              file=sys.stderr if _to_standard_error else sys.stdout)
    except Exception:  # Standard output may be closed or gone; that is no reason to fail.
        pass


def info(text: str) -> None:
    """Prints an INFO line."""
    _print_line("INFO", text)


def warning(text: str) -> None:
    """Prints a WARNING line, on the first rank only."""
    if _warnings_wanted():
        _print_line("WARNING", text)


def last_words(text: str) -> Callable[[], None]:
    """Prints a WARNING line when it is called, even if the interpreter takes down its modules and
    their names are gone by then."""
    strftime, getpid, write, source = time.strftime, os.getpid, os.write, _SOURCE
    wanted, file = _warnings_wanted(), 2 if _to_standard_error else 1

    def say() -> None:
        if wanted:
            stamp = strftime("%Y-%m-%d %H:%M:%S")
            try:
                write(file, f"[{stamp}] [WARNING] [{getpid()}] {source}: {text}\n".encode())
            except OSError:  # It may be closed.
                pass

    return say


def error(text: str) -> None:
    """Prints an ERROR line."""
    _print_line("ERROR", text)


def no_except(default: Any = None) -> Callable[[Function], Function]:
    """Decorator: an exception becomes an ERROR line and the call returns `default`."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as failure:
                error(f"{function.__qualname__} failed: {type(failure).__name__}: {failure}")
                return default

        return guarded  # type: ignore[return-value]

    return decorate
