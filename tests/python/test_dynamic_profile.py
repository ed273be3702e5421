"""Dynamic profiling: configurations, steps, and processes that are switched on from outside."""

import glob
import json
import logging
import os
import re
import signal
import time

import pytest

from conftest import complete_results
from npuprof import _backend, _markers
from npuprof.profiler import AiCMetrics, ProfilerActivity, _ExperimentalConfig, dynamic_profile
from npuprof.profiler import _analysis
from npuprof.profiler._dynamic import config as config_module
from npuprof.profiler._dynamic import controller as controller_module
from npuprof.profiler._dynamic import log, monitor, segment
from npuprof.profiler._dynamic.config import TEMPLATE, DynamicConfig
from npuprof.profiler._dynamic.controller import Controller


class Lines(logging.Handler):
    """Keeps what is logged."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


@pytest.fixture
def logger():
    made = logging.Logger("test")
    made.lines = Lines()
    made.addHandler(made.lines)
    return made


class SourceDouble:
    """Hands out configurations as a test wishes."""

    poll_interval_s = 2.0

    def __init__(self, path=None):
        self.path = path
        self.news = []

    def poll(self):
        return self.news.pop(0) if self.news else None

    def close(self):
        pass


@pytest.fixture
def controlled(session_calls, logger, tmp_path):
    made = Controller()
    made._source = SourceDouble()
    made._logger = logger
    made.calls = session_calls
    made.log = logger.lines.texts
    yield made
    made._at_exit()


def runs(made):
    return [text for text in made.log if text.startswith(("Start", "Stop"))]


def wanted(**values):
    return {"prof_dir": "results", "start_step": -1, **values}


# -- configuration --------------------------------------------------------------------------------

def test_template(tmp_path):
    path = tmp_path / "profiler_config.json"
    before = os.umask(0o022)
    config_module.write_template(str(path))
    os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_text() == json.dumps(TEMPLATE, indent=4)
    assert os.listdir(tmp_path) == ["profiler_config.json"]
    path.write_text("{}")
    config_module.write_template(str(path))
    assert path.read_text() == "{}"
    assert set(TEMPLATE) == {
        "activities", "prof_dir", "analyse", "async_mode", "record_shapes", "profile_memory",
        "with_stack", "with_flops", "with_modules", "active", "warmup", "start_step", "is_rank",
        "rank_list", "experimental_config"}


def test_template_is_a_config_without_complaints(logger):
    made = DynamicConfig(TEMPLATE, logger)
    assert (made.active, made.warmup, made.start_step) == (1, 0, 0)
    assert not (made.analyse or made.async_mode or made.is_rank or made.rank_list)
    options = made.profiler_options()
    assert options["activities"] == list(ProfilerActivity)
    assert options["experimental_config"]._aic_metrics == AiCMetrics.AiCoreNone
    assert logger.lines.texts == []


def test_empty_config(logger, console):
    made = DynamicConfig({}, logger)
    assert (made.active, made.warmup, made.start_step) == (1, 0, 0)
    assert made.profiler_options()["activities"] is None
    assert logger.lines.texts == [] and console.lines() == []


@pytest.mark.parametrize("name, bad, fallback", [
    ("active", 0, 1), ("active", "2", 1), ("active", True, 1), ("warmup", -1, 0),
    ("warmup", 1.5, 0), ("start_step", -2, 0), ("start_step", "next", 0), ("analyse", 1, False),
    ("async_mode", "true", False), ("is_rank", None, False), ("rank_list", "0,1", []),
    ("rank_list", {"0": 1}, [])])
def test_bad_value_is_logged_and_replaced(logger, name, bad, fallback):
    made = DynamicConfig({name: bad}, logger)
    assert getattr(made, name) == fallback
    assert len(logger.lines.texts) == 1 and name in logger.lines.texts[0]


@pytest.mark.parametrize("name", ["record_shapes", "profile_memory", "with_stack", "with_flops",
                                  "with_modules"])
@pytest.mark.parametrize("bad", [1, "true", None, []])
def test_switches_of_config(logger, console, session_calls, name, bad):
    profiler = DynamicConfig({name: bad}, logger).make_profiler(0)
    assert profiler._trace.options.switches[name] is False
    assert any(name in text for text in console.texts("WARNING"))
    assert DynamicConfig({name: True}, logger).make_profiler(0)._trace.options.switches[name]


@pytest.mark.parametrize("name, bad, attribute, fallback", [
    ("profiler_level", "Level9", "_profiler_level", "Level0"),
    ("profiler_level", 1, "_profiler_level", "Level0"),
    ("aic_metrics", "Everything", "_aic_metrics", AiCMetrics.PipeUtilization),
    ("aic_metrics", None, "_aic_metrics", AiCMetrics.PipeUtilization),
    ("l2_cache", 1, "_l2_cache", False), ("op_attr", "on", "_op_attr", False),
    ("record_op_args", "on", "record_op_args", False), ("msprof_tx", 1, "_msprof_tx", False),
    ("mstx", "true", "_mstx", False), ("sys_io", 1, "_sys_io", False),
    ("sys_interconnection", 1, "_sys_interconnection", False),
    ("gc_detect_threshold", "1", "_gc_detect_threshold", None),
    ("data_simplification", 1, "_data_simplification", True),
    ("export_type", ["csv"], "_export_type", ["text"]), ("host_sys", "cpu", "_host_sys", []),
    ("mstx_domain_include", "a", "_mstx_domain_include", []),
    ("mstx_domain_exclude", ["a"], "_mstx_domain_exclude", [])])
def test_bad_experimental_value_of_config(logger, console, name, bad, attribute, fallback):
    values = {"profiler_level": "Level1", "aic_metrics": "PipeUtilization", name: bad}
    config = DynamicConfig({"experimental_config": values}, logger)._experimental_config()
    assert getattr(config, attribute) == fallback
    assert len(console.texts("WARNING")) == 1


@pytest.mark.parametrize("values", [
    {"experimental_config": None}, {"experimental_config": []}, {"experimental_config": {}},
    {"metadata": ["job"]}, {"metadata": "job"}, {"unknown": {"key": 1}}, {"activities": []},
    {"prof_dir": 5}])
def test_values_that_are_left_aside(logger, session_calls, tmp_path, values):
    profiler = DynamicConfig(values, logger).make_profiler(0)
    assert vars(profiler._trace.options.experimental_config) == vars(
        _ExperimentalConfig(aic_metrics=AiCMetrics.AiCoreNone))
    assert profiler._metadata.values == {}
    assert profiler._trace.options.activities == list(ProfilerActivity)
    assert profiler.on_trace_ready.location.base in (None, str(tmp_path))
    assert logger.lines.texts == []


@pytest.mark.parametrize("activities", ["CPU", 5, {"CPU": 1}, ["GPU"]])
def test_bad_activities_of_config(logger, activities):
    made = DynamicConfig({"activities": activities}, logger)
    assert made.profiler_options()["activities"] is None  # Both.
    assert len(logger.lines.texts) == 1


def test_async_mode_needs_analyse(logger):
    made = DynamicConfig({"async_mode": True}, logger)
    assert made.async_mode and not made.analyse
    assert len(logger.lines.texts) == 1 and "async_mode" in logger.lines.texts[0]


def test_ranks(logger):
    made = DynamicConfig({"is_rank": True, "rank_list": [0, 2, -1, "3", True]}, logger)
    assert made.rank_list == [0, 2]
    assert [made.is_for(rank) for rank in (0, 1, 2, 3, -1)] == [True, False, True, False, False]
    assert DynamicConfig({"is_rank": False, "rank_list": [5]}, logger).is_for(0)
    assert not DynamicConfig({"is_rank": True}, logger).is_for(0)


@pytest.mark.parametrize("async_mode, is_rank, kept", [(False, True, False), (True, True, True),
                                                       (False, False, True)])
def test_chosen_ranks_do_not_parse(logger, async_mode, is_rank, kept):
    made = DynamicConfig({"analyse": True, "async_mode": async_mode, "is_rank": is_rank,
                          "rank_list": [0]}, logger)
    made.drop_analysis_of_chosen_ranks()
    assert made.analyse is kept


def test_activities_of_config(logger):
    made = DynamicConfig({"activities": ["cpu", "GPU"]}, logger)
    assert made.profiler_options()["activities"] == [ProfilerActivity.CPU]
    assert len(logger.lines.texts) == 1


def test_experimental_config_of_config(logger):
    made = DynamicConfig({"experimental_config": {"profiler_level": "Level2",
                                                  "aic_metrics": "Memory", "unknown": 1}}, logger)
    config = made.profiler_options()["experimental_config"]
    assert (config._profiler_level, config._aic_metrics) == ("Level2", AiCMetrics.Memory)


def test_profiler_of_config(logger, session_calls, tmp_path):
    made = DynamicConfig({"active": 2, "warmup": 1, "prof_dir": "here", "with_stack": True,
                          "metadata": {"job": {"id": 5}}}, logger)
    profiler = made.make_profiler(10)
    assert vars(profiler.schedule) == dict(wait=0, active=2, warmup=1, repeat=1, skip_first=0,
                                           skip_first_wait=0)
    assert profiler._trace.options.switches["with_stack"] is True
    assert profiler._metadata.values == {"job": {"id": 5}}
    assert profiler.on_trace_ready.location.base == str(tmp_path / "here")
    assert profiler._step_offset == 10


# -- steps ----------------------------------------------------------------------------------------

def test_next_step(controlled):
    controlled.step()
    controlled._source.news.append(wanted(active=2, warmup=1))
    for _ in range(5):
        controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 2 step.",
                                "Stop Dynamic Profiler at 5 step."]
    assert controlled.calls == ["open", "warmup", "start", "stop", "finalize"]
    assert len(os.listdir("results")) == 1


def test_numbered_step(controlled):
    controlled._source.news.append(wanted(start_step=4))
    for _ in range(3):
        controlled.step()
    assert runs(controlled) == [] and controlled._status == 2
    for _ in range(2):
        controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 4 step.",
                                "Stop Dynamic Profiler at 5 step."]
    assert controlled._status == 0


@pytest.mark.parametrize("start_step", [0, 1, 2])
def test_step_that_is_over(controlled, start_step):
    controlled.step()
    controlled.step()
    controlled._source.news.append(wanted(start_step=start_step))
    controlled.step()
    controlled.step()
    assert runs(controlled) == []
    assert sum("not effective" in text for text in controlled.log) == 1


def test_newer_config_replaces_one_that_waits(controlled):
    controlled._source.news.append(wanted(start_step=3))
    controlled.step()
    controlled._source.news.append(wanted(start_step=4))
    for _ in range(4):
        controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 4 step.",
                                "Stop Dynamic Profiler at 5 step."]


def test_config_that_comes_while_recording_is_taken_up_afterwards(controlled):
    controlled._source.news.append(wanted(active=2))
    controlled.step()
    controlled._source.news.append(wanted())
    for _ in range(4):
        controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 1 step.",
                                "Stop Dynamic Profiler at 3 step.",
                                "Start Dynamic Profiler at 4 step.",
                                "Stop Dynamic Profiler at 5 step."]
    assert len(os.listdir("results")) == 2


def test_rank_filter(controlled, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    controlled._source.news += [wanted(is_rank=True, rank_list=[0]),
                                wanted(is_rank=True, rank_list=[1], analyse=True)]
    controlled.step()
    assert runs(controlled) == []
    controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 2 step."]
    assert controlled._profiler.on_trace_ready._analyse_flag is False


@pytest.mark.parametrize("step_s, interval_s", [(0.2, 1), (7.9, 7), (400, 50)])
def test_poll_interval(controlled, monkeypatch, step_s, interval_s):
    now = [1000.0]
    monkeypatch.setattr(controller_module.time, "time", lambda: now[0])
    for _ in range(10):
        controlled.step()
    assert controlled._source.poll_interval_s == 2.0
    now[0] += step_s
    controlled.step()
    assert controlled._source.poll_interval_s == interval_s
    assert any("poll interval" in text for text in controlled.log)


def test_step_markers_count_from_the_begin_of_the_program(controlled, monkeypatch):
    names = []
    monkeypatch.setattr(controller_module.profile, "_open_step_marker",
                        lambda self: names.append(self.step_num + self._step_offset))
    controlled.set_state({"cur_step": 40})
    controlled._source.news.append(wanted(active=2))
    for _ in range(3):
        controlled.step()
    assert names == [41, 42, 43]


def test_order_without_start_step_records_from_the_first_step_on(controlled):
    controlled.order({"prof_dir": "results", "active": 2})
    for _ in range(3):
        controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 0 step.",
                                "Stop Dynamic Profiler at 2 step."]


def test_order_for_another_rank(controlled):
    controlled.order({"prof_dir": "results", "is_rank": True, "rank_list": [7]})
    assert runs(controlled) == []


def test_marker_ranges_of_steps(controlled, markers):
    for _ in range(3):
        controlled.step()
    assert markers.events == [("start", "step 1", "default"), ("end", 1, "default"),
                              ("start", "step 2", "default"), ("end", 2, "default"),
                              ("start", "step 3", "default")]


@pytest.fixture
def recorded_markers(markers, monkeypatch):
    """Markers are on while a profiler records; a range that ends at another time is lost."""
    _markers.deactivate()
    monkeypatch.setattr(_backend, "range_end", lambda range_id, _: markers.events.append(
        ("end", range_id, "recorded" if _markers.active() else "lost")))
    return markers


@pytest.mark.parametrize("begin", ["news", "order", "start"])
def test_marker_ranges_of_recorded_steps_are_whole(controlled, recorded_markers, tmp_path, begin):
    config = wanted(active=2, experimental_config={"mstx": True})
    first = 1 if begin == "news" else 0
    if begin == "news":
        controlled._source.news.append(config)
    elif begin == "order":
        controlled.order({**config, "start_step": 0})
    else:
        controlled.start(write_config(tmp_path / "own.json", **config))
    for _ in range(4):
        controlled.step()
    assert recorded_markers.events == [
        ("start", f"step {first}", "default"), ("end", 1, "recorded"),
        ("start", f"step {first + 1}", "default"), ("end", 2, "recorded")]


def test_marker_range_of_the_step_in_which_the_program_ends(controlled, recorded_markers):
    controlled._source.news.append(wanted(active=5, experimental_config={"mstx": True}))
    controlled.step()
    controlled._at_exit()
    assert recorded_markers.events == [("start", "step 1", "default"), ("end", 1, "recorded")]


@pytest.mark.parametrize("state", [5, None, {"cur_step": -1}, {"cur_step": "1"},
                                   {"cur_step": 1.0}, {"cur_step": True}])
def test_bad_state(controlled, console, state):
    controlled.set_state({"cur_step": 9})
    controlled.set_state(state)
    assert len(console.texts("ERROR")) == 1 and controlled._cur_step == 9


def test_default_state(controlled):
    controlled.set_state({"cur_step": 9})
    controlled.set_state({})
    assert controlled._cur_step == 0


def test_end_of_the_program_stops_the_profiler(controlled, console):
    controlled._source.news.append(wanted(active=5))
    controlled.step()
    console.lines()
    controlled._at_exit()
    assert controlled.calls[-2:] == ["stop", "finalize"]
    assert any("stopped" in text for text in console.texts("WARNING"))


# -- start ----------------------------------------------------------------------------------------

def write_config(path, **values):
    path.write_text(json.dumps(values))
    return str(path)


def test_start(controlled, tmp_path):
    # The step and the ranks of the file do not count here.
    path = write_config(tmp_path / "own.json", prof_dir="results", start_step=100, is_rank=True,
                        active=2)
    controlled.step()
    controlled.start(path)
    controlled.step()
    controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 1 step.",
                                "Stop Dynamic Profiler at 3 step."]


def test_start_twice(controlled, tmp_path, console):
    path = write_config(tmp_path / "own.json", prof_dir="results")
    controlled.start(path)
    console.lines()
    controlled.start(path)
    assert len(console.texts("ERROR")) == 1
    assert controlled.calls.count("open") == 1


def test_start_while_a_config_is_recorded(controlled, tmp_path, console):
    controlled._source.news.append(wanted())
    controlled.step()
    console.lines()
    path = write_config(tmp_path / "own.json", prof_dir="other")
    controlled.start(path)
    assert len(console.texts("ERROR")) == 1
    controlled.step()
    controlled.start(path)
    controlled.step()
    assert len(os.listdir("results")) == 1 and len(os.listdir("other")) == 1


def test_config_changed_during_start_is_taken_up_afterwards(controlled, tmp_path):
    controlled.start(write_config(tmp_path / "own.json", prof_dir="results", active=2))
    controlled._source.news.append(wanted())
    for _ in range(4):
        controlled.step()
    assert runs(controlled) == ["Start Dynamic Profiler at 0 step.",
                                "Stop Dynamic Profiler at 2 step.",
                                "Start Dynamic Profiler at 3 step.",
                                "Stop Dynamic Profiler at 4 step."]


@pytest.mark.parametrize("given", ["absent.json", 5, "broken.json", "empty.json"])
def test_start_falls_back_to_the_file_of_init(controlled, tmp_path, console, given):
    (tmp_path / "broken.json").write_text('{"active": ')
    (tmp_path / "empty.json").write_text("{}")
    controlled._source.path = write_config(tmp_path / "default.json", prof_dir="results")
    controlled.start(given)
    (said,) = console.texts("ERROR")
    assert str(given) in said and said.endswith("default.json is used.")
    assert controlled._profiler is not None


def test_start_with_the_file_of_init(controlled, tmp_path, console, monkeypatch):
    controlled._source.path = write_config(tmp_path / "default.json", prof_dir="results")
    monkeypatch.setattr(dynamic_profile, "_controller", controlled)
    dynamic_profile.start()
    assert console.texts("ERROR") == []
    assert controlled._profiler is not None


def test_start_when_the_file_of_init_is_broken_too(controlled, tmp_path, console):
    controlled._source.path = str(tmp_path / "default.json")
    (tmp_path / "default.json").write_text("[]")
    controlled.start("absent.json")
    assert len(console.texts("ERROR")) == 2
    assert controlled._profiler is None


@pytest.mark.parametrize("content", ["", "{}", "[1]", "{broken"])
def test_start_with_an_unusable_file(controlled, tmp_path, console, content):
    (tmp_path / "own.json").write_text(content)
    controlled.start(str(tmp_path / "own.json"))
    assert len(console.texts("ERROR")) == 1
    assert controlled._profiler is None


def test_start_without_init(session_calls, console):
    made = Controller()
    made.start(None)
    (said,) = console.texts("ERROR")
    assert "init was not called" in said and session_calls == []


# -- init -----------------------------------------------------------------------------------------

@pytest.fixture
def fast_polls(monkeypatch):
    monkeypatch.setattr(monitor, "FIRST_POLL_INTERVAL_S", 0.01)


def test_init_with_a_file_as_path(console, tmp_path, monkeypatch):
    monkeypatch.setattr(dynamic_profile, "_controller", Controller())
    (tmp_path / "file").write_text("")
    dynamic_profile.init(str(tmp_path / "file"))
    assert len(console.texts("ERROR")) == 1
    assert dynamic_profile._controller._source is None
    dynamic_profile.step()


def test_init_twice(console, tmp_path, fast_polls):
    made = Controller()
    made.init(str(tmp_path / "cfg"))
    console.lines()
    made.init(str(tmp_path / "cfg"))
    assert len(console.texts("WARNING")) == 1
    made._at_exit()


def wait_for(condition, what, timeout_s=20):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, f"no sign of {what}"
        time.sleep(0.01)


def test_source(tmp_path, fast_polls):
    directory = tmp_path / "cfg"
    directory.mkdir()
    path = directory / "profiler_config.json"
    path.write_text('{"start_step": 77}')
    old = time.time() - 100
    os.utime(path, (old, old))
    source = monitor.ConfigFileSource(str(directory))
    news = []

    def logs():
        return "".join(open(name).read()
                       for name in glob.glob(f"{directory}/log/monitor_dp_*.log"))

    def next_news():
        wait_for(lambda: news.append(source.poll()) or news[-1] is not None, "a configuration")
        return news[-1]

    try:
        time.sleep(0.1)
        assert source.poll() is None, "what was there before does not count"
        path.write_text('{"start_step": 1}')
        assert next_news() == {"start_step": 1}
        assert source.poll() is None
        # Broken, then in order again.
        path.write_text('{"start_step": ')
        wait_for(lambda: "load json failed" in logs(), "a complaint")
        assert source.poll() is None
        path.write_text('{"start_step": 2}')
        assert next_news() == {"start_step": 2}
        # Deleted and made again.
        path.unlink()
        wait_for(lambda: "cfg json not exists" in logs(), "a complaint")
        path.write_text('{"start_step": 3}')
        assert next_news() == {"start_step": 3}
        # The same again.
        os.utime(path, (old, old))
        assert next_news() == {"start_step": 3}
        # Too large.
        path.write_text(json.dumps({"metadata": "x" * (1 << 20)}))
        wait_for(lambda: "larger than" in logs(), "a complaint")
        assert source.poll() is None
        assert "load json success" in logs()
    finally:
        source.close()
    assert "Dynamic profiler process done" in logs()


def test_config_edited_while_the_program_was_loading(tmp_path, fast_polls):
    began_ns = time.time_ns() - 10_000_000_000
    path = tmp_path / "profiler_config.json"
    path.write_text('{"start_step": 5}')
    first = monitor.ConfigFileSource(str(tmp_path), began_ns)
    news = []
    try:
        wait_for(lambda: news.append(first.poll()) or news[-1], "a configuration")
        assert news[-1] == {"start_step": 5}
        # One that comes later and began before the edit gets it too, one that began after it not.
        late = monitor.ConfigFileSource(str(tmp_path), began_ns)
        new = monitor.ConfigFileSource(str(tmp_path))
        assert late.poll() == {"start_step": 5} and late.poll() is None
        assert new.poll() is None
        late.close()
        new.close()
    finally:
        first.close()


# -- logs -----------------------------------------------------------------------------------------

def test_log_file(tmp_path, monkeypatch):
    monkeypatch.setenv("RANK", "2")
    before = os.umask(0o022)
    logger = log.open_logger(str(tmp_path))
    logger.info("hello %d", 5)
    os.umask(before)
    log.close_logger(logger)
    (path,) = (tmp_path / "log").iterdir()
    assert re.fullmatch(rf"dp_.+_{os.getpid()}_rank_2\.log", path.name)
    assert path.stat().st_mode & 0o777 == 0o640
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \[INFO\] \[%d\] "
                        r"test_dynamic_profile\.py: hello 5\n" % os.getpid(), path.read_text())


def test_log_rotation(tmp_path):
    logger = log.open_logger(str(tmp_path), "monitor_")
    for _ in range(5000):
        logger.info("x" * 100)
    log.close_logger(logger)
    names = sorted(path.name for path in (tmp_path / "log").iterdir())
    assert len(names) == 2 and names[1] == names[0] + ".1"
    assert names[0].startswith("monitor_dp_")
    for path in (tmp_path / "log").iterdir():
        assert 0 < path.stat().st_size <= 200 * 1024


# -- real processes -------------------------------------------------------------------------------

PROGRAM = """
import os, sys, time
from npuprof.profiler import dynamic_profile as dp
from npuprof.profiler._dynamic import monitor
monitor.FIRST_POLL_INTERVAL_S = 0.02
dp.init(sys.argv[1] if len(sys.argv) > 1 else "cfg")
dp._controller._measure_step_time = lambda: None
print("ready", flush=True)
while not os.path.exists("end"):
    dp.step()
    time.sleep(0.01)
