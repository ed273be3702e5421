"""From the hooks through the recorder and the parser to result files."""

import csv
import glob
import json
import os
import threading
from collections import Counter, defaultdict
from decimal import Decimal

import pytest
from framework_records import Training, memory, operators, profiler, record, torch
from outputs import needs_recorder, npuprof, parse, query, timeline

pytestmark = needs_recorder


def _rows(result, name):
    path = os.path.join(result, "ASCEND_PROFILER_OUTPUT", name)
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_result_files_have_every_operator(tmp_path):
    train = Training()
    result = record(train, tmp_path, record_shapes=True, with_stack=True)
    assert parse(result) == 0
    ops = operators(result)
    rows = _rows(result, "operator_details.csv")
    assert Counter(row["Name"] for row in rows) == Counter(op.name for op in ops)
    products = [row for row in rows if row["Name"] == "aten::addmm"]
    shapes = [[shape.strip() for shape in row["Input Shapes"].split(";")] for row in products]
    assert shapes == [["16", "32,8", "8,16", "", ""], ["4", "32,16", "16,4", "", ""]]
    assert all("framework_records.py" in row["Call Stack"] for row in products)

    events = [event for event in timeline(result) if event.get("cat") == "cpu_op"]
    assert Counter(event["name"] for event in events) == Counter(op.name for op in ops)
    modules = [event["name"] for event in timeline(result)
               if event.get("cat") == "python_function" and event["name"].startswith("nn.Module")]
    assert [name.rpartition("_")[0] for name in modules].count("nn.Module: Linear") == 2
    names = {op.name for op in ops}
    stored = query(result, "SELECT s.value FROM PYTORCH_API p JOIN STRING_IDS s ON s.id = p.name")
    assert Counter(name for (name,) in stored if name in names) == Counter(op.name for op in ops)


def test_forward_and_backward_are_joined(tmp_path):
    def action():
        loss = torch.nn.functional.mse_loss(train.model(train.data), train.target)
        backward = threading.Thread(target=loss.backward)
        backward.start()
        backward.join()

    train = Training()
    result = record(action, tmp_path)
    assert parse(result, "text") == 0
    flows = [event for event in timeline(result) if event.get("cat") == "fwdbwd"]
    # Two products, one of them after a transposition, the activation and the loss.
    assert Counter(event["ph"] for event in flows) == {"s": 6, "f": 6}


def test_threads_that_train_are_told_apart(tmp_path):
    """Each counts sequence numbers of its own, and backward passes run where they were asked for."""
    tids = []

    def work(train):
        tids.append(threading.get_native_id())
        for _ in range(5):
            train.step()

    def idle():
        """Is always about to make its first node, and so has the number of another one's."""
        for _ in range(50):
            torch.ones(3) + 1

    def action():
        threads = [threading.Thread(target=work, args=(train,)) for train in trainings]
        threads.append(threading.Thread(target=idle))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    trainings = [Training() for _ in range(3)]
    result = record(action, tmp_path)
    assert parse(result, "text,db") == 0
    backward = [op for op in operators(result) if op.forward_thread and op.sequence >= 0]
    assert {op.forward_thread for op in backward} == set(tids)
    assert all(op.forward_thread == op.tid for op in backward)
    flows = {"s": {}, "f": {}}
    for event in timeline(result):
        if event.get("cat") == "fwdbwd":
            assert event["id"] not in flows[event["ph"]]
            flows[event["ph"]][event["id"]] = event["tid"]
    assert flows["s"] == flows["f"]
    assert Counter(flows["s"].values()) == {tid: 30 for tid in tids}


def test_slices_of_a_thread_nest(tmp_path):
    """Ranges begin and end in Python functions, which would lie across them."""
    train = Training()
    config = profiler._ExperimentalConfig(profiler_level="Level1", mstx=True)
    with profiler.profile(
            activities=[profiler.ProfilerActivity.CPU], with_stack=True, experimental_config=config,
            schedule=profiler.schedule(wait=0, warmup=1, active=2, repeat=1),
            on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path))) as prof:
        for _ in range(3):
            train()
            prof.step()
    (result,) = glob.glob(str(tmp_path / "*_ascend_pt"))
    by_thread = defaultdict(list)
    for event in timeline(result):
        if event["ph"] == "X":
            start = Decimal(event["ts"])
            by_thread[event["pid"], event["tid"]].append((start, -start - Decimal(event["dur"]),
                                                          event["name"]))
    slices = [event for events in by_thread.values() for event in events]
    names = [name for _, _, name in slices]
    assert names.count("measured") == 2 and any("linear.py" in name for name in names)
    assert not any(name.endswith((": __enter__", ": __exit__")) and "autograd/profiler" in name
                   for name in names)
    for events in by_thread.values():
        open_ends = []
        for start, minus_end, name in sorted(events):
            while open_ends and open_ends[-1][0] <= start:
                open_ends.pop()
            assert not open_ends or -minus_end <= open_ends[-1][0], (name, open_ends[-1][1])
            open_ends.append((-minus_end, name))


