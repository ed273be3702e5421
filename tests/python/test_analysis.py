"""Parsing after a run and later, with a stand-in for the npuprof program and with itself."""

import json
import os
import signal
import stat
import sys
import time

import pytest

from npuprof import _parser
from npuprof.profiler import (_ExperimentalConfig, _KinetoProfile, analyse, profile, schedule,
                              tensorboard_trace_handler)
from npuprof._simplify import simplify

# Writes down how it was called; "slow" and "fail" in the directory's name change what it does.
STAND_IN = """#!{python}
import json, os, sys, time
if "fail" in sys.argv[2]:
    print("disk full", file=sys.stderr)
    sys.exit(3)
if "slow" in sys.argv[2]:
    time.sleep(1)
output = os.path.join(sys.argv[2], "ASCEND_PROFILER_OUTPUT")
os.makedirs(output, exist_ok=True)
with open(os.path.join(output, "call.json"), "w") as file:
    json.dump(dict(arguments=sys.argv[1:], nice=os.nice(0), own_session=os.getsid(0) != {session},
                   cwd=os.getcwd()), file)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    path = tmp_path / "bin" / "npuprof"
    path.parent.mkdir()
    path.write_text(STAND_IN.format(python=sys.executable, session=os.getsid(0)))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("NPUPROF_BINARY", str(path))
    return str(path)


def call_of(result_dir):
    with open(os.path.join(result_dir, "ASCEND_PROFILER_OUTPUT", "call.json")) as file:
        return json.load(file)


def run(handler, export_type="text"):
    profiler = profile(on_trace_ready=handler, schedule=schedule(wait=0, active=1, repeat=1),
                       experimental_config=_ExperimentalConfig("Level1", export_type=export_type))
    with profiler:
        profiler.step()
    return profiler._trace.result_dir


def test_sync(program, session_calls, console):
    console.lines()
    result = run(tensorboard_trace_handler("x"), ["text", "db"])
    call = call_of(result)
    assert call["arguments"] == ["parse", result, "--export", "text,db", "--quiet"]
    assert not call["own_session"]
    texts = console.texts("INFO")
    assert texts[0] == f"Start parsing profiling data in sync mode at: {result}"
    assert texts[1].startswith("All profiling data parsed in a total time of 0:00:")


def test_analyse_flag_off(program, session_calls):
    result = run(tensorboard_trace_handler("x", analyse_flag=False))
    assert "ASCEND_PROFILER_OUTPUT" not in os.listdir(result)


def test_failing_parse(program, session_calls, console):
    run(tensorboard_trace_handler("x", worker_name="fail"))
    assert any("disk full" in text and "status 3" in text for text in console.texts("ERROR"))


def test_missing_program(session_calls, console, monkeypatch):
    monkeypatch.setenv("NPUPROF_BINARY", "/nowhere/npuprof")
    run(tensorboard_trace_handler("x"))
    assert sum("NPUPROF_BINARY" in text for text in console.texts("ERROR")) == 1


def test_program_is_found_on_path(monkeypatch, program):
    monkeypatch.delenv("NPUPROF_BINARY")
    monkeypatch.setattr(_parser, "_PACKAGE", "/nowhere/python/npuprof")
    monkeypatch.setenv("PATH", os.path.dirname(program), prepend=os.pathsep)
    assert _parser.binary() == program


def test_async(program, session_calls, console):
    result = run(tensorboard_trace_handler("x", worker_name="slow", async_mode=True), "db")
    assert not os.path.exists(os.path.join(result, "ASCEND_PROFILER_OUTPUT"))
    assert f"Start parsing profiling data in async mode at: {result}" in console.texts("INFO")
    _parser._wait_at_exit()
    call = call_of(result)
    assert call["arguments"] == ["parse", result, "--export", "db", "--quiet", "--jobs", "1"]
    assert call["nice"] == 19 and call["own_session"]
    (log,) = os.listdir(os.path.join(result, "logs"))
    assert log.startswith("profiler_") and log.endswith("_parse.log")
    _parser.reap()
    assert _parser._running == []


ASYNC_PROGRAM = """
import os, signal, sys
from npuprof import _backend
from npuprof.profiler import profile, schedule, tensorboard_trace_handler
p = profile(on_trace_ready=tensorboard_trace_handler("y", "slow", async_mode=True),
            schedule=schedule(wait=0, active=1, repeat=1))
