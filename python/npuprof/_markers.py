"""Whether markers are recorded now, and those of which domains."""

from __future__ import annotations

import os
from typing import Any, FrozenSet, List

from . import _backend

_tracing = False
_include: FrozenSet[str] = frozenset()
_exclude: FrozenSet[str] = frozenset()


def _markers_of_mspti() -> bool:
    """Whether another tool of the vendor listens to markers all the time."""
    preloaded = os.environ.get("LD_PRELOAD", "")
    return "libmspti.so" in preloaded and "libascend_kernel_hook.so" not in preloaded


# Preloading happens before the program starts, so the answer does not change.
_mspti = _markers_of_mspti()


def activate(include: List[str], exclude: List[str]) -> None:
    """Markers are recorded from now on."""
    global _tracing, _include, _exclude
    _include, _exclude = frozenset(include), frozenset(exclude)
    _tracing = True
    from . import _builtin_markers
    _builtin_markers.install()


def deactivate() -> None:
    """Markers are not recorded any more."""
    global _tracing
    _tracing = False


def active() -> bool:
    """Whether any marker is recorded now."""
    return _tracing or _mspti


def wanted(domain: str) -> bool:
    """Whether markers of a domain are recorded now."""
    if _mspti:
        return True
    if not _tracing:
        return False
    if _include:
        return domain in _include
    return domain not in _exclude


def _handle(stream: Any) -> int:
    if stream is None:
        return 0
    handle = getattr(stream, "npu_stream", None)
    return int(handle if handle is not None else getattr(stream, "stream_id", 0) or 0)


def mark(message: str, domain: str = "default", stream: Any = None) -> None:
    """Records a marker if its domain is wanted."""
    if wanted(domain):
        _backend.mark(message, domain, _handle(stream))


def range_start(message: str, domain: str = "default", stream: Any = None) -> int:
    """Opens a range; 0 if it is not recorded."""
    return _backend.range_start(message, domain, _handle(stream)) if wanted(domain) else 0


def range_end(range_id: int, domain: str = "default") -> None:
    """Closes a range."""
    if range_id:
        _backend.range_end(range_id, domain)
