"""MindSpore programs that are told from outside to record some of their steps."""

import json
import logging
import os
import sys
import time
import types

import pytest
from npuprof.mindspore import DynamicProfilerMonitor, ExportType
from npuprof.mindspore._dynamic import TEMPLATE, DynamicConfig, from_service
from npuprof.profiler._dynamic import daemon


@pytest.fixture
def monitor(session_calls, monkeypatch):
    """A monitor whose configuration the test gives by set()."""
    made = DynamicProfilerMonitor("config", output_path="out")
    news = []
    monkeypatch.setattr(made._source, "poll", lambda: news.pop() if news else None)
    made.set = lambda **values: news.append(values)
    yield made
    made._close()


class Context:
    """What MindSpore gives to a callback."""

    def __init__(self, number):
        self.cur_step_num = number

    def original_args(self):
        return self


def test_the_first_process_writes_a_file_to_edit(monitor, console):
    with open("config/profiler_config.json", encoding="utf-8") as file:
        text = file.read()
    assert list(json.loads(text)) == list(TEMPLATE) and json.loads(text) == TEMPLATE
    assert text.startswith('{\n    "start_step": -1')


def test_a_file_that_is_there_counts_from_the_first_step(session_calls):
    os.mkdir("config")
    with open("config/profiler_config.json", "w", encoding="utf-8") as file:
        json.dump({"start_step": 2, "stop_step": 3}, file)
    made = DynamicProfilerMonitor("config", poll_interval=60)
    assert (made._config().start_step, made._config().stop_step) == (2, 3)
    made._close()


def test_calls_of_step(monitor, session_calls):
    monitor.set(start_step=2, stop_step=3)
    seen = []
    for _ in range(6):
        monitor.step()
        seen.append(list(session_calls))
        session_calls.clear()
    # What is recorded follows call number 2, and lasts two steps.
    assert seen == [[], ["open", "start"], [], ["stop", "finalize"], [], []]
    [name] = os.listdir("out")
    assert name == "rank0_start2_stop3"
    [result] = os.listdir(f"out/{name}")
    assert result.endswith("_ascend_ms")


def test_steps_of_a_training(monitor, session_calls):
    monitor.set(start_step=2, stop_step=3, prof_path="elsewhere")
    seen = []
    for number in range(1, 6):
        monitor.step_begin(Context(number))
        monitor.step_end(Context(number))
        seen.append(list(session_calls))
        session_calls.clear()
    assert seen == [[], ["open", "start"], ["stop", "finalize"], [], []]
    assert os.listdir("elsewhere") == ["rank0_start2_stop3"]


@pytest.mark.parametrize("start, stop", [(3, 2), (1, 1), (0, 5), (-1, 5)])
def test_steps_that_cannot_be_recorded(monitor, session_calls, console, start, stop):
    monitor.set(start_step=start, stop_step=stop)
    for number in range(3, 7):
        monitor.step_begin(Context(number))
        monitor.step_end(Context(number))
    assert session_calls == []
    assert len(console_lines(console)) == (0 if start == -1 else 1)


def console_lines(console):
    """Those of the console's form; the monitor prints others too."""
    text = console._capsys.readouterr().out
    return [line for line in text.splitlines() if "ERROR" in line or "WARNING" in line]


def test_a_new_configuration_records_again(monitor, session_calls):
    monitor.set(start_step=1, stop_step=1)
    for _ in range(3):
        monitor.step()
    monitor.set(start_step=4, stop_step=4)
    for _ in range(3):
        monitor.step()
    assert session_calls.count("open") == 2
    assert sorted(os.listdir("out")) == ["rank0_start1_stop1", "rank0_start4_stop4"]


class Service:
    """Stands for the client of a monitoring service that asks for two steps."""

    def __init__(self):
        Service.last = self
        self.messages = ["NPU_MONITOR_START=true\n",
                         "PROFILE_START_STEP=2\nACTIVITIES_ITERATIONS=2\n"
                         "ACTIVITIES_LOG_FILE=asked\nPROFILE_PROFILER_LEVEL=Level1\n"]
        self.status = []

    def init_dyno(self, rank):
        self.rank = rank
        return True

    def poll_dyno(self):
        return self.messages.pop(0) if self.messages else ""

    def enable_dyno_npu_monitor(self, values):
        self.monitored = values

    def update_profiler_status(self, status):
        self.status.append(status)

    def finalize_dyno(self):
        self.is_finalized = True


