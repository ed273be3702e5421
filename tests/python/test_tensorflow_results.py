"""Which files the options of a TensorFlow program lead to, on simulated jobs."""

import csv
import glob
import json
import os
import re

import pytest
from peer_tools import run

from npuprof import _parser

_PROGRAM = _parser.binary()
_SIMULATOR = os.path.join(os.path.dirname(os.path.realpath(_PROGRAM or "")), "npusim")
pytestmark = pytest.mark.skipif(not os.access(_SIMULATOR, os.X_OK),
                                reason="needs npusim beside npuprof")

_ALWAYS = {"msprof.json", "op_summary.csv", "task_time.csv", "api_statistic.csv",
           "step_trace.csv", "step_trace.json"}
_DETAILS = {"op_statistic.csv", "fusion_op.csv"}


def _files(directory, options, *arguments):
    """Names without their time of what results have."""
    text = json.dumps({"output": "./", **options})
    done = run(_SIMULATOR, "toy", "--framework", "tensorflow", "-o", directory,
               "--profiling-options", text, *arguments)
    assert done.returncode == 0, done.stdout
    done = run(_PROGRAM, "parse", directory, "--quiet")
    assert done.returncode == 0, done.stdout
    folder = sorted(glob.glob(f"{directory}/PROF_*/mindstudio_profiler_output"))[0]
    return {re.sub(r"_\d{14}(?=\.)", "", name) for name in os.listdir(folder)} - {"README.txt"}


@pytest.mark.parametrize("options, expected", [
    ({}, _ALWAYS | _DETAILS),
    ({"training_trace": "on", "hccl": "on", "aicpu": "on", "aic_metrics": "PipeUtilization"},
     _ALWAYS | _DETAILS | {"aicpu.csv", "dp.csv"}),
    ({"task_time": "l0"}, _ALWAYS),
    ({"l2": "on"}, _ALWAYS | _DETAILS | {"l2_cache.csv", "soc_pmu.csv"}),
    ({"sys_hardware_mem_freq": 50, "sys_io_sampling_freq": 100, "sys_interconnection_freq": 50},
     _ALWAYS | _DETAILS | {"hbm.csv", "llc_read_write.csv", "npu_mem.csv", "npu_module_mem.csv",
                           "nic.csv", "roce.csv", "pcie.csv", "hccs.csv"}),
    ({"task_memory": "on"},
     _ALWAYS | _DETAILS | {"memory_record.csv", "operator_memory.csv", "static_op_mem.csv"}),
    ({"host_sys": "mem"}, _ALWAYS | _DETAILS | {"host_mem_usage.csv"}),
])
def test_options_lead_to_files(tmp_path, options, expected):
    # Long enough for samples.
    assert _files(tmp_path, options, "--steps", 120) == expected


@pytest.mark.parametrize("options, expected", [
    ({"task_time": "off"}, {"msprof.json", "api_statistic.csv"}),
    ({"task_time": "off", "training_trace": "on", "sys_hardware_mem_freq": 50},
     {"msprof.json", "api_statistic.csv", "hbm.csv", "llc_read_write.csv", "npu_mem.csv",
      "npu_module_mem.csv"}),
])
def test_what_was_not_to_be_recorded_is_not_missing(tmp_path, options, expected):
    # The exit status tells of losses.
    assert _files(tmp_path, options, "--steps", 120) == expected


def test_files_of_one_iteration_say_which_it_is(tmp_path):
    done = run(_SIMULATOR, "toy", "--framework", "tensorflow", "-o", tmp_path)
    assert done.returncode == 0, done.stdout
    done = run(_PROGRAM, "msprof", "--export=on", f"--output={tmp_path}", "--model-id=1",
               "--iteration-id=2")
    assert done.returncode == 0, done.stdout
    [folder] = glob.glob(f"{tmp_path}/PROF_*/mindstudio_profiler_output")
    names = {re.sub(r"_\d{14}(?=\.)", "", name) for name in os.listdir(folder)} - {"README.txt"}
    assert {"op_summary_0_1_2.csv", "msprof_0_1_2.json"} <= names
    assert all("_0_1_2." in name for name in names), names

    def rows(stem):
        [path] = glob.glob(f"{folder}/{stem}_0_1_2_*.csv")
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    kernels = rows("op_summary")
    assert list(kernels[0])[:7] == ["Device_id", "Model Name", "Model ID", "Task ID", "Stream ID",
                                    "Infer ID", "Op Name"]
    assert {(row["Model Name"], row["Model ID"], row["Infer ID"]) for row in kernels} == {
        ("ge_train_graph", "1", "2")}
    types = rows("op_statistic")
    assert list(types[0])[:3] == ["Device_id", "Model Name", "OP Type"]
    assert {row["Model Name"] for row in types} == {"ge_train_graph"}
    assert sum(int(row["Count"]) for row in types) == len(kernels)


