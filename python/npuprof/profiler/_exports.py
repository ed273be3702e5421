"""Files a user asks for after a run."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any, List, Optional

from .. import _backend, _paths
from .._console import error, warning
from ._constants import ExportType, ProfilerLevel
from ._key_averages import EventList, KeyAverages
from ._trace import Trace

_STACK_METRICS = ("self_cpu_time_total", "self_npu_time_total")
_DEVICE = re.compile(r"cpu\Z|(cpu|npu):\d+\Z")


def _finished_result(trace: Trace) -> Optional[str]:
    if trace.finished and trace.result_dir is not None and os.path.isdir(trace.result_dir):
        return trace.result_dir
    warning("Invalid profiling path: there is no completed run to export.")
    return None


def _checked_output(output_path: Any) -> str:
    """The path to write to; its directory is there then.

    Raises RuntimeError if it cannot be a file of ours. The profiler's methods make an ERROR line
    of that, as those of torch_npu do: an export never stops the program.
    """
    if not isinstance(output_path, str) or not output_path:
        raise RuntimeError("the path of an export must be a text that is not empty, not "
                           f"{output_path!r}")
    path = os.path.abspath(os.path.expanduser(output_path))
    if os.path.islink(path):
        raise RuntimeError(f"symbolic links are not written to: {path}")
    _paths.check_file(path)
    _paths.make_directory(os.path.dirname(path))
    return path


def export_chrome_trace(trace: Trace, output_path: Any) -> None:
    """See _KinetoProfile."""
    if ExportType.Db in trace.options.experimental_config.export_type:
        warning("export_chrome_trace writes JSON; the export type db does not matter here.")
    _export(trace, "chrome", output_path, [])


def export_stacks(trace: Trace, output_path: Any, metric: Any) -> None:
    """See _KinetoProfile."""
    if not trace.options.switches["with_stack"]:
        warning("export_stacks needs a profiler with with_stack=True; nothing is written.")
        return
    if metric not in _STACK_METRICS:
        warning(f"export_stacks: {metric!r} is none of {', '.join(_STACK_METRICS)}; "
                f"{_STACK_METRICS[0]} is used.")
        metric = _STACK_METRICS[0]
    if isinstance(output_path, str) and output_path and not output_path.endswith(".log"):
        output_path = os.path.splitext(output_path)[0] + ".log"
        warning(f"export_stacks writes a .log file: {output_path}")
    _export(trace, "stacks", output_path, ["--metric", metric])


def export_memory_timeline(trace: Trace, output_path: Any, device: Any) -> None:
    """See _KinetoProfile."""
    switches = trace.options.switches
    missing = [f"{name}=True" for name in ("record_shapes", "profile_memory")
               if not switches[name]]
    if not switches["with_stack"] and not switches["with_modules"]:
        missing.append("with_stack=True or with_modules=True")
    if missing:
        warning(f"export_memory_timeline needs a profiler with {', '.join(missing)}; nothing is "
                "written.")
        return
    # Without a device it is the first NPU that memory was recorded of, if there is one.
    if device is not None and (not isinstance(device, str) or not _DEVICE.match(device)):
        error(f"export_memory_timeline: the device must be \"cpu\" or like \"npu:0\", not "
              f"{device!r}.")
        return
    _export(trace, "memory-timeline", output_path,
            [] if device is None else ["--device", device])


def _export(trace: Trace, kind: str, output_path: Any, options: List[str]) -> None:
    result_dir = _finished_result(trace)
    if result_dir is None:
        return
    _backend.export(result_dir, kind, _checked_output(output_path), options)


def key_averages(trace: Trace, by_shape: Any, stack_frames: Any) -> Optional[KeyAverages]:
    """See _KinetoProfile."""
    result_dir = _finished_result(trace)
    if result_dir is None:
        return None
    if trace.options.experimental_config._profiler_level == ProfilerLevel.Level_none:
        warning("key_averages: at Level_none no operators are recorded.")
    if not isinstance(stack_frames, int) or stack_frames < 0:
        warning("key_averages: group_by_stack_n must be a number of frames, not "
                f"{stack_frames!r}; stacks are not looked at.")
        stack_frames = 0
    options = (["--group-by-input-shape"] if by_shape else [])
    options += ["--group-by-stack-n", str(stack_frames)] if stack_frames else []
    with tempfile.TemporaryDirectory(prefix="npuprof_") as folder:
        path = os.path.join(folder, "averages.json")
        if not _backend.export(result_dir, "key-averages", path, options):
            return None
        return KeyAverages.read(path)


def events(trace: Trace) -> Optional[EventList]:
    """See _KinetoProfile."""
    result_dir = _finished_result(trace)
    if result_dir is None:
        return None
    with tempfile.TemporaryDirectory(prefix="npuprof_") as folder:
        path = os.path.join(folder, "events.json")
        if not _backend.export(result_dir, "events", path, []):
            return None
        return EventList.read_events(path, lambda by_shape, frames: key_averages(trace, by_shape,
                                                                                 frames))
