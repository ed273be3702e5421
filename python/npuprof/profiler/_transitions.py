"""What has to be done when a step's action differs from that of the step before."""

from __future__ import annotations

from typing import Callable, Dict, Optional, Tuple

from .._console import no_except, warning
from .._run import Run
from ._schedule import ProfilerAction as Action

# I init, W warm up, S start, P stop, F finalize, C call on_trace_ready, D delete the directory.
_OPERATIONS: Dict[Tuple[Action, Optional[Action]], str] = {
    (Action.NONE, Action.WARMUP): "IW",
    (Action.NONE, Action.RECORD): "IS",
    (Action.NONE, Action.RECORD_AND_SAVE): "IS",
    (Action.WARMUP, Action.NONE): "SPF",
    (Action.WARMUP, Action.RECORD): "S",
    (Action.WARMUP, Action.RECORD_AND_SAVE): "S",
    (Action.WARMUP, None): "FD",
    (Action.RECORD, Action.NONE): "PF",
    (Action.RECORD, Action.WARMUP): "PF",
    (Action.RECORD, None): "PFC",
    (Action.RECORD_AND_SAVE, Action.NONE): "PFC",
    (Action.RECORD_AND_SAVE, Action.WARMUP): "PFCIW",
    (Action.RECORD_AND_SAVE, Action.RECORD): "PFCIS",
    (Action.RECORD_AND_SAVE, Action.RECORD_AND_SAVE): "PFCIS",
    (Action.RECORD_AND_SAVE, None): "PFC",
}

_WARNINGS: Dict[Tuple[Action, Optional[Action]], str] = {
    (Action.WARMUP, Action.NONE): "Incorrect schedule: WARMUP followed by NONE",
    (Action.RECORD, Action.NONE): "Incorrect schedule: RECORD followed by NONE",
    (Action.RECORD, Action.WARMUP): "Incorrect schedule: RECORD followed by WARMUP",
    (Action.WARMUP, None): "The profiler was stopped while warming up: the result will be empty.",
    (Action.RECORD, None): "The profiler was stopped while recording: data of the last step may "
                           "be incomplete.",
    (Action.RECORD_AND_SAVE, None): "The profiler was stopped in the last step of a cycle, which "
                                    "may be unfinished.",
}


def pass_over(trace: Run, call_handler: Callable[[], None], before: Action,
              after: Optional[Action]) -> None:
    """Does what leads from one action to the next; `after` is None when the profiler stops."""
    operations = _OPERATIONS.get((before, after))
    if operations is None:
        return
    text = _WARNINGS.get((before, after))
    if text is not None:
        warning(text)
    steps: Dict[str, Callable[[], None]] = {
        "I": trace.init_trace,
        "W": trace.warmup_trace,
        "S": trace.start_trace,
        "P": trace.stop_trace,
        "F": trace.finalize_trace,
        "C": no_except()(call_handler),
        "D": trace.delete_trace,
    }
    for letter in operations:
        steps[letter]()
