"""The states of both MindSpore profilers, call by call, and what they leave."""

import gc
import json
import os
import re
import stat
import warnings

import pytest
from npuprof import _parser
from npuprof.mindspore import (Profiler, ProfilerAction, _ExperimentalConfig, analyse, mstx,
                               profile, schedule, tensor_board_trace_handler,
                               tensorboard_trace_handler)

NONE, WARM_UP, RECORD, SAVE = ProfilerAction


class Handler:
    """Counts calls of on_trace_ready between those of the recorder."""

    def __init__(self, calls):
        self.calls = calls
        self.directories = []

    def __call__(self, interface):
        self.calls.append("handler")
        self.directories.append(interface.result_dir)


def results(parent="data"):
    return sorted(os.listdir(parent)) if os.path.isdir(parent) else []


def scheduled(actions):
    """A schedule that gives these actions, then the last one."""
    return lambda step: actions[min(step, len(actions) - 1)]


OPEN, START = ["open"], ["start"]
END = ["stop", "finalize"]
WARM = ["open", "warmup"]


@pytest.mark.parametrize("before, after, expected, warned", [
    (NONE, NONE, [], 0),
    (NONE, WARM_UP, WARM, 0),
    (NONE, RECORD, OPEN + START, 0),
    (NONE, SAVE, OPEN + START, 0),
    (WARM_UP, WARM_UP, [], 0),
    (WARM_UP, NONE, START + END, 1),
    (WARM_UP, RECORD, START, 0),
    (WARM_UP, SAVE, START, 0),
    (RECORD, RECORD, [], 0),
    (RECORD, SAVE, [], 0),
    (RECORD, NONE, END, 1),
    (RECORD, WARM_UP, END, 1),
    (SAVE, NONE, END + ["handler"], 0),
    (SAVE, WARM_UP, END + ["handler"] + WARM, 0),
    (SAVE, RECORD, END + ["handler"] + OPEN + START, 0),
    (SAVE, SAVE, END + ["handler"] + OPEN + START, 0),
])
def test_transitions_of_steps(console, session_calls, before, after, expected, warned):
    profiler = profile(schedule=scheduled([before, after]), on_trace_ready=Handler(session_calls))
    session_calls.clear()
    console.lines()
    profiler.step()
    assert session_calls == expected
    assert len(console.texts("WARNING")) == warned
    profiler.stop()


@pytest.mark.parametrize("action, expected, warned", [
    (NONE, [], 0),
    (WARM_UP, ["finalize"], 2),
    (RECORD, END + ["handler"], 1),
    (SAVE, END + ["handler"], 1),
])
def test_stopping_in_each_state(console, session_calls, action, expected, warned):
    profiler = profile(schedule=scheduled([action]), on_trace_ready=Handler(session_calls))
    session_calls.clear()
    console.lines()
    profiler.stop()
    assert session_calls == expected
    assert len(console.texts("WARNING")) == warned
    # A profile that was warmed up only leaves its directory.
    assert len(results()) == (0 if action is NONE else 1)


def test_profile_without_a_schedule_records_until_it_is_stopped(console, session_calls):
    profiler = profile(on_trace_ready=Handler(session_calls))
    profiler.step()
    profiler.step()
    profiler.stop()
    assert session_calls == ["open", "start", "stop", "finalize", "handler"]
    assert ["incomplete" in text for text in console.texts("WARNING")] == [True]


@pytest.mark.parametrize("make", [profile, Profiler])
def test_calls_out_of_turn_are_said_and_do_nothing(console, session_calls, make):
    profiler = make(schedule=schedule(wait=0, warmup=1, active=1), start_profile=False)
    console.lines()
    profiler.step()
    assert len(console.texts("ERROR")) == 1 and session_calls == []
    profiler.start()
    assert console.lines() == []
    profiler.start()
    assert len(console.texts("WARNING")) == 1
    profiler.step()
    profiler.stop()
    console.lines()
    profiler.stop()
    profiler.step()
    assert len(console.texts("ERROR")) == 2


