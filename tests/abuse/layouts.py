"""How the files of a profile are divided into records, by name.

Damage at the bounds of records and in their fields needs to know these. Sizes are those of src/format/; abuse_test.py
compares them, and sees to it that every file of every input has a layout.
"""

import dataclasses
import re
import struct


@dataclasses.dataclass(frozen=True)
class Layout:
    """The files whose names match `pattern`."""
    family: str
    pattern: str
    form: str  # records, tlv, lines, json, timeline, csv, database or bytes
    record_bytes: int = 0
    header: str = ""  # Of src/format/ that tells the size,
    struct_name: str = ""  # and the struct there.

    def bounds(self, content):
        """Where records begin, and where the last one ends."""
        if self.form == "records":
            return list(range(0, len(content), self.record_bytes)) + [len(content)]
        if self.form == "tlv":
            return tlv_bounds(content)
        if self.form in ("lines", "csv"):
            ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
            return sorted({0, len(content), *ends})
        if self.form == "database":
            return list(range(0, len(content), page_bytes(content))) + [len(content)]
        return [0, len(content)]


def tlv_bounds(content):
    """Records of type, length, value; up to one that the end cuts."""
    bounds = [0]
    while bounds[-1] + 6 <= len(content):
        (length,) = struct.unpack_from("<I", content, bounds[-1] + 2)
        if bounds[-1] + 6 + length > len(content):
            break
        bounds.append(bounds[-1] + 6 + length)
    return bounds if bounds[-1] == len(content) else [*bounds, len(content)]


def page_bytes(content):
    """Of an SQLite database."""
    size = struct.unpack_from(">H", content, 16)[0] if len(content) >= 18 else 0
    return 65536 if size == 1 else max(size, 512)


def _records(family, pattern, record_bytes, header, struct_name):
    return Layout(family, pattern, "records", record_bytes, header, struct_name)


def _device(base, record_bytes, header, struct_name):
    older = r"(\.\d+\.dev\.profiler_default_tag)?"
    return _records(base, rf"^{re.escape(base)}{older}\.\d+\.slice_\d+$", record_bytes, f"device/{header}", struct_name)


# The first that matches counts.
LAYOUTS = [
    Layout("done marks", r"\.done$", "lines"),
    _records("python_tracer_func", r"^torch\.python_tracer_func$", 33, "framework/python_tracer.h", "PythonCall"),
    _records("gc_record", r"^torch\.gc_record$", 24, "framework/gc_record.h", "GcRecord"),
    *[Layout(name, rf"^torch\.{name}$", "tlv") for name in
      ("op_range", "op_mark", "memory_usage", "python_tracer_hash", "param_tensor_info")],
    *[Layout(f"mindspore.{name}", rf"^mindspore\.{name}$", "tlv") for name in ("op_range", "memory_usage", "record_shapes")],
    Layout("text of MindSpore", r"^(cpu_\w+_\d+\.(txt|csv)|(device_queue|dataset_iterator)_profiling_\d+\.txt)$", "lines"),
    Layout("data pipeline", r"^(pipeline_profiling|minddata_cpu_utilization|minddata_pipeline_summary)_\d+\.json$", "json"),
    _records("api_event", r"\.api_event\.data\.", 40, "host/api_event.h", "ApiEvent"),
    Layout("dictionary", r"\.additional\.\w+_dic\.", "lines"),
    *[_records(f"compact.{tag}", rf"\.compact\.{tag}\.slice_", 64, f"host/compact_{header}.h", struct_name)
      for tag, header, struct_name in (
          ("task_track", "task", "TaskTrack"), ("node_basic_info", "node", "NodeBasicInfo"),
          ("node_attr_info", "node", "NodeAttrInfo"), ("hccl_op_info", "node", "HcclOpInfo"),
          ("memcpy_info", "memory", "MemcpyInfo"))],
    *[_records(f"additional.{tag}", rf"\.additional\.{tag}\.slice_", 256, header, struct_name)
      for tag, header, struct_name in (
          ("tensor_info", "host/additional_node.h", "TensorInfo"),
          ("context_id_info", "host/additional_node.h", "ContextIdInfo"),
          ("hccl_info", "host/additional_communication.h", "HcclInfo"),
          ("graph_id_map", "host/additional_model.h", "GraphIdMap"),
          ("fusion_op_info", "host/additional_node.h", "FusionOpInfo"),
          ("logic_stream_info", "host/additional_model.h", "LogicStreamInfo"),
          ("msproftx", "host/msproftx.h", "Msproftx"))],
    _device("stars_soc.data", 64, "stars_soc.h", "TaskLog"),
    _device("ffts_profile.data", 128, "ffts_profile.h", "ContextPmu"),
    _device("aicpu.data", 256, "aicpu.h", "AiCpuRecord"),
    _device("ts_track.data", 40, "ts_track.h", "TrackRecord"),
    _device("hwts.log.data", 64, "hwts.h", "HwtsLog"),
    _device("training_trace", 20, "training_trace.h", "TrainingTrace"),
    _device("hbm.data", 24, "memory_samples.h", "HbmSample"),
    _device("llc.data", 24, "memory_samples.h", "LlcSample"),
    _device("npu_mem.app", 32, "memory_samples.h", "NpuMemorySample"),
    _device("npu_mem.data", 32, "memory_samples.h", "NpuMemorySample"),
    _device("npu_module_mem.data", 24, "memory_samples.h", "ModuleMemorySample"),
    _device("l2_cache.data", 72, "l2_cache.h", "L2CacheRecord"),
    _device("socpmu.data", 80, "soc_pmu.h", "SocPmuRecord"),
    _device("lpmFreqConv.data", 888, "frequency.h", "FrequencyRecord"),
    _device("pcie.data", 96, "links.h", "PcieSample"),
    _device("stars_soc_profile.data", 64, "stars_soc_profile.h", "SocSample"),
    Layout("links as text", r"^(hccs|nic|roce)\.data(\.\d+\.dev\.profiler_default_tag)?\.\d+\.slice_\d+$", "lines"),
    Layout("host samples", r"^host_\w+\.data\.slice_\d+$", "lines"),
    Layout("clock logs", r"^(host|dev)_start\.log(\.\d+)?$", "lines"),
    Layout("start and end", r"^(start|end)_info(\.\d+)?$", "json"),
    Layout("info.json", r"^info\.json(\.\d+)?$", "json"),
    Layout("sample.json", r"^sample\.json$", "json"),
    Layout("profiler_info", r"^profiler_info(_\d+)?\.json$", "json"),
    Layout("state of a recording", r"^npuprof_recorder\.json$", "json"),
    Layout("profiler_metadata", r"^profiler_metadata\.json$", "json"),
    Layout("communication", r"^communication(_matrix|_analyzer)?.*\.json$", "json"),
    Layout("database", r"\.db$", "database"),
    Layout("table", r"\.csv$", "csv"),
    Layout("timeline", r"^(trace_view|msprof\w*|step_trace\w*)\.json$", "timeline"),
    Layout("packed timeline", r"\.json\.gz$", "bytes"),
    Layout("notes", r"\.txt$", "lines"),
]


# Those that differ on Ascend910_95.
NEWER = {layout.family: layout for layout in (
    _device("stars_soc.data", 32, "stars_soc.h", "TaskLogV6"),
    _device("hbm.data", 32, "memory_samples.h", "HbmSampleV2"),
)}


def layout_of(name, newer=False):
    """The layout of a file by its name, or None. `newer`: of a 910_95."""
    for layout in LAYOUTS:
        if re.search(layout.pattern, name):
            return NEWER.get(layout.family, layout) if newer else layout
    return None
