"""`npuprof record` and `npuprof dynamic` on real programs."""

import glob
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import complete_results
from npuprof import _parser
from outputs import marks, needs_recorder, npuprof, query, ranges, timeline

pytestmark = needs_recorder

TRAINING = """
import os, sys, time
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("arguments", sys.argv[1:], flush=True)
step = 0
while step < int(os.environ.get("STEPS", "8")) and not os.path.exists("end"):
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    step += 1
    time.sleep(float(os.environ.get("STEP_S", "0")))
print("steps", step)
"""

PLAIN = """
import time
from npuprof import mstx
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    with mstx.annotate("turn", domain="loop"):
        time.sleep(0.01)
"""


@pytest.fixture
def record(tmp_path):
    """Runs a program under `npuprof record`; returns how it went and the new results."""
    def run(source, *options, arguments=(), env=None):
        (tmp_path / "program.py").write_text(source)
        environment = {**os.environ, **(env or {})}
        done = npuprof("record", "-o", "out", *options, "--", sys.executable, "program.py",
                       *arguments, cwd=tmp_path, env=environment)
        return done, sorted(glob.glob(f"{tmp_path}/out/*_ascend_pt"))

    return run


def steps_of(result):
    return [name for name, _, _ in ranges(result) if name.startswith("ProfilerStep#")]


def test_record_steps_of_an_unchanged_program(record):
    pytest.importorskip("torch")
    done, results = record(TRAINING, "--start-step", "3", "--active", "2", "--export", "text,db",
                           "--metadata", "model=linear", arguments=("--batch_size=2", "--", "x"))
    assert done.returncode == 0, done.stderr
    assert "arguments ['--batch_size=2', '--', 'x']" in done.stdout and "steps 8" in done.stdout
    (result,) = results
    assert f"Recorded: {result}" in done.stderr
    assert steps_of(result) == ["ProfilerStep#3", "ProfilerStep#4"]
    names = [name for name, _, _ in ranges(result)]
    assert names.count("aten::linear") == 2
    with open(os.path.join(result, "profiler_metadata.json"), encoding="utf-8") as file:
        assert json.load(file)["model"] == "linear"


def test_record_by_time(record):
    done, results = record(PLAIN.format(seconds=1.5), "--delay", "0.4", "--duration", "0.4",
                           "--mstx", "--level", "Level1", "--export", "text,db")
    assert done.returncode == 0, done.stderr
    (result,) = results
    turns = [row for row in marks(result) if row[:2] == ("turn", "loop")]
    # Some of the 150 turns, neither the first ones nor the last ones.
    assert 1 <= len(turns) < 120
    assert (turns[-1][3] - turns[0][2]) / 1e9 < 1.3


def test_record_a_whole_program(record):
    done, results = record(PLAIN.format(seconds=0.2), "--mstx", "--level", "Level1",
                           "--mstx-domain-include", "loop")
    assert done.returncode == 0, done.stderr
    (result,) = results
    turns = [event for event in timeline(result) if event["name"] == "turn"]
    assert len(turns) >= 2
    assert "is simulated" in done.stderr


def test_record_without_the_simulated_device(record):
    done, (result,) = record("pass", "--no-simulate", "--activities", "CPU,NPU", "--no-parse")
    assert done.returncode == 0, done.stderr
    assert "is simulated" not in done.stderr and "the NPU is not recorded" in done.stderr
    assert not glob.glob(f"{result}/PROF_*") and not os.path.exists(f"{result}/ASCEND_PROFILER_OUTPUT")


def test_the_status_of_the_program_is_passed_on(record):
    done, results = record("import sys\nsys.exit(9)")
    assert done.returncode == 9
    # What it did before is recorded and parsed.
    assert len(results) == 1 and os.path.exists(f"{results[0]}/ASCEND_PROFILER_OUTPUT")


