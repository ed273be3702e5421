"""Times of operators that ran on the host, from files that MindSpore's CPU profiler wrote."""

from __future__ import annotations

import csv
import glob
import json
import os
import warnings
from typing import Any, Dict, List, Optional

_US_PER_MS = 1000


def op_analyse(result_dir: Optional[str], op_name: Any, device_id: Any) -> str:
    """For each operator one entry for each name with its shapes, as JSON text."""
    warnings.warn("Profiler: op_analyse is deprecated.")
    if device_id is not None and (not isinstance(device_id, int) or isinstance(device_id, bool)):
        raise TypeError(f"device_id must be a whole number, not {device_id!r}")
    names = [op_name] if isinstance(op_name, str) else op_name
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name
                                                           for name in names):
        raise TypeError(f"op_name must be a text or a list of texts, not {op_name!r}")
    if result_dir is None:
        raise RuntimeError("nothing was recorded")
    folder = os.path.join(result_dir, "FRAMEWORK")
    shapes = _input_shapes(folder)
    answer: Dict[str, Any] = {name: [] for name in names}
    for row in _details(folder):
        if row["op_type"] in answer:
            answer[row["op_type"]].append({
                "op_side": row["op_side"],
                "input_shape": shapes.get(row["op_name"], ""),
                "op_occurrences": int(row["op_occurrences"]),
                "op_total_time(us)": round(float(row["op_total_time(ms)"]) * _US_PER_MS, 3),
                "op_avg_time(us)": round(float(row["op_avg_time(ms)"]) * _US_PER_MS, 3),
            })
    return json.dumps({**answer, "device_id": 0 if device_id is None else device_id})


def _files(folder: str, pattern: str) -> List[str]:
    return sorted(glob.glob(os.path.join(glob.escape(folder), pattern)))


def _details(folder: str) -> List[Dict[str, str]]:
    rows: List[Dict[str, str]] = []
    for path in _files(folder, "cpu_op_detail_info_*.csv"):
        with open(path, encoding="utf-8", newline="") as file:
            rows += [row for row in csv.DictReader(file) if None not in row.values()]
    return rows


def _input_shapes(folder: str) -> Dict[str, str]:
    """Shapes of the inputs by name of the operator; an operator called twice has those of the
    first call."""
    found: Dict[str, str] = {}
    for path in _files(folder, "cpu_framework_*.txt"):
        with open(path, encoding="utf-8") as file:
            for line in file:
                fields = line.strip().split(";")
                if len(fields) > 3 and fields[1]:
                    found.setdefault(fields[1], ";".join(field for field in fields[3:] if field))
    return found
