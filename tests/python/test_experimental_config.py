"""Extended options: defaults, bad values, conflicts."""

import warnings

import pytest

from npuprof.profiler import AiCMetrics, ExportType, HostSystem, ProfilerLevel
from npuprof.profiler import _ExperimentalConfig as Config

GOOD = dict(profiler_level=ProfilerLevel.Level1, aic_metrics=AiCMetrics.PipeUtilization)


def made(console, **options):
    config = Config(**{**GOOD, **options})
    return vars(config), console.texts("WARNING")


def test_defaults(console):
    config = Config()
    assert console.lines() == [
        ("WARNING", "Experimental config: Level0 has no AI Core counters; aic_metrics is set to "
                    "AiCoreNone.")]
    assert vars(config) == {
        "_profiler_level": "Level0", "_aic_metrics": "ACL_AICORE_NONE", "_l2_cache": False,
        "_msprof_tx": False, "_mstx": False, "_data_simplification": True,
        "record_op_args": False, "_export_type": ["text"], "_host_sys": [], "_op_attr": False,
        "_gc_detect_threshold": None, "_mstx_domain_include": [], "_mstx_domain_exclude": [],
        "_sys_io": False, "_sys_interconnection": False}
    assert config.export_type == ["text"] and not config.with_gc and not config.tx_enabled


def test_values_of_constants():
    assert {name: value for name, value in vars(AiCMetrics).items() if name[0] != "_"} == {
        "PipeUtilization": "ACL_AICORE_PIPE_UTILIZATION",
        "ArithmeticUtilization": "ACL_AICORE_ARITHMETIC_UTILIZATION",
        "Memory": "ACL_AICORE_MEMORY_BANDWIDTH", "MemoryL0": "ACL_AICORE_L0B_AND_WIDTH",
        "MemoryUB": "ACL_AICORE_MEMORY_UB",
        "ResourceConflictRatio": "ACL_AICORE_RESOURCE_CONFLICT_RATIO",
        "L2Cache": "ACL_AICORE_L2_CACHE", "MemoryAccess": "ACL_AICORE_MEMORY_ACCESS",
        "AiCoreNone": "ACL_AICORE_NONE"}
    assert (ExportType.Text, ExportType.Db) == ("text", "db")
    assert [getattr(HostSystem, name) for name in
            ("CPU", "MEM", "DISK", "NETWORK", "OSRT", "NUMA")] == [
                "cpu", "mem", "disk", "network", "osrt", "numa"]
    assert [getattr(ProfilerLevel, name) for name in
            ("Level_none", "Level0", "Level1", "Level2")] == [
                "Level_none", "Level0", "Level1", "Level2"]


def test_positional_order():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = Config("Level2", AiCMetrics.Memory, True, True, True, False, True, True, 5,
                        ["db"], ["cpu"], ["a"], [], True, True)
    assert list(config().values()) == ["Level2", AiCMetrics.Memory, True, True, True, False, True,
                                       ["db"], ["cpu"], True, 5, ["a"], [], True, True]


def test_good_values_give_no_warning(console):
    values, texts = made(console, mstx=True, mstx_domain_include=["a", "b", "a"],
                         host_sys=["cpu", "mem", "cpu"], export_type=["db", "text", "db"],
                         gc_detect_threshold=0.5, op_attr=True, data_simplification=None)
    assert texts == []
    assert values["_mstx_domain_include"] == ["a", "b"]
    assert values["_host_sys"] == ["cpu", "mem"]
    assert values["_export_type"] == ["db", "text"]
    assert values["_gc_detect_threshold"] == 0.5
    assert values["_op_attr"] is True
    assert values["_data_simplification"] is None


