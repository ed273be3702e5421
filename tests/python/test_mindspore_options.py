"""Options of MindSpore profilers: types, ranges, conflicts and what is said about them."""

import json
import os
import warnings

import pytest
from npuprof.mindspore import (AicoreMetrics, ExportType, HostSystem, ProfilerAction,
                               ProfilerActivity, ProfilerLevel, _ExperimentalConfig, profile,
                               schedule)
from npuprof.mindspore._env_profiler import converted
from npuprof.mindspore._options import Options

CPU, NPU, GPU = ProfilerActivity.CPU, ProfilerActivity.NPU, ProfilerActivity.GPU


def options(**given):
    """Checked options, and the texts of Python warnings about them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = Options(given)
    return made, [str(warning.message) for warning in caught]


def with_config(**given):
    return options(experimental_config=_ExperimentalConfig(**given))


def test_defaults_are_those_of_mindspore(console):
    made, said = options()
    assert made.parameters() == {
        "is_set_schedule": False, "output_path": "./data", "profiler_level": "Level0",
        "activities": ["CPU", "NPU"], "aic_metrics": "None", "with_stack": False,
        "profile_memory": False, "data_process": False, "parallel_strategy": False,
        "start_profile": True, "l2_cache": False, "hbm_ddr": False, "pcie": False,
        "sys_io": False, "sys_interconnection": False, "host_sys": [], "sync_enable": True,
        "data_simplification": True, "record_shapes": False, "export_type": ["text"],
        "mstx": False, "mstx_domain_include": [], "mstx_domain_exclude": [],
        "schedule": {"wait": 0, "active": 1, "warmup": 0, "repeat": 0, "skip_first": 0}}
    assert said == [] and console.lines() == []


@pytest.mark.parametrize("given, used, complaints", [
    ([CPU], [CPU], 0), ([NPU, CPU, NPU], [CPU, NPU], 0), ([], [], 0), (None, [CPU, NPU], 0),
    ((CPU,), [CPU, NPU], 1), ({CPU}, [CPU, NPU], 1), (["CPU"], [CPU, NPU], 1),
    ([CPU, "NPU"], [CPU, NPU], 1), ([GPU], [GPU], 0), (CPU, [CPU, NPU], 1),
])
def test_activities(console, given, used, complaints):
    made, _ = options(activities=given)
    assert made.activities == used
    assert len(console.texts("WARNING")) == complaints


@pytest.mark.parametrize("name", ["with_stack", "profile_memory", "data_process",
                                  "parallel_strategy", "start_profile", "sync_enable",
                                  "record_shapes", "l2_cache", "mstx", "sys_io",
                                  "sys_interconnection", "data_simplification", "hbm_ddr",
                                  "pcie"])
@pytest.mark.parametrize("value", [0, 1, "yes", 1.0, [True]])
def test_switches_take_nothing_but_bools(console, name, value):
    default = options()[0].switches[name]
    made, _ = options(**{name: value})
    assert made.switches[name] is default
    assert [name in text for text in console.texts("WARNING")] == [True]


@pytest.mark.parametrize("name, replacement", [("hbm_ddr", "profile_memory"),
                                               ("pcie", "sys_interconnection")])
def test_switches_that_go_out_of_use_are_said_once(name, replacement):
    made, said = options(**{name: True})
    assert made.switches[name] and len(said) == 1 and replacement in said[0]
    assert made.for_recorder()[replacement] is True
    assert options(**{name: False})[1] == []


@pytest.mark.parametrize("name", ["profile_communication", "op_time", "profile_framework",
                                  "host_stack", "timeline_limit"])
def test_options_out_of_use_are_accepted_and_have_no_effect(name):
    made, said = options(**{name: 7})
    assert len(said) == 1 and name in said[0] and made.parameters() == options()[0].parameters()


@pytest.mark.parametrize("level, metrics, mstx, ends_as, warned", [
    ("Level0", "AiCoreNone", False, ("Level0", "AiCoreNone"), 0),
    ("Level0", "Memory", False, ("Level0", "AiCoreNone"), 1),
    ("Level1", "AiCoreNone", False, ("Level1", "PipeUtilization"), 1),
    ("Level2", "L2Cache", False, ("Level2", "L2Cache"), 0),
    ("LevelNone", "AiCoreNone", False, ("Level0", "AiCoreNone"), 1),
    ("LevelNone", "Memory", False, ("Level0", "AiCoreNone"), 2),
    ("LevelNone", "AiCoreNone", True, ("LevelNone", "AiCoreNone"), 0),
])
def test_levels_and_counters_that_do_not_go_together(level, metrics, mstx, ends_as, warned):
    made, said = with_config(profiler_level=ProfilerLevel[level],
                             aic_metrics=AicoreMetrics[metrics], mstx=mstx)
    assert (made.profiler_level.name, made.aic_metrics.name) == ends_as and len(said) == warned


@pytest.mark.parametrize("name, value", [("profiler_level", "Level1"), ("profiler_level", 1),
                                         ("aic_metrics", "PipeUtilization"), ("aic_metrics", 0),
                                         ("output_path", 7)])
def test_names_are_no_members_of_an_enumeration(console, name, value):
    made, _ = options(**{name: value})
    assert getattr(made, name) == getattr(options()[0], name)
    assert len(console.texts("WARNING")) == 1


@pytest.mark.parametrize("given, used, complaints", [
    (None, ["text"], 0), ("text", ["text"], 0), ("db", ["db"], 0), (ExportType.Db, ["db"], 0),
    ([ExportType.Db, ExportType.Text, ExportType.Db], ["text", "db"], 0), ([], ["text"], 0),
    (["db"], ["text"], 1), ("json", ["text"], 1), (7, ["text"], 1),
])
def test_export_types(console, given, used, complaints):
    made, _ = with_config(export_type=given)
    assert made.parameters()["export_type"] == used
    assert len(console.texts("WARNING")) == complaints


@pytest.mark.parametrize("given, used, complaints", [
    ([HostSystem.MEM, HostSystem.CPU], ["cpu", "mem"], 0), ([], [], 0), (["cpu"], [], 1),
    ([HostSystem.CPU, "mem"], [], 1), (HostSystem.CPU, [], 1),
])
def test_samples_of_the_host(console, given, used, complaints):
    made, _ = with_config(host_sys=given)
    assert made.parameters()["host_sys"] == used
    assert len(console.texts("WARNING")) == complaints


@pytest.mark.parametrize("mstx, include, exclude, ends_as, complaints, warned", [
    (True, ["a", "b", "a"], None, (["a", "b"], []), 0, 0),
    (True, ["a"], ["b"], (["a"], []), 0, 1),
    (False, ["a"], None, ([], []), 0, 1),
    (True, ["a", ""], ["b"], ([], ["b"]), 1, 0),
    (True, "a", None, ([], []), 1, 0),
    (True, [7], None, ([], []), 1, 0),
])
def test_domains_of_markers(console, mstx, include, exclude, ends_as, complaints, warned):
    made, said = with_config(mstx=mstx, mstx_domain_include=include, mstx_domain_exclude=exclude)
    assert tuple(made.domains.values()) == ends_as
    assert len(console.texts("WARNING")) == complaints and len(said) == warned


def test_shapes_need_the_host_and_a_schedule_forbids_the_pipeline(console):
    made, said = options(record_shapes=True, activities=[NPU])
    assert not made.switches["record_shapes"] and len(said) == 1
    made, said = options(data_process=True, schedule=schedule(wait=0, warmup=1, active=1))
    assert not made.switches["data_process"] and len(said) == 1 and made.is_set_schedule
    made, said = options(data_process=True, schedule=lambda step: ProfilerAction.RECORD)
    assert made.switches["data_process"] and said == [] and not made.is_set_schedule
    assert console.lines() == []


def test_another_config_object_and_handler_are_not_used(console):
    made, _ = options(experimental_config={"l2_cache": True}, on_trace_ready="handler")
    assert not made.switches["l2_cache"] and made.on_trace_ready is None
    assert len(console.texts("WARNING")) == 2


def test_the_config_can_be_changed_and_checks_nothing_itself(console):
    config = _ExperimentalConfig(l2_cache="yes")
    config.l2_cache = True
    assert options(experimental_config=config)[0].switches["l2_cache"] and console.lines() == []


def test_profile_has_fixed_names_only(session_calls):
    with pytest.raises(TypeError):
        profile(output_path="x")
    assert options(nothing=7)[0].parameters() == options()[0].parameters()  # Those of Profiler.


@pytest.mark.parametrize("arguments, actions", [
    ({"wait": 2, "warmup": 2, "active": 2, "skip_first": 2, "repeat": 2}, "NNNNWWRSNNWWRSNNNN"),
    ({"wait": 0, "active": 1}, "SSS"),
    ({"wait": 0, "active": 2, "warmup": 1}, "WRSWRS"),
])
def test_actions_of_a_schedule(arguments, actions):
    letters = {"N": "NONE", "W": "WARM_UP", "R": "RECORD", "S": "RECORD_AND_SAVE"}
    made = schedule(**arguments)
    assert [made(step).name for step in range(len(actions))] == [letters[a] for a in actions]
    assert list(made.to_dict()) == ["wait", "active", "warmup", "repeat", "skip_first"]


def test_recorded_steps_of_a_long_schedule():
    made = schedule(skip_first=10, wait=10, warmup=5, active=5, repeat=2)
    recorded = [step for step in range(100) if made(step).value >= ProfilerAction.RECORD.value]
    assert recorded == [*range(25, 30), *range(45, 50)]


@pytest.mark.parametrize("value", [True, 1.0, "1", -1, None])
def test_numbers_of_a_schedule(console, value):
    made = schedule(wait=value, active=value, warmup=value, repeat=value, skip_first=value)
    assert made.to_dict() == {"wait": 0, "active": 1, "warmup": 0, "repeat": 0, "skip_first": 0}
    assert len(console.texts("WARNING")) == 6  # With that of a missing warm-up.
    with pytest.raises(ValueError):
        made(-1)
    with pytest.raises(TypeError):
        schedule(1, 2)


def test_options_in_the_environment_have_texts_for_enumerations(console):
    given = {"activities": ["CPU"], "profiler_level": "Level1", "aic_metrics": "None",
             "export_type": ["text", "db"], "with_stack": True}
    assert converted(given) == {"activities": [CPU], "profiler_level": ProfilerLevel.Level1,
                                "aic_metrics": AicoreMetrics.AiCoreNone, "with_stack": True,
                                "export_type": [ExportType.Text, ExportType.Db]}
    assert console.lines() == []
    assert converted({"activities": ["CPU", "TPU"]}) == {"activities": None}
    assert converted({"profiler_level": "Level9", "export_type": ["xml"]}) == {
        "profiler_level": None, "export_type": None}
    assert len(console.texts("WARNING")) == 3


ENVIRONMENT_PROGRAM = """
import npuprof.mindspore as profiler
print("started", profiler.EnvProfiler.profiler is not None)
"""


@pytest.mark.parametrize("text, starts, says", [
    ('{"start": true, "output_path": "out", "start_profile": false}', True, "end of"),
    ('{"start": false, "output_path": "out"}', False, ""),
    ('{"output_path": "out"}', False, ""),
    ("{}", False, "ERROR"), ("{start}", False, "ERROR"), ("[1]", False, "ERROR"),
])
def test_the_environment_starts_a_profiler(run_python, tmp_path, text, starts, says):
    output = run_python(ENVIRONMENT_PROGRAM, env={"MS_PROFILER_OPTIONS": text,
                                                  "NPUPROF_BINARY": "/bin/true"})
    assert f"started {starts}" in output
    assert says.replace("end of", "program ends") in output
    results = list((tmp_path / "out").glob("*_ascend_ms")) if starts else []
    assert len(results) == (1 if starts else 0)
    for result in results:
        info = json.loads((result / "profiler_info_0.json").read_text())
        assert info["profiler_parameters"]["start_profile"] is True
        assert os.path.isdir(result / "FRAMEWORK")
