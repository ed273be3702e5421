"""The samples of MindSpore's own documentation, run with the import changed and nothing else; and
programs that forget to end their profiler.

They are taken from the doc strings of the installed package, so they are those that users copy.
"""

import csv
import glob
import json
import os
import re
from collections import Counter

import pytest
from mindspore_tools import run_program
from outputs import needs_recorder, parse, timeline

pytestmark = needs_recorder

# One process loads MindSpore and forks for each sample. Samples that are the same but for comments
# and lay-out run once. What a sample only defines, or expects to be there, is added here.
PROGRAM = """
import ast, atexit, doctest, importlib, inspect, json, os, re, runpy, shutil, sys, traceback
import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

DATA_LINES = 4
ALIKE = ("tensorboard_trace_handler",)  # That of profile, with other names for its functions.

class Small(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2)

    def construct(self, x):
        return self.fc(x)

def lines():
    for _ in range(DATA_LINES):
        yield np.ones([2, 2], np.float32), np.ones([2], np.int32)

class LeNet5(nn.Cell):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(1, 2, 3, has_bias=True)
        self.flat, self.fc = nn.Flatten(), nn.Dense(2 * 8 * 8, 10)

    def construct(self, x):
        return self.fc(self.flat(self.convolution(x)))

def create_dataset():
    return ds.GeneratorDataset([(np.ones([1, 8, 8], np.float32), np.int32(1))] * 2,
                               ["data", "label"]).batch(2)

def train(callback, epochs=1):
    net = Small()
    model = mindspore.train.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True),
                                  nn.Momentum(net.trainable_params(), 1, 0.9))
    model.train(epochs, ds.GeneratorDataset(lines, ["data", "label"]), callbacks=[callback])

def ask_for_steps():
    os.makedirs("dyn_cfg")
    with open("dyn_cfg/profiler_config.json", "w") as file:
        json.dump({"start_step": 2, "stop_step": 3, "analyse": True}, file)

BEFORE = {
    "Profiler.offline_analyse": lambda: shutil.copytree("../Profiler/data", "profiling_path"),
    "analyse": lambda: shutil.copytree("../Profiler/data", "profiling_path"),
    "DynamicProfilerMonitor": ask_for_steps,
}
AFTER = {
    "Profiler.start": lambda sample: train(sample["StopAtStep"](2, 3)),
    "Profiler.stop": lambda sample: train(sample["StopAtEpoch"](2, 2), epochs=3),
    "Profiler.analyse": lambda sample: train(sample["StopAtStep"]()),
    "DynamicProfilerMonitor": lambda sample: sample["train"](sample["Net"]()),
    "Profiler.op_analyse": lambda sample: print("ANSWER", sample["profiler"].op_analyse(
        op_name=["BiasAdd", "Conv2D"])),
}

def documented(module):
    for name, found in vars(module).items():
        if getattr(found, "__module__", "") == module.__name__:
            yield name, found
            if inspect.isclass(found):
                for key, member in vars(found).items():
                    yield f"{name}.{key}", getattr(member, "__func__", member)

def samples():
    seen = set()
    for name in ("profiler", "schedule", "experimental_config", "mstx", "dynamic_profiler"):
        module = importlib.import_module(f"mindspore.profiler.{name}")
        for place, found in documented(module):
            if inspect.isclass(found) or inspect.isfunction(found):
                examples = doctest.DocTestParser().get_examples(found.__doc__ or "")
                text = "".join(example.source for example in examples)
                if text and place not in ALIKE and ast.dump(ast.parse(text)) not in seen:
                    seen.add(ast.dump(ast.parse(text)))
                    yield place, text

def with_our_import(text):
    text = re.sub(r"^from mindspore import (.*, )?Profiler$",
                  lambda found: "from npuprof.mindspore import Profiler" + (
                      f"; from mindspore import {found[1][:-2]}" if found[1] else ""),
                  text, flags=re.MULTILINE)
    text = "import npuprof.mindspore; " + text.replace("mindspore.profiler", "npuprof.mindspore")
    return text.replace('"Ascend"', '"CPU"')  # MindSpore for the CPU knows no other device.

# Programs that never stop their profiler; of the second nobody is left who could.
FORGETFUL = {
    "left_running": '''
import mindspore
from npuprof.mindspore import Profiler, ProfilerLevel
profiler = Profiler(profiler_level=ProfilerLevel.Level1)
mindspore.ops.relu(mindspore.Tensor([1.0, -1.0])).asnumpy()
''',
    "started_at_the_end": '''
import atexit
kept = []
atexit.register(lambda: kept.append(npuprof.mindspore.profile()))
import npuprof.mindspore
''',
}

def run(place):
    output = os.open("output.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    BEFORE.get(place, lambda: None)()
    extras = {"LeNet5": LeNet5, "create_dataset": create_dataset}
    sample = runpy.run_path("sample.py", extras, "__main__")
    AFTER.get(place, lambda sample: None)(sample)
    return sample

kept = None
for place, text in [*((place, with_our_import(text)) for place, text in samples()),
                    *FORGETFUL.items()]:
    os.makedirs(place)
    with open(f"{place}/sample.py", "w") as file:
        file.write(text)
    child = os.fork()
    if child == 0:
        os.chdir(place)
        try:
            kept = run(place)
        except BaseException:
            traceback.print_exc()
        if place in FORGETFUL:
            sys.exit(0)
        # The end of a program, without the second that MindSpore needs to take itself down.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(0)
    print("ENDED", place, os.waitpid(child, 0)[1], flush=True)
"""

