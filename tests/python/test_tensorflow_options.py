"""Options of TensorFlow programs; no TensorFlow is needed."""

import pytest
from conftest import Console

from npuprof import _backend
from npuprof import tensorflow as npu
from npuprof.tensorflow import _config, _device, _engine, _options, profiler

pytestmark = pytest.mark.skipif(_backend._native is None, reason="needs the compiled modules")


class CollectionDouble:
    """Stands for a collection of CANN."""

    made = []
    failure = None
    is_simulated = False

    def __init__(self, *arguments):
        if CollectionDouble.failure is not None:
            raise RuntimeError(CollectionDouble.failure)
        self.arguments = arguments
        self.stopped = 0
        CollectionDouble.made.append(self)

    def stop(self):
        self.stopped += 1


@pytest.fixture(autouse=True)
def fresh_engine(monkeypatch):
    """As if the program had just begun."""
    for name in ("PROFILING_MODE", "PROFILING_OPTIONS", "ASCEND_WORK_PATH"):
        monkeypatch.delenv(name, raising=False)
    engine = _engine.Engine()
    for module in (_engine, _config, _device, profiler):
        monkeypatch.setattr(module, "engine", engine)
    monkeypatch.setattr(_device, "_opened", None)
    monkeypatch.setattr(_device, "_options_of_process", _device._GlobalOptions())
    monkeypatch.setattr(CollectionDouble, "made", [])
    monkeypatch.setattr(CollectionDouble, "failure", None)
    monkeypatch.setattr(_backend._native, "GraphCollection", CollectionDouble)
    _engine._said.clear()
    return engine


@pytest.fixture
def warnings(capsys):
    """Texts of warnings that were printed."""
    return lambda: Console(capsys).texts("WARNING")


# --- texts


def test_options_are_checked_and_say_what_has_no_effect():
    facts = npu.check_profiling_options('{"output":"./","task_trace":"off"}')
    assert facts["output"] == "./"
    assert "task_trace has no effect" in facts["notes"][0]


@pytest.mark.parametrize("text, code", [
    ('{"output":"./","training_trace":"off"}', "E10001"),
    ('{"output":"/data/p","training_trace":"on",task_trace":"on"}', "E10001"),
    ('{"output":"./","aiv_metrics":"Memory"}', "EK0001"),
    ("{}", "EK0003"),
    ('{"output":"./","task_time":"l3"}', "EK0005"),
    ("", "E10001"), ("[]", "E10001"),
    ('{"output":"./","training_trace":"on","fp_point":5}', "E10001"),
    ('{"output":"' + 3000 * "a" + '"}', "E10001"),
    ('{"output":"./","sys_io_sampling_freq":"10"}', "EK0001"),
    ('{"output":"./","sys_io_sampling_freq":200}', "EK0001"),
    ('{"output":"./","ge_api":"on"}', "EK0001"),
    ('{"output":"./","hccl":true}', "EK0001"),
])
def test_a_refusal_begins_with_its_code(text, code):
    with pytest.raises(ValueError, match=f"^{code}: profiling_options: "):
        npu.check_profiling_options(text)


@pytest.mark.parametrize("more, notes", [
    ('"task_time":"off"', []), ('"aic_metrics":""', []), ('"hccl":""', []),
    ('"training_trace":""', []), ('"ge_api":"l1"', []), ('"sys_io_sampling_freq":100', []),
    ('"task_trace":"off"', ["task_trace has no effect"]),
    ('"storage_limit":"100MB"', ["200MB is taken"]),
])
def test_accepted_options_go_on_whatever_is_said_of_them(more, notes):
    said = npu.check_profiling_options('{"output":"./",' + more + "}")["notes"]
    assert len(said) == len(notes) and all(words in text for words, text in zip(notes, said))


def test_options_that_are_no_text_are_refused():
    with pytest.raises(TypeError):
        npu.check_profiling_options(None)


def test_the_work_path_serves_options_without_output(monkeypatch):
    monkeypatch.setenv("ASCEND_WORK_PATH", "/data")
    assert npu.check_profiling_options("{}")["output"] == "/data/profiling_data"


# --- who decides


