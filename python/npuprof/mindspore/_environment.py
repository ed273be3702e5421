"""What is known about this process and its MindSpore."""

from __future__ import annotations

import os
from typing import Any, Dict

from .._console import warning
from .._environment import cann_version, loaded

_UNKNOWN = "not known"


def _communication() -> Any:
    """mindspore.communication if it is initialised, else None."""
    module = loaded("mindspore.communication")
    try:
        return module if module is not None and module.GlobalComm.INITED else None
    except Exception:
        return None


def rank() -> int:
    """That of the communication, else the variable RANK_ID, else 0."""
    module = _communication()
    if module is not None:
        try:
            return int(module.get_rank())
        except Exception:
            pass
    text = os.environ.get("RANK_ID", "")
    return int(text) if text.isdecimal() else 0


def device() -> int:
    """The device this process works on."""
    context = loaded("mindspore.context")
    try:
        return int(context.get_context("device_id"))
    except Exception:
        text = os.environ.get("DEVICE_ID", "")
        return int(text) if text.isdecimal() else 0


def jit_level() -> str:
    """O0, O1, O2; empty if the program did not choose."""
    context = loaded("mindspore.context")
    try:
        return str((context.get_jit_config() or {}).get("jit_level", ""))
    except Exception:
        return ""


def versions() -> Dict[str, str]:
    """Versions of the programs that shape a profile."""
    framework = loaded("mindspore")
    return {"ms_version": str(getattr(framework, "__version__", _UNKNOWN)),
            "cann_version": cann_version()}


def parallel_groups() -> Dict[str, Any]:
    """The communicators of HCCL groups, by name."""
    module = _communication()
    if module is None:
        return {}
    found: Dict[str, Any] = {}
    try:
        helper = loaded("mindspore.communication._comm_helper")
        for group in helper._get_group_map():
            name = module.get_comm_name(group)
            if name:
                found[name] = {"group_name": group, "group_rank": module.get_local_rank(group),
                               "global_ranks": module.get_process_group_ranks(group)}
    except Exception as failure:
        warning(f"Metadata: communication groups cannot be listed: {failure}")
    return found
