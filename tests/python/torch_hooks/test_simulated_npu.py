"""The simulated NPU behind PyTorch: as a device, and beside programs that run on the host."""

import csv
import glob
import json
import os
from collections import Counter

import pytest
from framework_records import memory, operators
from outputs import needs_recorder, query, timeline

pytestmark = needs_recorder

_PROGRAM = """
import json, threading, torch
import npuprof.profiler as profiler
import npuprof.sim

ON_DEVICE = {on_device}
device = npuprof.sim.device() if ON_DEVICE else torch.device("cpu")
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
model = model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
data, target = torch.randn(32, 64).to(device), torch.randn(32, 8).to(device)
losses = []

def step():
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(data), target)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

step()
config = profiler._ExperimentalConfig(profiler_level=profiler.ProfilerLevel.Level1)
handler = profiler.tensorboard_trace_handler("results")
with profiler.profile(schedule=profiler.schedule(wait=0, warmup=1, active=2, repeat=1),
                      on_trace_ready=handler, experimental_config=config, {options}) as prof:
    for _ in range(3):
        step()
        prof.step()
with open("facts.json", "w") as file:
    json.dump({{"losses": losses, "thread": threading.get_native_id()}}, file)
"""


def _run(tmp_path, run_python, on_device, options):
    output = run_python(_PROGRAM.format(on_device=on_device, options=options),
                        env={"NPUPROF_SIMULATE": "1"})
    (result,) = glob.glob(str(tmp_path / "results" / "*_ascend_pt"))
    with open(tmp_path / "facts.json", encoding="utf-8") as file:
        return result, json.load(file), output


def _rows(result, name):
    with open(os.path.join(result, "ASCEND_PROFILER_OUTPUT", name), encoding="utf-8",
              newline="") as file:
        return list(csv.DictReader(file))


# Of one step: two products forward, three backward (the data need no gradient).
_PRODUCTS = 2 * 5


def _check_links(result):
    """Kernels belong to the operators that launched them."""
    kernels = _rows(result, "kernel_details.csv")
    products = [row for row in kernels if row["Type"] == "MatMulV3"]
    assert len(products) == _PRODUCTS
    assert {row["Accelerator Core"] for row in products} == {"AI_CORE"}
    assert all(float(row["Duration(us)"]) > 0 for row in kernels)
    shapes = {row["Input Shapes"].strip('"') for row in products}
    assert {"128;32,64;64,128", "8;32,128;128,8"} <= shapes

    ops = _rows(result, "operator_details.csv")
    for name in ("aten::mm", "aten::addmm", "aten::relu", "aten::mse_loss"):
        busy = [float(row["Device Self Duration(us)"]) for row in ops if row["Name"] == name]
        assert busy and all(time > 0 for time in busy), name
    # What an operator launched counts for those around it.
    linear = [row for row in ops if row["Name"] == "aten::linear"]
    assert all(float(row["Device Self Duration(us)"]) == 0
               and float(row["Device Total Duration(us)"]) > 0 for row in linear)
    on_operators = sum(float(row["Device Self Duration(us)"]) for row in ops)
    assert on_operators == pytest.approx(sum(float(row["Duration(us)"]) for row in kernels),
                                         rel=0.02)

    # Arrows from operators to kernels.
    arrows = [event for event in timeline(result) if event.get("cat") == "async_npu"]
    assert len([event for event in arrows if event["ph"] == "s"]) >= len(kernels)
    with open(glob.glob(os.path.join(result, "profiler_info*.json"))[0], encoding="utf-8") as file:
        assert json.load(file)["simulated"] is True
    return kernels


def test_a_program_on_the_simulated_device(tmp_path, run_python):
    result, facts, output = _run(tmp_path, run_python, True,
                                 "record_shapes=True, profile_memory=True")
    assert "privateuseone" in output
    _check_links(result)
    ops = operators(result)

    # The backward pass has a thread of its own, as on an NPU.
    backward = [op for op in ops if op.name == "AddmmBackward0"]
    assert len(backward) == 4
    assert {op.tid for op in backward} != {facts["thread"]}
    assert all(op.tid == facts["thread"] for op in ops if op.name == "aten::linear")
    arrows = [event for event in timeline(result) if event.get("cat") == "fwdbwd"]
    assert arrows and len(arrows) % 2 == 0

    # Operators are whole: nothing of what the host did for the device is seen.
    products = [op for op in ops if op.name == "aten::addmm"]
    inner = [op.name for op in ops for product in products
             if product.start < op.start and op.end < product.end and op.tid == product.tid]
    assert inner == []

    # Its memory, which is handed out in pieces of 512 bytes.
    events = [event for event in memory(result) if event.device_type == 20]
    assert {event.event for event in events} == {0, 1, 2}
    assert all(event.size % 512 == 0 and event.device_index == 0 for event in events)
    mallocs = Counter(event.address for event in events if event.event == 0)
    frees = Counter(event.address for event in events if event.event == 1)
    assert sum(frees.values()) > 20 and not frees - mallocs
    rows = _rows(result, "operator_memory.csv")
    assert any(row["Name"] == "aten::addmm" for row in rows)

    # The loss comes back to the host once a step.
    copies = [row for row in _rows(result, "task_time.csv") if "MEMCPY" in row["kernel_type"]]
    assert len(copies) == 2


