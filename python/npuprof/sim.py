"""The simulated NPU for PyTorch programs.

    device = npuprof.sim.device()
    model.to(device)

Tensors on it are in memory of the host and operators run there, so results are those of the host.
Beside that each operator launches the kernels it would launch on an NPU: it puts them on a launch
queue, and a thread of its own takes them off, unless TASK_QUEUE_ENABLE=0 or
ASCEND_LAUNCH_BLOCKING=1 is set. Backward passes have a thread of their own, and memory is handed
out as on a device; a forked process cannot use it. A program that never asks for the device is left
as it is: while an NPU is simulated, its operators launch kernels all the same.
"""

from __future__ import annotations

import importlib
import os
import types
from typing import Any, Optional

from . import _console, _torch_match

_LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "libnpusim_cann.so")

_device_count = 0


def device(index: Optional[int] = None) -> Any:
    """The torch.device; `index` None is that of this process' place on the computer.

    Ask for it before the first backward pass: PyTorch makes its threads for devices then.
    """
    global _device_count
    torch = importlib.import_module("torch")
    if _device_count == 0:
        reason = _torch_match.mismatch(torch)
        if reason is not None:
            raise RuntimeError(reason)
        hooks = importlib.import_module("npuprof._torch")
        _device_count = hooks.open_simulated_device(_LIBRARY)
        _register_module(torch)
        _console.info(f"PyTorch has {_device_count} simulated NPUs, as devices of type "
                      "privateuseone.")
    if index is None:
        place = os.environ.get("LOCAL_RANK", "")
        index = int(place) % _device_count if place.isdigit() else 0
    if not 0 <= index < _device_count:
        raise ValueError(f"there are {_device_count} simulated NPUs, and none is number {index}")
    return torch.device("privateuseone", index)


def _register_module(torch: Any) -> None:
    """Newer versions of PyTorch look for a module of the device before they first use it."""
    if not hasattr(torch, "_register_device_module") or hasattr(torch, "privateuseone"):
        return
    module = types.ModuleType("torch.privateuseone", "The simulated NPU of npuprof.")
    module.is_available = lambda: True
    module.device_count = lambda: _device_count
    module.synchronize = lambda device=None: synchronize()
    module._is_in_bad_fork = lambda: False  # The device itself says so, as an error.
    module.manual_seed_all = lambda seed: None  # Random numbers are the host's.
    torch._register_device_module("privateuseone", module)


def synchronize() -> None:
    """Waits until the simulated device has done what was launched."""
    if _device_count > 0:
        importlib.import_module("npuprof._torch").synchronize_simulated_device()
