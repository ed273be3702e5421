"""Real recordings without PyTorch, parsed by the real program."""

import csv
import json
import os
import threading
import time

import pytest

from npuprof import _backend, mstx
from npuprof.profiler import (ProfilerActivity, _ExperimentalConfig, profile, schedule,
                              tensorboard_trace_handler)
from outputs import has_table, marks, needs_recorder, npuprof, parse, query, ranges, timeline
from simulated_device import Device

pytestmark = needs_recorder

STEPS = schedule(wait=1, warmup=1, active=2, repeat=1)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch):
    """Other tests import PyTorch; its hooks are tested elsewhere."""
    monkeypatch.setattr(_backend, "_torch_hooks", lambda: None)


def recorded(work=lambda: None, steps=5, activities=None, **options):
    """Profiles some steps and parses the result."""
    config = _ExperimentalConfig("Level1", **options)
    handler = tensorboard_trace_handler("out", analyse_flag=False)
    profiler = profile(schedule=STEPS, on_trace_ready=handler, activities=activities,
                       experimental_config=config)
    with profiler:
        for _ in range(steps):
            work()
            profiler.step()
    result = profiler._trace.result_dir
    assert parse(result) == 0
    return result


def info_of(result):
    with open(os.path.join(result, "profiler_info.json"), encoding="utf-8") as file:
        return json.load(file)


def test_steps_are_in_the_results():
    before = time.time_ns()
    result = recorded()
    after = time.time_ns()
    rows = ranges(result)
    assert [name for name, _, _ in rows] == ["ProfilerStep#2", "ProfilerStep#3"]
    for _, start, end in rows:
        assert before < start < end < after
    assert rows[0][2] <= rows[1][1]
    shown = [event for event in timeline(result) if event.get("cat") == "cpu_op"]
    assert [event["name"] for event in shown] == ["ProfilerStep#2", "ProfilerStep#3"]
    assert query(result, "SELECT id FROM STEP_TIME ORDER BY id") == [(2,), (3,)]


def test_markers_are_in_the_results():
    def work():
        with mstx.annotate("load", domain="input"):
            mstx.mark("here")

    result = recorded(work, mstx=True)
    one_step = [("ProfilerStep#{}", "default"), ("load", "input"), ("here", "default")]
    rows = marks(result)
    assert [row[:2] for row in rows] == [(message.format(step), domain) for step in (2, 3)
                                         for message, domain in one_step]
    for step, load, here in (rows[:3], rows[3:]):
        assert step[2] <= load[2] <= here[2] == here[3] <= load[3] <= step[3]


def test_domains_are_filtered():
    def work():
        for domain in ("a", "b", "default"):
            mstx.mark("m", domain=domain)

    def domains(**options):
        return {domain for _, domain, _, _ in marks(recorded(work, mstx=True, **options))}

    assert domains() == {"a", "b", "default"}
    assert domains(mstx_domain_include=["a"]) == {"a"}
    assert domains(mstx_domain_exclude=["a"]) == {"b", "default"}


def test_no_ranges_without_the_activity_cpu():
    def work():
        mstx.mark("m")

    result = recorded(work, activities=[ProfilerActivity.NPU], mstx=True)
    assert not os.path.exists(os.path.join(result, "FRAMEWORK", "torch.op_range"))
    assert [row[0] for row in marks(result) if row[0] == "m"] == ["m", "m"]


def test_a_range_of_markers_may_end_on_another_thread():
    started = []

    def work():
        started.append(mstx.range_start("across"))
        thread = threading.Thread(target=mstx.range_end, args=(started[-1],))
        thread.start()
        thread.join()

    result = recorded(work, mstx=True)
    assert [row[0] for row in marks(result) if row[0] == "across"] == ["across"] * 2
    recorded_ids = [number for number in started if number]
    assert len(recorded_ids) == len(set(recorded_ids)) == 2


def test_the_clock_is_that_of_the_records(tmp_path):
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    session = _backend.Session(str(tmp_path / "x_1_20250101000000000_ascend_pt"),
                               {"activities": ["CPU"]})
    clock = session.start()
    stamp = _backend.timestamp()
    session.stop()
    session.finalize()
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    assert before <= clock["start_monotonic"] <= stamp <= after
    info = info_of(tmp_path / "x_1_20250101000000000_ascend_pt")
    assert info["start_info"] == clock
    assert info["npuprof_recorder"]["complete"] is True


def test_settings_are_known_while_recording():
    """A process that is killed leaves them."""
    config = _ExperimentalConfig("Level2", mstx=True)
    profiler = profile(on_trace_ready=tensorboard_trace_handler("out", analyse_flag=False),
                       experimental_config=config, record_shapes=True)
    profiler.start()
    try:
        end = time.monotonic() + 30
        while not os.path.exists(f"{profiler._trace.result_dir}/profiler_info.json"):
            assert time.monotonic() < end, "the recorder does not flush"
            time.sleep(0.01)
        told = info_of(profiler._trace.result_dir)
    finally:
        profiler.stop()
    assert told["npuprof_recorder"]["complete"] is False
    assert told["config"]["common_config"]["record_shapes"] is True
    assert told["config"]["experimental_config"]["_profiler_level"] == "Level2"