def test_a_program_that_is_left_as_it_is(tmp_path, run_python):
    result, facts, _ = _run(tmp_path, run_python, False, "record_shapes=True")
    kernels = _check_links(result)
    ops = operators(result)
    assert {op.tid for op in ops if op.name == "AddmmBackward0"} == {facts["thread"]}
    # One kernel for an operator, none for those inside it.
    relus = [row for row in kernels if row["Type"] in ("Relu", "Maximum")]
    assert [row["Type"] for row in relus] == ["Relu"] * 2


def test_results_do_not_depend_on_the_device(tmp_path, run_python):
    facts = []
    for on_device in (True, False):
        folder = tmp_path / str(on_device)
        folder.mkdir()
        source = _PROGRAM.format(on_device=on_device, options="").replace('"facts.json"', repr(
            str(folder / "facts.json"))).replace('"results"', repr(str(folder / "results")))
        run_python(source, env={"NPUPROF_SIMULATE": "1"})
        facts.append(json.loads((folder / "facts.json").read_text()))
    assert facts[0]["losses"] == facts[1]["losses"]
    assert facts[0]["losses"][-1] < facts[0]["losses"][0]


def test_kernels_are_launched_without_a_record_of_the_host(tmp_path, run_python):
    result, _, _ = _run(tmp_path, run_python, False,
                        "activities=[profiler.ProfilerActivity.NPU]")
    assert operators(result) == []
    types = Counter(row["Type"] for row in _rows(result, "kernel_details.csv"))
    assert types["MatMulV3"] == _PRODUCTS


_FORK = """
import os, threading, torch
import npuprof.profiler as profiler

enough = threading.Event()
def work():
    while not enough.is_set():
        torch.ones(100).mul(2)

torch.ones(3).mul(2)  # PyTorch itself does not survive a fork during its first operators.
with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("results",
                                                                        analyse_flag=False)):
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        pid = os.fork()
        if pid == 0:
            torch.set_num_threads(1)
            torch.ones(3).mul(2)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
    enough.set()
    for thread in threads:
        thread.join()
print("all ended")
"""


def test_forked_children_leave_the_device_alone(run_python):
    """As workers of data loaders do, at any moment."""
    assert "all ended" in run_python(_FORK, env={"NPUPROF_SIMULATE": "1", "OMP_NUM_THREADS": "1"})


_OPERATORS = """
import torch
import npuprof.sim
device = npuprof.sim.device()

def both(function, *shapes):
    torch.manual_seed(5)
    inputs = [torch.randn(*shape) for shape in shapes]
    on_host = function(*inputs)
    on_device = function(*[item.to(device) for item in inputs])
    if not isinstance(on_host, (tuple, list)):
        on_host, on_device = [on_host], [on_device]
    for one, two in zip(on_host, on_device):
        assert two.device == device, (function, two.device)
        assert torch.equal(one, two.cpu()), function

nn, F = torch.nn, torch.nn.functional
both(lambda a, b: a + b, (3, 4), (4,))
both(lambda a: a.t().contiguous(), (3, 4))
both(lambda a: a[:, 1:3] * 2, (3, 4))
both(lambda a: a.view(2, 6).sum(1), (3, 4))
both(lambda a: a.topk(2), (3, 4))
both(lambda a: torch.cat([a, a], 1).split(3, 1), (3, 4))
both(lambda a: a[a > 0], (3, 4))
both(lambda a: a.to(torch.float16).float(), (3, 4))
both(lambda a: torch.stack([a, a]).permute(2, 0, 1), (3, 4))
both(lambda a: a.expand(5, 3, 4) + 1, (3, 4))
both(lambda a: a.clone().index_put_((torch.tensor([0], device=a.device),),
                                    torch.tensor(7., device=a.device)), (3, 4))
both(lambda a: F.softmax(a, -1), (3, 4))
both(lambda a, b: torch.einsum("ij,jk->ik", a, b), (3, 4), (4, 5))
both(lambda a: torch.empty(0, device=a.device).resize_(3, 4).copy_(a), (3, 4))
both(lambda a, b: torch.add(a, b, out=torch.empty(0, device=a.device)), (3, 4), (3, 4))
both(lambda a: torch.arange(6, device=a.device).reshape(2, 3) + a.numel(), (1,))
both(lambda a: a.transpose(0, 1).copy_(torch.ones(4, 3)), (3, 4))
both(lambda a: torch.zeros(0, 3, device=a.device), (1,))

def gradients(make, *shape):
    results = []
    for place in ("cpu", device):
        torch.manual_seed(5)
        module = make().to(place)
        data = torch.randn(*shape).to(place).requires_grad_()
        module(data).pow(2).sum().backward()
        results.append([data.grad.cpu()] + [item.grad.cpu() for item in module.parameters()])
    for one, two in zip(*results):
        assert torch.allclose(one, two, rtol=1e-4, atol=1e-5), make

gradients(lambda: nn.Conv2d(3, 4, 3, padding=1, stride=2), 2, 3, 9, 9)
gradients(lambda: nn.ConvTranspose2d(4, 6, 3, groups=2), 2, 4, 5, 5)
gradients(lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(),
                                nn.MaxPool2d(2)), 2, 3, 9, 9)
gradients(lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2, 5, 8)

class Recurrent(nn.LSTM):
    def forward(self, data):
        return super().forward(data)[0]

gradients(lambda: Recurrent(4, 6), 3, 2, 4)

other = npuprof.sim.device(1)
moved = torch.ones(3, device=other).to(device)
assert moved.device == device and moved.sum().item() == 3
try:
    npuprof.sim.device(1000)
except ValueError:
    print("refused")
npuprof.sim.synchronize()
"""