@pytest.mark.parametrize("enabled, options, environment, chosen", [
    (True, "{a}", {}, "{a}"),
    (True, "{a}", {"PROFILING_MODE": "true", "PROFILING_OPTIONS": "{b}"}, "{a}"),
    (False, "{a}", {"PROFILING_MODE": "true", "PROFILING_OPTIONS": "{b}"}, "{b}"),
    (True, "", {"PROFILING_MODE": "true", "PROFILING_OPTIONS": "{b}"}, "{b}"),
    (True, "", {}, None),
    (False, "", {}, None),
    (False, "", {"PROFILING_MODE": "True"}, None),
    (False, "", {"PROFILING_MODE": "dynamic"}, None),
    (False, "", {"PROFILING_OPTIONS": "{b}"}, None),
])
def test_the_program_comes_before_the_environment(enabled, options, environment, chosen):
    assert _options.decide(enabled, options, environment).options == chosen


def test_the_environment_has_a_default_of_its_own():
    chosen = _options.decide(False, "", {"PROFILING_MODE": "true"}).options
    assert '"task_trace":"on"' in chosen
    assert '"task_time":"on"' in _options.adapter_default()


@pytest.mark.parametrize("enabled, options, environment, words", [
    (True, "", {}, "nothing is collected"),
    (False, "{a}", {}, "profiling is not enabled"),
    (False, "", {"PROFILING_MODE": "1"}, "only 'true' is known"),
    (False, "", {"PROFILING_OPTIONS": "{b}"}, "without PROFILING_MODE=true"),
    (True, "{a}", {"PROFILING_MODE": "true"}, "is not used"),
])
def test_what_the_vendor_does_in_silence_is_said(enabled, options, environment, words):
    assert any(words in note for note in _options.decide(enabled, options, environment).notes)


# --- 1.x


def test_a_configuration_has_the_defaults_of_the_adapter():
    config = npu.ProfilingConfig()
    assert (config.enable_profiling, config.profiling_options) == (False, None)


@pytest.mark.parametrize("arguments", [{"enable_profiling": 1}, {"enable_profiling": "True"},
                                       {"enable_profiling": True}])
def test_resources_are_initialized_with_a_bool_and_options(arguments):
    with pytest.raises(ValueError):
        npu.npu_resource_init(**arguments)
    assert not CollectionDouble.made


def test_resources_start_and_end_a_collection():
    npu.npu_resource_init(enable_profiling=True, profiling_options='{"output":"./"}')
    npu.npu_resource_shutdown()
    npu.npu_resource_shutdown()
    assert [made.stopped for made in CollectionDouble.made] == [1]
    assert CollectionDouble.made[0].arguments == ('{"output":"./"}',)


def test_refused_options_stop_the_program():
    with pytest.raises(ValueError, match="E10001"):
        npu.npu_resource_init(enable_profiling=True, profiling_options="{")
    assert not CollectionDouble.made


def test_resources_take_any_object_that_has_a_text():
    class Text:
        def __str__(self):
            return '{"output":"./"}'

    npu.npu_resource_init(enable_profiling=True, profiling_options=Text())
    assert CollectionDouble.made[0].arguments == ('{"output":"./"}',)


def test_a_collection_that_runs_already_is_said_and_the_program_goes_on(warnings):
    CollectionDouble.failure = "aclprofInit failed with code 100042"
    npu.npu_resource_init(enable_profiling=True, profiling_options='{"output":"./"}')
    assert any("are ignored: aclprofInit" in text for text in warnings())


def test_later_options_have_no_effect_and_that_is_said(warnings):
    npu.npu_resource_init(enable_profiling=True, profiling_options='{"output":"./"}')
    npu.npu_resource_init(enable_profiling=True, profiling_options='{"output":"a"}')
    assert len(CollectionDouble.made) == 1
    assert any("come too late" in text for text in warnings())


# --- 2.x


def test_enabling_alone_collects_what_the_adapter_does():
    npu.global_options().profiling_config.enable_profiling = True
    assert npu.open() is npu.open()
    assert CollectionDouble.made[0].arguments == (_options.adapter_default(),)
    npu.close()
    assert CollectionDouble.made[0].stopped == 1


def test_options_that_were_not_set_read_as_what_the_adapter_takes():
    config = npu.global_options().profiling_config
    assert config.enable_profiling is False
    assert config.profiling_options == _options.adapter_default()
    config.profiling_options = None
    assert config.profiling_options is None


def test_options_none_collect_nothing_and_that_is_said(warnings):
    config = npu.global_options().profiling_config
    config.enable_profiling = True
    config.profiling_options = None
    npu.open()
    assert not CollectionDouble.made
    assert any("nothing is collected" in text for text in warnings())