def kernel_names(result):
    with open(os.path.join(result, "ASCEND_PROFILER_OUTPUT", "kernel_details.csv"),
              encoding="utf-8") as file:
        return [row["Name"] for row in csv.DictReader(file)]


def test_kernels_of_the_device_are_in_the_results():
    device = Device()
    names = iter(f"kernel_{number}" for number in range(5))
    result = recorded(lambda: device.launch(next(names)))
    assert kernel_names(result) == ["kernel_2", "kernel_3"]
    assert info_of(result)["simulated"] is True
    # The two clocks agree: each kernel ran in its step.
    steps = ranges(result)
    tasks = query(result, "SELECT startNs, endNs FROM TASK ORDER BY 1")
    assert len(tasks) >= 2
    for start, end in tasks:
        assert any(begin <= start <= end <= stop for _, begin, stop in steps), (steps, tasks)
    assert "simulated" in npuprof("parse", result).stdout


@pytest.mark.parametrize("options, file", [
    (dict(), None), (dict(l2_cache=True), "l2_cache.data"),
    (dict(sys_io=True), "nic.data"), (dict(sys_interconnection=True), "hccs.data"),
    (dict(host_sys=["cpu"]), "host_cpu.data"),
])
def test_options_reach_the_device(options, file):
    device = Device()

    def work():
        device.launch("kernel")
        time.sleep(0.06)

    result = recorded(work, **options)
    sampled = ("l2_cache.data", "nic.data", "hccs.data", "host_cpu.data")
    found = {name for name in sampled
             for _, _, files in os.walk(result) if any(each.startswith(name) for each in files)}
    assert found == ({file} if file else set())


@pytest.mark.parametrize("simulate", ["1", "0"])
def test_samples_that_need_tools_do_not_take_the_others_with_them(run_python, tmp_path, simulate):
    text = run_python("""
import time
import npuprof.profiler as profiler
config = profiler._ExperimentalConfig(host_sys=["numa", "cpu", "osrt"])
with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("out"),
                      experimental_config=config):
    time.sleep(0.06)
""", env={"NPUPROF_SIMULATE": simulate})
    assert text.count("host_sys: numa, osrt cannot be sampled here") == 1
    assert len(list(tmp_path.glob("out/*_ascend_pt/PROF_*"))) == 1
    assert list(tmp_path.glob("out/*_ascend_pt/PROF_*/host/data/host_cpu.data*"))


def test_markers_with_a_stream_are_seen_on_the_device():
    device = Device()
    stream = device.stream()

    def work():
        _backend.mark("mark", "default", stream)
        number = _backend.range_start("range", "domain", stream)
        device.launch("kernel", stream)
        _backend.range_end(number, "domain")

    result = recorded(work, mstx=True)
    assert has_table(result, "MSTX_EVENTS")
    rows = query(result, "SELECT s.value, t.startNs, t.endNs FROM MSTX_EVENTS e "
                         "JOIN STRING_IDS s ON s.id = e.message "
                         "JOIN TASK t ON t.connectionId = e.connectionId "
                         "WHERE s.value IN ('mark', 'range') ORDER BY 2")
    assert [name for name, _, _ in rows] == ["mark", "range"] * 2


def test_the_simulation_is_said_once(run_python):
    output = run_python(SEVERAL_PROFILES)
    assert output.count("the NPU is simulated") == 1
    asked = run_python(SEVERAL_PROFILES, env={"NPUPROF_SIMULATE": "1"})
    assert asked.count("as NPUPROF_SIMULATE=1 says") == 1


def test_the_simulation_can_be_ruled_out(run_python, tmp_path):
    output = run_python(SEVERAL_PROFILES, env={"NPUPROF_SIMULATE": "0"})
    assert "the NPU is not recorded" in output and "is simulated" not in output
    results = sorted((tmp_path / "out").iterdir())
    assert len(results) == 2
    for result in results:
        assert "simulated" not in info_of(result)
        assert parse(result) == 0
        # The recorder keeps what CANN would have.
        assert [row[:2] for row in marks(result)] == [("load", "input")]
        assert not list(result.glob("PROF_*/device_*"))


SEVERAL_PROFILES = """
from npuprof import mstx, profiler
for _ in range(2):
    config = profiler._ExperimentalConfig("Level1", mstx=True)
    handler = profiler.tensorboard_trace_handler("out", analyse_flag=False)
    with profiler.profile(on_trace_ready=handler, experimental_config=config):
        with mstx.annotate("load", domain="input"):
            pass
"""


def test_one_session_at_a_time(tmp_path, console):
    first = _backend.Session(str(tmp_path / "a_ascend_pt"), {"activities": ["CPU"]})
    second = _backend.Session(str(tmp_path / "b_ascend_pt"), {"activities": ["CPU"]})
    first.start()
    second.start()
    first.stop()
    first.finalize()
    second.finalize()
    assert [text for text in console.texts("WARNING") if "another session" in text]


def test_a_directory_that_cannot_be_made(tmp_path, console):
    (tmp_path / "file").write_text("")
    session = _backend.Session(str(tmp_path / "file" / "x_ascend_pt"), {"activities": ["CPU"]})
    session.start()
    session.stop()
    session.finalize()
    (text,) = console.texts("WARNING")
    assert "cannot write to" in text