def test_memory_of_a_graph_is_what_was_planned(tmp_path):
    _files(tmp_path, {"task_memory": "on"}, "--steps", 3)
    [folder] = glob.glob(f"{tmp_path}/PROF_*/mindstudio_profiler_output")

    def rows(stem):
        [path] = glob.glob(f"{folder}/{stem}_*.csv")
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    *planned, total = rows("static_op_mem")
    assert (total["Op Name"], total["Node Index Start"], total["Node Index End"]) == (
        "TOTAL", "4294967295", "4294967295")
    # What is used at a time, from the operator that makes it to the last one that takes it.
    def used_at(node):
        return sum(float(row["Size(KB)"]) for row in planned
                   if int(row["Node Index Start"]) <= node <= int(row["Node Index End"]))

    peak = max(used_at(int(row["Node Index Start"])) for row in planned)
    assert float(total["Size(KB)"]) == pytest.approx(peak, abs=0.1)
    assert {row["Op Name"] for row in planned} <= {row["Op Name"] for row in rows("op_summary")}
    [taken] = rows("operator_memory")
    assert (taken["Name"], taken["Duration(us)"]) == ("ge_train_graph", "N/A")
    assert taken["Size(KB)"] == total["Size(KB)"]
    [record] = rows("memory_record")
    assert record["Component"] == "GE" and record["Total Allocated(KB)"] == total["Size(KB)"]


def test_what_is_not_simulated_is_said_once(tmp_path):
    options = {"output": "./", "dvpp_freq": 50, "sys_lp_freq": 50, "instr_profiling": "on",
               "host_sys": "cpu,osrt"}
    done = run(_SIMULATOR, "toy", "--framework", "tensorflow", "-o", tmp_path,
               "--profiling-options", json.dumps(options))
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if "not simulated" in line]
    assert lines == ["npusim: nothing is recorded of instr_profiling, dvpp_freq, sys_lp_freq, "
                     "host_sys osrt: it is not simulated"]


def test_the_processor_of_the_host_is_watched(tmp_path):
    """Samples are real, in units of 10 ms, and a short run may not use one: so the second sample is
    made of the first, a second later in which one thread was busy for 0.4 s."""
    files = _files(tmp_path, {"host_sys": "cpu,mem"}, "--steps", 120)
    assert "host_mem_usage.csv" in files
    [path] = glob.glob(f"{tmp_path}/PROF_*/host/data/host_cpu.data.slice_0")
    with open(path, encoding="utf-8") as file:
        time, uptime, thread, *_ = file.read().splitlines()
    assert time.startswith("time ") and "(npusim)" in thread
    up, idle = map(float, uptime.split())
    fields = thread.split()
    fields[13] = str(int(fields[13]) + 40)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{time}\n{uptime}\n{thread}\n"
                   f"time {int(time[5:]) + 1_000_000_000}\n{up + 1:.2f} {idle}\n{' '.join(fields)}\n")
    os.unlink(path + ".done")  # It has the size of the file.
    done = run(_PROGRAM, "parse", tmp_path, "--quiet")
    assert done.returncode == 0, done.stdout
    [path] = glob.glob(f"{tmp_path}/PROF_*/mindstudio_profiler_output/host_cpu_usage_*.csv")
    with open(path, encoding="utf-8", newline="") as file:
        [host] = csv.DictReader(file)
    assert host["Occupied Cpu Numbers"] == "1" and int(host["Total Cpu Numbers"]) > 0
    [path] = glob.glob(f"{tmp_path}/PROF_*/mindstudio_profiler_output/msprof_*.json")
    with open(path, encoding="utf-8") as file:
        usage = [event["args"] for event in json.load(file)
                 if event["ph"] == "C" and event["name"].startswith("CPU")]
    assert {"Usage(%)": 40.0} in usage, usage


def test_ranks_that_communicate_have_a_statistic_of_it(tmp_path):
    files = _files(tmp_path, {}, "--steps", 2, "--ranks", 2, "--all-reduce")
    assert files == _ALWAYS | _DETAILS | {"communication_statistic.csv"}


def test_calls_of_the_runtime_are_shown_if_asked_for(tmp_path):
    def levels(name, options):
        _files(tmp_path / name, options, "--steps", 2)
        path, = glob.glob(f"{tmp_path}/{name}/PROF_*/*/api_statistic_*.csv")
        with open(path, encoding="utf-8") as file:
            return {line.split(",")[1] for line in file.read().splitlines()[1:]}

    assert "runtime" in levels("with", {"runtime_api": "on"})
    assert "runtime" not in levels("without", {})


def test_refused_options_are_a_wrong_argument(tmp_path):
    done = run(_SIMULATOR, "toy", "--framework", "tensorflow", "-o", tmp_path,
               "--profiling-options", '{"output":"./","training_trace":"off"}')
    assert done.returncode == 2
    assert "E10001" in done.stdout
