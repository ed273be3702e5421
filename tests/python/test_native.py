"""Real recordings without PyTorch, parsed by the real program."""

import json
import os
import threading
import time

import pytest

from npuprof import _backend, mstx
from npuprof.profiler import (ProfilerActivity, _ExperimentalConfig, profile, schedule,
                              tensorboard_trace_handler)
from outputs import marks, needs_recorder, parse, query, ranges, timeline

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