with p:
    p.step()
print("dir", p._trace.result_dir, flush=True)
if "KILLED" in os.environ:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def result_line(output):
    return [line for line in output.splitlines() if line.startswith("dir ")][0][4:]


def test_results_are_there_when_the_program_has_ended(program, run_python):
    assert call_of(result_line(run_python(ASYNC_PROGRAM)))["own_session"]


def test_killed_program_does_not_take_the_parse_with_it(program, run_python):
    process = run_python(ASYNC_PROGRAM, env={"KILLED": "1"}, background=True)
    output = process.communicate(timeout=30)[0]
    assert process.returncode == -signal.SIGKILL
    result = result_line(output)
    end = time.monotonic() + 20
    while not os.path.exists(os.path.join(result, "ASCEND_PROFILER_OUTPUT", "call.json")):
        assert time.monotonic() < end, "the parse did not finish"
        time.sleep(0.05)


# -- analyse --------------------------------------------------------------------------------------

def make_result(path, export_type=None, simplification=True):
    (path / "FRAMEWORK").mkdir(parents=True)
    if export_type is not None:
        (path / "profiler_info_0.json").write_text(json.dumps({"config": {"experimental_config": {
            "_export_type": export_type, "_data_simplification": simplification}}}))
    return path


@pytest.mark.parametrize("stored, given, expected", [
    ("db", None, "db"), (["text", "db"], None, "text,db"), (None, None, "text"),
    ("db", "text", "text"), ("text", ["db", "text", "db"], "db,text"), ("wrong", None, "text")])
def test_export_types(program, tmp_path, stored, given, expected):
    result = make_result(tmp_path / "r", stored)
    analyse(str(result), export_type=given)
    assert call_of(result)["arguments"][3] == expected


@pytest.mark.parametrize("bad", ["csv", [], ["text", 1], 5, ("db",)])
def test_bad_export_type(program, tmp_path, console, bad):
    result = make_result(tmp_path / "r", "db")
    analyse(str(result), 1, export_type=bad)
    assert len(console.texts("WARNING")) == 1
    assert call_of(result)["arguments"][3] == "db"


def test_directory_of_results(program, tmp_path):
    results = [make_result(tmp_path / "all" / name) for name in ("a", "b", "c")]
    (tmp_path / "all" / "PROF_000001_20240101000000000_AB" / "host").mkdir(parents=True)
    (tmp_path / "all" / "unrelated").mkdir()
    analyse(str(tmp_path / "all" / "a"))
    assert call_of(results[0]) and not (results[1] / "ASCEND_PROFILER_OUTPUT").exists()
    os.rename(tmp_path / "all" / "PROF_000001_20240101000000000_AB",
              tmp_path / "all" / "unrelated" / "PROF_000001_20240101000000000_AB")
    analyse(str(tmp_path / "all"))
    for result in results + [tmp_path / "all" / "unrelated"]:
        assert call_of(result)["arguments"][1] == str(result)


