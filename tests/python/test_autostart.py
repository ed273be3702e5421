"""Programs that do not mention the profiler, hooks into modules not imported yet."""

import glob
import json
import os
import re
import sys
import threading
import time
import types

import pytest

from conftest import PYTHON_DIRECTORY, complete_results
from npuprof import _autostart, _backend, _import_hook, _optimizer_hook

SITE = os.path.join(PYTHON_DIRECTORY, "npuprof", "_site")

TRAINING = """
import os, sys, time
import torch
model = torch.nn.Linear(4, 1)
other = torch.optim.Adam(model.parameters())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5)
print("npuprof" in sys.modules, flush=True)
step = 0
while step < int(os.environ.get("STEPS", "8")) and not os.path.exists("end"):
    model(torch.ones(2, 4)).sum().backward()
    other.step()
    optimizer.step()
    scheduler.step()
    step += 1
    time.sleep(float(os.environ.get("STEP_S", "0")))
print("steps", step)
"""


def results(tmp_path):
    return sorted(glob.glob(f"{tmp_path}/results/*_ascend_pt"))


def step_names(result):
    with open(os.path.join(result, "FRAMEWORK", "torch.op_range"), "rb") as file:
        return [match.decode() for match in re.findall(rb"ProfilerStep#\d+", file.read())]


def request(tmp_path, **values):
    return json.dumps({"prof_dir": str(tmp_path / "results"), **values})


def test_dynamic_profiling_of_an_unchanged_program(run_python, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "sitecustomize.py").write_text("import builtins\nbuiltins.chained = 'chained'\n")
    process = run_python(TRAINING + "print(chained)\n", background=True, env={
        "PYTHONPATH": f"{SITE}:{tmp_path}", "PROF_CONFIG_PATH": str(tmp_path / "cfg"),
        "STEPS": "1000000", "STEP_S": "0.01"})
    assert process.stdout.readline() == "True\n"
    config = json.loads((tmp_path / "cfg" / "profiler_config.json").read_text())
    config.update(start_step=-1, active=2, prof_dir=str(tmp_path / "results"))
    (tmp_path / "cfg" / "profiler_config.json").write_text(json.dumps(config))
    end = time.monotonic() + 30
    while not complete_results(tmp_path / "results"):
        assert time.monotonic() < end, "nothing was recorded"
        time.sleep(0.05)
    (tmp_path / "end").write_text("")
    output = process.communicate(timeout=30)[0]
    assert process.returncode == 0 and "chained" in output
    (log,) = glob.glob(f"{tmp_path}/cfg/log/dp_*.log")
    with open(log, encoding="utf-8") as file:
        text = file.read()
    start, stop = (int(re.search(rf"{word} Dynamic Profiler at (\d+) step", text).group(1))
                   for word in ("Start", "Stop"))
    assert stop - start == 2


def test_import_is_enough_for_dynamic_profiling(run_python, tmp_path):
    pytest.importorskip("torch")
    # Only the optimizer made last counts, and it counts once a step.
    program = "import npuprof\n" + TRAINING + \
        "print('counted', npuprof.dynamic_profile._controller._cur_step)\n"
    output = run_python(program, env={"PROF_CONFIG_PATH": str(tmp_path / "cfg"), "STEPS": "5"})
    assert "counted 5" in output
    assert (tmp_path / "cfg" / "profiler_config.json").exists()


def test_record_by_steps(run_python, tmp_path):
    pytest.importorskip("torch")
    run_python(TRAINING, env={"PYTHONPATH": SITE,
                              "NPUPROF_RECORD": request(tmp_path, active=2, start_step=3)})
    (result,) = results(tmp_path)
    assert step_names(result) == ["ProfilerStep#3", "ProfilerStep#4"]


def test_a_recording_to_the_end_has_the_steps_of_the_optimizer(run_python, tmp_path):
    pytest.importorskip("torch")
    run_python(TRAINING, env={"PYTHONPATH": SITE, "STEPS": "3",
                              "NPUPROF_RECORD": request(tmp_path)})
    (result,) = results(tmp_path)
    # After the last one no other step is under way.
    assert step_names(result) == ["ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"]


