"""Constructors: signatures, bad values, notices; the error policy."""

import inspect
import os
import re
import sys

import pytest

import npuprof
import npuprof.profiler as profiler
from conftest import ROOT, SessionDouble
from npuprof import _backend
from npuprof.profiler import ProfilerActivity, _ExperimentalConfig, _KinetoProfile, profile

QUIET = _ExperimentalConfig("Level1")


def made(console, **options):
    console.lines()
    made_profiler = profile(**{"experimental_config": QUIET, **options})
    return made_profiler, console.texts("WARNING")


def parameters(function):
    return {name: parameter.default
            for name, parameter in inspect.signature(function).parameters.items()}


def test_names_of_the_package():
    for name in ("profile", "_KinetoProfile", "schedule", "ProfilerAction", "ProfilerActivity",
                 "tensorboard_trace_handler", "_ExperimentalConfig", "ProfilerLevel", "AiCMetrics",
                 "ExportType", "HostSystem", "supported_activities", "supported_profiler_level",
                 "supported_ai_core_metrics", "supported_export_type"):
        assert getattr(npuprof, name) is getattr(profiler, name)
    assert profiler.profiler.analyse is profiler.analyse
    assert callable(profiler.dynamic_profile.init)


def test_signatures():
    assert parameters(profile) == dict(
        activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
        profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
        experimental_config=None, execution_trace_observer=None, custom_trace_id_callback=None,
        use_cuda=None)
    assert parameters(_KinetoProfile) == dict(
        activities=None, record_shapes=False, profile_memory=False, with_stack=False,
        with_flops=False, with_modules=False, experimental_config=None,
        custom_trace_id_callback=None)
    with pytest.raises(TypeError):
        profile([ProfilerActivity.CPU])
    assert parameters(profiler.tensorboard_trace_handler) == dict(
        dir_name=None, worker_name=None, analyse_flag=True, async_mode=False)


def test_supported():
    assert profiler.supported_activities() == {ProfilerActivity.CPU, ProfilerActivity.NPU}
    assert profiler.supported_profiler_level() == {"Level_none", "Level0", "Level1", "Level2"}
    assert len(profiler.supported_ai_core_metrics()) == 9
    assert profiler.supported_export_type() == {"text", "db"}


def test_supported_activities_if_the_recorder_fails(monkeypatch, console):
    def fail():
        raise OSError("broken")

    monkeypatch.setattr(_backend, "supported_features", fail)
    assert profiler.supported_activities() == set()
    assert "supported_activities" in console.texts("ERROR")[0]


def test_activities(console):
    assert str(ProfilerActivity.CPU) == "ProfilerActivity.CPU"
    assert (ProfilerActivity.CPU.value, ProfilerActivity.NPU.value) == (1, 2)
    both = [ProfilerActivity.CPU, ProfilerActivity.NPU]
    for given in (None, [], set(both), both + both, iter(both)):
        made_profiler, warnings = made(console, activities=given)
        assert made_profiler._trace.options.activities == both and warnings == []
    for bad in (["CPU"], [ProfilerActivity.CPU, 3], 5, "CPU", ProfilerActivity.CPU):
        made_profiler, warnings = made(console, activities=bad)
        assert made_profiler._trace.options.activities == both
        assert len(warnings) == 1


@pytest.mark.parametrize("name", ["record_shapes", "profile_memory", "with_stack", "with_flops",
                                  "with_modules"])
@pytest.mark.parametrize("bad", [1, "True", None])
def test_switches_must_be_bools(console, name, bad):
    made_profiler, warnings = made(console, **{name: bad})
    assert made_profiler._trace.options.switches[name] is False
    assert len(warnings) == 1 and name in warnings[0]
    assert made(console, **{name: True})[0]._trace.options.switches[name] is True


@pytest.mark.parametrize("name, bad, kept", [
    ("activities", ["CPU"], None), ("record_shapes", 1, False), ("profile_memory", None, False),
    ("with_stack", "yes", False), ("with_flops", 0, False), ("with_modules", [], False),
    ("custom_trace_id_callback", "id", None)])
def test_the_base_class_checks_too(console, name, bad, kept):
    made_profiler = _KinetoProfile(experimental_config=QUIET, **{name: bad})
    warnings = console.texts("WARNING")
    assert len(warnings) == 1 and name.split("_", maxsplit=1)[0] in warnings[0]
    options = made_profiler._trace.options
    if name == "activities":
        assert options.activities == [ProfilerActivity.CPU, ProfilerActivity.NPU]
    elif name == "custom_trace_id_callback":
        assert made_profiler._trace.trace_id_callback is kept
    else:
        assert options.switches[name] is kept


@pytest.mark.parametrize("name", ["schedule", "on_trace_ready", "custom_trace_id_callback"])
def test_callables(console, name):
    _, warnings = made(console, **{name: "no function"})
    assert len(warnings) == 1 and name in warnings[0]
    _, warnings = made(console, **{name: 0})
    assert warnings == []


