"""The simulated NPU for PyTorch programs.

    device = npuprof.sim.device()
    model.to(device)

Tensors on it are in memory of the host and operators run there, so results are those of the host.
Beside that each operator launches the kernels it would launch on an NPU: it puts them on a launch
queue, and a thread of its own takes them off, unless TASK_QUEUE_ENABLE=0 or
ASCEND_LAUNCH_BLOCKING=1 is set. Backward passes have a thread of their own, and memory is handed
out as on a device; a forked process cannot use it. A program that never asks for the device is left
as it is: while an NPU is simulated, its operators launch kernels all the same.

What torch_npu.npu has for devices and streams is here too, and in `torch.privateuseone`:

    side = npuprof.sim.Stream()
    with npuprof.sim.stream(side):
        model(data)
    side.synchronize()
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import types
from typing import Any, Iterator, Optional

from . import _console, _torch_match

_LIBRARY = "libnpusim_cann.so"
_LIBRARY_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
_TYPE = "privateuseone"

_device_count = 0
_compiled: Any = None


def device(index: Optional[int] = None) -> Any:
    """The torch.device; `index` None is that of this process' place on the computer.

    Ask for it before the first backward pass: PyTorch makes its threads for devices then.
    """
    torch = importlib.import_module("torch")
    if _device_count == 0:
        _open(torch)
    if index is None:
        place = os.environ.get("LOCAL_RANK", "")
        index = int(place) % _device_count if place.isdigit() else 0
    if not 0 <= index < _device_count:
        raise ValueError(f"there are {_device_count} simulated NPUs, and none is number {index}")
    return torch.device(_TYPE, index)


_device = device  # Where a parameter has that name.


def _open(torch: Any) -> None:
    global _device_count, _compiled
    reason = _torch_match.mismatch(torch)
    if reason is not None:
        raise RuntimeError(reason)
    compiled = importlib.import_module("npuprof._sim")
    _device_count = compiled.open_device(os.path.join(_LIBRARY_FOLDER, _LIBRARY))
    _compiled = compiled
    _register_module(torch)
    _register_storages(torch)
    _console.info(f"PyTorch has {_device_count} simulated NPUs, as devices of type {_TYPE}.")


def _register_module(torch: Any) -> None:
    """Newer versions of PyTorch look for a module of the device before they first use it."""
    if not hasattr(torch, "_register_device_module") or hasattr(torch, _TYPE):
        return
    module = types.ModuleType(f"torch.{_TYPE}", "The simulated NPU of npuprof.")
    module.is_available = lambda: True
    module.is_initialized = lambda: True
    module.device_count = lambda: _device_count
    module._is_in_bad_fork = lambda: False  # The device itself says so, as an error.
    module.manual_seed_all = lambda seed: None  # Random numbers are the host's.
    module.synchronize = lambda device=None: synchronize()
    for function in (current_device, set_device, Stream, current_stream, default_stream, stream):
        setattr(module, function.__name__, function)
    torch._register_device_module(_TYPE, module)


def _register_storages(torch: Any) -> None:
    """So that tensors can be saved and loaded."""
    def location(storage: Any) -> Optional[str]:
        place = storage.device
        return f"{_TYPE}:{place.index}" if place.type == _TYPE else None

    def restore(storage: Any, place: str) -> Any:
        if not place.startswith(_TYPE):
            return None
        target = device(torch.device(place).index)
        if hasattr(_compiled, "storage_to_device"):
            return _compiled.storage_to_device(storage, target.index)
        return storage._to(device=target, non_blocking=False)

    torch.serialization.register_package(15, location, restore)
    if hasattr(_compiled, "storage_to_host"):
        _teach_storages(torch)


def _teach_storages(torch: Any) -> None:
    """Versions of PyTorch before 2 do not take storages of such devices as arguments."""
    base, utilities = torch.storage._StorageBase, torch._utils
    original_cpu, original_rebuild = base.cpu, utilities._rebuild_tensor

    @functools.wraps(original_cpu)
    def cpu(self: Any) -> Any:
        on_device = self.device.type == _TYPE
        return _compiled.storage_to_host(self) if on_device else original_cpu(self)

    @functools.wraps(original_rebuild)
    def rebuild_tensor(storage: Any, offset: int, size: Any, stride: Any) -> Any:
        untyped = storage.untyped()
        if untyped.device.type != _TYPE:
            return original_rebuild(storage, offset, size, stride)
        empty = torch.empty(0, dtype=storage.dtype, device=untyped.device)
        return _compiled.set_storage(empty, untyped, offset, list(size), list(stride))

    base.cpu, utilities._rebuild_tensor = cpu, rebuild_tensor


def library_is_in_use() -> bool:
    """Whether the process has the simulated libraries, by whatever way it came to them."""
    return _torch_match.is_loaded(_LIBRARY)


def synchronize() -> None:
    """Waits until the simulated device has done what was launched."""
    if _device_count > 0:
        _compiled.synchronize_device()


def current_device() -> int:
    """The index of the device that new tensors of this thread are on."""
    device()
    return _compiled.current_device()


def set_device(index: Any) -> None:
    """Chooses the device of this thread."""
    number = _index_of(index)
    _compiled.set_device(number)


def _index_of(given: Any) -> int:
    """Of a torch.device or its name, a number, or the current device for None."""
    if isinstance(given, str):
        given = importlib.import_module("torch").device(given)
    index = getattr(given, "index", given)
    return current_device() if index is None else _device(index).index


class Stream:
    """A stream of a simulated device, with the attributes of torch_npu.npu.Stream."""

    def __init__(self, device: Any = None, *, handle: Optional[int] = None) -> None:
        index = _index_of(device)
        self.device = _device(index)
        # What CANN calls it; markers with this stream are seen on the device.
        self.npu_stream: int = _compiled.make_stream(index) if handle is None else handle
        self.stream_id = self.npu_stream

    def synchronize(self) -> None:
        """Waits until all that was launched on it is done."""
        _compiled.synchronize_stream(self.device.index, self.npu_stream)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Stream) and self.npu_stream == other.npu_stream

    def __hash__(self) -> int:
        return hash(self.npu_stream)

    def __repr__(self) -> str:
        return f"<npuprof.sim.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


def current_stream(device: Any = None) -> Stream:
    """The stream that kernels of this thread are launched on."""
    index = _index_of(device)
    return Stream(index, handle=_compiled.current_stream(index))


def default_stream(device: Any = None) -> Stream:
    """The stream of a device that is used if no other is chosen."""
    index = _index_of(device)
    return Stream(index, handle=_compiled.default_stream(index))


@contextlib.contextmanager
def stream(chosen: Optional[Stream]) -> Iterator[None]:
    """Kernels of this thread are launched on this stream; with None nothing changes."""
    if chosen is None:
        yield
        return
    index = chosen.device.index
    before = _compiled.current_stream(index)
    _compiled.use_stream(index, chosen.npu_stream)
    try:
        yield
    finally:
        _compiled.use_stream(index, before)


def stream_in_use() -> Optional[Stream]:
    """That of the current device, None if the program does not use a simulated one."""
    return current_stream() if _device_count > 0 else None
