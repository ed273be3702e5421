"""Paths, names, modes, and the files a run leaves."""

import gc
import json
import os
import re
import socket
import stat
import struct
import time

import pytest

from npuprof import _paths
from npuprof.profiler import (ProfilerActivity, _ExperimentalConfig, _KinetoProfile, profile,
                              schedule, tensorboard_trace_handler)
from npuprof.profiler import _result_directory


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def run(handler, **options):
    profiler = profile(on_trace_ready=handler, **options)
    with profiler:
        pass
    return profiler._trace.result_dir


def test_name_and_modes(tmp_path, umask):
    config = _ExperimentalConfig("Level1", gc_detect_threshold=0)
    profiler = profile(on_trace_ready=tensorboard_trace_handler("a/b", analyse_flag=False),
                       experimental_config=config)
    with profiler:
        gc.collect()
    path = profiler._trace.result_dir
    assert os.path.dirname(path) == str(tmp_path / "a" / "b")
    name = os.path.basename(path)
    match = re.fullmatch(rf"{re.escape(socket.gethostname())}_{os.getpid()}_(\d{{17}})_ascend_pt",
                         name)
    assert match
    stamp_s = time.mktime(time.strptime(match.group(1)[:14], "%Y%m%d%H%M%S"))
    assert abs(stamp_s - time.time()) < 3600
    for folder in ("a", "a/b", path, path + "/FRAMEWORK"):
        assert mode(folder) == 0o750, folder
    for file in ("profiler_info.json", "profiler_metadata.json", "FRAMEWORK/torch.gc_record"):
        assert mode(os.path.join(path, file)) == 0o640, file


def test_results_of_one_millisecond_do_not_collide(monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_123_000_000)
    location = _result_directory.Location()
    first, second = _result_directory.create(location), _result_directory.create(location)
    assert first != second and first.endswith("123_ascend_pt") and second.endswith("124_ascend_pt")


def test_priority_of_base_directories(tmp_path, monkeypatch, session_calls):
    def parent(handler):
        return os.path.dirname(run(handler))

    assert parent(tensorboard_trace_handler("mine")) == str(tmp_path / "mine")
    assert parent(tensorboard_trace_handler()) == str(tmp_path)
    assert parent(None) == str(tmp_path / "export_only_prof_dir")
    monkeypatch.setenv("ASCEND_WORK_PATH", str(tmp_path / "work"))
    assert parent(tensorboard_trace_handler("mine")) == str(tmp_path / "mine")
    assert parent(tensorboard_trace_handler()) == str(tmp_path / "work" / "profiling_data")
    assert parent(None) == str(tmp_path / "work" / "profiling_data")


def test_each_handler_has_its_own_place(tmp_path, session_calls):
    one, two = tensorboard_trace_handler("one", "w1"), tensorboard_trace_handler("two", "w2")
    first, second = run(one), run(two)
    assert os.path.dirname(first) == str(tmp_path / "one")
    assert os.path.basename(first).startswith("w1_")
    assert os.path.dirname(second) == str(tmp_path / "two")
    # The place of a handler inside a function of the user is that of the last one made.
    assert os.path.dirname(run(lambda profiler: one(profiler))) == str(tmp_path / "two")


@pytest.mark.parametrize("options", [dict(dir_name=5), dict(dir_name=""), dict(worker_name=""),
                                     dict(worker_name="x" * 226), dict(worker_name=3),
                                     dict(analyse_flag=1), dict(async_mode="no")])
def test_bad_arguments_of_the_handler(console, session_calls, tmp_path, options):
    handler = tensorboard_trace_handler(**options)
    assert len(console.texts("WARNING")) == 1
    handler._analyse_flag = False
    path = run(handler)
    assert os.path.dirname(path) == str(tmp_path)
    assert os.path.basename(path).startswith(socket.gethostname() + "_")


def test_longest_worker_name(console):
    handler = tensorboard_trace_handler(worker_name="x" * 225)
    assert handler.location.worker == "x" * 225 and console.lines() == []


def test_file_in_the_way(console, session_calls, tmp_path):
    (tmp_path / "file").write_text("")
    handler = tensorboard_trace_handler(str(tmp_path / "file"))
    (said,) = console.texts("ERROR")
    assert "this is a file" in said and "nothing will be recorded" in said
    with profile(on_trace_ready=handler):
        pass
    assert session_calls == [] and os.listdir(tmp_path) == ["file"]


