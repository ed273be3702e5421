"""Recordings that are killed, forked, and made by many threads at once."""

import json
import os
import random
import signal
import time
from collections import Counter

import pytest

from conftest import complete_results
from outputs import marks, needs_recorder, npuprof, query, ranges

pytestmark = needs_recorder

KILLS = 50
# Each process records for at most this long before it is killed.
LONGEST_LIFE_S = 0.4

# Forks a process for each line it reads, so that none has to import anything. The process tells when
# its recording has reached the disk.
MORTALS = """
import os, sys, time
sys.path.insert(0, {tests!r})
import npuprof.profiler as profiler
from npuprof import mstx
from simulated_device import Device

def on_disk(result):
    written = {{name for folder, _, names in os.walk(result) for name in names
               if os.path.getsize(os.path.join(folder, name)) > 0}}
    return {{"torch.op_range", "aging.additional.msproftx.slice_0",
            "stars_soc.data.0.slice_0"}} <= written

def record_until_killed(number):
    device = Device()
    prof = profiler.profile(
        schedule=profiler.schedule(wait=0, warmup=0, active=1_000_000_000),
        on_trace_ready=profiler.tensorboard_trace_handler(f"out/{{number}}", analyse_flag=False),
        experimental_config=profiler._ExperimentalConfig("Level1", mstx=True))
    prof.start()
    told = False
    while True:
        device.launch("kernel")
        mstx.mark("mark")
        prof.step()
        if not told and prof.step_num % 50 == 0 and on_disk(prof._trace.result_dir):
            told = True
            print(os.getpid(), flush=True)

for line in sys.stdin:
    if os.fork() == 0:
        record_until_killed(int(line))
    os.wait()
"""


def check_killed(result):
    """Parses what a killed process left: the beginning of its work, without a hole."""
    done = npuprof("parse", result, "--export", "text,db", "--quiet")
    assert done.returncode in (0, 1), done.stderr
    steps = [name for name, _, _ in ranges(result) if name.startswith("ProfilerStep#")]
    assert steps == [f"ProfilerStep#{number}" for number in range(len(steps))] and steps
    assert any(row[0] == "mark" for row in marks(result))
    with open(os.path.join(result, "profiler_info.json"), encoding="utf-8") as file:
        info = json.load(file)
    assert info["npuprof_recorder"]["complete"] is False and info["simulated"] is True
    return len(steps), query(result, "SELECT COUNT(*) FROM TASK")[0][0]