@pytest.mark.parametrize("name, attribute, bad, fallback", [
    ("profiler_level", "_profiler_level", "Level9", "Level0"),
    ("profiler_level", "_profiler_level", 1, "Level0"),
    ("profiler_level", "_profiler_level", [], "Level0"),
    ("profiler_level", "_profiler_level", None, "Level0"),
    ("aic_metrics", "_aic_metrics", "__doc__", AiCMetrics.PipeUtilization),
    ("aic_metrics", "_aic_metrics", None, AiCMetrics.PipeUtilization),
    ("l2_cache", "_l2_cache", 1, False), ("l2_cache", "_l2_cache", "True", False),
    ("aic_metrics", "_aic_metrics", [], AiCMetrics.PipeUtilization),
    ("l2_cache", "_l2_cache", None, False), ("record_op_args", "record_op_args", None, False),
    ("record_op_args", "record_op_args", 1, False), ("msprof_tx", "_msprof_tx", None, False),
    ("mstx", "_mstx", "True", False), ("sys_io", "_sys_io", "on", False),
    ("sys_interconnection", "_sys_interconnection", 1, False),
    ("op_attr", "_op_attr", "True", False),
    ("gc_detect_threshold", "_gc_detect_threshold", [], None),
    ("export_type", "_export_type", 1, ["text"]), ("export_type", "_export_type", [None], ["text"]),
    ("host_sys", "_host_sys", 5, []), ("host_sys", "_host_sys", ("cpu",), []),
    ("mstx_domain_include", "_mstx_domain_include", "a", []),
    ("msprof_tx", "_msprof_tx", "yes", False), ("mstx", "_mstx", 1, False),
    ("sys_io", "_sys_io", 0, False), ("sys_interconnection", "_sys_interconnection", [], False),
    ("data_simplification", "_data_simplification", 1, True),
    ("data_simplification", "_data_simplification", "no", True),
    ("op_attr", "_op_attr", 1, False), ("op_attr", "_op_attr", True, False),
    ("gc_detect_threshold", "_gc_detect_threshold", -1, None),
    ("gc_detect_threshold", "_gc_detect_threshold", -0.5, None),
    ("gc_detect_threshold", "_gc_detect_threshold", "1", None),
    ("gc_detect_threshold", "_gc_detect_threshold", float("nan"), None),
    ("export_type", "_export_type", "csv", ["text"]), ("export_type", "_export_type", [], ["text"]),
    ("export_type", "_export_type", "", ["text"]), ("export_type", "_export_type", None, ["text"]),
    ("export_type", "_export_type", ["text", "csv"], ["text"]),
    ("export_type", "_export_type", [["text"]], ["text"]),
    ("export_type", "_export_type", ("db",), ["text"]),
    ("host_sys", "_host_sys", "cpu", []), ("host_sys", "_host_sys", ["cpu", "gpu"], []),
    ("host_sys", "_host_sys", [["cpu"]], []),
    ("mstx_domain_include", "_mstx_domain_include", ["a"], []),
    ("mstx_domain_exclude", "_mstx_domain_exclude", ["a"], []),
])
def test_bad_value_is_replaced(console, name, attribute, bad, fallback):
    values, texts = made(console, **{name: bad})
    assert values[attribute] == fallback
    assert len(texts) == 1, texts
    assert name.replace("profiler_level", "level") in texts[0] or "counters" in texts[0]


@pytest.mark.parametrize("name", ["PipeUtilization", "Memory"])
def test_the_name_of_a_group_of_counters_stands_for_it(console, name):
    values, texts = made(console, aic_metrics=name)
    assert values["_aic_metrics"] == getattr(AiCMetrics, name)
    assert len(texts) == 1 and f"taken for AiCMetrics.{name}" in texts[0]


@pytest.mark.parametrize("level", ["Level0", "Level_none"])
def test_low_levels_have_no_counters(console, level):
    values, texts = made(console, profiler_level=level, mstx=True)
    assert values["_aic_metrics"] == AiCMetrics.AiCoreNone
    assert len(texts) == 1


def test_bad_metric_at_level0(console):
    values, texts = made(console, profiler_level="Level0", aic_metrics="nonsense")
    assert values["_aic_metrics"] == AiCMetrics.AiCoreNone
    assert len(texts) == 1


def test_invalid_level_keeps_metric(console):
    values, _ = made(console, profiler_level="Level7", aic_metrics=AiCMetrics.Memory)
    assert (values["_profiler_level"], values["_aic_metrics"]) == ("Level0", AiCMetrics.Memory)


def test_invalid_level_and_metric(console):
    values, texts = made(console, profiler_level="Level7", aic_metrics="x")
    assert (values["_profiler_level"], values["_aic_metrics"]) == ("Level0", AiCMetrics.AiCoreNone)
    assert len(texts) == 2


def test_level_none_switches_markers_on(console):
    values, texts = made(console, profiler_level="Level_none", aic_metrics=AiCMetrics.AiCoreNone)
    assert values["_mstx"] is True
    assert len(texts) == 1
    values, texts = made(console, profiler_level="Level_none", aic_metrics=AiCMetrics.AiCoreNone,
                         mstx=True)
    assert texts == []


def test_msprof_tx_is_out_of_date(console):
    with pytest.warns(UserWarning, match="mstx"):
        config = Config(**GOOD, msprof_tx=True)
    assert config.tx_enabled
    assert console.texts("WARNING") == []


def test_op_attr_needs_db(console):
    values, texts = made(console, op_attr=True, export_type="db")
    assert values["_op_attr"] is True and texts == []
    values, texts = made(console, op_attr=True, export_type=["wrong"])
    assert values["_op_attr"] is False and len(texts) == 2


def test_all_garbage_collections(console):
    config = Config(**GOOD, gc_detect_threshold=0)
    assert config.with_gc and config.gc_detect_threshold == 0
    assert [level for level, _ in console.lines()] == ["INFO"]


def test_domains(console):
    values, texts = made(console, mstx=True, mstx_domain_include=["a"], mstx_domain_exclude=["b"])
    assert (values["_mstx_domain_include"], values["_mstx_domain_exclude"]) == (["a"], [])
    assert len(texts) == 1
    values, texts = made(console, mstx=True, mstx_domain_include="a", mstx_domain_exclude=["b"])
    assert (values["_mstx_domain_include"], values["_mstx_domain_exclude"]) == ([], ["b"])
    assert len(texts) == 1
    for bad in (["a", 1], "a", 5, ("a",), [None]):
        for name in ("mstx_domain_include", "mstx_domain_exclude"):
            values, texts = made(console, mstx=True, **{name: bad})
            assert values["_" + name] == [] and len(texts) == 1 and name in texts[0]
    values, texts = made(console, mstx_domain_include=["a"], mstx_domain_exclude=["b"])
    assert (values["_mstx_domain_include"], values["_mstx_domain_exclude"]) == ([], [])
    assert len(texts) == 1
