"""Operators added up by name, as PyTorch's profiler shows them."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from .._console import warning

_TIMES = ("cpu_time_total", "self_cpu_time_total", "npu_time_total", "self_npu_time_total")
_MEMORY = ("cpu_memory_usage", "self_cpu_memory_usage", "npu_memory_usage",
           "self_npu_memory_usage")


def _time_text(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


def _memory_text(count: int) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


class OperatorAverage:
    """All calls of one operator. Times are in microseconds, memory in bytes.

    "self" is without what nested operators did. Memory is what was allocated minus what was freed.
    Names with "device" instead of "npu" are the same numbers.
    """

    def __init__(self, key: str, row: Optional[Dict[str, Any]] = None) -> None:
        row = row or {}
        self.key = key
        self.count: int = row.get("count", 0)
        self.cpu_time_total, self.self_cpu_time_total, self.npu_time_total, \
            self.self_npu_time_total = (row.get(name, 0) / 1000 for name in _TIMES)
        self.cpu_memory_usage, self.self_cpu_memory_usage, self.npu_memory_usage, \
            self.self_npu_memory_usage = (int(row.get(name, 0)) for name in _MEMORY)
        self.flops: int = round(row.get("flops", 0))
        self.input_shapes: List[List[int]] = row.get("input_shapes", [])
        self.stack: List[str] = row.get("stack", [])
        self.scope: int = row.get("scope", 0)
        self.is_async: bool = row.get("is_async", False)

    @property
    def cpu_time(self) -> float:
        """Host time of an average call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def npu_time(self) -> float:
        """Device time of an average call."""
        return self.npu_time_total / self.count if self.count else 0.0

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_str"):
            return _time_text(getattr(self, name[:-len("_str")]))
        if "device_" in name:
            return getattr(self, name.replace("device_", "npu_"))
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __repr__(self) -> str:
        return (f"<{type(self).__name__} key={self.key} count={self.count} "
                f"self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
                f"self_npu_time={self.self_npu_time_total_str} npu_time={self.npu_time_str} "
                f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
                f"npu_memory_usage={self.npu_memory_usage}>")


