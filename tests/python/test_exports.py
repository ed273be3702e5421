"""Exports of a finished run, through the program, on data of a simulated NPU."""

import csv
import glob
import gzip
import json
import re
from collections import defaultdict

import pytest
from outputs import npuprof, npusim

from npuprof.profiler import _ExperimentalConfig, _KinetoProfile
from npuprof.profiler._key_averages import KeyAverages, OperatorAverage


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A profile with stacks, memory and tensors."""
    parent = tmp_path_factory.mktemp("simulated")
    npusim("toy", "--with-stack", "--steps", 2, "-o", parent)
    (result,) = glob.glob(str(parent / "*_ascend_pt"))
    return result


@pytest.fixture
def run(simulated, session_calls, console):
    """A profiler whose last run left the simulated profile."""
    profiler = _KinetoProfile(experimental_config=_ExperimentalConfig("Level1"), with_stack=True,
                              record_shapes=True, profile_memory=True)
    profiler.start()
    profiler.stop()
    profiler._trace.result_dir = simulated
    console.lines()
    return profiler


def _json(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return json.load(file)


def test_chrome_trace(run, console):
    run.export_chrome_trace("new/trace.json")
    run.export_chrome_trace("trace.json.gz")
    assert console.lines() == []
    events = _json("new/trace.json")
    assert events == _json("trace.json.gz")
    names = {event["name"] for event in events}
    assert {"ProfilerStep#2", "aten::mm", "process_name"} <= names


def test_stacks(run, console):
    run.export_stacks("cpu.log")
    run.export_stacks("npu.log", "self_npu_time_total")
    assert console.lines() == []
    for name in ("cpu.log", "npu.log"):
        with open(name, encoding="utf-8") as file:
            lines = file.read().split("\n")
        assert len(lines) > 10
        assert all(re.fullmatch(r"train\.py\(132\): main;.* [1-9]\d*", line) for line in lines)


def test_memory_timeline(run, console):
    run.export_memory_timeline("m.html")
    run.export_memory_timeline("m.json", "npu:0")
    run.export_memory_timeline("m.raw.json.gz")
    assert console.lines() == []
    with open("m.html", encoding="utf-8") as file:
        assert "Memory of npu:0" in file.read()
    times, sizes = _json("m.json")
    assert times == sorted(set(times)) and len(times) == len(sizes)
    sums = defaultdict(int)
    for _, _, size, category in _json("m.raw.json.gz"):
        sums[category] += size
    assert sizes[-1] == [0] + [sums[category] for category in range(8)]
    run.export_memory_timeline("m.json", "npu:5")
    assert any("no memory events of npu:5" in text for text in console.texts("ERROR"))


def test_key_averages_add_up_the_operators(run, simulated, tmp_path):
    averages = run.key_averages()
    assert npuprof("parse", simulated, "-o", tmp_path, "--quiet").returncode == 0
    (path,) = glob.glob(str(tmp_path / "*" / "ASCEND_PROFILER_OUTPUT" / "operator_details.csv"))
    expected = defaultdict(lambda: [0, 0.0, 0.0, 0.0, 0.0])
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sums = expected[row["Name"]]
            sums[0] += 1
            for i, name in enumerate(("Host Self", "Host Total", "Device Self", "Device Total")):
                sums[i + 1] += float(row[f"{name} Duration(us)"])
    found = {average.key: average for average in averages}
    assert found.pop("ProfilerStep*").count == 2
    # Outside of operators.
    assert found.pop("[memory]").cpu_time_total == 0
    assert set(found) == set(expected)
    for key, sums in expected.items():
        average = found[key]
        assert [average.count, average.self_cpu_time_total, average.cpu_time_total,
                average.self_npu_time_total, average.npu_time_total] == pytest.approx(sums), key
    assert found["aten::mm"].npu_memory_usage > 0
    assert found["aten::mm"].npu_time == pytest.approx(
        found["aten::mm"].npu_time_total / found["aten::mm"].count)


def test_key_averages_can_be_told_apart(run):
    whole = {average.key: average for average in run.key_averages()}
    by_shape = [average for average in run.key_averages(group_by_input_shape=True)
                if average.key == "aten::mm"]
    assert len(by_shape) > 1
    assert sum(average.count for average in by_shape) == whole["aten::mm"].count
    assert [[64, 512], [512, 512]] in [average.input_shapes for average in by_shape]
    for average in run.key_averages(group_by_stack_n=2):
        assert len(average.stack) <= 2
    assert any(average.stack for average in run.key_averages(group_by_stack_n=1))


def test_events_are_what_averages_are_made_of(run, console):
    events = run.events()
    assert console.lines() == []
    starts = [event.time_range.start for event in events]
    assert starts == sorted(starts) and starts[0] == 0
    sums = defaultdict(float)
    for event in events:
        is_step = event.name.startswith("ProfilerStep#")
        sums["ProfilerStep*" if is_step else event.name] += event.self_cpu_time_total
        inner = [child for child in event.cpu_children]
        assert all(child.cpu_parent is event and child.thread == event.thread and
                   event.time_range.start <= child.time_range.start and
                   child.time_range.end <= event.time_range.end for child in inner)
        assert event.self_cpu_time_total == pytest.approx(
            event.cpu_time_total - sum(child.cpu_time_total for child in inner))
        if event.name != "[memory]":
            assert event.time_range.elapsed_us() == pytest.approx(event.cpu_time_total)
    averages = {row.key: row.self_cpu_time_total for row in events.key_averages()}
    assert set(sums) == set(averages)
    for key, time in sums.items():
        assert time == pytest.approx(averages[key]), key
    (step,) = [event for event in events if event.name == "ProfilerStep#2"]
    assert step.cpu_children and step.cpu_parent is None and step.fwd_thread is None
    backward = [event for event in events if event.scope == 1]
    assert backward and all(event.fwd_thread for event in backward)
    assert "aten::mm" in events.table(sort_by="self_npu_time_total", row_limit=20)
    assert events[0].name in str(events)


def test_the_table(run):
    averages = run.key_averages(group_by_input_shape=True)
    table = averages.table(sort_by="self_npu_time_total", row_limit=3)
    rule, head, _, *rows = table.splitlines()
    assert set(rule) == {"-", " "}
    heads = re.split(r"  +", head.strip())
    assert heads == ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg",
                     "Self NPU %", "Self NPU", "NPU total %", "NPU total", "NPU time avg",
                     "NPU Mem", "Self NPU Mem", "# of Calls", "Input Shapes"]
    order = sorted(averages, key=lambda average: -average.self_npu_time_total)
    assert [row.split()[0] for row in rows[:3]] == [average.key for average in order[:3]]
    assert rows[3] == rule and rows[4].startswith("Self CPU time total: ")
    assert rows[5].startswith("Self NPU time total: ")
    assert len(averages.table(row_limit=-1).splitlines()) == len(averages) + 6
    assert averages.table(header="Run 7").startswith("Run 7\n---")
    assert str(averages) == averages.table()
    assert "Source Location" in run.key_averages(group_by_stack_n=1).table()


def _made():
    row = {"key": "a", "count": 4, "cpu_time_total": 8_000, "self_cpu_time_total": 2_500,
           "npu_time_total": 3_000_000_000, "self_npu_time_total": 1_500_000,
           "cpu_memory_usage": -2048, "npu_memory_usage": 3 << 30, "flops": 2.5e9}
    return KeyAverages([OperatorAverage("a", row), OperatorAverage("b" * 60)])


def test_numbers_and_their_texts(console):
    first, other = _made()
    assert first.cpu_time == 2.0 and first.npu_time == 750_000.0 and other.cpu_time == 0.0
    assert first.device_time_total == first.npu_time_total == 3_000_000.0
    assert first.self_device_memory_usage == 0
    assert (first.self_cpu_time_total_str, first.self_npu_time_total_str,
            first.npu_time_total_str) == ("2.500us", "1.500ms", "3.000s")
    with pytest.raises(AttributeError):
        first.colour
    total = _made().total_average()
    assert (total.key, total.count, total.cpu_time_total) == ("Total", 4, 8.0)
    table = _made().table()
    assert "-2.00 KB" in table and "3.00 GB" in table
    assert "Total GFLOPs" in table and "2.500" in table and "--" in table
    assert "b" * 52 + "..." in table and "b" * 53 not in table
    assert "b" * 60 in _made().table(max_name_column_width=None)


@pytest.mark.parametrize("name", ["colour", "key", "input_shapes", "table", "_str"])
def test_what_cannot_be_sorted_by(name, console):
    assert _made().table(sort_by=name) == _made().table()
    (text,) = console.texts("WARNING")
    assert name in text and "self_npu_time_total" in text


@pytest.mark.parametrize("name", ["cpu_time", "device_time_total", "count", "flops"])
def test_what_can_be_sorted_by(name, console):
    averages = KeyAverages(list(reversed(list(_made()))))
    assert averages.table(sort_by=name) == _made().table()
    assert console.lines() == []
