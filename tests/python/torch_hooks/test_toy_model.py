"""A small model whose structure is found again in the results, by markers and by Python calls."""

import csv
import glob
import os
import subprocess
import sys
from collections import Counter

import pytest
from conftest import PYTHON_DIRECTORY
from framework_records import torch  # noqa: F401  Skips all of this without PyTorch.
from outputs import marks, needs_recorder, timeline

pytestmark = needs_recorder

_PROGRAM = """
import random, torch
import npuprof.profiler as profiler
import npuprof.sim
from npuprof import mstx

class RMSNorm(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, data):
        return data * torch.rsqrt(data.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight

class ToyModel(torch.nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up = torch.nn.Linear(width, hidden)
        self.down = torch.nn.Linear(hidden, width)
        self.norm = RMSNorm(width)

    def forward(self, data):
        hidden = self.up(data)
        for _ in range(3):
            hidden = torch.clamp(hidden, max=random.uniform(0.5, 1.0))
        return self.norm(self.down(hidden))

device = npuprof.sim.device()
model = ToyModel(32, 64).to(device)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data, target = torch.randn(16, 32).to(device), torch.randn(16, 32).to(device)
mstx.instrument_modules(model)
config = profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1, mstx=True,
                                      export_type=["text", "db"])
with profiler.profile(schedule=profiler.schedule(wait=1, warmup=1, active=3, repeat=1),
                      on_trace_ready=profiler.tensorboard_trace_handler("results"),
                      experimental_config=config, record_shapes=True, with_modules=True,
                      with_stack=True) as prof:
    for _ in range(5):
        optimizer.zero_grad()
        criterion(model(data), target).backward()
        optimizer.step()
        prof.step()
"""

_STEPS = 3
_CALLS = ["ToyModel", "ToyModel/Linear", "ToyModel/Linear", "ToyModel/RMSNorm"]


@pytest.fixture(name="result", scope="module")
def _result(tmp_path_factory):
    """The directory of one run, which all tests look at."""
    folder = tmp_path_factory.mktemp("toy_model")
    (folder / "toy.py").write_text(_PROGRAM)
    environment = {**os.environ, "PYTHONPATH": PYTHON_DIRECTORY, "NPUPROF_SIMULATE": "1"}
    done = subprocess.run([sys.executable, "toy.py"], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                          check=False)
    assert done.returncode == 0, done.stdout
    (result,) = glob.glob(str(folder / "results" / "*_ascend_pt"))
    return result


def _ns(microseconds):
    """A time of the timeline, exactly."""
    whole, _, rest = str(microseconds).partition(".")
    return int(whole) * 1000 + int(rest.ljust(3, "0")[:3])


def _paths(ranges):
    """Path, start and end of nested ranges, given as (name, start, end)."""
    found, open_ranges = [], []
    for name, start, end in sorted(ranges, key=lambda item: (item[1], -item[2])):
        while open_ranges and open_ranges[-1][2] <= start:
            open_ranges.pop()
        outer = open_ranges[-1][0] + "/" if open_ranges else ""
        found.append((outer + name, start, end))
        open_ranges.append(found[-1])
    return found


def _module_ranges(result):
    return _paths([(message, start, end) for message, domain, start, end in marks(result)
                   if domain == "Module"])


def _slices(result, category):
    return [(event, _ns(event["ts"]), _ns(event["ts"]) + _ns(event["dur"]))
            for event in timeline(result)
            if event["ph"] == "X" and event.get("cat") == category]


def _innermost(ranges, time):
    around = [path for path, start, end in ranges if start <= time < end]
    return around[-1] if around else ""


def test_markers_show_the_structure(result):
    assert [path for path, _, _ in _module_ranges(result)] == _CALLS * _STEPS


def test_python_calls_show_the_structure(result):
    modules = [(event["name"], start, end) for event, start, end in
               _slices(result, "python_function") if event["name"].startswith("nn.Module: ")]
    found = [path.replace("nn.Module: ", "") for path, _, _ in _paths(modules)]
    # The two layers of one class are told apart.
    assert found == ["ToyModel_0", "ToyModel_0/Linear_0", "ToyModel_0/Linear_1",
                     "ToyModel_0/RMSNorm_0", "MSELoss_0"] * _STEPS


def test_each_operator_is_in_its_module(result):
    ranges = _module_ranges(result)
    found = Counter()
    for event, start, _ in _slices(result, "cpu_op"):
        if event["name"] in ("aten::linear", "aten::clamp", "aten::rsqrt", "aten::mse_loss"):
            found[_innermost(ranges, start), event["name"]] += 1
    assert found == {("ToyModel/Linear", "aten::linear"): 2 * _STEPS,
                     ("ToyModel", "aten::clamp"): 3 * _STEPS,
                     ("ToyModel/RMSNorm", "aten::rsqrt"): _STEPS,
                     ("", "aten::mse_loss"): _STEPS}


def test_each_kernel_is_in_the_module_that_asked_for_it(result):
    ranges = _module_ranges(result)
    arrows = [event for event in timeline(result) if event.get("cat") == "async_npu"]
    asked_at = {event["id"]: _ns(event["ts"]) for event in arrows if event["ph"] == "s"}
    kernels = {}
    for event in timeline(result):
        if event["ph"] == "X" and "Task Type" in event.get("args", {}):
            kernels[event["pid"], event["tid"], event["ts"]] = event["name"]
    found = Counter()
    for arrow in arrows:
        if arrow["ph"] == "f":
            kernel = kernels[arrow["pid"], arrow["tid"], arrow["ts"]]
            found[_innermost(ranges, asked_at[arrow["id"]]), kernel.split("_")[0]] += 1
    path = os.path.join(result, "ASCEND_PROFILER_OUTPUT", "kernel_details.csv")
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(found.values()) == len(rows)
    in_modules = {key: count for key, count in found.items() if key[0]}
    assert in_modules == {("ToyModel/Linear", "aclnnAddmm"): 2 * _STEPS,
                          ("ToyModel", "aclnnClamp"): 3 * _STEPS,
                          ("ToyModel/RMSNorm", "aclnnPow"): _STEPS,
                          ("ToyModel/RMSNorm", "aclnnMean"): _STEPS,
                          ("ToyModel/RMSNorm", "aclnnAdd"): _STEPS,
                          ("ToyModel/RMSNorm", "aclnnRsqrt"): _STEPS,
                          ("ToyModel/RMSNorm", "aclnnMul"): 2 * _STEPS}


def test_stacks_lead_to_the_lines_of_the_model(result):
    stacks = [event["args"]["Call stack"] for event, _, _ in _slices(result, "cpu_op")
              if event["name"] == "aten::clamp"]
    assert len(stacks) == 3 * _STEPS
    line = next(number for number, text in enumerate(_PROGRAM.splitlines(), 1)
                if "torch.clamp(" in text)
    assert all(f"toy.py({line}): forward" in stack for stack in stacks)
