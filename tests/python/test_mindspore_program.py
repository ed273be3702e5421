"""Real MindSpore programs on the CPU, with an NPU simulated beside them."""

import csv
import glob
import json
import os
import re
import shutil
from collections import Counter
from decimal import Decimal

import pytest
from conftest import PYTHON_DIRECTORY, ROOT
from mindspore_tools import run_program, vendor_analysis, version
from outputs import needs_recorder, npuprof, npusim, parse

pytestmark = needs_recorder

# One process for all that can be seen in one: MindSpore takes seconds to load.
PROGRAM = """
import time
import mindspore
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, context, nn
from npuprof.mindspore import (DynamicProfilerMonitor, Profiler, ProfilerActivity, ProfilerLevel,
                               _ExperimentalConfig, mstx, profile, schedule,
                               tensorboard_trace_handler)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(8, 4)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.fc(x))

def make_step(graph):
    net, loss = Net(), nn.MSELoss()
    optimizer = nn.SGD(net.trainable_params(), 0.1)

    def forward(x, y):
        return loss(net(x), y)
    gradients = mindspore.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        value, grads = gradients(x, y)
        optimizer(grads)
        return value
    return mindspore.jit(step) if graph else step

x, y = Tensor(np.ones((2, 8), np.float32)), Tensor(np.ones((2, 4), np.float32))
config = _ExperimentalConfig(profiler_level=ProfilerLevel.Level1, data_simplification=False,
                             mstx=True)
for mode in ("pynative", "graph"):
    step = make_step(mode == "graph")
    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
                 on_trace_ready=tensorboard_trace_handler(mode, analyse_flag=False),
                 profile_memory=True, record_shapes=True, with_stack=mode == "pynative",
                 experimental_config=config) as profiler:
        for _ in range(8):
            opened = mstx.range_start("train")
            step(x, y).asnumpy()
            mstx.range_end(opened)
            profiler.step()

# As samples of MindSpore have it, but for the import.
context.set_context(mode=mindspore.GRAPH_MODE)

def generator():
    for _ in range(4):
        yield np.ones([2, 2]).astype(np.float32), np.ones([2]).astype(np.int32)

class Small(nn.Cell):
    def __init__(self):
        super(Small, self).__init__()
        self.fc = nn.Dense(2, 2)

    def construct(self, x):
        return self.fc(x)

def train(net, callbacks=None):
    optimizer = nn.Momentum(net.trainable_params(), 1, 0.9)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    data = ds.GeneratorDataset(generator, ["data", "label"])
    model = mindspore.train.Model(net, loss, optimizer)
    model.train(1, data, callbacks=callbacks, dataset_sink_mode=False)

tensorboard_trace_handler("older")
profiler = Profiler(data_process=True, profiler_level=ProfilerLevel.Level0,
                    activities=[ProfilerActivity.CPU, ProfilerActivity.NPU])
train(Small())
profiler.analyse()

with open("config/profiler_config.json", "w") as file:
    file.write('{"start_step": 2, "stop_step": 3}')
monitor = DynamicProfilerMonitor("config", output_path="dynamic", poll_interval=1)
while monitor._config() is None:
    time.sleep(0.05)
train(Small(), [monitor])

with profile(activities=[ProfilerActivity.CPU],
             on_trace_ready=tensorboard_trace_handler("host", analyse_flag=False)):
    step(x, y).asnumpy()
"""

OPERATORS = {"MatMul", "BiasAdd", "ReLU", "Square", "ReduceMean", "ReluGrad", "BiasAddGrad", "SGD"}


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory):
    """Where the program left its results."""
    folder = tmp_path_factory.mktemp("mindspore")
    (folder / "config").mkdir()
    output = run_program(PROGRAM, folder)
    assert "ERROR" not in output, output
    return folder


def only(pattern):
    (path,) = glob.glob(str(pattern))
    return path


def last_cycle(folder):
    paths = sorted(glob.glob(f"{folder}/*_ascend_ms"))
    assert len(paths) == 2
    return paths[-1]