def test_home_and_links_are_resolved(tmp_path, monkeypatch, session_calls):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert os.path.dirname(run(tensorboard_trace_handler("~/x"))) == str(tmp_path / "home" / "x")
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    assert os.path.dirname(run(tensorboard_trace_handler("link"))) == str(tmp_path / "target")


@pytest.mark.parametrize("path, word", [
    ("/" + "a/" * 2100, "4096"), ("/tmp/" + "b" * 256, "255"), ("/tmp/a:b", "characters"),
    ("/tmp/日本$", "characters")])
def test_unusual_paths_are_warned_of(path, word):
    with pytest.warns(UserWarning, match=word):
        _paths.check_directory(path)


def test_usual_paths_give_no_warning(recwarn):
    _paths.check_directory("/tmp/Data-1_x/~a.b/名字 9")
    assert len(recwarn) == 0


def test_checks_of_paths(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError):
        _paths.check_directory(str(tmp_path / "file"))
    with pytest.raises(RuntimeError):
        _paths.check_file(str(tmp_path))
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.warns(UserWarning, match="symbolic link"):
        _paths.check_directory(str(tmp_path / "link"))


def test_links_are_not_written_to(tmp_path):
    (tmp_path / "target").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    for name in ("link", "dangling"):
        with pytest.raises(RuntimeError):
            _paths.write_file(str(tmp_path / name), b"x")
        with pytest.raises(RuntimeError):
            _paths.append_file(str(tmp_path / name), b"x")
    assert (tmp_path / "target").read_text() == "kept"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder_link").symlink_to(tmp_path / "folder")
    with pytest.raises(RuntimeError):
        _paths.make_directory(str(tmp_path / "folder_link"))


def test_directory_that_cannot_be_made(console, session_calls, tmp_path):
    (tmp_path / "plain").write_text("")
    handler = tensorboard_trace_handler("plain/below")
    console.lines()
    with profile(on_trace_ready=handler) as profiler:
        profiler.step()
    assert session_calls == []
    assert len(console.texts("ERROR")) == 1
    # Nothing is left that keeps another profiler from recording.
    run(tensorboard_trace_handler("fine", analyse_flag=False))
    assert session_calls == ["open", "start", "stop", "finalize"]


def read(path, name):
    with open(os.path.join(path, name), encoding="utf-8") as file:
        return json.load(file)


def test_profiler_info(session_calls):
    config = _ExperimentalConfig("Level1", export_type=["text", "db"])
    path = run(tensorboard_trace_handler("x", analyse_flag=False), with_stack=True,
               schedule=schedule(wait=0, active=1, warmup=0, repeat=1), experimental_config=config,
               activities=[ProfilerActivity.CPU, ProfilerActivity.NPU])
    info = read(path, "profiler_info.json")
    assert info["config"]["common_config"] == {
        "activities": ["ProfilerActivity.CPU", "ProfilerActivity.NPU"],
        "schedule": dict(wait=0, active=1, warmup=0, repeat=1, skip_first=0, skip_first_wait=0),
        "record_shapes": False, "profile_memory": False, "with_stack": True, "with_flops": False,
        "with_modules": False}
    assert info["config"]["experimental_config"] == vars(config)
    assert info["start_info"] == dict(syscnt_enable=True, freq=100, start_cnt=7,
                                      start_monotonic=70)
    assert set(info["end_info"]) == {"collectionTimeEnd", "MonotonicTimeEnd"}
    assert abs(info["end_info"]["collectionTimeEnd"] - time.time_ns()) < 60e9
    assert info["cann_version"] == "not known"
    assert "rank_id" not in info


def test_profiler_info_of_a_rank(monkeypatch, tmp_path, session_calls):
    monkeypatch.setenv("RANK", "3")
    (tmp_path / "cann" / "aarch64-linux").mkdir(parents=True)
    (tmp_path / "cann" / "aarch64-linux" / "ascend_toolkit_install.info").write_text(
        "package_name=Ascend-cann-toolkit\nversion=8.3.RC1\narch=aarch64\n")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "cann"))
    path = run(tensorboard_trace_handler("x", analyse_flag=False))
    info = read(path, "profiler_info_3.json")
    assert info["rank_id"] == "3" and info["cann_version"] == "8.3.RC1"
    assert info["config"]["common_config"]["schedule"] == {}
    assert not os.path.exists(os.path.join(path, "profiler_info.json"))


