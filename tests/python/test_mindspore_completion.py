"""What MindSpore recorded is brought into the form and onto the clock of a result directory."""

import importlib
import os
import struct

import pytest
from npuprof import _backend

pytestmark = pytest.mark.skipif(_backend._import_compiled("_mindspore") is None,
                                reason="the compiled modules are not built")

FIXED = struct.Struct("<5Qi3Hb3?")
MEMORY = struct.Struct("<i11QI4B")
TLV = struct.Struct("<HI")
NO_FLOW = (1 << 64) - 1
RELEASED = (1 << 64) - 1
WALL_OFFSET_NS = 1_700_000_000_000_000_000
BEGIN_NS, END_NS = 1_000_000, 11_000_000  # 3 ticks for each nanosecond.
TICK_OF_BEGIN = 5_000_000_000


def ticks(time_ns):
    return TICK_OF_BEGIN + 3 * (time_ns - BEGIN_NS)


def record(name, start_ns, end_ns, thread=7, flow=NO_FLOW, module=4, event=4):
    fixed = FIXED.pack(thread, flow, 0, ticks(start_ns) if start_ns else 0, ticks(end_ns), thread,
                       module, event, 0, -1, False, False, False)
    body = fixed + b"".join(TLV.pack(field, len(text)) + text for field, text in (
        (13, name.encode()), (14, name.encode()), (15, b""), (16, b"")))
    return TLV.pack(0, len(body)) + body


def records(path, fixed):
    """Fixed part and texts of each record of a file."""
    data = open(path, "rb").read()
    found, at = [], 0
    while at < len(data):
        _, length = TLV.unpack_from(data, at)
        body = data[at + TLV.size:at + TLV.size + length]
        at += TLV.size + length
        texts, place = {}, fixed.size
        while place < len(body):
            field, size = TLV.unpack_from(body, place)
            texts[field] = body[place + TLV.size:place + TLV.size + size].decode()
            place += TLV.size + size
        found.append((fixed.unpack_from(body), texts))
    return found


@pytest.fixture(name="complete")
def _complete(tmp_path):
    """Completes a recording of these files; returns the FRAMEWORK folder."""
    result = tmp_path / "x_ascend_ms"
    folder = result / "FRAMEWORK"
    folder.mkdir(parents=True)

    def complete(ranges=b"", shapes=False, memory=False, told=b"", **texts):
        recorded = result / "FRAMEWORK.recording"
        recorded.mkdir()
        if ranges:
            (recorded / "mindspore.op_range").write_bytes(ranges)
        if told:
            (recorded / "mindspore.record_shapes").write_bytes(told)
        for name, text in texts.items():
            (recorded / f"{name}_0.txt").write_text(text)
        importlib.import_module("npuprof._mindspore").complete({
            "result_directory": str(result), "recorded_directory": str(recorded),
            "begin_ticks": ticks(BEGIN_NS), "begin_ns": BEGIN_NS, "end_ticks": ticks(END_NS),
            "end_ns": END_NS, "wall_offset_ns": WALL_OFFSET_NS, "rank": 0, "launches": False,
            "memory": memory, "shapes": shapes})
        assert not os.path.exists(recorded)
        return folder

    return complete


