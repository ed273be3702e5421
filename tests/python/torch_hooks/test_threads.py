"""Threads of the program, and threads of PyTorch."""

import threading

from framework_records import (C_CALL, CALL, Training, memory, operators, profiler, python_calls,
                               record, torch)


def _on_a_thread(action):
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def test_operators_of_all_threads_are_recorded(tmp_path):
    tids = []

    def work():
        tids.append(threading.get_native_id())
        for _ in range(50):
            torch.ones(3) + 1

    def action():
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    result = record(action, tmp_path, record_shapes=True, profile_memory=True)
    adds = [op for op in operators(result) if op.name == "aten::add"]
    assert sorted(tids) == sorted({op.tid for op in adds})
    assert all(len([op for op in adds if op.tid == tid]) == 50 for tid in tids)
    assert all(op.shapes == "3;;" for op in adds)
    for tid in tids:
        sizes = [event.size for event in memory(result) if event.tid == tid]
        # The first operator of a thread is under way when its memory is first looked at.
        assert sizes.count(12) >= 99 and sum(sizes) == 0


def test_a_child_thread_has_options_of_its_own(tmp_path):
    tids = {}

    def work(name, **options):
        tids[name] = threading.get_native_id()
        profiler.profile.enable_profiler_in_child_thread(**options)
        try:
            torch.ones(5).mul(2)
        finally:
            profiler.profile.disable_profiler_in_child_thread()
        torch.ones(6).mul(2)

    def action():
        _on_a_thread(lambda: work("shapes", record_shapes=True))
        _on_a_thread(lambda: work("memory", profile_memory=True))
        _on_a_thread(lambda: work("stack", with_stack=True))
        _on_a_thread(lambda: work("plain"))

    result = record(action, tmp_path)
    by_thread = {name: [op for op in operators(result) if op.tid == tid and op.name == "aten::mul"]
                 for name, tid in tids.items()}
    assert all(len(ops) == 2 for ops in by_thread.values())
    assert by_thread["shapes"][0].shapes == "5;"
    assert all(op.shapes is None for name, ops in by_thread.items() if name != "shapes"
               for op in ops)
    assert by_thread["shapes"][1].shapes is None
    assert {event.tid for event in memory(result)} == {tids["memory"]}
    assert "test_threads.py" in by_thread["stack"][0].stack
    assert by_thread["plain"][0].stack is None
    assert {call.tid for call in python_calls(result)} == {tids["stack"]}


def test_a_child_thread_may_want_less_than_the_others(tmp_path):
    tids = []

    def work():
        tids.append(threading.get_native_id())
        profiler.profile.enable_profiler_in_child_thread()
        torch.ones(5).mul(2)
        profiler.profile.disable_profiler_in_child_thread()

    def action():
        torch.ones(4).mul(2)
        _on_a_thread(work)

    result = record(action, tmp_path, record_shapes=True, with_stack=True)
    main, child = [op for op in operators(result) if op.name == "aten::mul"]
    assert main.shapes == "4;" and main.stack and child.tid == tids[0]
    assert child.shapes is None and child.stack is None


def test_calls_on_threads_that_exist_and_threads_that_come(tmp_path):
    go, done = threading.Event(), threading.Event()

    def early_work():
        torch.ones(2)

    def early():
        go.wait()
        early_work()
        done.set()

    def late_work():
        torch.ones(3)

    thread = threading.Thread(target=early)
    thread.start()
    late_tids = []

    def late():
        late_tids.append(threading.get_native_id())
        late_work()

    def action():
        go.set()
        done.wait()
        _on_a_thread(late)

    result = record(action, tmp_path, with_stack=True)
    tid = thread.native_id
    thread.join()
    calls = [call for call in python_calls(result) if call.tag in (CALL, C_CALL)]
    early_names = [call.name for call in calls if call.tid == tid]
    assert any(name.endswith("): early") for name in early_names)  # It was open at the start.
    assert any(name.endswith("): early_work") for name in early_names)
    late_calls = [call for call in calls if call.tid == late_tids[0]]
    assert any(call.name.endswith("): late_work") for call in late_calls)
    begin = min(call.time for call in calls)
    assert min(call.time for call in late_calls) > begin
    assert threading._profile_hook is None


def test_backward_of_a_thread_records_its_memory(tmp_path):
    train = Training()
    train()
    result = record(lambda: _on_a_thread(train), tmp_path, profile_memory=True)
    (outer,) = [op for op in operators(result) if op.name == "measured"]
    assert outer.tid != threading.get_native_id()
    assert {event.tid for event in memory(result)
            if outer.start <= event.time <= outer.end} == {outer.tid}


def test_starting_and_stopping_while_threads_run_operators(tmp_path):
    enough = threading.Event()
    failures = []

    def work():
        train = Training()
        try:
            while not enough.is_set():
                train.step()
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(15):
            result = record(lambda: torch.ones(3).mul(2), tmp_path, record_shapes=turn % 2 == 0,
                            profile_memory=True, with_stack=turn % 3 == 0)
            ops = operators(result)
            main = [op.name for op in ops if op.tid == threading.get_native_id()]
            assert main.count("aten::mul") == 1
            assert all(op.start <= op.end for op in ops)
    finally:
        enough.set()
        for thread in threads:
            thread.join()
    assert not failures


_FORK = """
import os, sys, threading, torch
import npuprof.profiler as profiler

sys.setswitchinterval(1e-5)
enough = threading.Event()
torch.ones(3).mul(2)  # PyTorch itself does not survive a fork during its first operators.

def work():
    while not enough.is_set():
        torch.ones(100).mul(2)

def fork():
    for _ in range(30):
        pid = os.fork()
        if pid == 0:
            torch.set_num_threads(1)
            torch.ones(3).mul(2)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
    enough.set()

threads = [threading.Thread(target=work), threading.Thread(target=fork)]
for thread in threads:
    thread.start()
rounds = 0
while not enough.is_set():
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU],
                          on_trace_ready=profiler.tensorboard_trace_handler(
                              "results", analyse_flag=False)):
        torch.ones(100).mul(2)
    rounds += 1
for thread in threads:
    thread.join()
assert rounds > 0
print("all ended")
"""


def test_another_thread_forks_while_recordings_begin_and_end(run_python):
    assert "all ended" in run_python(_FORK, env={"OMP_NUM_THREADS": "1"}, timeout=120)