def test_a_recording_that_begins_late_counts_all_steps(monkeypatch):
    hooks, ranges = {}, []
    monkeypatch.setattr(_optimizer_hook, "when_constructed",
                        lambda function: hooks.update(construct=function))
    monkeypatch.setattr(_optimizer_hook, "after_each_step",
                        lambda function: hooks.update(step=function))
    monkeypatch.setattr(_backend, "range_push", ranges.append)
    monkeypatch.setattr(_backend, "range_pop", lambda: ranges.append("end"))
    steps = _autostart._Steps()
    steps.watch()
    hooks["construct"]()
    hooks["step"]()
    hooks["step"]()
    assert ranges == []
    steps.is_recorded = True
    hooks["step"]()
    on_other_thread = threading.Thread(target=hooks["step"])
    on_other_thread.start()
    on_other_thread.join()
    hooks["step"]()
    steps.is_recorded = False
    steps.close()
    # A range that another thread began is not ended here.
    assert ranges == ["ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5", "end"]


PLAIN = """
import gc, os, threading, time
from npuprof import _backend
class Session(_backend.Session):
    def start(self):
        print("start", threading.current_thread() is threading.main_thread(), flush=True)
        return super().start()
    def stop(self):
        print("stop", threading.current_thread() is threading.main_thread(), flush=True)
        super().stop()
    def finalize(self):
        global stopped
        super().finalize()
        stopped = True
stopped = False
_backend.Session = Session
print("begin", flush=True)
end = time.monotonic() + 20
while time.monotonic() < end and not {done}:
    sum(range(1000))
print("end", flush=True)
"""


def words(output):
    return [line for line in output.splitlines() if not line.startswith(("[", "npuprof:"))]


def test_record_by_time(run_python, tmp_path):
    program = PLAIN.format(done="stopped")
    output = run_python(program, env={
        "PYTHONPATH": SITE,
        "NPUPROF_RECORD": request(tmp_path, delay_seconds=0.3, duration_seconds=0.2)})
    assert words(output) == ["begin", "start True", "stop True", "end"]
    assert len(results(tmp_path)) == 1
    assert "incomplete" not in output


def test_record_to_the_end(run_python, tmp_path):
    path = tmp_path / "request.json"
    path.write_text(request(tmp_path, experimental_config={"gc_detect_threshold": 0}))
    run_python("import gc\ngc.collect()\n", env={"PYTHONPATH": SITE,
                                                 "NPUPROF_RECORD": str(path)})
    (result,) = results(tmp_path)
    assert os.path.getsize(os.path.join(result, "FRAMEWORK", "torch.gc_record")) >= 24


@pytest.mark.parametrize("text", ["{broken", "/nowhere/x.json", "[1]"])
def test_unreadable_request(run_python, text):
    output = run_python("print('runs')", env={"PYTHONPATH": SITE, "NPUPROF_RECORD": text})
    assert "NPUPROF_RECORD cannot be read" in output and "runs" in output


def test_package_that_cannot_be_loaded(run_python, tmp_path):
    (tmp_path / "pkg" / "_site").mkdir(parents=True)
    (tmp_path / "pkg" / "__init__.py").write_text("1 / 0")
    with open(os.path.join(SITE, "sitecustomize.py"), encoding="utf-8") as file:
        (tmp_path / "pkg" / "_site" / "sitecustomize.py").write_text(file.read())
    output = run_python("import sys\nprint('npuprof' in sys.modules)", env={
        "PYTHONPATH": str(tmp_path / "pkg" / "_site"), "NPUPROF_RECORD": "{}"})
    assert "cannot be loaded" in output and output.endswith("False\n")


def test_console_lines_stay_out_of_the_output_of_the_program(run_python, tmp_path):
    program = ("import subprocess, sys\n"
               "done = subprocess.run([sys.executable, '-c', 'print(5)'], capture_output=True)\n"
               "print('output', done.stdout, 'errors', b'[WARNING]' in done.stderr)\n")
    output = run_python(program, env={"PYTHONPATH": SITE, "NPUPROF_RECORD": request(
        tmp_path, experimental_config={"host_sys": 5})})
    assert "output b'5\\n' errors True\n" in output


