"""Profiling of a running program, switched on by editing a file: init() once, step() each step."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Optional

from .._console import no_except
from ._dynamic.controller import controller as _controller

__all__ = ["init", "set_state", "start", "step"]

_LAUNCHERS = {"torchrun", "torch_npu_run", "vllm", "msrun"}
_LAUNCHER_MODULES = {"torch.distributed.run", "torch.distributed.launch",
                     "torch_npu.distributed.run", "torch_npu.distributed.launch",
                     "vllm.entrypoints.openai.api_server", "mindspore.parallel.cluster.run"}


@no_except()
def init(path: str) -> None:
    """Watches `<path>/profiler_config.json`, which is made if it is not there."""
    if is_launcher():
        return
    _controller.init(path)


@no_except()
def step() -> None:
    """Tells that the next step begins."""
    _controller.step()


@no_except()
def start(config_path: Optional[str] = None) -> None:
    """Records now, with the options of a file: this one, or that of init()."""
    _controller.start(config_path)


@no_except()
def set_state(state: Dict[str, Any]) -> None:
    """Continues to count steps at `{"cur_step": n}`."""
    _controller.set_state(state)


def _command_line() -> List[str]:
    arguments = getattr(sys, "orig_argv", None)
    if arguments is not None:
        return list(arguments)
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return [os.fsdecode(part) for part in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


def is_launcher(command_line: Optional[List[str]] = None) -> bool:
    """Whether this process only starts others that do the training."""
    if os.environ.get("RANK"):
        return False
    arguments = iter((_command_line() if command_line is None else command_line)[1:])
    for argument in arguments:
        if argument == "-m":
            return next(arguments, "") in _LAUNCHER_MODULES
        if argument == "-c":
            return False
        if argument in ("-W", "-X"):
            next(arguments, "")
        elif not argument.startswith("-"):
            return os.path.basename(argument) in _LAUNCHERS
    return False
