"""How often the parts of loops and branches ran, from what TensorFlow tells of a run.

TensorFlow puts the functions of a loop or branch into the graph when it runs it, and names what is
in them after that: `while/body/_1/MatMul`, `if/then/_7/Relu`.
"""

from __future__ import annotations

import importlib
import re
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from . import _frames

LOOPS = ("While", "StatelessWhile")
BRANCHES = ("If", "StatelessIf", "Case", "StatelessCase")
CALLS = ("PartitionedCall", "StatefulPartitionedCall")

_PARTS = {"If": ("then", "else"), "StatelessIf": ("then", "else")}
_ATTRIBUTES = {**{call: ("f",) for call in CALLS}, **{loop: ("cond", "body") for loop in LOOPS},
               "If": ("then_branch", "else_branch"), "StatelessIf": ("then_branch", "else_branch")}
_NUMBERED = re.compile(r"/(cond|body|then|else|branch\d+)/_\d+(?=/)")
# What TensorFlow adds to hand values in and out.
_ADDED = re.compile(r"/_\d+\Z")
_PART = re.compile(r"/(?:cond|body|then|else|branch\d+)/")
_DEEPEST = 16


def function_graphs(op: Any) -> List[Any]:
    """Graphs of the functions that an operator runs; none if TensorFlow does not show all."""
    try:
        if op.type in _ATTRIBUTES:
            functions = [op.get_attr(name) for name in _ATTRIBUTES[op.type]]
        else:
            functions = list(op.get_attr("branches")) if op.type in BRANCHES else []
        graphs = [getattr(op.graph._get_function(function.name), "graph", None)
                  for function in functions]
    except Exception:
        return []
    return [] if None in graphs else graphs


def is_in(graph: Any, depth: int = 0) -> bool:
    """Whether it depends on data what runs of a graph."""
    for op in graph.get_operations():
        if op.type in LOOPS or op.type in BRANCHES or op.type in _frames.SWITCHES:
            return True
        if op.type in CALLS and depth < _DEEPEST and \
                any(is_in(inner, depth + 1) for inner in function_graphs(op)):
            return True
    return False


def plain_name(name: str) -> str:
    """Without the numbers of the functions."""
    return _NUMBERED.sub(r"/\1", name)


def part_name(op_type: str, part: int) -> str:
    """That of a branch, as TensorFlow writes it."""
    return _PARTS[op_type][part] if op_type in _PARTS else f"branch{part}"


