"""Dynamic profiling by a monitoring service."""

import logging
import sys
import time
import types

import pytest

from npuprof.profiler._dynamic import daemon, monitor
from npuprof.profiler._dynamic.config import DynamicConfig
from npuprof.profiler._dynamic.controller import Controller

LOGGER = logging.Logger("test")
LOGGER.addHandler(logging.NullHandler())


@pytest.mark.parametrize("variables, selected, lines", [
    ({}, False, 0), ({"MSMONITOR_USE_DAEMON": "1"}, True, 0),
    ({"MSMONITOR_USE_DAEMON": "0"}, False, 0), ({"MSMONITOR_USE_DAEMON": "2"}, False, 0),
    ({"MSMONITOR_USE_DAEMON": "yes"}, False, 1), ({"KINETO_USE_DAEMON": "1"}, True, 1),
    ({"MSMONITOR_USE_DAEMON": "1", "PROF_CONFIG_PATH": "/x"}, False, 0)])
def test_selection(monkeypatch, console, variables, selected, lines):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert daemon.is_selected() is selected
    assert len(console.lines()) == lines


def test_message():
    values = daemon.parse_message(
        "PROFILE_START_STEP=5\nACTIVITIES_ITERATIONS=3\nWARMUP_ITERATIONS=1\n"
        "ACTIVITIES_LOG_FILE=/tmp/a=b\nPROFILE_ACTIVITIES=CPU, NPU\nPROFILE_ANALYSE=True\n"
        "PROFILE_ASYNC_MODE=no\nPROFILE_RECORD_SHAPES=true\nPROFILE_IS_RANK=true\n"
        "PROFILE_RANK_LIST=0,2\nPROFILE_PROFILER_LEVEL=Level1\nPROFILE_AIC_METRICS=Memory\n"
        "PROFILE_GC_DETECT_THRESHOLD=1.5\nPROFILE_EXPORT_TYPE=Db\nPROFILE_HOST_SYS=cpu,mem\n"
        "PROFILE_DATA_SIMPLIFICATION=false\nPROFILE_MSTX=TRUE\nPROFILE_MSTX_DOMAIN_INCLUDE=a,b\n"
        "UNKNOWN=1\nno pair\n", LOGGER)
    assert values == {
        "start_step": 5, "active": 3, "warmup": 1, "prof_dir": "/tmp/a=b",
        "activities": ["CPU", "NPU"], "analyse": True, "async_mode": False, "record_shapes": True,
        "is_rank": True, "rank_list": [0, 2], "experimental_config": {
            "record_op_args": False, "profiler_level": "Level1", "aic_metrics": "Memory",
            "gc_detect_threshold": 1.5, "export_type": "db", "host_sys": ["cpu", "mem"],
            "data_simplification": False, "mstx": True, "mstx_domain_include": ["a", "b"]}}
    config = DynamicConfig(values, LOGGER).profiler_options()["experimental_config"]
    assert config.export_type == ["db"] and config._mstx_domain_include == ["a", "b"]


def test_values_without_sense():
    values = daemon.parse_message("PROFILE_START_STEP=soon\nPROFILE_GC_DETECT_THRESHOLD=None\n",
                                  LOGGER)
    assert values == {"experimental_config": {"record_op_args": False,
                                              "gc_detect_threshold": None}}


class Client:
    """Stands for the client of the service."""

    def __init__(self):
        Client.last = self
        self.messages = []
        self.status = []
        self.monitored = []
        self.finalized = False

    def init_dyno(self, rank):
        self.rank = rank
        return True

    def poll_dyno(self):
        return self.messages.pop(0) if self.messages else ""

    def enable_dyno_npu_monitor(self, values):
        self.monitored.append(values)

    def update_profiler_status(self, status):
        self.status.append(status)

    def finalize_dyno(self):
        self.finalized = True


def test_service(monkeypatch, session_calls, tmp_path):
    monkeypatch.setitem(sys.modules, "IPCMonitor",
                        types.SimpleNamespace(PyDynamicMonitorProxy=Client))
    monkeypatch.setenv("MSMONITOR_USE_DAEMON", "1")
    monkeypatch.setenv("RANK", "4")
    monkeypatch.setattr(monitor, "FIRST_POLL_INTERVAL_S", 0.01)
    made = Controller()
    made.init("ignored")
    client = Client.last
    assert client.rank == 4
    client.messages = ["NPU_MONITOR_START=true\nREPORT_INTERVAL_S=2\n",
                       f"PROFILE_START_STEP=-1\nACTIVITIES_LOG_FILE={tmp_path}/results\n"]
    end = time.monotonic() + 20
    while "finalize" not in session_calls:
        assert time.monotonic() < end, "nothing was recorded"
        made.step()
        made._source._last_report_s = 0.0
        time.sleep(0.005)
    made._at_exit()
    assert session_calls == ["open", "start", "stop", "finalize"]
    assert client.monitored == [{"NPU_MONITOR_START": "true", "REPORT_INTERVAL_S": "2"}]
    assert client.finalized
    assert set(client.status[0]) == {"profiler_status", "current_step", "start_step", "stop_step"}
    assert [status["profiler_status"] for status in client.status].count("1") == 1
    assert client.status[0]["current_step"] == "1"


def test_service_without_client(monkeypatch, session_calls):
    monkeypatch.setitem(sys.modules, "IPCMonitor", None)
    monkeypatch.setenv("MSMONITOR_USE_DAEMON", "1")
    made = Controller()
    made.init(None)
    made.step()
    made._at_exit()
    assert session_calls == []