@pytest.fixture
def service_monitor(monkeypatch, session_calls):
    """A monitor that has its configurations from a service."""
    monkeypatch.setitem(sys.modules, "IPCMonitor",
                        types.SimpleNamespace(PyDynamicMonitorProxy=Service))
    monkeypatch.setenv("MSMONITOR_USE_DAEMON", "1")
    monkeypatch.setenv("RANK_ID", "3")
    monkeypatch.setattr(daemon, "_REPORT_INTERVAL_S", 0.0)
    construct = daemon.DaemonSource.__init__
    monkeypatch.setattr(daemon.DaemonSource, "__init__",
                        lambda source, logger, _, rank: construct(source, logger, 0.01, rank))
    made = DynamicProfilerMonitor()
    end = time.monotonic() + 20
    while Service.last.messages or made._source._news is None:
        assert time.monotonic() < end, "the service was not asked"
        time.sleep(0.005)
    yield made
    made._close()
    assert Service.last.is_finalized


def test_a_service_asks_for_steps_of_a_program_without_callbacks(service_monitor, session_calls):
    for _ in range(5):
        service_monitor.step()
    assert session_calls == ["open", "start", "stop", "finalize"]
    assert os.listdir("asked") == ["rank3_start2_stop3"]
    client = Service.last
    assert client.rank == 3 and client.monitored == {"NPU_MONITOR_START": "true"}
    assert [status["profiler_status"] for status in client.status] == ["0", "1", "1", "0", "0"]
    assert client.status[1] == {"profiler_status": "1", "current_step": "2", "start_step": "2",
                                "stop_step": "3"}


def test_a_service_asks_for_steps_of_a_training(service_monitor, session_calls):
    for number in range(1, 5):
        service_monitor.step_begin(Context(number))
        service_monitor.step_end(Context(number))
    assert session_calls == ["open", "start", "stop", "finalize"]
    assert [status["current_step"] for status in Service.last.status] == ["1", "2", "3", "4"]


def test_messages_of_a_service_say_what_a_file_says(console):
    message = ("PROFILE_START_STEP=5\nACTIVITIES_ITERATIONS=3\nACTIVITIES_LOG_FILE=/tmp/results\n"
               "PROFILE_ACTIVITIES=CPU, NPU\nPROFILE_ANALYSE=True\nPROFILE_EXPORT_TYPE=Db\n"
               "PROFILE_PROFILER_LEVEL=Level_none\nPROFILE_MSPROF_TX=true\n"
               "PROFILE_HOST_SYS=None\nPROFILE_MSTX_DOMAIN_INCLUDE=a,b\n")
    values = from_service(daemon.parse_message(message, logging.Logger("test")))
    assert {name: values[name] for name in TEMPLATE if name in values} == {
        "start_step": 5, "stop_step": 7, "prof_path": "/tmp/results", "activities": ["CPU", "NPU"],
        "analyse": True, "export_type": ["db"], "profiler_level": "LevelNone", "mstx": True,
        "host_sys": [], "mstx_domain_include": ["a", "b"]}
    config = DynamicConfig(values)
    assert [config._enumerated(name) for name in ("export_type", "host_sys")] == [
        [ExportType.Db], []]
    assert console.lines() == []


def test_a_message_without_steps_records_nothing(console):
    config = DynamicConfig(from_service(daemon.parse_message("", logging.Logger("test"))))
    assert (config.start_step, config.stop_step) == (0, -1)


@pytest.mark.parametrize("name, given, expected", [
    ("aic_metrics", 1, "ArithmeticUtilization"), ("aic_metrics", "L2Cache", "L2Cache"),
    ("aic_metrics", "Nothing", "AiCoreNone"), ("profiler_level", -1, "LevelNone"),
    ("profiler_level", 2, "Level2"), ("profiler_level", 9, "Level0"),
])
def test_names_and_old_numbers(name, given, expected):
    assert DynamicConfig({name: given})._enumerated(name).name == expected


@pytest.mark.parametrize("name, given, expected", [
    ("activities", 1, ["CPU"]), ("activities", ["NPU"], ["NPU"]), ("activities", 7, ["CPU", "NPU"]),
    ("export_type", 2, ["Text", "Db"]), ("export_type", ["db"], ["Db"]),
    ("host_sys", ["cpu"], ["CPU"]),
    ("host_sys", ["nothing"], []),
])
def test_lists_and_old_numbers(name, given, expected):
    assert [item.name for item in DynamicConfig({name: given})._enumerated(name)] == expected


@pytest.mark.parametrize("arguments, level", [
    ({"output_path": 7}, "WARNING"), ({"poll_interval": 0}, "ERROR"),
    ({"poll_interval": "2"}, "ERROR"),
])
def test_arguments_that_are_wrong(console, arguments, level):
    made = DynamicProfilerMonitor("config", **arguments)
    assert [level in line for line in console_lines(console)] == [True]
    made._close()


def test_the_path_must_be_a_text():
    with pytest.raises(TypeError):
        DynamicProfilerMonitor()
