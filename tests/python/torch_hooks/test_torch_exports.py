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


def test_memory_outside_of_operators_is_that_of_torch():
    def action():
        tensors = [torch.ones(1000) for _ in range(5)]
        del tensors[0]
        tensors.clear()

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                profile_memory=True) as theirs:
        action()
    ours = _finished(action, profile_memory=True)
    (expected,) = [row for row in theirs.key_averages() if row.key == "[memory]"]
    (found,) = [row for row in ours.key_averages() if row.key == "[memory]"]
    assert found.cpu_memory_usage == expected.cpu_memory_usage == -5 * 4000
    assert found.self_cpu_memory_usage == found.cpu_memory_usage
    assert found.count == expected.count == 5
    events = ours.events()
    assert [event.cpu_memory_usage for event in events if event.name == "[memory]"] == 5 * [-4000]


def test_backward_nodes_have_the_stack_of_their_forward_operator():
    train = Training()
    train()
    events = _finished(train, with_stack=True).events()
    nodes = [event for event in events if event.scope == 1 and event.name == "AddmmBackward0"]
    assert len(nodes) == 2
    for node in nodes:
        assert any("linear.py" in frame for frame in node.stack), node.stack
        assert node.cpu_children
        assert all(child.stack == node.stack for child in node.cpu_children)


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


_ON_DEVICE = """
import json, torch
import npuprof.profiler as profiler
import npuprof.sim

device = npuprof.sim.device()
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
model = model.to(device)
optimizer = torch.optim.Adam(model.parameters())
data, target = torch.randn(32, 64).to(device), torch.randn(32, 8).to(device)

def step():
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(data), target).backward()
    optimizer.step()

step()
config = profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1)
prof = profiler._KinetoProfile(experimental_config=config, record_shapes=True, profile_memory=True,
                               with_stack=True)
prof.start()
step()
step()
prof.stop()
prof.export_memory_timeline("memory.json")
prof.export_memory_timeline("memory.html")
prof.export_stacks("stacks.log", "self_npu_time_total")
averages = prof.key_averages()
with open("facts.json", "w") as file:
    json.dump({"parameters": sum(p.numel() * 4 for p in model.parameters()),
               "npu_us": {a.key: a.self_npu_time_total for a in averages},
               "table": averages.table()}, file)
"""


def test_memory_and_kernels_of_a_simulated_device(tmp_path, run_python):
    run_python(_ON_DEVICE, env={"NPUPROF_SIMULATE": "1"})
    with open(tmp_path / "facts.json", encoding="utf-8") as file:
        facts = json.load(file)
    with open(tmp_path / "memory.json", encoding="utf-8") as file:
        _, sizes = json.load(file)
    most = [max(row[category + 1] for row in sizes) for category in range(8)]
    parameters = facts["parameters"]
    assert most[PARAMETER] == parameters
    assert most[OPTIMIZER_STATE] == 2 * parameters
    blocks = 4 * 512  # Each new gradient is rounded up to a block.
    assert parameters <= most[GRADIENT] <= 2 * parameters + blocks
    assert most[INPUT] >= (32 * 64 + 32 * 8) * 4
    assert most[ACTIVATION] >= 32 * 128 * 4
    assert "Memory of npu:0" in (tmp_path / "memory.html").read_text(encoding="utf-8")
    assert facts["npu_us"]["aten::addmm"] > 0 and "Self NPU time total: " in facts["table"]
    assert "linear.py" in (tmp_path / "stacks.log").read_text(encoding="utf-8")
