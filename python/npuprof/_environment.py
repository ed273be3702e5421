"""What is known about this process and machine: rank, versions, devices."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Dict, Optional, Union

_CANN_INFO = re.compile(r"ascend_\w+_install\.info\Z")
_VERSION_LINE = re.compile(r"^\s*version\s*=\s*(\S+)", re.IGNORECASE | re.MULTILINE)


def loaded(name: str) -> Any:
    """The module if the program has imported it already, else None.

    The profiler never imports a framework by itself: that takes seconds and may open devices.
    """
    return sys.modules.get(name)


def distributed() -> Any:
    """torch.distributed if a process group is initialised, else None."""
    module = loaded("torch.distributed")
    try:
        if module is not None and module.is_available() and module.is_initialized():
            return module
    except Exception:
        pass
    return None


def rank() -> Optional[Union[str, int]]:
    """The variable RANK (a text), else the rank in torch.distributed (a number), else None."""
    text = os.environ.get("RANK", "").strip()
    if text:
        return text
    module = distributed()
    return None if module is None else int(module.get_rank())


def rank_number() -> int:
    """The rank as a number, -1 if it is not known."""
    try:
        value = rank()
        return -1 if value is None else int(value)
    except ValueError:
        return -1


def npu_module() -> Any:
    """torch_npu.npu if the program uses it and there is a device, else None."""
    npu = getattr(loaded("torch_npu"), "npu", None)
    try:
        return npu if npu is not None and npu.is_available() else None
    except Exception:
        return None


def synchronize_device() -> None:
    """Waits for what was launched on the current NPU, if there is one in use."""
    npu = npu_module()
    if npu is None:
        return
    try:
        if not hasattr(npu, "is_initialized") or npu.is_initialized():
            npu.synchronize()
    except Exception:
        pass


def current_stream() -> Any:
    """The current compute stream, None without an NPU in use, real or simulated."""
    npu = npu_module()
    try:
        if npu is not None:
            return npu.current_stream()
        sim = loaded(f"{__package__}.sim")
        return None if sim is None else sim.stream_in_use()
    except Exception:
        return None


def versions() -> Dict[str, str]:
    """Versions of the programs that shape a profile."""
    result = {}
    for key, name in (("torch_version", "torch"), ("torch_npu_version", "torch_npu")):
        version = getattr(loaded(name), "__version__", None)
        if version is not None:
            result[key] = str(version)
    result["cann_version"] = cann_version()
    return result


def cann_version() -> str:
    """The version in the install notes below ASCEND_HOME_PATH, or "not known"."""
    home = os.environ.get("ASCEND_HOME_PATH", "")
    if not home:
        return "not known"
    folders = [home]
    try:
        folders += sorted(entry.path for entry in os.scandir(home) if entry.is_dir())
    except OSError:
        pass
    for folder in folders:
        version = _version_in(folder)
        if version:
            return version
    return "not known"


def _version_in(folder: str) -> Optional[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if _CANN_INFO.match(name))
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                match = _VERSION_LINE.search(file.read(65536))
            if match:
                return match.group(1)
    except OSError:
        pass
    return None
