"""Metadata of the user, the trace id."""

import errno
import json
import os
import re
import sys
import types

import pytest

from npuprof import _environment, _paths
from npuprof.profiler import _ExperimentalConfig, _KinetoProfile, profile
from npuprof.profiler import tensorboard_trace_handler
from npuprof.profiler._metadata import parallel_groups

VARIABLES = ["ASCEND_GLOBAL_LOG_LEVEL", "HCCL_RDMA_TC", "HCCL_RDMA_SL", "ACLNN_CACHE_LIMIT",
             "HOST_CACHE_CAPACITY", "ASCEND_ENHANCE_ENABLE", "PYTORCH_NPU_ALLOC_CONF",
             "ASCEND_LAUNCH_BLOCKING", "HCCL_ALGO"]


def run(profiler):
    profiler.start()
    profiler.stop()
    path = os.path.join(profiler._trace.result_dir, "profiler_metadata.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def make(export_type="text", **options):
    return profile(on_trace_ready=tensorboard_trace_handler("x", analyse_flag=False),
                   experimental_config=_ExperimentalConfig("Level1", export_type=export_type),
                   **options)


def test_content(session_calls, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HCCL_ALGO", "ring")
    profiler = make()
    profiler.add_metadata("model", "größe 7b")
    profiler.add_metadata_json("args", '{"layers": [1, 2], "on": true}')
    content = run(profiler)
    assert content["model"] == "größe 7b"
    assert content["args"] == {"layers": [1, 2], "on": True}
    assert content["ENV_VARIABLES"] == {name: "ring" if name == "HCCL_ALGO" else ""
                                        for name in VARIABLES}
    assert re.fullmatch("[0-9A-F]{32}", content["trace_id"])
    assert list(content)[:2] == ["model", "args"]
    # Metadata belongs to one result.
    assert "model" not in run(profiler)


def test_variables_are_for_text_only(session_calls):
    assert "ENV_VARIABLES" not in run(make("db"))
    assert "ENV_VARIABLES" in run(make(["db", "text"]))


@pytest.mark.parametrize("key, value", [(1, "x"), ("x", 1), ("x", None), ("k" * 4097, "x"),
                                        ("x", "v" * 4097)])
@pytest.mark.parametrize("method", ["add_metadata", "add_metadata_json"])
def test_refused(console, key, value, method):
    profiler = _KinetoProfile()
    console.lines()
    getattr(profiler, method)(key, value)
    assert len(console.texts("WARNING")) == 1
    assert profiler._metadata.values == {}


def test_longest_texts(console):
    profiler = _KinetoProfile()
    console.lines()
    profiler.add_metadata("k" * 4096, "v" * 4096)
    assert console.lines() == [] and len(profiler._metadata.values) == 1


def test_invalid_json(console):
    profiler = _KinetoProfile()
    console.lines()
    profiler.add_metadata_json("x", "{broken")
    assert len(console.texts("WARNING")) == 1 and profiler._metadata.values == {}


def test_later_value_wins(console):
    profiler = _KinetoProfile()
    console.lines()
    profiler.add_metadata("x", "1")
    profiler.add_metadata("x", "2")
    assert len(console.texts("WARNING")) == 1 and profiler._metadata.values == {"x": "2"}


def test_budget(console):
    profiler = _KinetoProfile()
    console.lines()
    values = profiler._metadata.values
    for number in range(3000):
        key, value = f"key {number}", "v" * 4096
        expected = sys.getsizeof(values) + sys.getsizeof(key) + sys.getsizeof(value) <= 50 * 1024
        profiler.add_metadata(key, value)
        assert (key in values) == expected, number
    refused = 3000 - len(values)
    assert refused > 0 and len(console.texts("WARNING")) == refused


def test_trace_id_of_the_user(session_calls):
    profiler = make(custom_trace_id_callback=lambda: "run 1")
    assert run(profiler)["trace_id"] == "run 1"
    assert profiler.get_trace_id() == "run 1"
    profiler.set_custom_trace_id_callback(lambda: "x" * 1024)
    assert run(profiler)["trace_id"] == "x" * 1024


@pytest.mark.parametrize("callback", [lambda: 5, lambda: "x" * 1025, lambda: 1 / 0, lambda: None])
def test_unusable_trace_id(session_calls, console, callback):
    profiler = make(custom_trace_id_callback=callback)
    console.lines()
    profiler.start()
    texts = console.texts("WARNING")
    profiler.stop()
    assert sum("custom_trace_id_callback" in text for text in texts) == 1
    assert re.fullmatch("[0-9A-F]{32}", profiler.get_trace_id())


class Group:
    """Stands for a process group of HCCL."""

    def __init__(self, communicator):
        self._communicator = communicator

    def get_hccl_comm_name(self, rank, init_comm=True):
        assert not init_comm, "a communicator must not be made for a question"
        return self._communicator


@pytest.mark.parametrize("newer", [False, True])
def test_parallel_groups(monkeypatch, newer):
    default, pair, unused, other = Group("comm0"), Group("comm1"), Group(""), Group("gloo0")
    backends = {default: ("hccl", None), pair: ("cpu:gloo,npu:hccl", None),
                unused: ("hccl", None), other: ("gloo", None)}
    names = {default: "0", pair: "1", unused: "2", other: "3"}
    c10d = types.SimpleNamespace(_get_default_group=lambda: default)
    ranks = {default: {0: 0, 1: 1}, pair: {1: 0}}
    module = types.SimpleNamespace(distributed_c10d=c10d,
                                   get_rank=lambda group=None: 0 if group is pair else 1)
    if newer:
        c10d._world = types.SimpleNamespace(pg_map=backends, pg_names=names)
        module.get_process_group_ranks = lambda group: sorted(ranks[group])
    else:
        c10d._pg_map, c10d._pg_names, c10d._pg_group_ranks = backends, names, ranks
    monkeypatch.setattr(_environment, "distributed", lambda: module)
    assert parallel_groups() == {
        "comm0": {"group_name": "default_group", "group_rank": 1, "global_ranks": [0, 1]},
        "comm1": {"group_name": "1", "group_rank": 0, "global_ranks": [1]}}


@pytest.mark.parametrize("code, said", [(errno.ENOSPC, "The disk is full: "),
                                        (errno.EIO, "finalize_trace failed: OSError")])
def test_a_full_disk_is_told_as_one(session_calls, console, monkeypatch, code, said):
    def write_file(path, data):
        raise OSError(code, os.strerror(code))

    profiler = _KinetoProfile()
    profiler.start()
    monkeypatch.setattr(_paths, "write_file", write_file)
    console.lines()
    profiler.stop()
    (text,) = console.texts("ERROR")
    assert said in text
