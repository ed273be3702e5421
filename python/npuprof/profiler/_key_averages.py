"""Operators added up by name."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Tuple

from .._console import warning


@dataclass
class OperatorTotal:
    """All calls of one operator; times in microseconds."""

    key: str
    input_shapes: str = ""
    count: int = 0
    self_cpu_time_total: float = 0.0
    cpu_time_total: float = 0.0
    self_npu_time_total: float = 0.0
    npu_time_total: float = 0.0

    @property
    def cpu_time(self) -> float:
        """Host time of an average call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def npu_time(self) -> float:
        """Device time of an average call."""
        return self.npu_time_total / self.count if self.count else 0.0


_TIMES = (
    ("self_cpu_time_total", "Host Self Duration(us)"),
    ("cpu_time_total", "Host Total Duration(us)"),
    ("self_npu_time_total", "Device Self Duration(us)"),
    ("npu_time_total", "Device Total Duration(us)"),
)


class KeyAverages:
    """A list of totals that can print itself as a table."""

    def __init__(self, totals: List[OperatorTotal]) -> None:
        self._totals = totals

    @classmethod
    def read(cls, path: str, by_shape: bool) -> "KeyAverages":
        """Adds up the rows of an operator_details.csv."""
        totals: Dict[Tuple[str, str], OperatorTotal] = {}
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            for row in csv.DictReader(file):
                key = (row.get("Name") or "", (row.get("Input Shapes") or "") if by_shape else "")
                total = totals.get(key)
                if total is None:
                    total = totals[key] = OperatorTotal(*key)
                total.count += 1
                for name, column in _TIMES:
                    setattr(total, name, getattr(total, name) + float(row.get(column) or 0))
        return cls(list(totals.values()))

    def __iter__(self) -> Iterator[OperatorTotal]:
        return iter(self._totals)

    def __len__(self) -> int:
        return len(self._totals)

    def __getitem__(self, index: int) -> OperatorTotal:
        return self._totals[index]

    def total_average(self) -> OperatorTotal:
        """Everything added up; totals that contain each other are left out."""
        result = OperatorTotal("Total")
        for total in self._totals:
            result.count += total.count
            result.self_cpu_time_total += total.self_cpu_time_total
            result.self_npu_time_total += total.self_npu_time_total
        return result

    def table(self, sort_by: Optional[str] = None, row_limit: int = 100) -> str:
        """A text table; `sort_by` is the name of a number, the largest comes first."""
        rows = list(self._totals)
        if sort_by is not None and not hasattr(OperatorTotal(""), sort_by):
            warning(f"key_averages: operators cannot be sorted by {sort_by!r}.")
        elif sort_by is not None:
            rows.sort(key=lambda total: getattr(total, sort_by), reverse=True)
        with_shapes = any(total.input_shapes for total in rows)
        heads = ["Name", "Self CPU us", "CPU total us", "CPU avg us", "Self NPU us",
                 "NPU total us", "Calls"] + (["Input shapes"] if with_shapes else [])
        lines = [[total.key, f"{total.self_cpu_time_total:.3f}", f"{total.cpu_time_total:.3f}",
                  f"{total.cpu_time:.3f}", f"{total.self_npu_time_total:.3f}",
                  f"{total.npu_time_total:.3f}", str(total.count)]
                 + ([total.input_shapes] if with_shapes else [])
                 for total in (rows if row_limit < 0 else rows[:row_limit])]
        widths = [max(len(line[column]) for line in [heads] + lines)
                  for column in range(len(heads))]
        text = ["  ".join(cell.ljust(width) if column in (0, 7) else cell.rjust(width)
                          for column, (cell, width) in enumerate(zip(line, widths))).rstrip()
                for line in [heads] + lines]
        sums = self.total_average()
        text.append(f"Self CPU time total: {sums.self_cpu_time_total:.3f} us")
        text.append(f"Self NPU time total: {sums.self_npu_time_total:.3f} us")
        return "\n".join(text)

    def __str__(self) -> str:
        return self.table()