def rows(result, name):
    with open(os.path.join(result, "ASCEND_PROFILER_OUTPUT", name), encoding="utf-8",
              newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module", name="parsed")
def _parsed(folder):
    """The results of the last cycle of each mode, by mode."""
    results = {}
    for mode in ("pynative", "graph"):
        results[mode] = last_cycle(folder / mode)
        assert parse(results[mode], "text,db") == 0
    return results


@pytest.mark.parametrize("mode", ["pynative", "graph"])
def test_each_operator_launches_its_kernel_in_its_step(parsed, mode):
    kernels = rows(parsed[mode], "kernel_details.csv")
    by_step = {}
    for kernel in kernels:
        assert "::KernelLaunch::" in kernel["Name"] or "LaunchTask::" in kernel["Name"]
        by_step.setdefault(kernel["Step ID"], []).append(kernel["Name"])
    # Two recorded steps of the second cycle, which are alike.
    assert sorted(by_step) == ["6", "7"]
    assert len(by_step["6"]) == len(by_step["7"]) >= len(OPERATORS)
    for operator in OPERATORS:
        assert any(re.search(rf"\b{operator}\b", name) for name in by_step["7"]), operator


def test_kernels_of_a_graph_know_their_shapes(parsed):
    (product,) = [kernel for kernel in rows(parsed["graph"], "kernel_details.csv")
                  if "Default/MatMul-op0" in kernel["Name"] and kernel["Step ID"] == "7"]
    assert product["Type"] == "MatMulV3"
    assert "2,8;8,4" in product["Input Shapes"].replace('"', "")


def test_pynative_kernels_know_their_inputs_backward_too(parsed):
    kernels = [kernel for kernel in rows(parsed["pynative"], "kernel_details.csv")
               if kernel["Step ID"] == "7"]

    def inputs(name):
        return [kernel["Input Shapes"].replace('"', "") for kernel in kernels
                if f"::{name}/" in kernel["Name"]]

    # A gradient of 2 x 4 with the weights: nobody wants that of the data.
    forward, backward = inputs("MatMul")
    assert forward in ("2,8;8,4", "2,8;4,8") and backward in ("4,2;2,8", "2,4;2,8")
    assert inputs("ReluGrad") == ["2,4;2,4"]
    # Methods of tensors, and what compiled code calls.
    assert all(shapes and shapes != "N/A" for name in ("Mul", "Square", "Sub", "SubExt")
               for shapes in inputs(name))
    assert {kernel["Type"] for kernel in kernels if "::MatMul/" in kernel["Name"]} == {"MatMulV3"}


@pytest.mark.parametrize("mode", ["pynative", "graph"])
def test_steps_take_their_time(parsed, mode):
    steps = rows(parsed[mode], "step_trace_time.csv")
    assert [row["Step"] for row in steps] == ["6", "7"]
    kernels = rows(parsed[mode], "kernel_details.csv")
    for row in steps:
        busy = sum(float(kernel["Duration(us)"]) for kernel in kernels
                   if kernel["Step ID"] == row["Step"])
        assert float(row["Computing"]) == pytest.approx(busy, abs=0.1)


def test_memory_is_that_of_the_pool(parsed):
    result = parsed["graph"]
    with open(f"{result}/FRAMEWORK/cpu_ms_memory_record_0.txt", encoding="utf-8") as file:
        totals = [tuple(map(int, line.split(","))) for line in list(file)[1:]]
    changes = sum(1 for before, after in zip(totals, totals[1:]) if before[1] != after[1])
    blocks = rows(result, "operator_memory.csv")
    taken = len(blocks) + sum(1 for block in blocks if block["Release Time(us)"] not in ("", "N/A"))
    assert 0 < changes - 1 <= taken <= changes + 1
    assert any("BiasAdd" in block["Name"] for block in blocks)


def test_frames_of_python_and_markers(parsed):
    with open(f"{parsed['pynative']}/ASCEND_PROFILER_OUTPUT/trace_view.json",
              encoding="utf-8") as file:
        names = {event["name"] for event in json.load(file)}
    assert any("nn.Cell.Net.construct" in name or "construct" in name for name in names)
    assert "train" in names


@pytest.mark.parametrize("source", ["raw", "results"])
def test_stacks_tell_which_python_calls_the_time_of_the_device_comes_from(parsed, tmp_path, source):
    path = parsed["pynative"]
    if source == "results":
        path = shutil.copytree(path + "/ASCEND_PROFILER_OUTPUT", tmp_path / "results")
    done = npuprof("export", path, "--to", "stacks", "--metric", "self_npu_time_total",
                   "-o", tmp_path / "stacks.log")
    assert done.returncode == 0, done.stderr
    lines = [line.rsplit(" ", 1) for line in (tmp_path / "stacks.log").read_text().splitlines()]
    dense = [(stack.split(";"), int(time)) for stack, time in lines
             if "nn.Cell.Dense.__call__" in stack]
    # Outermost first: the function of the program, the network, its layer.
    for stack, _ in dense:
        assert stack[0].startswith("program.py(") and stack[0].endswith("):step")
        assert any("nn.Cell.Net.__call__" in frame for frame in stack)
    kernels = rows(parsed["pynative"], "kernel_details.csv")
    forward = [kernel for kernel in kernels if kernel["Type"] == "MatMulV3"][::2]
    forward += [kernel for kernel in kernels if kernel["Type"] == "BiasAdd"]
    # In whole microseconds.
    assert len(dense) == len(forward) == 4
    assert 0 <= sum(float(kernel["Duration(us)"]) for kernel in forward) - sum(
        time for _, time in dense) < len(dense)
    assert not any(" at 0x" in stack for stack, _ in lines)


def test_cells_share_the_time_of_the_device(parsed, tmp_path):
    done = npuprof("analyze", "-m", "module_statistic", "-d", parsed["pynative"], "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "cluster_analysis_output/module_statistic/modules.csv", encoding="utf-8",
              newline="") as file:
        table = {row["Module"].strip(): row for row in csv.DictReader(file)}
    assert {"Net", "Dense", "ReLU", "MSELoss"} <= set(table)

    kernels = rows(parsed["pynative"], "kernel_details.csv")

    def kernel_time(*types):
        return pytest.approx(sum(float(kernel["Duration(us)"]) for kernel in kernels
                                 if not types or kernel["Type"] in types), abs=0.1)

    def time(module, column="Self(us)"):
        return float(table[module][column])

    assert sum(time(module) for module in table) == kernel_time()
    forward = [float(kernel["Duration(us)"]) for kernel in kernels
               if kernel["Type"] == "MatMulV3"][::2]
    assert time("Dense") == pytest.approx(sum(forward) + kernel_time("BiasAdd").expected, abs=0.1)
    assert time("ReLU") == kernel_time("ReLU") and time("MSELoss") > 0
    assert time("Net", "Total(us)") == pytest.approx(
        sum(forward) + kernel_time("BiasAdd", "ReLU").expected, abs=0.1)
    assert {table[cell]["Calls"] for cell in ("Net", "Dense", "ReLU", "MSELoss")} == {"2"}


def test_profiles_say_that_the_device_is_simulated(parsed):
    with open(f"{parsed['graph']}/profiler_info_0.json", encoding="utf-8") as file:
        info = json.load(file)
    assert info["simulated"] is True and info["ms_version"] == version()
    assert info["ms_profiler_info"] == {"rank_id": "0", "device_id": "0"}
    assert info["profiler_parameters"]["is_set_schedule"] is True


def test_the_data_pipeline_is_recorded(folder):
    result = only(folder / "older" / "*_ascend_ms")
    (stage,) = rows(result, "minddata_pipeline_raw_0.csv")
    assert stage["op_type"] == "GeneratorOp"
    assert {row["Operation"] for row in rows(result, "dataset.csv")} >= {"Pipeline"}


def test_a_monitor_among_the_callbacks_records_the_steps_that_were_asked_for(folder):
    result = only(folder / "dynamic" / "rank0_start2_stop3" / "*_ascend_ms")
    content = open(f"{result}/FRAMEWORK/mindspore.op_range", "rb").read()
    assert set(re.findall(rb"ProfilerStep#\d", content)) == {b"ProfilerStep#0", b"ProfilerStep#1"}


UNCHANGED_PROGRAM = """
import os
import mindspore
import numpy as np
from mindspore import Tensor, ops
for _ in range(3):
    ops.MatMul()(Tensor(np.ones((4, 4), np.float32)), Tensor(np.ones((4, 4), np.float32))).asnumpy()
print("own profiler", mindspore.profiler.EnvProfiler.profiler)
print("variable", len(os.environ["MS_PROFILER_OPTIONS"]))
"""


def test_the_environment_alone_records_a_program(tmp_path):
    options = ('{"start": true, "output_path": "out", "profiler_level": "Level1", '
               '"export_type": ["text", "db"]}')
    said = run_program(UNCHANGED_PROGRAM, tmp_path, env={
        "PYTHONPATH": os.path.join(PYTHON_DIRECTORY, "npuprof", "_site"),
        "MS_PROFILER_OPTIONS": options})
    # MindSpore's own profiler, which goes by the variable too, has not begun.
    assert f"own profiler None\nvariable {len(options)}\n" in said
    result = only(f"{tmp_path}/out/*_ascend_ms")
    assert [row["Type"] for row in rows(result, "kernel_details.csv")] == ["MatMulV3"] * 3
    only(f"{result}/ASCEND_PROFILER_OUTPUT/ascend_mindspore_profiler_0.db")


def test_without_the_device_times_are_those_of_the_day(folder):
    result = only(folder / "host" / "*_ascend_ms")
    assert not glob.glob(f"{result}/PROF_*")
    assert parse(result, "text") == 0
    with open(f"{result}/ASCEND_PROFILER_OUTPUT/trace_view.json", encoding="utf-8") as file:
        events = [event for event in json.load(file) if event["ph"] == "X"]
    now_us = os.stat(result).st_mtime * 1e6
    assert events and all(abs(float(event["ts"]) - now_us) < 3600e6 for event in events)
    assert any("KernelLaunch" in event["name"] for event in events)


# Our tables against those of MindSpore's own analysis: what it drops or gets wrong is listed in
# docs/compatibility.md, and left out here by columns.
TABLES = {
    "kernel_details.csv": (),
    "step_trace_time.csv": ("Stage", "Bubble"),
    "operator_memory.csv": (),
    "dataset.csv": (),
    "operator_details.csv": (),
    "minddata_pipeline_raw_0.csv": (),
}
COLLECTIVES = ("communication.json", "communication_matrix.json")


def compared(result, name, ignored):
    return [{column: cell.strip() for column, cell in row.items() if column not in ignored}
            for row in rows(result, name)]


def agree(own, other):
    """Texts are equal, or numbers but for rounding; doubles hold times of the day to 0.25 us."""
    if own == other:
        return True
    try:
        tolerance = 0.3 if float(own) > 1e12 else 0.0011
        return abs(float(own) - float(other)) <= tolerance
    except ValueError:
        return False


def assert_equal_tables(ours, theirs, name):
    assert len(ours) == len(theirs), name
    for own, other in zip(ours, theirs):
        assert list(own) == list(other), name
        for column, cell in own.items():
            assert agree(cell, other[column]), (name, column, cell, other[column], own)


def timeline(result):
    """How often each slice, and arrows of each kind, are in the timeline."""
    with open(f"{result}/ASCEND_PROFILER_OUTPUT/trace_view.json", encoding="utf-8") as file:
        events = json.load(file)
    names = {event["pid"]: event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "process_name"}
    slices = Counter((names[event["pid"]], event["tid"], event["name"], Decimal(str(event["ts"])),
                      Decimal(str(event["dur"]))) for event in events
                     # Operators of the host are 35 ns late in MindSpore's, scopes follow them.
                     if event["ph"] == "X" and float(event["dur"]) > 0 and
                     names[event["pid"]] not in ("CPU OP", "Scope Layer"))
    arrows = Counter((event["cat"], event["ph"]) for event in events if event["ph"] in "sf")
    # MindSpore leaves out flows whose number comes again.
    flows = {phase: arrows.pop(("async_mindspore", phase), 0) for phase in "sf"}
    return slices, arrows, flows


@pytest.fixture(scope="module", name="vendor")
def _vendor(parsed, tmp_path_factory):
    """Our result directory and one that MindSpore analysed, by what they are of."""
    folder = tmp_path_factory.mktemp("vendor")
    npusim("transformer", "--framework", "mindspore", "--layers", 1, "--hidden", 256, "--heads", 4,
           "--sequence", 64, "--vocabulary", 1000, "--steps", 2, "--data-process", "--with-modules",
           "-o", folder / "job")
    simulated = only(folder / "job" / "*_ascend_ms")
    assert parse(simulated, "text") == 0
    npusim("transformer", "--framework", "mindspore", "--layers", 1, "--hidden", 256, "--heads", 4,
           "--sequence", 64, "--vocabulary", 1000, "--steps", 2, "--ranks", 2, "--tp", 2,
           "-o", folder / "ranks")
    rank = sorted(glob.glob(str(folder / "ranks" / "*_ascend_ms")))[0]
    assert parse(rank, "text") == 0
    pairs = {}
    for name, result in {**parsed, "simulated": simulated, "rank": rank}.items():
        other = str(folder / f"{name}_ascend_ms")
        shutil.copytree(result, other,
                        ignore=shutil.ignore_patterns("ASCEND_PROFILER_OUTPUT", "logs"))
        pairs[name] = (result, other)
    said = vendor_analysis([other for _, other in pairs.values()], folder)
    assert "[ERROR]" not in said, said
    return pairs


@pytest.mark.parametrize("name, tables", [("pynative", 4), ("graph", 4),
                                          ("simulated", len(TABLES))])
def test_mindspore_reads_what_we_write_and_agrees(vendor, name, tables):
    ours, theirs = vendor[name]
    compared_tables = 0
    for table, ignored in TABLES.items():
        if os.path.exists(f"{theirs}/ASCEND_PROFILER_OUTPUT/{table}"):
            assert_equal_tables(compared(ours, table, ignored), compared(theirs, table, ignored),
                                table)
            compared_tables += 1
    assert compared_tables == tables
    our_slices, our_arrows, our_flows = timeline(ours)
    their_slices, their_arrows, their_flows = timeline(theirs)
    assert (our_slices, our_arrows) == (their_slices, their_arrows)
    assert all(our_flows[phase] >= their_flows[phase] for phase in "sf")


def assert_equal_json(ours, theirs, place):
    if isinstance(ours, dict):
        # Sums have a bandwidth and a share of large packets here.
        own = {"Bandwidth(GB/s)", "Large Packet Ratio"} if "Total Op Info" in place else set()
        assert set(ours) - own == set(theirs), place
        for key, value in theirs.items():
            assert_equal_json(ours[key], value, (*place, key))
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), place
        for number, value in enumerate(ours):
            assert_equal_json(value, theirs[number], (*place, number))
    else:
        assert agree(str(ours), str(theirs)), (place, ours, theirs)