def test_what_the_recorder_knows_of_its_clock_is_kept(monkeypatch, session_calls):
    from conftest import SessionDouble

    def finalize(self):
        (folder,) = [name for name in os.listdir("x")]
        with open(os.path.join("x", folder, "profiler_info.json"), "w", encoding="utf-8") as file:
            json.dump({"start_info": {"freq": 2800}, "simulated": True, "rank_id": 9}, file)

    monkeypatch.setattr(SessionDouble, "finalize", finalize)
    monkeypatch.setenv("RANK", "1")
    path = run(tensorboard_trace_handler("x", analyse_flag=False))
    info = read(path, "profiler_info_1.json")
    assert info["start_info"] == {"freq": 2800} and info["simulated"] is True
    assert info["rank_id"] == "1"
    assert not os.path.exists(os.path.join(path, "profiler_info.json"))


def test_garbage_collections_are_recorded():
    def recorded(threshold, activities=None):
        config = _ExperimentalConfig("Level1", gc_detect_threshold=threshold)
        profiler = profile(on_trace_ready=tensorboard_trace_handler("x", analyse_flag=False),
                           experimental_config=config, activities=activities)
        gc.disable()
        try:
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            with profiler:
                gc.collect()
                gc.collect()
            after = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        finally:
            gc.enable()
        path = os.path.join(profiler._trace.result_dir, "FRAMEWORK", "torch.gc_record")
        if not os.path.exists(path):
            return 0
        with open(path, "rb") as file:
            records = list(struct.iter_unpack("<3Q", file.read()))
        for pid, start, end in records:
            assert pid == os.getpid() and before <= start <= end <= after
        return len(records)

    count = len(gc.callbacks)
    assert recorded(0) == 2
    assert recorded(1e9) == 0
    assert recorded(0, [ProfilerActivity.NPU]) == 0
    assert len(gc.callbacks) == count


def test_steps_are_recorded_without_compiled_code(monkeypatch):
    from npuprof import _backend
    monkeypatch.setattr(_backend, "_native", None)
    monkeypatch.setattr(_backend, "_torch_hooks", lambda: None)
    profiler = profile(schedule=schedule(wait=1, warmup=0, active=2, repeat=1),
                       on_trace_ready=tensorboard_trace_handler("x", analyse_flag=False))
    with profiler:
        for _ in range(4):
            profiler.step()
    with open(os.path.join(profiler._trace.result_dir, "FRAMEWORK", "torch.op_range"), "rb") as f:
        data = f.read()
    names, place = [], 0
    while place < len(data):
        kind, length = struct.unpack_from("<HI", data, place)
        start, end, sequence, pid, thread, _, _, scope, _ = struct.unpack_from(
            "<3q4QB?", data, place + 6)
        name_kind, name_length = struct.unpack_from("<HI", data, place + 64)
        assert (kind, sequence, pid, scope, name_kind) == (1, -1, os.getpid(), 7, 2)
        assert start <= end and length == 64 + name_length
        names.append(data[place + 70:place + 70 + name_length].decode())
        place += 6 + length
    assert names == ["ProfilerStep#1", "ProfilerStep#2"]


def test_export_only_directory_goes_with_its_profiler(session_calls, tmp_path):
    profiler = _KinetoProfile()
    profiler.start()
    profiler.stop()
    assert os.path.isdir(profiler._trace.result_dir)
    del profiler
    assert list(tmp_path.iterdir()) == []


def test_export_only_directory_of_profile_stays(session_calls, tmp_path):
    with profile():
        pass
    assert (tmp_path / "export_only_prof_dir").is_dir()


def test_forked_child_leaves_the_run_alone(session_calls):
    profiler = profile(on_trace_ready=tensorboard_trace_handler("x", analyse_flag=False))
    profiler.start()
    child = os.fork()
    if child == 0:
        profiler.stop()
        os._exit(0 if session_calls == ["open", "start"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert os.listdir(profiler._trace.result_dir) == []
    profiler.stop()
    assert session_calls == ["open", "start", "stop", "finalize"]