def test_profiler_with_a_schedule_does_not_stop_before_its_first_step(console, session_calls):
    profiler = Profiler(schedule=schedule(wait=0, warmup=0, active=2),
                        on_trace_ready=Handler(session_calls))
    session_calls.clear()
    profiler.stop()
    assert session_calls == [] and profiler._has_started
    profiler.step()
    profiler.stop()
    assert session_calls == ["stop", "finalize", "handler"]
    assert not profiler._has_started


def test_a_profiler_that_never_stepped_does_not_block_the_next_one(console, session_calls):
    first = Profiler(schedule=schedule(wait=0, warmup=0, active=2))
    first.stop()
    session_calls.clear()
    with profile():
        pass
    assert session_calls == ["stop", "finalize", "open", "start", "stop", "finalize"]
    assert console.texts("ERROR") == []
    first._has_started = False


def test_two_profilers_do_not_record_at_once(console, session_calls):
    with profile():
        with profile():
            assert session_calls == ["open", "start"]
    assert len(console.texts("ERROR")) == 1


def test_profiler_without_a_schedule_leaves_data_that_analyse_completes(console, session_calls,
                                                                        monkeypatch):
    parsed = []
    monkeypatch.setattr(_parser, "run", lambda arguments: parsed.append(arguments) or True)
    profiler = Profiler(output_path="out")
    profiler.step()
    profiler.add_metadata("note", "x")
    profiler.stop()
    assert session_calls == ["open", "start", "stop"] and parsed == []
    [name] = results("out")
    assert json.load(open(f"out/{name}/profiler_metadata.json")) == {"note": "x"}
    assert os.path.exists(f"out/{name}/profiler_info_0.json")
    profiler.analyse()
    assert session_calls[-1] == "finalize"
    assert [arguments[:2] for arguments in parsed] == [["parse", os.path.abspath(f"out/{name}")]]
    assert len(console.texts("ERROR")) == 1  # Of the step.


def test_analyse_stops_a_running_profiler(session_calls, monkeypatch):
    monkeypatch.setattr(_parser, "run", lambda arguments: True)
    profiler = Profiler(start_profile=False)
    profiler.start()
    profiler.analyse()
    assert session_calls == ["open", "start", "stop", "finalize"]


@pytest.mark.parametrize("arguments, levels", [
    ({"mode": "async"}, []), ({"mode": "later"}, ["WARNING"]), ({"offline_path": "x"}, ["WARNING"]),
    ({"step_list": [1, 3]}, ["ERROR"]),
])
def test_arguments_of_analyse(console, session_calls, monkeypatch, arguments, levels):
    parsed = []
    monkeypatch.setattr(_parser, "run", lambda arguments: parsed.append(arguments) or True)
    monkeypatch.setattr(_parser, "parse_async", lambda *arguments: parsed.append(arguments))
    profiler = Profiler()
    profiler.stop()
    console.lines()
    profiler.analyse(**arguments)
    assert [level for level, _ in console.lines() if level != "INFO"] == levels
    assert len(parsed) == 1 and session_calls[-1] == "finalize"


def test_analyse_with_a_schedule_has_no_effect(console, session_calls):
    profiler = Profiler(schedule=schedule(wait=0, warmup=0, active=2))
    profiler.step()
    console.lines()
    profiler.analyse()
    assert len(console.texts("WARNING")) == 1 and "finalize" not in session_calls
    profiler._trace.finalize_trace()


def test_a_stopped_profiler_goes_on_in_its_directory(session_calls):
    profiler = Profiler()
    profiler.stop()
    profiler.start()
    profiler.stop()
    assert session_calls == ["open", "start", "stop", "start", "stop"]
    assert len(results()) == 1
    profiler._trace.finalize_trace()


@pytest.mark.parametrize("make", [profile, Profiler])
def test_leaving_a_with_block_and_deletion_stop(console, session_calls, make):
    with make() as profiler:
        assert profiler._has_started
    assert not profiler._has_started
    profiler._trace.finalize_trace()
    session_calls.clear()
    profiler = make()
    del profiler
    gc.collect()
    assert "stop" in session_calls
    assert "deleted" in console.texts("WARNING")[-1]


