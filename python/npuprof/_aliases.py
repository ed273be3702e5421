"""Replaces functions wherever a module has a name for them."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, List, Tuple

# Module, name in it, the function that was there, the one that is there now.
Replaced = List[Tuple[Any, str, Any, Any]]


def replace(wrappers: Dict[Tuple[Any, str], Callable[..., Any]]) -> Replaced:
    """Puts wrappers in place of (module, name), and of aliases of it in all modules."""
    by_identity = {id(getattr(owner, name)): (getattr(owner, name), wrapper)
                   for (owner, name), wrapper in wrappers.items()}
    replaced: Replaced = []
    for module in list(sys.modules.values()):
        try:
            names = list(vars(module).items())
        except Exception:
            continue
        if getattr(module, "__name__", "").startswith(__package__ + "."):
            continue
        for name, value in names:
            found = by_identity.get(id(value))
            if found is not None:
                _set(module, name, found[0], found[1], replaced)
    for (owner, name), wrapper in wrappers.items():
        if getattr(owner, name) is not wrapper:  # The owner is a class, or hides its names.
            _set(owner, name, getattr(owner, name), wrapper, replaced)
    return replaced


def _set(owner: Any, name: str, original: Any, wrapper: Any, replaced: Replaced) -> None:
    try:
        setattr(owner, name, wrapper)
    except Exception:
        return
    replaced.append((owner, name, original, wrapper))


def restore(replaced: Replaced) -> None:
    """Puts back what replace() took away, unless somebody replaced it again."""
    for owner, name, original, wrapper in reversed(replaced):
        if getattr(owner, name, None) is wrapper:
            setattr(owner, name, original)
    replaced.clear()