"""


class Job:
    """Processes that make steps until the test ends them."""

    def __init__(self, run_python, tmp_path):
        self._run = run_python
        self.path = tmp_path
        self.processes = []

    def start_rank(self, rank=None):
        """Starts a process and waits until it is at work."""
        env = {} if rank is None else {"RANK": str(rank)}
        process = self._run(PROGRAM, env=env, background=True)
        self.processes.append(process)
        line = ""
        while line != "ready\n":
            line = process.stdout.readline()
            assert line, "the program ended"
        return process

    def configure(self, **values):
        """Edits the configuration."""
        path = self.path / "cfg" / "profiler_config.json"
        pending = self.path / "pending"
        pending.write_text(json.dumps({"prof_dir": str(self.path / "results"), "start_step": -1,
                                       "activities": ["CPU"], **values}))
        os.replace(pending, path)

    def results(self):
        """Result directories that are complete."""
        return complete_results(self.path / "results")

    def end(self):
        """Ends all and returns what they printed."""
        (self.path / "end").write_text("")
        output = [process.communicate(timeout=30)[0] for process in self.processes]
        codes = [process.returncode for process in self.processes]
        assert all(code in (0, -signal.SIGKILL) for code in codes), (codes, output)
        return output


@pytest.fixture
def job(run_python, tmp_path):
    made = Job(run_python, tmp_path)
    yield made
    for process in made.processes:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stdin.close()


def logs_of(job, prefix="dp_"):
    return {os.path.basename(path): open(path).read()
            for path in glob.glob(f"{job.path}/cfg/log/{prefix}*.log")}


def shared_files(job):
    return glob.glob(segment._place(str(job.path / "cfg")) + "*")


def test_running_process_is_switched_on_twice(job):
    process = job.start_rank()
    assert json.loads((job.path / "cfg" / "profiler_config.json").read_text()) == TEMPLATE
    job.configure(active=2, warmup=1)
    wait_for(lambda: len(job.results()) == 1, "the first result")
    job.configure(active=1)
    wait_for(lambda: len(job.results()) == 2, "the second result")
    job.end()
    ((name, text),) = logs_of(job).items()
    assert name.endswith(f"_{process.pid}_rank_-1.log")
    starts = [int(number) for number in re.findall(r"Start Dynamic Profiler at (\d+) step", text)]
    stops = [int(number) for number in re.findall(r"Stop Dynamic Profiler at (\d+) step", text)]
    assert [stop - start for start, stop in zip(starts, stops)] == [3, 1]
    assert shared_files(job) == []


def test_two_ranks_with_one_monitor(job):
    for rank in (0, 1):
        job.start_rank(rank)
    job.configure()
    wait_for(lambda: len(job.results()) == 2, "results of both ranks")
    job.configure(is_rank=True, rank_list=[1])
    wait_for(lambda: len(job.results()) == 3, "a result of rank 1")
    time.sleep(0.2)
    # Afterwards the one that ends last may watch for a moment.
    assert len(logs_of(job, "monitor_dp_")) == 1
    job.end()
    infos = glob.glob(f"{job.path}/results/*/profiler_info_*.json")
    assert sorted(os.path.basename(path) for path in infos) == [
        "profiler_info_0.json", "profiler_info_1.json", "profiler_info_1.json"]
    assert len(logs_of(job)) == 2
    assert shared_files(job) == []


def test_killed_leader(job):
    first = job.start_rank(0)
    job.start_rank(1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    job.configure()
    wait_for(lambda: len(job.results()) == 1, "a result of the survivor")
    job.end()
    assert shared_files(job) == []


def test_killed_job_is_started_again(job):
    first = job.start_rank(0)
    job.configure(active=10_000_000)
    wait_for(lambda: any("Start Dynamic" in text for text in logs_of(job).values()), "a start")
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert len(shared_files(job)) == 2
    job.start_rank(0)
    # The configuration of the killed job does not count, a new one does.
    time.sleep(0.2)
    assert job.results() == []
    job.configure()
    wait_for(lambda: len(job.results()) == 1, "a result of the new job")
    job.end()
    assert shared_files(job) == []


# -- who takes part -------------------------------------------------------------------------------

@pytest.mark.parametrize("command, launcher", [
    (["python", "train.py"], False), (["python", "-u", "train.py", "torchrun"], False),
    (["/usr/bin/python3", "/usr/bin/torchrun", "train.py"], True),
    (["python", "-u", "-X", "dev", "/opt/bin/torch_npu_run", "x"], True),
    (["python", "/opt/bin/vllm", "serve"], True),
    (["python", "-m", "torch.distributed.run", "x"], True),
    (["python", "-W", "ignore", "-m", "torch_npu.distributed.launch", "x"], True),
    (["python", "-m", "pytest"], False), (["python", "-c", "torchrun"], False), (["python"], False),
])
def test_launchers(command, launcher, monkeypatch):
    assert dynamic_profile.is_launcher(command) is launcher
    monkeypatch.setenv("RANK", "0")
    assert dynamic_profile.is_launcher(command) is False


def test_handler_of_config_is_ours(logger):
    assert isinstance(DynamicConfig({}, logger).make_handler(), _analysis.TraceHandler)