def test_each_cycle_has_a_directory_of_its_own(session_calls):
    handler = Handler(session_calls)
    with profile(schedule=schedule(wait=0, warmup=1, active=1, repeat=2),
                 on_trace_ready=handler) as profiler:
        for _ in range(6):
            profiler.step()
    assert len(handler.directories) == 2 == len(set(handler.directories))
    pattern = re.compile(r"[^/]+_%d_\d{17}_ascend_ms" % os.getpid())
    for name in results():
        assert pattern.fullmatch(name)
        assert stat.S_IMODE(os.stat(f"data/{name}").st_mode) & 0o007 == 0
        assert os.path.isdir(f"data/{name}/FRAMEWORK")


def test_steps_are_ranges_of_the_framework(session_calls):
    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1)) as profiler:
        for _ in range(6):
            profiler.step()
    [name] = results()
    content = open(f"data/{name}/FRAMEWORK/mindspore.op_range", "rb").read()
    # A range counts if it began and ended while recording.
    assert set(re.findall(rb"ProfilerStep#\d+", content)) == {b"ProfilerStep#2", b"ProfilerStep#3"}
    assert content[:2] == b"\x00\x00"


def test_a_schedule_of_the_user_does_not_count_as_set(console, session_calls):
    with profile(schedule=lambda step: SAVE) as profiler:
        profiler.step()
    info = json.load(open(f"data/{results()[0]}/profiler_info_0.json"))
    assert info["profiler_parameters"]["is_set_schedule"] is False
    assert any("schedule object" in text for text in console.texts("WARNING"))


@pytest.mark.parametrize("make", [profile, Profiler])
def test_what_is_no_schedule_is_not_used(console, session_calls, make):
    with make(schedule=5):
        pass
    assert any("schedule must be" in text for text in console.texts("WARNING"))
    assert session_calls[:2] == ["open", "start"]


def test_profiler_knows_only_schedule_objects(console, session_calls):
    profiler = Profiler(schedule=lambda step: SAVE)
    profiler.step()
    assert len(console.texts("ERROR")) == 1
    profiler.stop()
    profiler._trace.finalize_trace()


def test_handlers_of_older_versions_take_nothing(session_calls):
    called = []
    with profile(on_trace_ready=lambda: called.append(True)):
        pass
    assert called == [True]


def test_a_handler_that_fails_does_not_stop_the_program(console, session_calls):
    with profile(on_trace_ready=lambda interface: 1 / 0):
        pass
    assert any("ZeroDivisionError" in text for text in console.texts("ERROR"))


def test_the_directory_of_a_handler_counts_for_all_profilers(console, session_calls):
    tensorboard_trace_handler("first", worker_name="worker", analyse_flag=False)
    with profile():
        pass
    with Profiler(output_path="second") as profiler:
        pass
    profiler._trace.finalize_trace()
    assert len(results("first")) == 2 and results("second") == []
    assert all(name.startswith("worker_") for name in results("first"))
    assert any("output_path" in text for text in console.texts("WARNING"))


@pytest.mark.parametrize("name", ["a;b", "x" * 256, "/dev/null", "link", "long/" * 1000])
def test_directories_that_cannot_be_used(console, session_calls, name):
    os.symlink("/tmp", "link")
    assert tensorboard_trace_handler(name) is None
    assert len(console.texts("ERROR")) == 1
    with pytest.raises(ValueError):
        Profiler(output_path=name)


@pytest.mark.parametrize("arguments, complaints", [
    ({"dir_name": 7}, 1), ({"worker_name": "x" * 226}, 1), ({"worker_name": 7}, 1),
    ({"analyse_flag": 1}, 1), ({"async_mode": "no"}, 1),
    ({"dir_name": "目录/a b", "worker_name": "x" * 225}, 0),
])
def test_arguments_of_the_handler(console, arguments, complaints):
    assert callable(tensorboard_trace_handler(**arguments))
    assert len(console.texts("WARNING")) == complaints