def test_operators_on_the_device_do_what_they_do_on_the_host(run_python):
    assert "refused" in run_python(_OPERATORS)


_MEMORY = """
import torch
import npuprof.sim
device = npuprof.sim.device()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                            profile_memory=True) as prof:
    item = torch.empty(1000, device=device)
    del item
print([event.nbytes() for event in prof.profiler.kineto_results.events()
       if event.name() == "[memory]"])
"""


def test_torch_profiler_sees_memory_of_the_device(run_python):
    assert "[4096, -4096]" in run_python(_MEMORY)


_ARGUMENTS = """
import torch
import npuprof.profiler as profiler
import npuprof.sim

device = npuprof.sim.device()
left, right = torch.ones(6, 5).to(device), torch.ones(5, 4).to(device)
config = profiler._ExperimentalConfig(record_op_args={wanted})
with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("results"),
                      experimental_config=config):
    left @ right
    left @ right
    left + 1
left * 2  # Too late.
"""


@pytest.mark.parametrize("wanted", [True, False])
def test_arguments_of_operators_lie_beside_the_result(tmp_path, run_python, wanted):
    run_python(_ARGUMENTS.format(wanted=wanted), env={"NPUPROF_SIMULATE": "1"})
    (result,) = glob.glob(str(tmp_path / "results" / "*_ascend_pt"))
    assert os.path.isdir(result + "_op_args") == wanted
    if wanted:
        (path,) = glob.glob(result + "_op_args/*")
        with open(path, encoding="utf-8") as file:
            kernels = [json.loads(line) for line in file]
        assert [kernel["op_type"] for kernel in kernels] == ["MatMulV3", "Add"]
        product = kernels[0]
        assert [tensor["shape"] for tensor in product["inputs"]] == [[6, 5], [5, 4]]
        assert [tensor["shape"] for tensor in product["outputs"]] == [[6, 4]]
        assert {tensor["dtype"] for tensor in product["inputs"]} == {"FLOAT"}


@pytest.mark.parametrize("on_device", [True, False])
def test_attributes_of_kernels(tmp_path, run_python, on_device):
    run_python(f"""
import torch
import npuprof.profiler as profiler
import npuprof.sim
device = npuprof.sim.device() if {on_device} else torch.device("cpu")
data = torch.randn(2, 3, 8, 8).to(device)
weight = torch.randn(4, 3, 3, 3).to(device)
config = profiler._ExperimentalConfig(profiler_level="Level1", op_attr=True, export_type="db")
with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("results"),
                      experimental_config=config):
    data.sum(dim=[1, 2], keepdim=True)
    data.relu()
    torch.conv2d(data, weight, stride=2, padding=1)
""", env={"NPUPROF_SIMULATE": "1"})
    (result,) = glob.glob(str(tmp_path / "results" / "*_ascend_pt"))
    attributes = dict(query(result, "SELECT t.value, a.value FROM COMPUTE_TASK_INFO i "
                                    "JOIN STRING_IDS t ON t.id = i.opType "
                                    "JOIN STRING_IDS a ON a.id = i.attrInfo"))
    assert attributes["ReduceSum"] == "dim:[1,2];keepdim:true"
    assert attributes["Relu"] == ""
    assert attributes["Conv2D"].startswith("stride:[2,2];padding:[1,1];dilation:[1,1];"
                                           "transposed:false;output_padding:[0,0];groups:1")