def test_killed_at_random_moments(run_python, tmp_path):
    process = run_python(MORTALS.format(tests=os.path.dirname(__file__)), background=True)
    moments = random.Random(20)
    for number in range(KILLS):
        process.stdin.write(f"{number}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        while line and not line.strip().isdigit():  # The simulation says that it is one.
            line = process.stdout.readline()
        assert line, "the program ended"
        time.sleep(moments.uniform(0, LONGEST_LIFE_S))
        os.kill(int(line), signal.SIGKILL)
    process.communicate(timeout=30)
    found = []
    for number in range(KILLS):
        (result,) = (tmp_path / "out" / str(number)).iterdir()
        found.append(check_killed(result))
    # Not all were killed at the same point of their work.
    assert len({steps for steps, _ in found}) > 5
    assert sum(tasks for _, tasks in found) > KILLS


CYCLES = """
import npuprof.profiler as profiler
print("ready", flush=True)
while True:
    with profiler.profile(schedule=profiler.schedule(wait=0, warmup=0, active=3, repeat=1),
                          on_trace_ready=profiler.tensorboard_trace_handler("out", None, False)
                          ) as prof:
        for _ in range(3):
            prof.step()
"""


def test_killed_while_starting_and_stopping(run_python, tmp_path):
    moments = random.Random(21)
    for _ in range(5):
        process = run_python(CYCLES, background=True)
        while process.stdout.readline() != "ready\n":
            pass
        time.sleep(moments.uniform(0.05, 0.3))
        process.kill()
        process.communicate(timeout=30)
    results = sorted((tmp_path / "out").iterdir())
    complete = set(complete_results(tmp_path / "out"))
    assert len(results) - len(complete) <= 5 < len(results)
    for result in results:
        done = npuprof("parse", result, "--export", "text,db", "--quiet")
        if str(result) in complete:
            assert done.returncode == 0, done.stderr
            names = [name for name, _, _ in ranges(result)]
            assert names == ["ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"]
        else:
            # Nothing can be read if there is nothing yet.
            is_empty = not any(path.is_file() for path in result.rglob("*"))
            assert done.returncode in (0, 1) or is_empty, done.stderr


FORK = """
import os, sys, time
import npuprof.profiler as profiler
from npuprof import mstx

def record(where, steps):
    return profiler.profile(
        schedule=profiler.schedule(wait=0, warmup=0, active=steps, repeat=1),
        on_trace_ready=profiler.tensorboard_trace_handler(where, analyse_flag=False),
        experimental_config=profiler._ExperimentalConfig("Level1", mstx=True))

prof = record("parent", 4)
prof.start()
mstx.mark("before")
prof.step()
for way in ("exit", "abrupt", "own"):
    child = os.fork()
    if child == 0:
        mstx.mark("of a child")
        prof.step()
        if way == "own":
            mine = record("child", 1)
            with mine:
                mstx.mark("of the own session")
                mine.step()
        if way == "abrupt":
            os._exit(0)
        prof.stop()
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0, way
    mstx.mark("between")
    prof.step()
prof.stop()
"""


@pytest.mark.parametrize("simulate", ["1", "0"])
def test_fork_in_the_middle(run_python, tmp_path, simulate):
    output = run_python(FORK, env={"NPUPROF_SIMULATE": simulate})
    (parent,) = complete_results(tmp_path / "parent")
    (child,) = complete_results(tmp_path / "child")
    for result in (parent, child):
        done = npuprof("parse", result, "--export", "text,db", "--quiet")
        assert done.returncode == 0, done.stderr
    assert [name for name, _, _ in ranges(parent)] == [f"ProfilerStep#{n}" for n in range(4)]
    messages = Counter(row[0] for row in marks(parent) if not row[0].startswith("ProfilerStep"))
    assert messages == {"before": 1, "between": 3}
    # A child has its own session, without the device.
    assert [name for name, _, _ in ranges(child)] == ["ProfilerStep#0"]
    assert [row[0] for row in marks(child) if row[0].startswith("of")] == ["of the own session"]
    assert ("it cannot be used in it" in output) == (simulate == "1")


THREADS = 64
MANY = """
import os, sys, threading, time
import npuprof.profiler as profiler
from npuprof import _backend, mstx

seconds = float(os.environ.get("NPUPROF_LONG_TESTS", "1"))
counts = [0] * {threads}
end = time.monotonic() + seconds

def work(number):
    # Once at least: a busy machine may not come to a thread in time.
    while counts[number] == 0 or time.monotonic() < end:
        _backend.range_push(f"range {{number}}")
        with mstx.annotate(f"marker {{number}}", domain=f"domain {{number % 5}}"):
            mstx.mark("m")
        _backend.range_pop()
        counts[number] += 1
        time.sleep(0)

prof = profiler.profile(
    on_trace_ready=profiler.tensorboard_trace_handler("out", analyse_flag=False),
    experimental_config=profiler._ExperimentalConfig("Level1", mstx=True))
with prof:
    threads = [threading.Thread(target=work, args=(number,)) for number in range({threads})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("counts", *counts)
"""


@pytest.mark.parametrize("simulate", ["1", "0"])
def test_many_threads(run_python, tmp_path, simulate):
    seconds = float(os.environ.get("NPUPROF_LONG_TESTS", "1"))
    output = run_python(MANY.format(threads=THREADS), timeout=120 + 2 * seconds,
                        env={"NPUPROF_SIMULATE": simulate})
    (line,) = [line for line in output.splitlines() if line.startswith("counts")]
    counts = [int(word) for word in line.split()[1:]]
    assert len(counts) == THREADS and all(counts)
    (result,) = complete_results(tmp_path / "out")
    done = npuprof("parse", result, "--export", "text,db", "--quiet")
    assert done.returncode == 0, done.stderr
    assert Counter(name for name, _, _ in ranges(result) if name.startswith("range")) == {
        f"range {number}": count for number, count in enumerate(counts)}
    found = Counter(row[:2] for row in marks(result))
    assert found.pop(("m", "default")) == sum(counts)
    expected = {(f"marker {number}", f"domain {number % 5}"): count
                for number, count in enumerate(counts)}
    assert {key: count for key, count in found.items() if key[0].startswith("marker")} == expected


@pytest.mark.parametrize("made", [
    "profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler('out'))",
    "profiler.profile(schedule=profiler.schedule(wait=0, active=5), "
    "on_trace_ready=profiler.tensorboard_trace_handler('out', async_mode=True))"])
def test_a_profiler_that_is_never_stopped(run_python, tmp_path, made):
    output = run_python(f"""
import npuprof.profiler as profiler
prof = {made}
prof.start()
prof.add_metadata("who", "me")
""", env={"NPUPROF_SIMULATE": "0"})
    assert "The program ends while the profiler is at work; it is stopped." in output
    assert "ERROR" not in output and "Traceback" not in output and "ImportError" not in output
    (result,) = complete_results(tmp_path / "out")
    with open(os.path.join(result, "profiler_metadata.json"), encoding="utf-8") as file:
        assert json.load(file)["who"] == "me"
    assert os.path.isdir(os.path.join(result, "ASCEND_PROFILER_OUTPUT"))


def test_a_profiler_without_handler_that_is_never_stopped(run_python, tmp_path):
    output = run_python("""
import npuprof.profiler as profiler
kept = profiler._KinetoProfile()
kept.start()
""", env={"NPUPROF_SIMULATE": "0"})
    assert "it is stopped" in output and "ERROR" not in output and "Traceback" not in output
    # Nobody can ask for an export any more.
    assert not (tmp_path / "export_only_prof_dir").exists()


def test_a_forked_child_does_not_stop_the_profiler_of_its_parent(run_python, tmp_path):
    output = run_python("""
import os, sys
import npuprof.profiler as profiler
prof = profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("out"))
prof.start()
if os.fork() == 0:
    sys.exit(0)
os.wait()
print("child ended", flush=True)
""", env={"NPUPROF_SIMULATE": "0"})
    assert output.index("child ended") < output.index("it is stopped")
    assert output.count("it is stopped") == 1
    assert len(complete_results(tmp_path / "out")) == 1