@pytest.mark.parametrize("bad", [0, -1, 1.5, "2", None, True])
def test_bad_process_number(program, tmp_path, console, bad):
    analyse(str(make_result(tmp_path / "r")), bad)
    assert len(console.texts("WARNING")) == 1
    assert call_of(tmp_path / "r")["arguments"][-1] == str(max(1, os.cpu_count() // 2))


def test_too_many_processes(program, tmp_path, console):
    analyse(str(make_result(tmp_path / "r")), 10_000)
    assert len(console.texts("WARNING")) == 1
    assert call_of(tmp_path / "r")["arguments"][-1] == str(os.cpu_count())


def test_nothing_to_analyse(console, tmp_path):
    (tmp_path / "empty").mkdir()
    for path in (str(tmp_path / "absent"), str(tmp_path / "empty"), 5):
        analyse(path)
        assert len(console.texts("ERROR")) == 1


# -- simplification -------------------------------------------------------------------------------

def make_parsed(path):
    cann = path / "PROF_000001_20240101120000000_ABCDEF"
    for source in ("host", "device_0", "device_11"):
        for part in ("sqlite", "summary", "timeline", "data"):
            (cann / source / part).mkdir(parents=True)
            (cann / source / part / "x").write_text("")
    for part in ("analyze", "mindstudio_profiler_log", "mindstudio_profiler_output"):
        (cann / part).mkdir()
    (cann / "msprof_analysis_123.log").write_text("")
    (cann / "msprof_123.db").write_text("")
    for part in ("FRAMEWORK", "ASCEND_PROFILER_OUTPUT", "logs"):
        (path / part).mkdir()
    return cann


def names(path):
    return sorted(entry.name for entry in path.iterdir())


@pytest.mark.parametrize("thorough", [True, False, None])
def test_simplification(tmp_path, thorough):
    cann = make_parsed(tmp_path)
    simplify(str(tmp_path), thorough)
    for source in ("host", "device_0", "device_11"):
        assert names(cann / source) == (["data"] if thorough else ["data", "summary", "timeline"])
    sources = ["device_0", "device_11", "host"]
    kept = ["analyze", "mindstudio_profiler_log", "mindstudio_profiler_output",
            "msprof_analysis_123.log"]
    assert names(cann) == sorted(sources + ["msprof_123.db"] + ([] if thorough else kept))
    assert names(tmp_path) == sorted(["ASCEND_PROFILER_OUTPUT", "FRAMEWORK", "logs", cann.name])


def test_simplification_after_analyse(program, tmp_path):
    for name, stored in (("thorough", True), ("gentle", False)):
        cann = make_parsed(tmp_path / name)
        (tmp_path / name / "profiler_info.json").write_text(json.dumps(
            {"config": {"experimental_config": {"_data_simplification": stored}}}))
        analyse(str(tmp_path / name), 1)
        assert (cann / "analyze").exists() is not stored


# -- exports --------------------------------------------------------------------------------------

@pytest.fixture
def exports(monkeypatch):
    from npuprof import _backend
    made = []
    monkeypatch.setattr(_backend, "export", lambda *args: made.append(args[1:]))
    return made


def finished(**options):
    profiler = _KinetoProfile(experimental_config=_ExperimentalConfig("Level1"), **options)
    profiler.start()
    profiler.stop()
    return profiler


def test_exports_need_a_run(exports, console):
    profiler = _KinetoProfile(with_stack=True)
    console.lines()
    profiler.export_chrome_trace("x.json")
    profiler.export_stacks("x.log")
    profiler.key_averages()
    texts = console.texts("WARNING")
    assert len(texts) == 3 and all("nvalid profiling path" in text for text in texts)
    assert exports == []


def test_export_chrome_trace(exports, session_calls, tmp_path):
    finished().export_chrome_trace("new/trace.json")
    assert exports == [("chrome", str(tmp_path / "new" / "trace.json"), [])]


def test_export_to_impossible_places(exports, session_calls, console, tmp_path):
    (tmp_path / "target").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    profiler = finished()
    console.lines()
    for place in (str(tmp_path), "link", "", None, 5):
        profiler.export_chrome_trace(place)
        assert len(console.texts("ERROR")) == 1, place
    assert exports == [] and (tmp_path / "target").read_text() == "kept"


def test_the_path_of_an_export_is_checked_in_one_way(tmp_path):
    from npuprof.profiler._exports import _checked_output
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for place in ("", None, 5, str(tmp_path), "link"):
        with pytest.raises(RuntimeError):
            _checked_output(place)
    assert _checked_output("new/trace.json") == str(tmp_path / "new" / "trace.json")
    assert (tmp_path / "new").is_dir()


def test_export_stacks(exports, session_calls, console, tmp_path):
    finished().export_stacks("a.log")
    assert exports == [] and any("with_stack" in text for text in console.texts("WARNING"))
    profiler = finished(with_stack=True)
    console.lines()
    profiler.export_stacks("a.log")
    profiler.export_stacks("b.log", "self_npu_time_total")
    assert console.lines() == []
    profiler.export_stacks("c.txt", "self_cuda_time_total")
    assert len(console.texts("WARNING")) == 2
    assert exports == [
        ("stacks", str(tmp_path / "a.log"), ["--metric", "self_cpu_time_total"]),
        ("stacks", str(tmp_path / "b.log"), ["--metric", "self_npu_time_total"]),
        ("stacks", str(tmp_path / "c.log"), ["--metric", "self_cpu_time_total"])]


def test_export_memory_timeline(exports, session_calls, console, tmp_path):
    for options, count in ((dict(), 3), (dict(record_shapes=True), 2), (dict(with_stack=True), 2),
                           (dict(record_shapes=True, profile_memory=True), 1)):
        profiler = finished(**options)
        console.lines()
        profiler.export_memory_timeline("m.json")
        (text,) = console.texts("WARNING")
        assert text.count("=True") - (" or " in text) == count, text
    profiler = finished(record_shapes=True, profile_memory=True, with_modules=True)
    console.lines()
    profiler.export_memory_timeline("m.html")
    profiler.export_memory_timeline("m.raw.json.gz", "npu:3")
    assert console.lines() == []
    for bad in ("gpu:0", "npu", "npu:x", "cpu:", 0):
        profiler.export_memory_timeline("m.json", bad)
        assert len(console.texts("ERROR")) == 1, bad
    assert exports == [
        ("memory-timeline", str(tmp_path / "m.html"), []),
        ("memory-timeline", str(tmp_path / "m.raw.json.gz"), ["--device", "npu:3"])]


def test_key_averages_options(exports, session_calls, console):
    profiler = finished()
    console.lines()
    profiler.key_averages()
    profiler.key_averages(group_by_input_shape=True, group_by_stack_n=5)
    assert console.lines() == []
    for bad in (-1, "two", None):
        profiler.key_averages(group_by_stack_n=bad)
        assert len(console.texts("WARNING")) == 1, bad
    assert [(kind, options) for kind, _, options in exports] == [
        ("key-averages", []),
        ("key-averages", ["--group-by-input-shape", "--group-by-stack-n", "5"]),
    ] + [("key-averages", [])] * 3


# -- the program itself ---------------------------------------------------------------------------

@pytest.fixture
def real_program():
    path = _parser.binary()
    if path is None:
        pytest.skip("the npuprof program is not built")
    return path


def test_steps_become_a_timeline(real_program, monkeypatch):
    from npuprof import _backend
    monkeypatch.setattr(_backend, "_native", None)
    profiler = profile(on_trace_ready=tensorboard_trace_handler("x"),
                       schedule=schedule(wait=1, warmup=1, active=2, repeat=1))
    with profiler:
        for _ in range(5):
            profiler.step()
    output = os.path.join(profiler._trace.result_dir, "ASCEND_PROFILER_OUTPUT")
    with open(os.path.join(output, "trace_view.json"), encoding="utf-8") as file:
        steps = [event for event in json.load(file)
                 if str(event.get("name")).startswith("ProfilerStep#")]
    assert [step["name"] for step in steps] == ["ProfilerStep#2", "ProfilerStep#3"]
    for step in steps:
        assert abs(float(step["ts"]) / 1e6 - time.time()) < 60