def test_the_summary_of_the_data_pipeline_is_that_of_mindspore(vendor):
    """But for the sentences, which are worded by us. Lines have as many cells as there are values."""
    def lines(result):
        path = f"{result}/ASCEND_PROFILER_OUTPUT/minddata_pipeline_summary_0.csv"
        with open(path, encoding="utf-8", newline="") as file:
            return {line[0]: line[1:] for line in csv.reader(file)}

    ours, theirs = (lines(result) for result in vendor["simulated"])
    assert list(ours) == list(theirs)
    for key, cells in theirs.items():
        if "analysis_details" in key or key == "bottleneck_suggestion":
            assert len(ours[key]) == len(cells), key
        else:
            assert ours[key] == cells, key


@pytest.mark.parametrize("name", COLLECTIVES)
def test_mindspore_divides_collectives_as_we_do(vendor, name):
    ours, theirs = (json.load(open(f"{result}/ASCEND_PROFILER_OUTPUT/{name}", encoding="utf-8"))
                    for result in vendor["rank"])
    assert len(ours) == 2 and all(step["collective"] for step in ours.values())
    assert_equal_json(ours, theirs, ())


BY_MINDSPORE = """
import mindspore
import numpy as np
from mindspore import nn
from mindspore.profiler import ProfilerActivity, profile, tensorboard_trace_handler

net = nn.SequentialCell(nn.Dense(16, 16), nn.ReLU(), nn.Dense(16, 4))
data = mindspore.Tensor(np.ones((4, 16), np.float32))
net(data).asnumpy()
with profile(activities=[ProfilerActivity.CPU], profile_memory=True,
             on_trace_ready=tensorboard_trace_handler("results")) as profiler:
    for _ in range(3):
        net(data).asnumpy()
        profiler.step()
"""