@pytest.mark.parametrize("value, error", [("on", TypeError), (None, TypeError), (2, ValueError)])
def test_enabling_takes_true_and_false_alone(value, error):
    with pytest.raises(error):
        npu.global_options().profiling_config.enable_profiling = value


def test_options_that_are_not_enabled_leave_it_to_the_environment(monkeypatch):
    npu.global_options().profiling_config.profiling_options = '{"output":"a"}'
    monkeypatch.setenv("PROFILING_MODE", "true")
    monkeypatch.setenv("PROFILING_OPTIONS", '{"output":"b"}')
    npu.open()
    assert CollectionDouble.made[0].arguments == ('{"output":"b"}',)


def test_other_attributes_are_refused():
    with pytest.raises(ValueError, match="enable_profiling and profiling_options"):
        npu.global_options().profiling_config.profiling_option = "{}"


def test_options_may_be_any_object_that_has_a_text():
    class Text:
        def __str__(self):
            return '{"output":"./"}'

    config = npu.global_options().profiling_config
    config.enable_profiling = 1
    config.profiling_options = Text()
    npu.open()
    assert CollectionDouble.made[0].arguments == ('{"output":"./"}',)


def test_options_after_open_have_no_effect_and_that_is_said(warnings):
    npu.open()
    npu.global_options().profiling_config.enable_profiling = True
    assert not CollectionDouble.made
    assert any("after open()" in text for text in warnings())


# --- local


@pytest.mark.parametrize("arguments", [{"level": 0}, {"aic_metrics": None}, {"output_path": b""}])
def test_arguments_that_are_no_texts_are_refused_at_once(arguments):
    with pytest.raises(ValueError):
        npu.Profiler(**arguments)


@pytest.mark.parametrize("arguments, words", [
    ({"level": "Level1"}, "L0, L1, L2"),
    ({"level": "L1", "aic_metrics": "Nothing"}, "PipeUtilization"),
    ({"level": "L1", "aic_metrics": "MemoryAccess"}, "ArithmeticUtilization"),
    ({"aic_metrics": "Memory"}, "needs level L1 or L2"),
])
def test_what_is_not_known_is_refused_when_it_starts(arguments, words):
    profile = npu.Profiler(**arguments)
    with pytest.raises(RuntimeError, match=words):
        profile.start()


def test_blocks_cannot_be_nested(fresh_engine):
    with npu.Profiler():
        with pytest.raises(RuntimeError, match="nested"):
            npu.Profiler().start()
        fresh_engine.before_graph()
    with npu.Profiler():
        fresh_engine.before_graph()
    assert [made.stopped for made in CollectionDouble.made] == [1, 1]


@pytest.mark.parametrize("level, metrics, expected", [
    ("L0", "", ("./", "L0", "")), ("L1", "", ("./", "L1", "PipeUtilization")),
    ("L2", "MemoryUB", ("./", "L2", "MemoryUB"))])
def test_the_first_graph_starts_it(fresh_engine, level, metrics, expected):
    with npu.Profiler(level=level, aic_metrics=metrics):
        assert not CollectionDouble.made
        fresh_engine.before_graph()
        fresh_engine.before_graph()
    assert [made.arguments for made in CollectionDouble.made] == [expected]


def test_a_block_without_a_graph_writes_nothing_and_that_is_said(warnings):
    with npu.Profiler():
        pass
    assert not CollectionDouble.made
    assert any("nothing was written" in text for text in warnings())


def test_a_block_in_a_program_with_profiling_mode_makes_the_graph_fail():
    npu.npu_resource_init(enable_profiling=True, profiling_options='{"output":"./"}')
    with pytest.raises(Exception, match="switch one of them off"):
        with npu.Profiler():
            _config.engine.before_graph()
    assert len(CollectionDouble.made) == 1


def test_a_block_in_a_program_that_is_collected_makes_the_graph_fail(fresh_engine, monkeypatch):
    monkeypatch.setenv("PROFILING_MODE", "true")
    with pytest.raises(Exception, match="switch one of them off"):
        with npu.Profiler():
            fresh_engine.before_graph()
    assert not CollectionDouble.made


def test_what_cannot_start_fails_the_graph_and_the_end_of_the_block(fresh_engine):
    CollectionDouble.failure = "aclprofInit failed"
    profile = npu.Profiler()
    profile.start()
    with pytest.raises(Exception, match="aclprofInit failed"):
        fresh_engine.before_graph()
    with pytest.raises(RuntimeError, match="nothing to stop"):
        profile.stop()
