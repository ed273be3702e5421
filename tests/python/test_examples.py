"""Each example runs as its own text says, and leaves what it promises."""

import csv
import glob
import os
import subprocess
import sys
import time

import pytest
from conftest import PYTHON_DIRECTORY
from outputs import needs_recorder, npuprof

pytest.importorskip("torch")
pytestmark = needs_recorder

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples")


def _command(name, *arguments):
    return [sys.executable, os.path.join(EXAMPLES, name), *map(str, arguments)]


def _environment():
    return {**os.environ, "PYTHONPATH": PYTHON_DIRECTORY}


def _run(command):
    done = subprocess.run(command, env=_environment(), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=240, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def _outputs(results):
    return sorted(glob.glob(os.path.join(results, "*_ascend_pt", "ASCEND_PROFILER_OUTPUT")))


def _rows(output, name):
    with open(os.path.join(output, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _kernel_names(output):
    return {row["Name"] for row in _rows(output, "kernel_details.csv")}


def test_profile_steps(tmp_path):
    _run(_command("profile_steps.py", tmp_path))
    (output,) = _outputs(tmp_path)
    assert any("MatMul" in name for name in _kernel_names(output))
    assert len(_rows(output, "step_trace_time.csv")) == 3
    products = [row for row in _rows(output, "operator_details.csv")
                if row["Name"] == "aten::addmm"]
    assert len(products) == 6
    assert all(float(row["Device Self Duration(us)"]) > 0 for row in products)
    assert glob.glob(os.path.join(output, "ascend_pytorch_profiler*.db"))


def test_profile_start_stop(tmp_path):
    printed = _run(_command("profile_start_stop.py", tmp_path))
    assert "aten::addmm" in printed
    assert os.path.getsize(tmp_path / "trace.json") > 1000
    stacks = (tmp_path / "stacks.log").read_text(encoding="utf-8")
    assert "toy_model.py" in stacks
    assert "</html>" in (tmp_path / "memory.html").read_text(encoding="utf-8")


def test_markers(tmp_path):
    _run(_command("markers.py", tmp_path))
    (output,) = _outputs(tmp_path)
    with open(os.path.join(output, "trace_view.json"), encoding="utf-8") as file:
        text = file.read()
    for name in ("step 0", "step 2", "done", "ToyModel"):
        assert name in text


def test_profile_on_request(tmp_path):
    config, results = tmp_path / "config", tmp_path / "results"
    with subprocess.Popen(_command("profile_on_request.py", config, 120), env=_environment(),
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as training:
        try:
            for count in (1, 2):
                _wait_for(lambda: (config / "profiler_config.json").exists())
                done = npuprof("dynamic", config, "--active", "2", "--analyse", "-o", results)
                assert done.returncode == 0, done.stderr
                _wait_for(lambda: len(glob.glob(str(results / "*_ascend_pt" / "*OUTPUT" /
                                                    "kernel_details.csv"))) == count)
        finally:
            training.kill()


def _wait_for(condition, seconds=100):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_train_unchanged(tmp_path):
    done = npuprof("record", "--start-step", "2", "--active", "3", "-o", tmp_path, "--",
                   *_command("train.py"), env=_environment())
    assert done.returncode == 0, done.stderr
    (output,) = _outputs(tmp_path)
    assert any("MatMul" in name for name in _kernel_names(output))
    assert len(_rows(output, "step_trace_time.csv")) == 3