class TimeRange(NamedTuple):
    """Begin and end in microseconds."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """How long it is."""
        return self.end - self.start


class OperatorEvent(OperatorAverage):
    """One call of an operator; or one allocation or release outside of operators, "[memory]"."""

    def __init__(self, number: int, row: Dict[str, Any], begin_ns: int) -> None:
        super().__init__(row["key"], row)
        self.id = number
        self.name = self.key
        # From the first event on: that is short enough to be exact.
        self.time_range = TimeRange((row["start"] - begin_ns) / 1000,
                                    (row["end"] - begin_ns) / 1000)
        self.thread: int = row["thread"]
        self.sequence_nr: int = row["sequence"]
        self.fwd_thread: Optional[int] = row["forward_thread"] or None
        self.cpu_parent: Optional["OperatorEvent"] = None
        self.cpu_children: List["OperatorEvent"] = []


class _Column(NamedTuple):
    head: str
    text: Callable[[OperatorAverage], str]
    to_left: bool = False


def _shortened(text: str, width: Optional[int], from_left: bool = False) -> str:
    if width is None or len(text) <= width:
        return text
    return "..." + text[len(text) - width + 3:] if from_left else text[:width - 3] + "..."


class KeyAverages:
    """A list of averages that can print itself as a table."""

    def __init__(self, averages: List[OperatorAverage]) -> None:
        self._averages = averages

    @classmethod
    def read(cls, path: str) -> "KeyAverages":
        """What `npuprof export --to key-averages` wrote."""
        with open(path, encoding="utf-8", errors="replace") as file:
            rows = json.load(file)["operators"]
        return cls([OperatorAverage(row["key"], row) for row in rows])

    def __iter__(self) -> Iterator[OperatorAverage]:
        return iter(self._averages)

    def __len__(self) -> int:
        return len(self._averages)

    def __getitem__(self, index: Any) -> Any:
        return self._averages[index]

    @property
    def self_cpu_time_total(self) -> float:
        """Host time of all operators."""
        return sum(average.self_cpu_time_total for average in self._averages)

    @property
    def self_npu_time_total(self) -> float:
        """Device time of all operators."""
        return sum(average.self_npu_time_total for average in self._averages)

    def total_average(self) -> OperatorAverage:
        """Everything added up."""
        result = OperatorAverage("Total")
        for average in self._averages:
            for name in ("count", "flops", *_TIMES, *_MEMORY):
                setattr(result, name, getattr(result, name) + getattr(average, name))
        return result

    def table(self, sort_by: Optional[str] = None, row_limit: int = 100,
              max_src_column_width: Optional[int] = 75, max_name_column_width: Optional[int] = 55,
              max_shapes_column_width: Optional[int] = 80, header: Optional[str] = None) -> str:
        """A text table; `sort_by` is the name of a number, the largest comes first."""
        rows = self._sorted(sort_by)[:row_limit if row_limit >= 0 else None]
        columns = self._columns(max_name_column_width, max_shapes_column_width)
        with_stacks = any(average.stack for average in rows)
        cells = [[column.text(average) for column in columns] for average in rows]
        widths = [max([len(column.head)] + [len(line[i]) for line in cells])
                  for i, column in enumerate(columns)]
        frames = [[_shortened(frame, max_src_column_width, from_left=True)
                   for frame in average.stack] for average in rows]

        def line(texts: List[str], source: str) -> str:
            parts = [text.ljust(width) if column.to_left else text.rjust(width)
                     for text, width, column in zip(texts, widths, columns)]
            return "  ".join(parts + ([source] if with_stacks else [])).rstrip()

        rule = "  ".join("-" * width for width in widths + ([75] if with_stacks else []))
        lines = [header] if header else []
        lines += [rule, line([column.head for column in columns], "Source Location"), rule]
        for texts, stack in zip(cells, frames):
            lines.append(line(texts, stack[0] if stack else ""))
            lines += [line([""] * len(columns), frame) for frame in stack[1:]]
            if with_stacks:
                lines.append("")
        lines += [rule, f"Self CPU time total: {_time_text(self.self_cpu_time_total)}"]
        if self._has_npu():
            lines.append(f"Self NPU time total: {_time_text(self.self_npu_time_total)}")
        return "\n".join(lines) + "\n"

    def _has_npu(self) -> bool:
        return any(average.npu_time_total for average in self._averages)

    def _sorted(self, sort_by: Optional[str]) -> List[OperatorAverage]:
        if sort_by is None:
            return self._averages
        value = getattr(OperatorAverage(""), sort_by, None)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            warning(f"key_averages: operators cannot be sorted by {sort_by!r}, but by "
                    f"{', '.join(('count', 'flops', 'cpu_time', 'npu_time') + _TIMES + _MEMORY)}.")
            return self._averages
        return sorted(self._averages, key=lambda average: getattr(average, sort_by), reverse=True)

    def _columns(self, name_width: Optional[int], shapes_width: Optional[int]) -> List[_Column]:
        def share(part: str, all_of_it: float) -> Callable[[OperatorAverage], str]:
            return lambda row: (f"{100 * getattr(row, part) / all_of_it:.2f}%" if all_of_it
                                else "0.00%")

        def number(name: str, text: Callable[[Any], str]) -> Callable[[OperatorAverage], str]:
            return lambda row: text(getattr(row, name))

        def times(kind: str, all_of_it: float) -> List[_Column]:
            small = kind.lower()
            total, own = f"{small}_time_total", f"self_{small}_time_total"
            return [_Column(f"Self {kind} %", share(own, all_of_it)),
                    _Column(f"Self {kind}", number(own, _time_text)),
                    _Column(f"{kind} total %", share(total, all_of_it)),
                    _Column(f"{kind} total", number(total, _time_text)),
                    _Column(f"{kind} time avg", number(f"{small}_time", _time_text))]

        def memory(kind: str) -> List[_Column]:
            small = f"{kind.lower()}_memory_usage"
            if not any(getattr(row, name) for row in self._averages
                       for name in (small, f"self_{small}")):
                return []
            return [_Column(f"{kind} Mem", number(small, _memory_text)),
                    _Column(f"Self {kind} Mem", number(f"self_{small}", _memory_text))]

        columns = [_Column("Name", lambda row: _shortened(row.key, name_width), to_left=True)]
        columns += times("CPU", self.self_cpu_time_total)
        columns += times("NPU", self.self_npu_time_total) if self._has_npu() else []
        columns += memory("CPU") + memory("NPU")
        columns.append(_Column("# of Calls", number("count", str)))
        if any(row.input_shapes for row in self._averages):
            columns.append(_Column(
                "Input Shapes", lambda row: _shortened(str(row.input_shapes), shapes_width)))
        return columns + self._flops_column()

    def _flops_column(self) -> List[_Column]:
        most = max((row.flops for row in self._averages), default=0)
        if most <= 0:
            return []
        unit, size = next((unit, size) for unit, size in
                          (("T", 1e12), ("G", 1e9), ("M", 1e6), ("K", 1e3), ("", 1))
                          if most >= size)
        return [_Column(f"Total {unit}FLOPs",
                        lambda row: f"{row.flops / size:.3f}" if row.flops > 0 else "--")]

    def __str__(self) -> str:
        return self.table()


class EventList(KeyAverages):
    """All calls, in order of their begin."""

    def __init__(self, events: List[OperatorEvent],
                 averages: Callable[[bool, int], Optional[KeyAverages]]) -> None:
        super().__init__(events)
        self._averages_of = averages

    @classmethod
    def read_events(cls, path: str,
                    averages: Callable[[bool, int], Optional[KeyAverages]]) -> "EventList":
        """What `npuprof export --to events` wrote; `averages` adds them up."""
        with open(path, encoding="utf-8", errors="replace") as file:
            rows = json.load(file)["operators"]
        begin_ns = min((row["start"] for row in rows), default=0)
        events = [OperatorEvent(number, row, begin_ns) for number, row in enumerate(rows)]
        for event, row in zip(events, rows):
            if "parent" in row:
                event.cpu_parent = events[row["parent"]]
                event.cpu_parent.cpu_children.append(event)
        return cls(sorted(events, key=lambda event: (event.time_range.start,
                                                     -event.time_range.end)), averages)

    def key_averages(self, group_by_input_shapes: bool = False,
                     group_by_stack_n: int = 0) -> Optional[KeyAverages]:
        """Those of one name (shape, top of the stack) added up."""
        return self._averages_of(group_by_input_shapes, group_by_stack_n)
