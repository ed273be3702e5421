"""Floating-point operations, compared with what PyTorch's own profiler counts."""

import json
from collections import defaultdict

from framework_records import operators, profiler, record, torch
from outputs import needs_recorder

# What torch.profiler counts; the rest is ours alone.
_COUNTED_BY_TORCH = {"aten::conv2d", "aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm",
                     "aten::mul", "aten::add"}


class Images(torch.nn.Module):
    """Convolutions with all kinds of settings, then attention and matrices."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1), torch.nn.ReLU(),
            torch.nn.Conv2d(8, 8, (3, 5), padding=(0, 2), dilation=(2, 1), groups=4),
            torch.nn.Conv2d(8, 6, 1, bias=False))
        self.attention = torch.nn.TransformerEncoderLayer(12, 2, 24, batch_first=True)
        self.head = torch.nn.Linear(12, 5)

    def forward(self, images):
        features = self.layers(images).flatten(2)[:, :, :12]
        return self.head(self.attention(features)).mean()


def _train():
    torch.manual_seed(3)
    model = Images()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = torch.randn(2, 3, 17, 19)

    def step():
        optimizer.zero_grad()
        model(data).backward()
        optimizer.step()
        torch.baddbmm(torch.zeros(2, 3, 5), torch.ones(2, 3, 4), torch.ones(2, 4, 5))
        torch.ones(4, 5) * 2 + torch.ones(4, 5)

    step()
    return step


def _flops_by_operator(averages):
    found = defaultdict(int)
    for row in averages:
        found[row.key, str(row.input_shapes)] += row.flops
    return {key: flops for key, flops in found.items() if flops}


@needs_recorder
def test_operations_are_those_that_torch_counts():
    step = _train()
    ours = profiler._KinetoProfile(activities=[profiler.ProfilerActivity.CPU], with_flops=True,
                                   record_shapes=True)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                with_flops=True) as theirs:
        ours.start()
        step()
        ours.stop()
    expected = _flops_by_operator(theirs.key_averages(group_by_input_shape=True))
    found = _flops_by_operator(ours.key_averages(group_by_input_shape=True))
    assert {name for name, _ in expected} == _COUNTED_BY_TORCH
    assert len(expected) > 20
    # Of two shapes they look at the first alone; the result is as large as both together.
    same_shape = {key: flops for key, flops in expected.items()
                  if key[0] not in ("aten::mul", "aten::add") or _first_is_the_result(key[1])}
    assert {key: found.get(key) for key in same_shape} == same_shape
    assert {name for name, _ in same_shape} == _COUNTED_BY_TORCH
    table = ours.key_averages().table(sort_by="flops")
    assert "FLOPs" in table
    assert table.splitlines()[3].startswith(max(ours.key_averages(), key=lambda row: row.flops).key)


def _first_is_the_result(shapes):
    first, second, *_ = json.loads(shapes)
    both = torch.broadcast_shapes(first, second)
    return list(both) == first


def test_operations_torch_does_not_count(tmp_path):
    image = torch.randn(2, 4, 6, requires_grad=True)
    weight = torch.randn(6, 2, 3, requires_grad=True)

    def action():
        torch.conv1d(image, weight, stride=1, padding=1, groups=2).sum().backward()
        torch.conv_transpose2d(torch.randn(1, 4, 5, 5), torch.randn(4, 3, 2, 2), stride=2)
        torch.ones(4, 1).mul_(3)
        torch.ones(4, 1) / torch.ones(5)
        torch.ones(3, 4) @ torch.ones(4)

    ops = operators(record(action, tmp_path, with_flops=True))
    flops = {op.name: op.extra for op in ops if op.extra is not None}
    forward = 2 * 2 * 6 * 6 * 2 * 3
    assert flops == {"aten::conv1d": f"flops:{forward}",
                     "aten::convolution_backward": f"flops:{2 * forward}",
                     "aten::conv_transpose2d": f"flops:{2 * 4 * 5 * 5 * 3 * 2 * 2}",
                     "aten::mul_": "flops:4", "aten::div": "flops:20", "aten::mv": "flops:24"}


def test_nothing_is_counted_unless_asked_for(tmp_path):
    ops = operators(record(lambda: torch.ones(2, 3) @ torch.ones(3, 4), tmp_path,
                           record_shapes=True))
    assert "aten::mm" in {op.name for op in ops}
    assert all(op.extra is None for op in ops)


def test_shapes_come_along(tmp_path):
    ops = operators(record(lambda: torch.ones(2, 3) @ torch.ones(3, 4), tmp_path, with_flops=True))
    (product,) = [op for op in ops if op.name == "aten::mm"]
    assert product.shapes == "2,3;3,4" and product.extra == "flops:48"
    assert product.tensors is None


@needs_recorder
def test_the_timeline_shows_them(tmp_path):
    prof = profiler._KinetoProfile(activities=[profiler.ProfilerActivity.CPU], with_flops=True)
    prof.start()
    torch.ones(2, 3) @ torch.ones(3, 4)
    prof.stop()
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    with open(tmp_path / "trace.json", encoding="utf-8") as file:
        found = [event["args"]["flops"] for event in json.load(file)
                 if event["name"] == "aten::mm" and event["ph"] == "X"]
    assert found == [48]


_ON_DEVICE = """
import torch
import npuprof.profiler as profiler
import npuprof.sim

device = npuprof.sim.device()
model = torch.nn.Conv2d(3, 8, 3, padding=1).to(device)
data = torch.randn(2, 3, 9, 9).to(device)
config = profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1)
prof = profiler._KinetoProfile(experimental_config=config, with_flops=True)
prof.start()
model(data).sum().backward()
prof.stop()
print({row.key: row.flops for row in prof.key_averages() if row.flops})
"""


@needs_recorder
def test_operations_on_a_simulated_device(run_python):
    output = run_python(_ON_DEVICE, env={"NPUPROF_SIMULATE": "1"})
    forward = 2 * 2 * 9 * 9 * 8 * 3 * 3 * 3
    counted = {"aten::conv2d": forward, "aten::convolution_backward": forward}
    assert output.splitlines()[-1] == str(counted), output