def test_other_notices(console):
    assert len(made(console, use_cuda=True)[1]) == 1
    assert len(made(console, use_cuda=False)[1]) == 1
    assert len(made(console, activities=[ProfilerActivity.CPU])[1]) == 1
    made_profiler, warnings = made(console, experimental_config={"mstx": True})
    assert len(warnings) == 2  # The default config has a warning of its own.
    assert made_profiler._trace.options.experimental_config._profiler_level == "Level0"
    with_gc = _ExperimentalConfig("Level1", gc_detect_threshold=1)
    _, warnings = made(console, activities=[ProfilerActivity.NPU], experimental_config=with_gc)
    assert len(warnings) == 1 and "gc_detect_threshold" in warnings[0]


def test_warnings_of_other_ranks_are_not_printed(console, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    assert made(console, use_cuda=True)[1] == []
    monkeypatch.setenv("RANK", "0")
    assert len(made(console, use_cuda=True)[1]) == 1
    for variable in ("TORCH_NPU_WARNING_DISABLE", "TORCH_NPU_DISABLED_WARNING"):
        monkeypatch.setenv(variable, "1")
        assert made(console, use_cuda=True)[1] == []
        monkeypatch.delenv(variable)


def test_errors_do_not_reach_the_program(console, monkeypatch):
    made_profiler, _ = made(console, schedule=lambda step: 1 / (1 - step))
    made_profiler.start()
    assert made_profiler.step() is None
    texts = console.texts("ERROR")
    assert len(texts) == 1 and "step" in texts[0] and "division by zero" in texts[0]
    made_profiler.stop()


def test_closed_standard_output_does_not_matter(monkeypatch):
    class Closed:
        def write(self, _):
            raise ValueError("closed")

    monkeypatch.setattr(sys, "stdout", Closed())
    profile(use_cuda=True)


@pytest.mark.parametrize("variable", ["PROFILER_SAMPLECONFIG", "PROFILING_MODE"])
def test_beside_another_profiler_nothing_is_done(console, session_calls, monkeypatch, variable,
                                                 tmp_path):
    monkeypatch.setenv(variable, "dynamic")
    made_profiler, warnings = made(console)
    assert len(warnings) == 1 and variable in warnings[0]
    monkeypatch.delenv(variable)  # The answer of the first question stays.
    with made_profiler:
        made_profiler.step()
    assert session_calls == [] and list(tmp_path.iterdir()) == []


def test_recorder_gets_plain_values(session_calls):
    config = _ExperimentalConfig("Level1", mstx=True, host_sys=["cpu"])
    with profile(record_shapes=True, experimental_config=config):
        pass
    got = SessionDouble.last.config
    assert got["activities"] == ["CPU", "NPU"]
    assert got["record_shapes"] is True and got["with_stack"] is False
    assert got["profiler_level"] == "Level1" and got["mstx"] is True and got["host_sys"] == ["cpu"]
    assert got["rank"] == -1


def test_child_threads(console, monkeypatch):
    given = []
    monkeypatch.setattr(_backend, "enable_thread", given.append)
    monkeypatch.setattr(_backend, "disable_thread", lambda: given.append("off"))
    profile.enable_profiler_in_child_thread(record_shapes=True, with_stack="yes")
    profile.disable_profiler_in_child_thread()
    assert given == [dict(record_shapes=True, profile_memory=False, with_stack=False,
                          with_flops=False, with_modules=False), "off"]
    assert len(console.texts("WARNING")) == 1


def test_execution_trace_observer(session_calls):
    class Observer:
        calls = []

        def start(self):
            self.calls.append(("start", list(session_calls)))

        def stop(self):
            self.calls.append(("stop", list(session_calls)))

    with profile(execution_trace_observer=Observer()):
        pass
    assert Observer.calls == [("start", ["open", "start"]),
                              ("stop", ["open", "start", "stop", "finalize"])]


def test_forgotten_profiler_is_stopped(session_calls):
    profiler_object = profile()
    profiler_object.start()
    del profiler_object
    assert session_calls == ["open", "start", "stop", "finalize"]


def test_build_without_recorder_says_so(console, monkeypatch):
    monkeypatch.setattr(_backend, "_native", None)
    with made(console)[0]:
        pass
    assert sum("without its recorder" in text for text in console.texts("WARNING")) == 1


def test_failing_recorder_does_not_stop_the_program(console, monkeypatch):
    class Native:
        class Session:
            def __init__(self, result_dir, config):
                pass

            def start(self):
                raise RuntimeError("device busy")

    monkeypatch.setattr(_backend, "_native", Native)
    with made(console)[0]:
        pass
    texts = console.texts("WARNING")
    assert sum("device busy" in text for text in texts) == 1


def test_version_is_that_of_the_project():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"project\(npuprof VERSION (\S+)", file.read()).group(1)
    assert npuprof.__version__ == version