def test_what_mindspore_itself_recorded_on_the_cpu_is_read_as_it_reads_it(tmp_path):
    run_program(BY_MINDSPORE, tmp_path)
    theirs = only(tmp_path / "results" / "*_ascend_ms")
    ours = str(tmp_path / "ours_ascend_ms")
    shutil.copytree(theirs, ours, ignore=shutil.ignore_patterns("ASCEND_PROFILER_OUTPUT"))
    assert parse(ours, "text") == 0

    def slices(result):
        with open(f"{result}/ASCEND_PROFILER_OUTPUT/trace_view.json", encoding="utf-8") as file:
            return sorted((event["name"], event["tid"], float(event["ts"]), float(event["dur"]))
                          for event in json.load(file) if event["ph"] == "X")

    assert len(slices(ours)) == len(slices(theirs)) > 15
    for own, other in zip(slices(ours), slices(theirs)):
        assert own[:2] == other[:2]
        assert abs(own[2] - other[2]) < 0.5 and abs(own[3] - other[3]) < 0.002, (own, other)


@pytest.mark.parametrize("damage", ["cut", "no_info", "no_ranges", "garbage"])
def test_broken_directories_give_what_is_whole(parsed, tmp_path, damage):
    result = str(tmp_path / "x_ascend_ms")
    shutil.copytree(parsed["graph"], result,
                    ignore=shutil.ignore_patterns("ASCEND_PROFILER_OUTPUT"))
    ranges = f"{result}/FRAMEWORK/mindspore.op_range"
    if damage == "cut":
        os.truncate(ranges, os.path.getsize(ranges) - 7)
    elif damage == "no_info":
        os.unlink(f"{result}/profiler_info_0.json")
    elif damage == "no_ranges":
        os.unlink(ranges)
    else:
        with open(ranges, "r+b") as file:
            file.seek(100)
            file.write(b"\xff" * 200)
    done = npuprof("parse", result, "--export", "text", "--quiet")
    assert done.returncode in (0, 1), done.stderr
    assert len(rows(result, "kernel_details.csv")) == len(
        rows(parsed["graph"], "kernel_details.csv"))


def test_the_example(tmp_path):
    with open(os.path.join(ROOT, "examples", "mindspore_steps.py"), encoding="utf-8") as file:
        output = run_program(file.read(), tmp_path, "results")
    assert output.count("loss") == 8
    result = only(tmp_path / "results" / "*_ascend_ms")
    assert len(rows(result, "step_trace_time.csv")) == 2
    assert any("MatMul" in row["Name"] for row in rows(result, "kernel_details.csv"))