def test_host_memory_has_a_table(tmp_path):
    def action():
        kept.append(torch.ones(1000))
        torch.ones(2000)

    kept = []
    result = record(action, tmp_path, profile_memory=True)
    assert parse(result, "text") == 0
    rows = _rows(result, "operator_host_memory.csv")
    (first,) = [row for row in rows if float(row["Size(KB)"]) == 4000 / 1024]
    (second,) = [row for row in rows if float(row["Size(KB)"]) == 8000 / 1024]
    assert first["Name"] == second["Name"] == "aten::empty"
    assert first["Release Time(us)"] == first["Duration(us)"] == ""
    assert float(second["Duration(us)"]) > 0
    assert int(second["Thread Id"]) == threading.get_native_id()


def test_steps_of_a_schedule(tmp_path):
    train = Training()
    with profiler.profile(
            activities=[profiler.ProfilerActivity.CPU],
            schedule=profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
            on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path))) as prof:
        for _ in range(8):
            train()
            prof.step()
    results = sorted(glob.glob(str(tmp_path / "*_ascend_pt")))
    assert len(results) == 2
    for result, steps in zip(results, ([2, 3], [6, 7])):
        ops = operators(result)
        names = [op.name for op in ops if op.name.startswith("ProfilerStep#")]
        assert names == [f"ProfilerStep#{step}" for step in steps]
        assert len([op for op in ops if op.name == "measured"]) == 2
        rows = Counter(row["Name"] for row in _rows(result, "operator_details.csv"))
        assert rows == Counter(op.name for op in ops
                               if not op.name.startswith("ProfilerStep#"))


_RANK = """
import os, sys, torch, torch.distributed as dist
import npuprof.profiler as profiler
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4))
def step():
    model(torch.ones(2, 4)).sum().backward()
step()
with profiler.profile(activities=[profiler.ProfilerActivity.CPU], record_shapes=True,
                      on_trace_ready=profiler.tensorboard_trace_handler(sys.argv[1])) as prof:
    for _ in range(3):
        step()
    dist.barrier()
dist.destroy_process_group()
"""


@pytest.mark.skipif(not torch.distributed.is_gloo_available()
                    if hasattr(torch.distributed, "is_gloo_available")
                    else not torch.distributed.is_available(), reason="PyTorch has no gloo")
def test_two_ranks(tmp_path, run_python):
    source = _RANK.replace("sys.argv[1]", repr(str(tmp_path / "results")))
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29653"}
    other = run_python(source, env={**common, "RANK": "1"}, background=True)
    run_python(source, env={**common, "RANK": "0"})
    assert other.wait(timeout=60) == 0, other.stdout.read()
    other.stdout.close()
    other.stdin.close()
    results = glob.glob(str(tmp_path / "results" / "*_ascend_pt"))
    ranks = set()
    for result in results:
        (info,) = glob.glob(os.path.join(result, "profiler_info_*.json"))
        with open(info, encoding="utf-8") as file:
            ranks.add(json.load(file)["rank_id"])
        ops = operators(result)
        names = Counter(op.name for op in ops)
        assert names["DistributedDataParallel.forward"] == 3
        reduces = [op for op in ops if op.name == "gloo:all_reduce"]
        assert len(reduces) == 3 and all(op.is_async and op.end > op.start for op in reduces)
        assert all(op.tid not in {other.tid for other in ops if other.name == "aten::linear"}
                   for op in reduces)
        assert Counter(row["Name"] for row in _rows(result, "operator_details.csv")) == names
    assert ranks == {"0", "1"}


def test_memory_reaches_the_results(tmp_path):
    result = record(Training(), tmp_path, profile_memory=True, record_shapes=True,
                    with_modules=True)
    assert len(memory(result)) > 20
    assert npuprof("parse", result, "--quiet").returncode == 0


def test_a_forked_child_does_not_record(tmp_path):
    train = Training()

    def action():
        train()
        pid = os.fork()
        if pid == 0:
            train.step()
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        train()

    ops = operators(record(action, tmp_path, with_stack=True, profile_memory=True))
    assert {op.pid for op in ops} == {os.getpid()}
    assert len([op for op in ops if op.name == "measured"]) == 2


def test_a_forked_child_may_record_for_itself(tmp_path):
    train = Training()
    child_results = tmp_path / "child"
    child_results.mkdir()

    def action():
        pid = os.fork()
        if pid == 0:
            record(train, child_results, record_shapes=True)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0

    record(action, tmp_path, with_stack=True)
    (result,) = glob.glob(str(child_results / "*_ascend_pt"))
    ops = operators(result)
    assert any(op.name == "aten::addmm" and op.shapes for op in ops)
    assert os.getpid() not in {op.pid for op in ops}