FIRST_STEP, LATER_STEPS = ["0"], ["4", "5"]

# Each sample, the directory with its results, and the steps that they tell: None if it chose none.
SAMPLES = {
    "Profile": ("data", FIRST_STEP),
    "Profile.start": ("data", FIRST_STEP),
    "Schedule": ("data", LATER_STEPS),
    "Profiler.step": ("data", LATER_STEPS),
    "Profiler": ("data", None),
    "Profiler.start": ("data", None),
    "Profiler.stop": ("data", None),
    "Profiler.analyse": ("data", None),
    "Profiler.offline_analyse": ("profiling_path", None),
    "Profiler.op_analyse": ("data", None),
    "analyse": ("profiling_path", None),
    "DynamicProfilerMonitorBase.step": ("data/rank0_start2_stop5", ["1", "2", "3", "4"]),
    "DynamicProfilerMonitor": ("dyn_prof_data/rank0_start2_stop3", ["0", "1"]),
}
FORGETFUL = ("left_running", "started_at_the_end")
MARKS = ("Mstx.mark", "Mstx.range_start")
METADATA = {
    "Profiler.add_metadata": "test_value",
    "Profiler.add_metadata_json": {"key1": 1, "key2": 2},
    "Profile.add_metadata": "test_value",
    "Profile.add_metadata_json": {"key1": 1, "key2": 2},
}


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory):
    """One folder for each sample."""
    folder = tmp_path_factory.mktemp("samples")
    ended = re.findall(r"^ENDED (\S+) (\d+)$", run_program(PROGRAM, folder), re.MULTILINE)
    assert [place for place, status in ended if status != "0"] == []
    assert {place for place, _ in ended} == {*SAMPLES, *MARKS, *METADATA, *FORGETFUL}
    return folder


def only(pattern):
    (path,) = glob.glob(str(pattern))
    return path


def rows(result, name):
    with open(f"{result}/ASCEND_PROFILER_OUTPUT/{name}", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", [*SAMPLES, *MARKS, *METADATA])
def test_no_sample_fails(folder, name):
    said = (folder / name / "output.txt").read_text()
    assert "Traceback" not in said, said
    # MindSpore itself complains of streams, which the CPU has not.
    assert not re.search(r"\[ERROR\] \[\d+\] profiler.py", said), said


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_leave_kernels_of_the_steps_they_choose(folder, name):
    parent, steps = SAMPLES[name]
    result = only(folder / name / parent / "*_ascend_ms")
    kernels = rows(result, "kernel_details.csv")
    assert any("MatMul" in kernel["Name"] for kernel in kernels)
    if steps:
        assert sorted({kernel["Step ID"] for kernel in kernels}) == steps
        assert [row["Step"] for row in rows(result, "step_trace_time.csv")] == steps


def test_callbacks_record_the_steps_they_are_made_with(folder):
    def products(name):
        kernels = rows(only(folder / name / "data" / "*_ascend_ms"), "kernel_details.csv")
        return sum("::MatMul/" in kernel["Name"] for kernel in kernels)

    # Steps 2 and 3; four steps of the second epoch; steps 1 to 4, after which the training ends.
    assert products("Profiler.start") == 4
    assert products("Profiler.stop") == products("Profiler.analyse") == 8


@pytest.mark.parametrize("name", METADATA)
def test_samples_leave_their_notes(folder, name):
    path = only(folder / name / "data" / "*_ascend_ms" / "profiler_metadata.json")
    with open(path, encoding="utf-8") as file:
        assert json.load(file) == {"test_key": METADATA[name]}


@pytest.mark.parametrize("name, calls, shown", [
    ("Mstx.mark", {"Other::Execute::Mark": 9}, {"train start": 6, "train end": 3}),
    ("Mstx.range_start", {"Other::Execute::RangeStart": 6, "Other::Execute::RangeEnd": 6},
     {"training process": 6}),
])
def test_samples_leave_their_markers(folder, name, calls, shown):
    events = timeline(only(folder / name / "data" / "*_ascend_ms"))
    counts = Counter(event["name"] for event in events if event["ph"] == "X")
    assert {**calls, **shown} == {key: counts[key] for key in {**calls, **shown}}


def test_times_of_operators_are_told_as_json(folder):
    (text,) = re.findall("ANSWER (.*)", (folder / "Profiler.op_analyse/output.txt").read_text())
    answer = json.loads(text)
    assert answer["device_id"] == 0
    assert [entry["op_occurrences"] for entry in answer["Conv2D"]] == [5]


def test_what_a_program_leaves_running_is_completed_at_its_end(folder):
    said = (folder / "left_running" / "output.txt").read_text()
    assert "The program ends while the profiler is at work" in said and "Traceback" not in said
    result = only(folder / "left_running" / "data" / "*_ascend_ms")
    assert parse(result, "text") == 0
    assert any("ReLU" in kernel["Name"] for kernel in rows(result, "kernel_details.csv"))


def test_a_profiler_that_goes_with_the_interpreter_says_so_and_leaves_its_data(folder):
    said = (folder / "started_at_the_end" / "output.txt").read_text()
    assert "its data may be incomplete" in said and "Traceback" not in said
    assert "Error" not in said and "ERROR" not in said
    assert os.path.isdir(only(folder / "started_at_the_end" / "data" / "*_ascend_ms/FRAMEWORK"))
