"""Exports of a training loop of PyTorch."""

import json
import os
from collections import Counter

import pytest
from framework_records import Training, profiler, torch
from outputs import needs_recorder

pytestmark = needs_recorder

PARAMETER, OPTIMIZER_STATE, INPUT, TEMPORARY, ACTIVATION, GRADIENT = range(6)


def _finished(action, **switches):
    """A profiler that has recorded `action`."""
    prof = profiler._KinetoProfile(activities=[profiler.ProfilerActivity.CPU], **switches)
    prof.start()
    action()
    prof.stop()
    return prof


def _bytes(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_memory_has_the_categories_of_the_program(optimizer):
    train = Training(optimizer)
    train()  # Now the optimizer has its state.
    prof = _finished(lambda: [train() for _ in range(3)], record_shapes=True, profile_memory=True,
                     with_stack=True)
    prof.export_memory_timeline("memory.json")
    with open("memory.json", encoding="utf-8") as file:
        _, sizes = json.load(file)
    most = [max(row[category + 1] for row in sizes) for category in range(8)]
    parameters = list(train.model.parameters())
    states = [value for state in train.optimizer.state.values() for value in state.values()
              if isinstance(value, torch.Tensor)]
    assert most[PARAMETER] == _bytes(parameters)
    assert most[OPTIMIZER_STATE] == _bytes(states)
    # Gradients that exist before the first step are replaced one by one.
    assert most[GRADIENT] in (_bytes(parameters), 2 * _bytes(parameters))
    inputs = _bytes([train.data, train.target])
    assert inputs <= most[INPUT] <= inputs + 256, "numbers of Python are inputs too"
    hidden = 32 * 16 * 4
    assert hidden <= most[ACTIVATION] <= 4 * hidden
    assert all(size >= 0 for row in sizes for size in row)


def test_key_averages_count_what_torch_counts():
    train = Training()
    train()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                record_shapes=True) as theirs:
        ours = _finished(train, record_shapes=True)
    expected = {(event.key, str(event.input_shapes)): event.count
                for event in theirs.key_averages(group_by_input_shape=True)
                if event.key.startswith("aten::")}
    found = Counter()
    for average in ours.key_averages(group_by_input_shape=True):
        if average.key.startswith("aten::"):
            found[average.key, str(average.input_shapes)] += average.count
    # Their profiler sees its own start and end.
    assert sum(expected.values()) > 50
    missing = {key: count for key, count in expected.items()
               if found[key] != count and key[0] != "aten::zeros"}
    assert missing == {}
    table = ours.key_averages().table(sort_by="self_cpu_time_total", row_limit=5)
    assert "aten::" in table and "Self CPU time total: " in table


def test_stacks_and_timeline(tmp_path):
    train = Training()
    prof = _finished(train, with_stack=True)
    prof.export_stacks("stacks.log")
    with open("stacks.log", encoding="utf-8") as file:
        lines = file.read().split("\n")
    frames = [line.rpartition(" ")[0].split(";") for line in lines]
    assert any(any("linear.py" in frame for frame in one) for one in frames)
    assert all(int(line.rpartition(" ")[2]) > 0 for line in lines)
    for one in frames:
        if any("framework_records.py" in frame and "step" in frame for frame in one):
            break
    else:
        pytest.fail("no stack leads through the step")
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    with open(tmp_path / "trace.json", encoding="utf-8") as file:
        names = {event["name"] for event in json.load(file)}
    assert {"aten::addmm", "measured"} <= names
    assert os.path.getsize("stacks.log") > 0
