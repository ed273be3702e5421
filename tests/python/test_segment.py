"""Memory shared between the processes of a job."""

import os
import signal
import subprocess
import sys

import pytest

from conftest import PYTHON_DIRECTORY
from npuprof.profiler._dynamic import segment as segment_module
from npuprof.profiler._dynamic.segment import MAX_TEXT_BYTES, Segment, Signature

SIGNATURE = Signature(123, 45, 6)


def files(directory):
    place = segment_module._place(str(directory))
    return [path for path in (place, place + ".lock") if os.path.exists(path)]


@pytest.fixture
def pair(tmp_path):
    one, two = Segment(str(tmp_path)), Segment(str(tmp_path))
    yield one, two
    one.close()
    two.close()


def test_one_leads(pair):
    one, two = pair
    assert one.lead() and not two.lead() and one.lead()
    one.close()
    assert two.lead()


def test_written_text_is_read(pair):
    one, two = pair
    assert two.read() is None
    one.write(b'{"a": 1}', SIGNATURE)
    content = two.read()
    assert content.text == b'{"a": 1}' and content.signature == SIGNATURE
    assert content.generation == two.generation() == 1
    one.write(b"x" * MAX_TEXT_BYTES, SIGNATURE)
    assert len(two.read().text) == MAX_TEXT_BYTES
    one.write(b"", SIGNATURE)
    assert two.read().text == b"" and two.generation() == 3


def test_half_written_text_is_not_read(pair):
    one, two = pair
    one.write(b"whole text", SIGNATURE)
    one._memory[50:51] = b"?"
    assert two.read() is None


def test_damaged_length_is_not_believed(pair):
    one, two = pair
    one.write(b"text", SIGNATURE)
    one._memory[40:44] = b"\xff\xff\xff\xff"
    assert two.read() is None


def test_last_one_removes_the_files(tmp_path):
    one, two = Segment(str(tmp_path)), Segment(str(tmp_path))
    one.close()
    assert len(files(tmp_path)) == 2
    two.close()
    assert files(tmp_path) == []
    two.close()


def test_jobs_of_other_directories_are_apart(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    one, two = Segment(str(tmp_path / "a")), Segment(str(tmp_path / "b"))
    try:
        assert one.lead() and two.lead()
    finally:
        one.close()
        two.close()


def test_link_in_place_of_the_segment(tmp_path):
    place = segment_module._place(str(tmp_path))
    (tmp_path / "target").write_bytes(b"precious")
    os.symlink(tmp_path / "target", place)
    try:
        with pytest.raises(OSError):
            Segment(str(tmp_path))
        assert (tmp_path / "target").read_bytes() == b"precious"
    finally:
        os.unlink(place)


def test_forked_child_does_not_keep_the_lock(tmp_path):
    one = Segment(str(tmp_path))
    assert one.lead()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        os.read(reader, 1)  # Until the parent has seen what it wants to see.
        os._exit(0)
    os.close(reader)
    one.close()
    two = Segment(str(tmp_path))
    leads = two.lead()
    two.close()
    os.close(writer)
    os.waitpid(child, 0)
    assert leads and files(tmp_path) == []


def test_killed_leader_is_replaced(tmp_path):
    program = ("import sys, time\nsys.path.insert(0, sys.argv[1])\n"
               "from npuprof.profiler._dynamic.segment import Segment, Signature\n"
               "s = Segment(sys.argv[2])\nassert s.lead()\n"
               "s.write(b'of the killed one', Signature(1, 2, 3))\n"
               "print('ready', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen([sys.executable, "-c", program, PYTHON_DIRECTORY,
                                str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    other = Segment(str(tmp_path))
    try:
        assert not other.lead()
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert other.lead()
        assert other.read().text == b"of the killed one"
    finally:
        other.close()
        process.stdout.close()
    assert files(tmp_path) == []
