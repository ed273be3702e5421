"""The launch queue of the simulated device: operators enqueue, a thread of its own launches."""

import glob
import json
import os
from collections import Counter, defaultdict

from framework_records import operators, queue_marks
from outputs import needs_recorder, timeline

pytestmark = needs_recorder

ENQUEUE_START, ENQUEUE_END, DEQUEUE_START, DEQUEUE_END = range(4)

_PROGRAM = """
import json, threading, torch
import npuprof.profiler as profiler
import npuprof.sim

device = npuprof.sim.device()
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
model = model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
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
with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("results"),
                      experimental_config=config, {options}):
    step()
    step()
    data + 1  # Nobody waits for it but the end of the recording.
with open("facts.json", "w") as file:
    json.dump({{"losses": losses, "thread": threading.get_native_id()}}, file)
"""


def _run(tmp_path, run_python, options="", env=None):
    run_python(_PROGRAM.format(options=options), env={"NPUPROF_SIMULATE": "1", **(env or {})})
    (result,) = glob.glob(str(tmp_path / "results" / "*_ascend_pt"))
    with open(tmp_path / "facts.json", encoding="utf-8") as file:
        return result, json.load(file)


def test_marks_of_both_threads_belong_together(tmp_path, run_python):
    result, facts = _run(tmp_path, run_python)
    marks = queue_marks(result)
    by_category = defaultdict(list)
    for mark in marks:
        by_category[mark.category].append(mark)
    names = [mark.name for mark in by_category[ENQUEUE_END]]
    assert names.count("aclnnAddmm") == 4 and names[-1] == "aclnnAdd"
    assert Counter(mark.name for mark in by_category[ENQUEUE_START]) == Counter(names)
    # A number is given when a task has its place.
    assert {mark.correlation for mark in by_category[ENQUEUE_START]} == {0}
    enqueued = {mark.correlation: mark.name for mark in by_category[ENQUEUE_END]}
    assert len(enqueued) == len(names)
    for category in (DEQUEUE_START, DEQUEUE_END):
        assert {mark.correlation: mark.name for mark in by_category[category]} == enqueued
        # In the order of the queue.
        numbers = [mark.correlation for mark in by_category[category]]
        assert numbers == sorted(numbers)
    # Forward and backward have their threads, and launching has one.
    enqueuing = {mark.tid for mark in marks if mark.category in (ENQUEUE_START, ENQUEUE_END)}
    (launching,) = {mark.tid for mark in marks if mark.category in (DEQUEUE_START, DEQUEUE_END)}
    ops = operators(result)
    backward = {op.tid for op in ops if op.name == "AddmmBackward0"}
    assert enqueuing == {facts["thread"]} | backward and len(enqueuing) == 2
    assert launching not in {op.tid for op in ops}


def _ns(microseconds):
    whole, _, rest = str(microseconds).partition(".")
    return int(whole) * 1000 + int(rest.ljust(3, "0")[:3])


def _slices(events, category, name=""):
    return [(event, _ns(event["ts"]), _ns(event["ts"]) + _ns(event["dur"])) for event in events
            if event["ph"] == "X" and event.get("cat") == category
            and event["name"].startswith(name)]


def _around(slices, event):
    """The innermost slice of the event's thread that contains its begin."""
    time = _ns(event["ts"])
    found = [(end - start, i) for i, (other, start, end) in enumerate(slices)
             if other["tid"] == event["tid"] and start <= time <= end]
    return slices[min(found)[1]][0] if found else None


_OPERATORS = {"aclnnAddmm": "aten::addmm", "aclnnMm": "aten::mm", "aclnnRelu": "aten::relu",
              "aclnnMseLoss": "aten::mse_loss"}


def test_a_kernel_leads_back_to_its_operator(tmp_path, run_python):
    result, _ = _run(tmp_path, run_python, "record_shapes=True")
    events = timeline(result)
    ops, enqueues, dequeues = (_slices(events, category)
                               for category in ("cpu_op", "enqueue", "dequeue"))
    launches = _slices(events, None, "Node@launch")
    kernels = {(event["pid"], event["tid"], event["ts"]): event for event in events
               if event["ph"] == "X" and "Task Type" in event.get("args", {})}
    launch_of_kernel, sources = {}, {}
    for event in events:
        if event.get("cat") == "HostToDevice":
            if event["ph"] == "s":
                sources[event["id"]] = event
            else:
                launch_of_kernel[event["pid"], event["tid"], event["ts"]] = event["id"]
    enqueue_of = {event["args"]["correlation_id"]: event for event, _, _ in enqueues}
    arrows = defaultdict(set)
    for event in events:
        if event.get("cat") == "async_task_queue":
            arrows[event["id"]].add((event["ph"], event["tid"]))
    chains = Counter()
    for place, number in launch_of_kernel.items():
        if "aclnn" not in kernels[place]["name"]:
            continue  # A copy, which does not go through the queue.
        launch = _around(launches, sources[number])
        dequeue = _around(dequeues, launch)
        enqueue = enqueue_of[dequeue["args"]["correlation_id"]]
        op = _around(ops, enqueue)
        assert arrows[dequeue["args"]["correlation_id"]] == {("s", enqueue["tid"]),
                                                             ("f", dequeue["tid"])}
        call = enqueue["name"].partition("@")[2]
        assert dequeue["name"] == "Dequeue@" + call
        assert kernels[place]["name"].startswith(call)
        chains[call, op["name"]] += 1
    assert sum(chains.values()) == len(dequeues) == len(enqueues) > 30
    found = {(call, name): count for (call, name), count in chains.items() if call in _OPERATORS}
    assert found == {("aclnnAddmm", "aten::addmm"): 4, ("aclnnMm", "aten::mm"): 6,
                     ("aclnnRelu", "aten::relu"): 2, ("aclnnMseLoss", "aten::mse_loss"): 2}


