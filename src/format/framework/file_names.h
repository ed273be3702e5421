#pragma once

#include <string_view>

namespace npuprof::format::framework {

// What the name of a directory of a run ends with.
inline constexpr std::string_view kRunSuffix = "_ascend_pt";

// The folder of such a directory that holds the framework's own records. Files are found
// by prefix: a reader tolerates any suffix after these names.
inline constexpr std::string_view kDirectoryName = "FRAMEWORK";

inline constexpr std::string_view kOpRangeFile = "torch.op_range";
inline constexpr std::string_view kOpMarkFile = "torch.op_mark";
inline constexpr std::string_view kMemoryUsageFile = "torch.memory_usage";
inline constexpr std::string_view kPythonTracerCallFile = "torch.python_tracer_func";
inline constexpr std::string_view kPythonTracerHashFile = "torch.python_tracer_hash";
inline constexpr std::string_view kParamTensorInfoFile = "torch.param_tensor_info";
inline constexpr std::string_view kGcRecordFile = "torch.gc_record";

// Beside that folder while our recorder works: ProfilerInfo::Recorder as JSON with blanks behind
// it, written again and again in the same place. The recorder has it locked (flock) for as long as
// its process lives, and removes it when profiler_info says the same.
inline constexpr std::string_view kRecorderStateFile = "npuprof_recorder.json";

}  // namespace npuprof::format::framework