def test_a_killed_program_leaves_a_result(record):
    done, results = record(PLAIN.format(seconds=0.5) + "import os\nos.kill(os.getpid(), 9)\n",
                           "--mstx", "--level", "Level1", "--export", "db")
    assert done.returncode == 128 + signal.SIGKILL
    assert "is not complete" in done.stderr
    (result,) = results
    assert len([row for row in marks(result) if row[0] == "turn"]) > 10


@pytest.mark.parametrize("program, options, env, reason", [
    ("pass", ("--active", 2), {}, "it made no optimizer of PyTorch, whose steps"),
    (TRAINING, ("--start-step", 20), {}, "its optimizer made 8 steps, and step 20 was to be"),
    (TRAINING, ("--active", 1, "--ranks", "1,3"), {"RANK": "2"},
     "rank 2 does not record, but these: 1, 3"),
    ("pass", ("--ranks", "1"), {}, "the rank of this process is not known"),
    ("pass", ("--delay", 600), {}, "it ended before the delay of 600 s did"),
    ("pass", (), {"PROFILING_MODE": "dynamic"}, "the variable PROFILING_MODE is set"),
    ("import os\nos.kill(os.getpid(), 9)", ("--active", 1), {}, "the program was killed before"),
])
def test_nothing_recorded_is_an_error(record, program, options, env, reason):
    if program is TRAINING:
        pytest.importorskip("torch")
    done, results = record(program, *options, env=env)
    assert done.returncode == (137 if "kill" in program else 3) and results == [], done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "nothing was recorded" in line]
    assert reason in line


def test_a_folder_that_cannot_be_made_is_told(record, tmp_path):
    (tmp_path / "out").write_text("a file")
    done, results = record("pass")
    assert done.returncode == 3 and results == []
    assert "the recorder could not begin, for the reason that was printed" in done.stderr


def test_ctrl_c_ends_the_program_and_the_result_is_whole(tmp_path):
    # One long sleep would not notice a signal that comes just before it.
    (tmp_path / "program.py").write_text(
        "import time\nprint('ready', flush=True)\nwhile True: time.sleep(0.05)\n")
    # Shells have programs in the background ignore the signal.
    process = subprocess.Popen(
        [_parser.binary(), "record", "-o", "out", "--", sys.executable, "program.py"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signal.SIGINT, errors
    assert "KeyboardInterrupt" in errors and "is not complete" not in errors
    assert len(complete_results(tmp_path / "out")) == 1


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"no {what}"
        time.sleep(0.05)


def test_a_running_job_is_switched_on_twice(tmp_path, run_python):
    pytest.importorskip("torch")
    from test_autostart import SITE
    process = run_python(TRAINING, background=True, env={
        "PYTHONPATH": SITE, "PROF_CONFIG_PATH": str(tmp_path / "conf"),
        "STEPS": "1000000", "STEP_S": "0.01"})
    try:
        assert process.stdout.readline() == "arguments []\n"
        assert (tmp_path / "conf" / "profiler_config.json").exists()
        for number, options in enumerate((("--active", 2, "--record-shapes", "-o", "out"),
                                          ("--active", 3, "--record-shapes=off")), 1):
            done = npuprof("dynamic", "conf", *options, cwd=tmp_path)
            assert done.returncode == 0 and done.stderr == "", done.stderr
            wait_for(lambda: len(complete_results(tmp_path / "out")) == number,
                     f"result number {number}")
    finally:
        (tmp_path / "end").write_text("")
        output = process.communicate(timeout=60)[0]
    assert process.returncode == 0, output
    found = complete_results(tmp_path / "out")
    for result, active, shapes in zip(sorted(found, key=lambda path: path[-25:]), (2, 3),
                                      (True, False)):
        assert npuprof("parse", result, "--export", "db", "--quiet").returncode == 0
        assert len(steps_of(result)) == active
        shown = query(result, "SELECT COUNT(*) FROM PYTORCH_API WHERE inputShapes IS NOT NULL")
        assert (shown[0][0] > 0) == shapes