@pytest.mark.parametrize("config, options", [
    ({}, ["--export", "text", "--quiet"]),
    ({"export_type": "db"}, ["--export", "db", "--quiet"]),
])
def test_the_handler_analyses(session_calls, monkeypatch, config, options):
    parsed = []
    monkeypatch.setattr(_parser, "run", lambda arguments: parsed.append(arguments) or True)
    with profile(on_trace_ready=tensorboard_trace_handler("out"),
                 experimental_config=_ExperimentalConfig(**config)):
        pass
    with profile(on_trace_ready=tensor_board_trace_handler):
        pass
    with profile(on_trace_ready=tensorboard_trace_handler):  # As a sample of MindSpore has it.
        pass
    with profile(on_trace_ready=tensorboard_trace_handler("out", analyse_flag=False)):
        pass
    assert len(parsed) == 3 and parsed[0][2:] == options


def make_directories(*names):
    for name in names:
        os.makedirs(f"{name}/FRAMEWORK")
        with open(f"{name}/profiler_info_0.json", "w", encoding="utf-8") as file:
            json.dump({"profiler_parameters": {"export_type": ["db"]}}, file)


def test_offline_analysis_of_one_or_many_directories(console, monkeypatch):
    parsed = []

    def run(arguments):
        parsed.append(arguments)
        if arguments[1].endswith("broken_ascend_ms"):
            raise RuntimeError("it is broken")
        return True

    monkeypatch.setattr(_parser, "run", run)
    make_directories("all/a_ascend_ms", "all/broken_ascend_ms", "all/c_ascend_ms")
    os.makedirs("all/other")
    analyse("all", max_process_number=2)
    assert sorted(os.path.basename(arguments[1]) for arguments in parsed) == [
        "a_ascend_ms", "broken_ascend_ms", "c_ascend_ms"]
    assert all(arguments[3] == "db" for arguments in parsed)
    assert ["it is broken" in text for text in console.texts("ERROR")] == [True]
    parsed.clear()
    Profiler.offline_analyse("all/a_ascend_ms", pretty=True, data_simplification=False)
    assert len(parsed) == 1


@pytest.mark.parametrize("steps, chosen", [
    (None, []), ([], []), ([2], ["--steps", "6-6"]), ([3, 1, 2], ["--steps", "5-7"]),
    ([1, 3], "ERROR"), (["1"], "ERROR"), ((1, 2), "ERROR"), ([True], "ERROR"), ([1, 1], "ERROR"),
])
def test_chosen_steps_are_in_a_row_and_count_from_the_first(console, monkeypatch, steps, chosen):
    parsed = []
    monkeypatch.setattr(_parser, "run", lambda arguments: parsed.append(arguments) or True)
    make_directories("a_ascend_ms")
    with open("a_ascend_ms/FRAMEWORK/mindspore.op_range", "wb") as file:
        file.write(b"ProfilerStep#7 ProfilerStep#5 ProfilerStep#6")
    analyse("a_ascend_ms", step_list=steps)
    has_failed = chosen == "ERROR"  # Then there are results of all steps.
    assert len(console.texts("ERROR")) == has_failed and len(parsed) == 1
    assert ("--steps" in parsed[0]) == (bool(chosen) and not has_failed)
    if "--steps" in parsed[0]:
        assert parsed[0][-2:] == chosen


def test_chosen_steps_of_a_profile_without_steps_are_all_there_is(console, monkeypatch):
    parsed = []
    monkeypatch.setattr(_parser, "run", lambda arguments: parsed.append(arguments) or True)
    make_directories("a_ascend_ms")
    analyse("a_ascend_ms", step_list=[2, 3, 4])
    assert "--steps" not in parsed[0]
    assert ["no steps" in text for text in console.texts("WARNING")] == [True]


@pytest.mark.parametrize("path", ["nowhere", ".", 7])
def test_a_path_without_data_is_said(console, path):
    analyse(path)
    Profiler.offline_analyse(path)
    assert len(console.texts("ERROR")) == 2