class Executions:
    """The operators that ran, by plain name."""

    def __init__(self, names: Sequence[str], has_others: bool = False) -> None:
        """`names` in order of time, perhaps with those of other graphs that ran at the same time."""
        self._has_others = has_others
        self._places: Dict[str, List[int]] = {}
        for place, name in enumerate(names):
            if not _ADDED.search(name):
                self._places.setdefault(plain_name(name), []).append(place)

    @property
    def signature(self) -> Tuple[Tuple[str, int], ...]:
        """The same for runs whose loops and branches ran the same number of times."""
        return tuple(sorted((name, len(places)) for name, places in self._places.items()
                            if not self._has_others or _PART.search(name)))

    def count(self, name: str) -> int:
        """How often an operator ran."""
        return len(self._places.get(name, ()))

    def path_of(self, name: str) -> str:
        """What the names of all parts of a loop or branch begin with."""
        # An operator whose result leaves a function may get another name.
        for path in (name, f"{name}_0"):
            if any(other.startswith(path + "/") and _PART.match(other, len(path))
                   for other in self._places):
                return path
        return name

    def iterations(self, loop: str) -> List[int]:
        """Of each run of a loop."""
        conditions = self._of_part(f"{loop}/cond/")
        bodies = self._of_part(f"{loop}/body/")
        for body in bodies:
            for condition in conditions:
                found = _iterations(condition, body)
                if found:
                    return found
        times = max(map(len, bodies), default=max(map(len, conditions), default=1) - 1)
        runs = max(1, max(map(len, conditions), default=times + 1) - times)
        # The order of what ran does not tell which run it belongs to.
        return [times // runs + (run < times % runs) for run in range(runs)]

    def choices(self, branch: str, op_type: str, count: int) -> List[int]:
        """The part that each run of a branch chose; those of which nothing ran are left out."""
        found = []
        for part in range(count):
            name = part_name(op_type, part)
            runs = max(self._of_part(f"{branch}/{name}/"), key=len, default=[])
            found += [(place, part) for place in runs]
        return [part for _, part in sorted(found)]

    def _of_part(self, prefix: str) -> List[List[int]]:
        """Where operators of a part itself ran, those first that ran most often."""
        inside = {name: places for name, places in self._places.items()
                  if name.startswith(prefix)}
        itself = [places for name, places in inside.items()
                  if not _PART.search(name, len(prefix) - 1)]
        if not itself:  # There is nothing but other loops and branches.
            return sorted(inside.values(), key=len)[:1]
        most = max(map(len, itself))
        return [places for places in itself if len(places) == most]


def _iterations(conditions: List[int], bodies: List[int]) -> List[int]:
    """Each run asks for its condition once more than it runs its body; empty if this is not the
    order in which they ran."""
    found: List[int] = []
    was_condition = False
    for _, is_condition in sorted([(place, True) for place in conditions] +
                                  [(place, False) for place in bodies]):
        if is_condition and (was_condition or not found):
            found.append(0)
        elif not is_condition and not was_condition:
            return []
        elif not is_condition:
            found[-1] += 1
        was_condition = is_condition
    return found if was_condition else []


def names_of_step(step_stats: Any) -> List[str]:
    """Operators of a traced run of a session, in order of time."""
    stats = [node for device in step_stats.dev_stats for node in device.node_stats]
    stats.sort(key=lambda node: (node.all_start_micros, node.all_start_nanos))
    return [node.node_name for node in stats]


def traced(call: Callable[[], Any]) -> Tuple[Any, List[str]]:
    """The result of a call, and the operators that ran in it: none if TensorFlow does not tell."""
    session = None
    try:
        module = importlib.import_module("tensorflow.python.profiler.profiler_v2")
        session = module._pywrap_profiler.ProfilerSession()
        session.start("", {"host_tracer_level": 2, "python_tracer_level": 0,
                           "device_tracer_level": 0})
    except Exception:  # It is another version, or the program itself profiles.
        session = None
    try:
        result = call()
    finally:
        trace = b"" if session is None else session.stop()
    return result, _names_of_trace(trace)


# Fields of a trace of TensorFlow (trace_events.proto).
_EVENT, _TIME, _ARGUMENTS, _KEY, _VALUE = 4, 9, 11, 1, 2


def _names_of_trace(trace: bytes) -> List[str]:
    found = []
    try:
        for number, event in _fields(trace):
            if number != _EVENT or not isinstance(event, bytes):
                continue
            time, name = 0, b""
            for inner, value in _fields(event):
                if inner == _TIME:
                    time = value
                elif inner == _ARGUMENTS:
                    argument = dict(_fields(value))
                    if argument.get(_KEY) == b"long_name":
                        name = argument.get(_VALUE, b"")
            if name:
                found.append((time, name.decode("utf-8", "replace").rpartition(":")[0]))
    except (IndexError, TypeError, ValueError):  # It has another form in this version.
        return []
    return [name for _, name in sorted(found)]


def _fields(data: bytes) -> Iterator[Tuple[int, Any]]:
    """Number and value of each field of a message of Protocol Buffers."""
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(data):
        key = number()
        kind = key & 7
        if kind == 0:
            yield key >> 3, number()
            continue
        if kind not in (1, 2, 5):
            raise ValueError("no message")
        size = {1: 8, 5: 4}.get(kind) or number()
        yield key >> 3, data[place:place + size]
        place += size