def test_without_a_request_nothing_is_loaded(run_python):
    assert run_python("import sys\nprint('npuprof' in sys.modules)",
                      env={"PYTHONPATH": SITE}) == "False\n"


def test_import_does_not_import_a_framework(run_python):
    assert run_python("import npuprof, sys\nprint(sorted({'torch', 'numpy', 'torch_npu'} & "
                      "set(sys.modules)))") == "[]\n"


def test_helper_processes(monkeypatch):
    for arguments, helper in ((["python", "train.py"], False),
                              (["python", "-m", "torch.distributed.run", "train.py"], True),
                              (["python", "-c", "from multiprocessing.spawn import x"], True),
                              (["python", "-c", "print(1)"], False)):
        monkeypatch.setattr(sys, "orig_argv", arguments)
        assert _autostart._is_helper() is helper, arguments
        monkeypatch.setenv("RANK", "0")
        assert _autostart._is_helper() is False
        monkeypatch.delenv("RANK")


# -- hooks ----------------------------------------------------------------------------------------

def test_import_hook(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "hooked_package").mkdir()
    (tmp_path / "hooked_package" / "__init__.py").write_text("from .inner import value\n")
    (tmp_path / "hooked_package" / "inner.py").write_text("value = 1\n")
    seen = []

    def change(module):
        seen.append(module.__name__)
        module.value = 2

    _import_hook.when_imported("hooked_package.inner", change)
    assert seen == []
    import hooked_package  # noqa: F401  pylint: disable=import-error
    assert seen == ["hooked_package.inner"]
    assert hooked_package.value == 2, "names bound from the module see the change"
    assert type(hooked_package.inner.__loader__).__module__ != "npuprof._import_hook"
    assert hooked_package.inner.__spec__.loader is hooked_package.inner.__loader__
    _import_hook.when_imported("hooked_package.inner", change)
    assert len(seen) == 2


def test_import_hook_that_fails(tmp_path, monkeypatch, console):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "hooked_module.py").write_text("value = 1\n")
    _import_hook.when_imported("hooked_module", lambda module: module.absent)
    import hooked_module  # pylint: disable=import-error
    assert hooked_module.value == 1 and len(console.texts("ERROR")) == 1


def test_absent_modules_stay_absent():
    _import_hook.when_imported("hooked_but_absent", lambda module: None)
    with pytest.raises(ModuleNotFoundError):
        __import__("hooked_but_absent")


def test_step_of_a_base_class_counts_once():
    torch = pytest.importorskip("torch")

    class Careful(torch.optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            return "done"

    count = []
    end = _optimizer_hook.after_each_step(lambda: count.append(1))
    parameter = torch.nn.Parameter(torch.ones(1))
    torch.optim.SGD([parameter], lr=1)  # Its class is hooked too.
    careful = Careful([parameter], lr=1)
    assert careful.step() == "done" and careful.step() == "done"
    assert len(count) == 2
    end()
    careful.step()
    assert len(count) == 2


def test_failing_step_raises_as_before():
    torch = pytest.importorskip("torch")

    class Failing(torch.optim.SGD):
        def step(self, closure=None):
            raise ArithmeticError

    count = []
    end = _optimizer_hook.after_each_step(lambda: count.append(1))
    optimizer = Failing([torch.nn.Parameter(torch.ones(1))], lr=1)
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            optimizer.step()
    end()
    assert count == []


def test_optimizers_of_newer_pytorch():
    class Optimizer:
        def __init__(self):
            self._patch_step_function()

        def _patch_step_function(self):
            self.patched = True

        def step(self):
            return 1

    _optimizer_hook._hook_optimizers(types.SimpleNamespace(Optimizer=Optimizer))
    count = []
    end = _optimizer_hook.after_each_step(lambda: count.append(1))
    first, last = Optimizer(), Optimizer()
    assert first.patched and first.step() == 1 and last.step() == 1
    end()
    assert len(count) == 1


def test_optimizers_that_cannot_be_followed(console):
    _optimizer_hook._hook_optimizers(types.SimpleNamespace(Optimizer=type("Optimizer", (), {})))
    assert len(console.texts("ERROR")) == 1
