"""What programs do with a device beside computing: saving, half precision, streams, mistakes."""

import glob

import pytest
from framework_records import torch  # noqa: F401  Skips without PyTorch and its hooks.
from outputs import marks, needs_recorder, query

pytestmark = needs_recorder

_BEGIN = """
import io, torch
import npuprof.sim
device = npuprof.sim.device()
torch.manual_seed(3)
"""


def test_models_are_saved_and_loaded(run_python):
    run_python(_BEGIN + """
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(2, 4, device=device)).sum().backward()
optimizer.step()
part = torch.arange(10.0, device=device)[2:6]
state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "part": part}
file = io.BytesIO()
torch.save(state, file)
for place, expected in ((None, device), ("cpu", torch.device("cpu")),
                        ("privateuseone:1", npuprof.sim.device(1))):
    file.seek(0)
    loaded = torch.load(file, map_location=place)
    for name, tensor in state["model"].items():
        assert loaded["model"][name].device == expected
        assert torch.equal(loaded["model"][name].cpu(), tensor.cpu()), name
    moment = loaded["optimizer"]["state"][0]["exp_avg"]
    assert moment.device == expected and moment.abs().sum().item() > 0
    assert loaded["part"].cpu().tolist() == [2, 3, 4, 5]
    assert loaded["part"].stride() == (1,) and loaded["part"].storage_offset() == 2
other = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)).to(device)
other.load_state_dict(loaded["model"])
""")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision(run_python, dtype):
    run_python(_BEGIN + f"""
dtype = torch.{dtype}
left, right = torch.randn(6, 5), torch.randn(5, 4)
def near(result, expected):
    assert result.device == device and result.dtype == dtype, (result.device, result.dtype)
    assert torch.allclose(result.float().cpu(), expected.float(), atol=0.05), (result, expected)
a, b = left.to(dtype).to(device), right.to(dtype).to(device)
near(a @ b, left @ right)
near(a.softmax(-1), left.softmax(-1))
near(torch.baddbmm(torch.zeros(1, 6, 4, dtype=dtype, device=device), a[None], b[None]),
     (left @ right)[None])
near(torch.addmm(b.new_zeros(4), a, b), left @ right)
near(torch.mm(a, b, out=a.new_empty(0)), left @ right)
# What asks for another type gets it.
assert a.sum(dtype=torch.float32).dtype == torch.float32
assert (a @ b).argmax(1).dtype == torch.int64
model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(),
                            torch.nn.Linear(8, 4), torch.nn.LayerNorm(4))
data, target = torch.randn(2, 1, 4, 4), torch.tensor([1, 3])
expected = torch.nn.functional.cross_entropy(model(data), target)
expected.backward()
gradients = [parameter.grad for parameter in model.parameters()]
model.zero_grad(set_to_none=True)
model = model.to(dtype).to(device)
loss = torch.nn.functional.cross_entropy(model(data.to(dtype).to(device)), target.to(device))
near(loss, expected)
loss.backward()
for parameter, gradient in zip(model.parameters(), gradients):
    near(parameter.grad, gradient)
torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9).step()
""")


def test_devices_do_not_mix(run_python):
    run_python(_BEGIN + """
other = npuprof.sim.device(1)
mine, host, foreign = torch.ones(3, device=device), torch.ones(3), torch.ones(3, device=other)
square = torch.ones(3, 3, device=device)
model = torch.nn.Linear(3, 3).to(device)
convolution = torch.nn.Conv2d(1, 1, 1).to(device)
for wrong in (lambda: mine + host, lambda: host + mine, lambda: mine + foreign,
              lambda: square @ torch.ones(3, 3), lambda: torch.cat([mine, host]),
              lambda: model(torch.ones(2, 3)), lambda: convolution(torch.ones(1, 1, 2, 2)),
              lambda: mine.add_(host), lambda: torch.where(mine > 0, mine, host)):
    try:
        wrong()
    except RuntimeError as failure:
        assert "Expected all tensors to be on the same device" in str(failure), failure
        assert "privateuseone:0" in str(failure)
    else:
        raise AssertionError("no error")
# As on other devices.
assert (mine + torch.tensor(1.0)).cpu().tolist() == [2, 2, 2]
assert mine[torch.tensor([0, 2])].cpu().tolist() == [1, 1]
mine[torch.tensor([1])] = 5
assert (mine + foreign.to(device)).cpu().tolist() == [2, 6, 2]
assert (mine * 2 + host.to(device)).cpu().tolist() == [3, 11, 3]
""")


def test_kernels_and_markers_are_on_the_stream_that_was_chosen(run_python, tmp_path):
    run_python(_BEGIN + """
import npuprof.profiler as profiler
from npuprof import mstx
default, side = npuprof.sim.current_stream(), npuprof.sim.Stream()
assert default == npuprof.sim.default_stream(device) == torch.privateuseone.current_stream()
assert side != default and side.device == device and side.npu_stream not in (0, default.npu_stream)
data = torch.ones(100, device=device)
config = profiler._ExperimentalConfig(profiler_level="Level1", mstx=True, export_type="db")
with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("out"),
                      experimental_config=config):
    data.exp()
    with npuprof.sim.stream(side):
        assert npuprof.sim.current_stream() == side
        mstx.mark("on the side", stream=side)
        data.sin()
        side.synchronize()
    assert npuprof.sim.current_stream() == default
    mstx.mark("in use", stream=npuprof.sim.current_stream())
    assert data.cos().sum().item() > 0
npuprof.sim.set_device(1)
assert npuprof.sim.current_device() == 1 and torch.empty(1, device="privateuseone").device.index == 1
assert npuprof.sim.current_stream() != default
""", env={"NPUPROF_SIMULATE": "1"})
    (result,) = glob.glob(str(tmp_path / "out" / "*_ascend_pt"))
    streams = dict(query(result, "SELECT s.value, t.streamId FROM COMPUTE_TASK_INFO i "
                                 "JOIN TASK t ON t.globalTaskId = i.globalTaskId "
                                 "JOIN STRING_IDS s ON s.id = i.opType"))
    assert streams["Exp"] == streams["Cos"] == streams["ReduceSum"] != streams["Sin"]
    assert {row[0] for row in marks(result)} >= {"on the side", "in use"}
    on_device = dict(query(result, "SELECT s.value, t.streamId FROM MSTX_EVENTS e "
                                   "JOIN TASK t ON t.connectionId = e.connectionId "
                                   "JOIN STRING_IDS s ON s.id = e.message"))
    assert on_device["on the side"] == streams["Sin"] and on_device["in use"] == streams["Exp"]
