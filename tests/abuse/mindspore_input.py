"""A small directory of MindSpore, made from the CANN data and the operators of one of PyTorch."""

import json
import re
import shutil
import struct

NO_FLOW = 2**64 - 1
KERNEL, KERNEL_LAUNCH = 4, 4
PYNATIVE, FRONTEND_TASK = 3, 29
PYTHON, PYTHON_OBSERVED = 5, 53


def tlv(kind, value):
    return struct.pack("<HI", kind, len(value)) + value


def operators(content):
    """Name, thread, begin and end of each record of torch.op_range."""
    place = 0
    while place + 6 <= len(content):
        _, length = struct.unpack_from("<HI", content, place)
        value = content[place + 6:place + 6 + length]
        start, end, _, _, thread = struct.unpack_from("<qqqQQ", value)
        kind, size = struct.unpack_from("<HI", value, 58)
        yield value[64:64 + size].decode() if kind == 2 else "", thread, start, end
        place += 6 + length


def dequeues(content):
    """Thread, begin and end of each task that was taken off the queue, of torch.op_mark: where kernels are launched."""
    place, begun = 0, {}
    while place + 6 <= len(content):
        _, length = struct.unpack_from("<HI", content, place)
        time, category, _, thread = struct.unpack_from("<qqQQ", content, place + 6)
        if category == 2:
            begun[thread] = time
        elif category == 3 and thread in begun:
            yield thread, begun.pop(thread), time
        place += 6 + length


def op_range(thread, start, end, name, module=0, event=0, flow=NO_FLOW, is_graph=0, is_stack=0, texts=("", "")):
    fixed = struct.pack("<5Qi3Hb3?", thread, flow, 1, start, end, thread, module, event, 0, -1, bool(is_graph), False, bool(is_stack))
    brief = name.rpartition("/")[2].rpartition("-op")[0] or name
    fields = tlv(13, brief.encode()) + tlv(14, name.encode())
    if is_graph:
        fields += tlv(17, b"batch_size:2;shape:4")
    return tlv(0, fixed + fields + tlv(15, texts[0].encode()) + tlv(16, texts[1].encode()))


def memory_usage(time_ns, address, size, used, owner):
    fixed = struct.pack("<i11QI4B", 0, 79, 77, time_ns, address, size, used, used, 1 << 30, 0, 0, 43520, 0, 0, 0, 0, 2)
    return tlv(13, fixed + tlv(13, owner.encode()))


def ranges_of(profile):
    """Operators where PyTorch had them, launches where it took tasks off its queue, steps, a frame of Python, a flow and an operation of the data pipeline."""
    content = b""
    first = last = None
    for number, (name, thread, start, end) in enumerate(operators((profile / "FRAMEWORK" / "torch.op_range").read_bytes())):
        step = re.search(r"ProfilerStep#\d+", name)
        if step:
            content += op_range(thread, start, end, step[0], PYTHON, PYTHON_OBSERVED)
            first, last = (start, end) if first is None else (min(first, start), max(last, end))
        else:
            content += op_range(thread, start, end, f"Default/network/{name.rpartition(':')[2]}-op{number}", PYNATIVE, FRONTEND_TASK)
    for number, (thread, start, end) in enumerate(dequeues((profile / "FRAMEWORK" / "torch.op_mark").read_bytes())):
        content += op_range(thread, start, end, f"Default/network/MatMul-op{number}", KERNEL, KERNEL_LAUNCH)
    content += op_range(78, first, last, "train.py(3):main", flow=0, is_stack=1)
    content += op_range(78, first, last, "Add", PYNATIVE, FRONTEND_TASK) + op_range(78, first, first + 1, "flow", flow=7) + op_range(79, first, last, "Add", 3, 32, flow=7)
    content += op_range(80, first, last, "WorkerProcess", is_graph=1, texts=("Dataset", "Batch"))
    return content


def make(profile, directory):
    """Writes the directory; `profile` is one of PyTorch."""
    framework = directory / "FRAMEWORK"
    framework.mkdir(parents=True)
    for prof in profile.glob("PROF_*"):
        shutil.copytree(prof, directory / prof.name)
    (framework / "mindspore.op_range").write_bytes(ranges_of(profile))
    (start_info,) = directory.glob("PROF_*/host/start_info")
    begin_ns = int(float(json.loads(start_info.read_text(encoding="utf-8"))["collectionTimeBegin"])) * 1000
    free = 2**64 - 1
    (framework / "mindspore.memory_usage").write_bytes(
        memory_usage(begin_ns + 1000, 4096, 2048, 2048, "Default/MatMul-op0") + memory_usage(begin_ns + 2000, 4096, free, 0, "")
        + memory_usage(begin_ns + 3000, 8192, 512, 512, "Add"))
    (framework / "mindspore.record_shapes").write_bytes(
        tlv(3, tlv(0, b"Add") + tlv(1, b"2,2;2,2") + tlv(2, b"Tensor[Float32];Tensor[Float32]")))
    (framework / "cpu_op_execute_timestamp_0.txt").write_text(f"Default/BiasAdd-op0;HostCpuOps;{begin_ns + 5000},0.05,3 \n", encoding="utf-8")
    (framework / "cpu_op_detail_info_0.csv").write_text(
        "op_side,op_type,op_name,full_op_name,op_occurrences,op_total_time(ms),op_avg_time(ms),total_proportion,subgraph,pid\n"
        "Host,BiasAdd,BiasAdd-op0,Default/BiasAdd-op0,1,0.05,0.05,1,Default,77\n", encoding="utf-8")
    (framework / "cpu_ms_memory_record_0.txt").write_text(
        "Timestamp(ns),Total Allocated(Byte),Total Reserved(Byte),Total Active(Byte)\n"
        f"{begin_ns + 1000},2048,1048576,2048\n{begin_ns + 2000},0,1048576,0\n", encoding="utf-8")
    queue = {"output_queue": {"length": 16, "size": [0, 0, 0, 1]}}
    (framework / "pipeline_profiling_0.json").write_text(json.dumps({"op_info": [
        {"metrics": queue, "num_workers": 1, "op_id": 1, "op_type": "GeneratorOp"},
        {"children": [1], "metrics": queue, "num_workers": 2, "op_id": 0, "op_type": "BatchOp"}],
        "sampling_interval": 20}), encoding="utf-8")
    usage = {"sys_utilization": [10, 20], "user_utilization": [80, 70]}
    (framework / "minddata_cpu_utilization_0.json").write_text(json.dumps({"cpu_processor_num": 2, "op_info": [
        {"metrics": usage, "op_id": 0}, {"metrics": usage, "op_id": 1}], "sampling_interval": 20}), encoding="utf-8")
    (framework / "dataset_iterator_profiling_0.txt").write_text("0 0 1 9 100\n1 16 1 0 100\n0 0 2 14 114\n1 16 2 0 114\n", encoding="utf-8")
    (directory / "profiler_info_0.json").write_text(json.dumps({
        "profiler_parameters": {"is_set_schedule": True, "profiler_level": "Level1", "activities": ["CPU", "NPU"],
                                "profile_memory": True},
        "ms_profiler_info": {"rank_id": "0", "device_id": "0"}, "ms_version": "2.7.0"}, indent=4), encoding="utf-8")