def test_without_cann_ticks_tell_the_time_of_the_day(complete):
    folder = complete(record("a", 2_000_000, 2_500_000))
    [(fixed, texts)] = records(folder / "mindspore.op_range", FIXED)
    # 100 MHz from 1970 on, which readers take for granted.
    assert fixed[3:5] == ((WALL_OFFSET_NS + 2_000_000) // 10, (WALL_OFFSET_NS + 2_500_000) // 10)
    assert fixed[0] == 7 and texts[14] == "a"


def test_marks_of_flows_keep_a_length_and_their_order(complete):
    folder = complete(record("flow", 2_000_030, 2_000_000, flow=5) +
                      record("flow", 3_000_001, 3_000_002, flow=6) + record("late", 0, 4_000_000))
    (first, _), (second, _), (late, _) = records(folder / "mindspore.op_range", FIXED)
    assert first[4] - first[3] == 3 and second[4] - second[3] == 1
    assert late[3] == 0  # It had begun before recording, and is to be ignored.


def test_a_second_recording_in_the_same_directory_is_added(complete):
    complete(record("a", 2_000_000, 2_500_000))
    folder = complete(record("b", 3_000_000, 3_500_000))
    assert [texts[14] for _, texts in records(folder / "mindspore.op_range", FIXED)] == ["a", "b"]


def run_line(name, *times_ns):
    runs = " ".join(f"{WALL_OFFSET_NS + time_ns},0.05,0" for time_ns in times_ns)
    return f"{name};HostCpuOps;{runs} \n"


def test_shapes_are_those_of_the_last_runs(complete):
    folder = complete(
        shapes=True,
        # The first run, and the first line, are of an earlier recording.
        cpu_op_execute_timestamp=run_line("Default/MatMul-op0", 500, 2_000_000, 3_000_000) +
        run_line("ReLU", 2_500_000),
        cpu_framework="".join(f"MatMul;MatMul-op0;9;input_1:[{n}, 8];input_2:[8, 4];\n;;9;\n"
                              for n in (1, 2, 3)))
    found = [texts for _, texts in records(folder / "mindspore.record_shapes", struct.Struct(""))]
    assert [(texts[0], texts[1]) for texts in found] == [("MatMul", "2,8;8,4"),
                                                         ("MatMul", "3,8;8,4")]
    assert (folder / "cpu_framework_0.txt").exists()


def inputs(name, shapes, types):
    body = b"".join(TLV.pack(field, len(text)) + text.encode()
                    for field, text in ((0, name), (1, shapes), (2, types)))
    return TLV.pack(3, len(body)) + body


def told_inputs(folder):
    path = folder / "mindspore.record_shapes"
    return [tuple(texts.values()) for _, texts in records(path, struct.Struct(""))] \
        if path.exists() else []


def test_inputs_of_pynative_operators_go_to_their_runs_in_order(complete):
    folder = complete(
        shapes=True,
        told=inputs("MatMul", "2,8;8,4", "Float16;Float16") + inputs("Reshape", "2,4", "Float32") +
        inputs("MeanExt", "2,4", "Float32") + inputs("MatMul", "5,8;8,4", "Float32;Float32") +
        inputs("Ones", "", "") + inputs("MatMulExt", "9,8;8,4", "Float32;Float32"),
        cpu_op_execute_timestamp=run_line("MatMul", 2_000_000, 3_000_000) +
        run_line("ReduceMean", 2_500_000) + run_line("Ones", 2_600_000))
    # Some operators run by another name, and some, such as Reshape, do not run at all, or as others
    # that are told too.
    assert told_inputs(folder) == [
        ("MatMul", "2,8;8,4", "Float16;Float16"), ("ReduceMean", "2,4", "Float32"),
        ("Ones", "", ""), ("MatMul", "5,8;8,4", "Float32;Float32")]


def test_inputs_of_another_number_of_runs_are_nobodys(complete):
    folder = complete(
        shapes=True, told=inputs("MatMul", "2,8;8,4", "Float32;Float32") +
        inputs("ReLU", "2,4", "Float32") + b"\x03\x00\xff",
        cpu_op_execute_timestamp=run_line("MatMul", 2_000_000, 3_000_000) +
        run_line("ReLU", 2_500_000))
    assert told_inputs(folder) == [("ReLU", "2,4", "Float32")]


def memory_text(*rows):
    lines = [f"{WALL_OFFSET_NS + time_ns},{allocated},4096,{allocated}\n"
             for time_ns, allocated in rows]
    return "Timestamp(ns),Total Allocated(Byte),Total Reserved(Byte),Total Active(Byte)\n" + \
        "".join(lines)


def test_blocks_follow_from_the_totals_of_the_pool(complete):
    folder = complete(
        memory=True, cpu_op_execute_timestamp=run_line("Default/MatMul-op0", 2_100_000),
        cpu_ms_memory_record=memory_text((500, 512), (2_000_000, 1024), (2_050_000, 3072),
                                         (3_000_000, 1024), (3_100_000, 512)))
    found = records(folder / "mindspore.memory_usage", MEMORY)
    sizes = [fixed[5] for fixed, _ in found]
    addresses = [fixed[4] for fixed, _ in found]
    assert sizes == [512, 2048, RELEASED, RELEASED]
    assert addresses[2] == addresses[1] and addresses[3] == addresses[0] != addresses[1]
    assert [fixed[6] for fixed, _ in found] == [1024, 3072, 1024, 512]
    assert found[0][1][13] == "Default/MatMul-op0"
    assert found[0][0][3] == WALL_OFFSET_NS + 2_000_000
    # Rows of the recording before are not repeated.
    assert len((folder / "cpu_ms_memory_record_0.txt").read_text().splitlines()) == 5


def test_files_that_are_missing_or_damaged_give_what_is_whole(complete):
    folder = complete(record("a", 2_000_000, 2_500_000) + b"\x00\x00\xff", shapes=True, memory=True,
                      cpu_op_execute_timestamp="nonsense\nx;HostCpuOps;1,2\n",
                      cpu_ms_memory_record="1,2\n")
    assert [texts[14] for _, texts in records(folder / "mindspore.op_range", FIXED)] == ["a"]
    assert not (folder / "mindspore.memory_usage").exists()
