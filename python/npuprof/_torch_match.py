"""Whether the compiled modules that use PyTorch fit the PyTorch of the program.

These are `_torch`, the hooks into it, and `_sim`, the simulated device. They are compiled for one
version and bound to its libraries. Where the program has another one, loading them would bring a
second set of libraries into the process, which then aborts. So this is found out without loading
them.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from typing import Any, Optional

# Of dlopen(): only what is there already.
_NO_LOAD = getattr(os, "RTLD_NOLOAD", 4)


def mismatch(torch: Any) -> Optional[str]:
    """Why the modules cannot be used with this PyTorch, None if they can."""
    try:
        build = importlib.import_module(f"{__package__}._torch_build")
    except ModuleNotFoundError:  # There are none.
        return None
    version = str(getattr(torch, "__version__", "unknown"))
    place = os.path.dirname(getattr(torch, "__file__", None) or "")
    if _public(version) == _public(build.VERSION) and all(map(is_loaded, build.LIBRARIES)):
        return None
    return (f"This program has PyTorch {version} of {place}, but npuprof was built for "
            f"{build.VERSION} of {build.DIRECTORY}: operators are not recorded.")


def _public(version: str) -> str:
    """Without what one build of a version adds to it."""
    return version.partition("+")[0]


def is_loaded(library: str) -> bool:
    """Whether the process has this library already."""
    try:
        ctypes.CDLL(library, mode=os.RTLD_NOW | _NO_LOAD)
        return True
    except OSError:
        return False