def test_reading_a_number_waits_for_the_queue(tmp_path, run_python):
    result, _ = _run(tmp_path, run_python)
    marks = queue_marks(result)
    reads = [op for op in operators(result) if op.name == "aten::_local_scalar_dense"]
    assert len(reads) == 2
    for read in reads:
        before = [mark.correlation for mark in marks
                  if mark.category == ENQUEUE_END and mark.time < read.start]
        done = [mark.correlation for mark in marks
                if mark.category == DEQUEUE_END and mark.time < read.end]
        assert before and sorted(before) == sorted(done)


def test_the_queue_can_be_switched_off(tmp_path, run_python):
    on, with_queue = _run(tmp_path, run_python)
    kernels = Counter(event["name"] for event in timeline(on)
                      if "Task Type" in event.get("args", {}))
    for variable in ({"TASK_QUEUE_ENABLE": "0"}, {"ASCEND_LAUNCH_BLOCKING": "1"}):
        for path in glob.glob(str(tmp_path / "results" / "*")):
            os.rename(path, str(tmp_path / f"kept_{os.path.basename(path)}"))
        off, facts = _run(tmp_path, run_python, env=variable)
        assert queue_marks(off) == []
        assert kernels == Counter(event["name"] for event in timeline(off)
                                  if "Task Type" in event.get("args", {}))
        assert facts["losses"] == with_queue["losses"]


def test_marks_need_the_activity_cpu(tmp_path, run_python):
    result, _ = _run(tmp_path, run_python, "activities=[profiler.ProfilerActivity.NPU]")
    assert queue_marks(result) == []
    assert any("aclnnAddmm" in event["name"] for event in timeline(result))


_BUSY = """
import os, threading, torch
import npuprof.sim

device = npuprof.sim.device()
data = torch.ones(100).to(device)
total = torch.zeros(100).to(device)
for _ in range(6000):  # More than the queue holds.
    total += data
assert total.sum().item() == 600000

def work():
    mine = torch.ones(10).to(device)
    for _ in range(2000):
        mine = mine + 1
    assert mine.sum().item() == 20010

threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(10):
    total += data
    pid = os.fork()
    if pid == 0:
        # Memory is there; launching is the parent's.
        result = (torch.ones(3) + 1).sum().item()
        npuprof.sim.synchronize()
        try:
            torch.ones(3).to(device)
        except RuntimeError as failure:
            os._exit(0 if result == 6 and "forked" in str(failure) else 1)
        os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        raise SystemExit(0)  # With all that runs at an exit.
    assert os.waitpid(pid, 0)[1] == 0
for thread in threads:
    thread.join()
for _ in range(1000):
    total += data
print("ends with work on the queue")
"""


def test_full_queues_forks_and_the_end_of_the_program(run_python):
    output = run_python(_BUSY, env={"OMP_NUM_THREADS": "1"})
    assert "ends with work on the queue" in output


_LATE = """
import ctypes, os, torch
import npuprof.profiler as profiler
import npuprof.sim

libc = ctypes.CDLL(None)

@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def after_the_queues_have_ended(_):
    data + 1
    run.stop()
    os._exit(0)

def start():
    handler = profiler.tensorboard_trace_handler("results", analyse_flag=False)
    run = profiler.profile(on_trace_ready=handler)
    run.start()
    return run

# The last that comes goes first at an exit: all but the queue is there before we are.
data = torch.empty(100, device=npuprof.sim.device())
run = start()
torch.ones(100) + 1
run.stop()
libc.__cxa_atexit(after_the_queues_have_ended, None, None)
run = start()
data + 1
libc.exit(1)
"""


def test_an_ended_queue_leaves_no_enqueue_open(tmp_path, run_python):
    run_python(_LATE, env={"NPUPROF_SIMULATE": "1"})
    first, last = sorted(glob.glob(str(tmp_path / "results" / "*_ascend_pt")))
    assert queue_marks(first) == []
    marks = queue_marks(last)
    assert Counter(mark.category for mark in marks) == {
        ENQUEUE_START: 2, ENQUEUE_END: 2, DEQUEUE_START: 2, DEQUEUE_END: 2}
    for category in (ENQUEUE_END, DEQUEUE_START, DEQUEUE_END):
        assert len({mark.correlation for mark in marks if mark.category == category}) == 2
    # The late task was launched where it was put.
    late = max(mark.correlation for mark in marks)
    (thread,) = {mark.tid for mark in marks if mark.correlation == late and late > 0}
    assert thread in {mark.tid for mark in marks if mark.category == ENQUEUE_START}