@pytest.mark.parametrize("count", [0, -1, "2", 1.5, True])
def test_a_number_of_processes_that_is_none(console, monkeypatch, count):
    monkeypatch.setattr(_parser, "run", lambda arguments: True)
    make_directories("a_ascend_ms")
    analyse("a_ascend_ms", max_process_number=count)
    assert len(console.texts("WARNING")) == 1


@pytest.mark.parametrize("key, value, kept", [
    ("k", "x" * 10000, True), ("k" * 5000, "v", True), (1, "v", False), ("k", 1, False),
])
def test_metadata_has_no_limit_for_a_text(session_calls, key, value, kept):
    with profile() as profiler:
        profiler.add_metadata(key, value)
    path = f"data/{results()[0]}/profiler_metadata.json"
    assert os.path.exists(path) == kept
    if kept:
        assert json.load(open(path)) == {key: value}
        assert "\n" not in open(path).read()


def test_metadata_as_json_text(console, session_calls):
    with profile() as profiler:
        profiler.add_metadata_json("good", '{"a": [1, 2]}')
        profiler.add_metadata_json("bad", "{")
    assert json.load(open(f"data/{results()[0]}/profiler_metadata.json")) == {"good": {"a": [1, 2]}}
    assert any("'bad'" in text for text in console.texts("WARNING"))


def test_markers_are_silent_unless_they_are_recorded(console):
    assert mstx.range_start("") == 0
    mstx.mark("")
    mstx.range_end(5)
    assert console.lines() == []


def test_markers_while_they_are_recorded(console, markers):
    mstx.mark("m")
    opened = mstx.range_start("r", domain="d")
    mstx.range_end(opened, domain="d")
    assert opened > 0
    assert markers.events == [("mark", "m", "default"), ("start", "r", "d"), ("end", opened, "d")]
    for call in (lambda: mstx.mark(""), lambda: mstx.mark(5), lambda: mstx.mark("m", domain=""),
                 lambda: mstx.range_end(-1), lambda: mstx.range_end("1")):
        call()
    assert len(console.texts("WARNING")) == 5
    assert mstx.range_start("r", stream="stream") == 0
    assert len(console.texts("ERROR")) == 1


def test_calls_of_markers_are_records_of_the_framework_too(session_calls, markers):
    with profile(experimental_config=_ExperimentalConfig(mstx=True)):
        mstx.mark("here")
        mstx.range_end(mstx.range_start("part"))
    content = open(f"data/{results()[0]}/FRAMEWORK/mindspore.op_range", "rb").read()
    names = re.findall(rb"(?:RangeStart|RangeEnd|Range|Mark|Mstx)", content)
    assert names.count(b"Mstx") == 2 and names.count(b"RangeEnd") == 2
    assert names.count(b"Mark") == 4 and names.count(b"RangeStart") == 2


def test_operators_of_the_host_are_told_as_json(session_calls):
    with profile() as profiler:
        pass
    folder = f"data/{results()[0]}/FRAMEWORK"
    with open(f"{folder}/cpu_op_detail_info_0.csv", "w", encoding="utf-8") as file:
        file.write("op_side,op_type,op_name,full_op_name,op_occurrences,op_total_time(ms),"
                   "op_avg_time(ms),total_proportion,subgraph,pid\n"
                   "Host,MatMul,MatMul-op0,Default/MatMul-op0,2,0.5,0.25,0.9,Default,1\n")
    with open(f"{folder}/cpu_framework_0.txt", "w", encoding="utf-8") as file:
        file.write("MatMul;MatMul-op0;7;input_1:[2, 4];input_2:[4, 4];\n")
    older = Profiler(start_profile=False)
    older._trace.result_dir = profiler._trace.result_dir
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = json.loads(older.op_analyse("MatMul"))
        assert older.op_analyse([]) is None and older.op_analyse("MatMul", "0") is None
    assert answer == {"MatMul": [{"op_side": "Host", "op_occurrences": 2,
                                  "input_shape": "input_1:[2, 4];input_2:[4, 4]",
                                  "op_total_time(us)": 500.0, "op_avg_time(us)": 250.0}],
                      "device_id": 0}
