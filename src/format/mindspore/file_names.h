#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace npuprof::format::mindspore {

// What the name of a directory of a run ends with.
inline constexpr std::string_view kRunSuffix = "_ascend_ms";

// Files of the FRAMEWORK folder of such a directory.
inline constexpr std::string_view kOpRangeFile = "mindspore.op_range";
inline constexpr std::string_view kMemoryUsageFile = "mindspore.memory_usage";
inline constexpr std::string_view kRecordShapesFile = "mindspore.record_shapes";

// Text files there; each has `_{rank}` between stem and suffix, see ranked_file().
inline constexpr std::string_view kCpuOpTimesStem = "cpu_op_execute_timestamp";         // .txt
inline constexpr std::string_view kCpuOpDetailsStem = "cpu_op_detail_info";             // .csv
inline constexpr std::string_view kCpuFrameworkStem = "cpu_framework";                  // .txt
inline constexpr std::string_view kCpuMemoryStem = "cpu_ms_memory_record";              // .txt
inline constexpr std::string_view kPipelineStem = "pipeline_profiling";                 // .json
inline constexpr std::string_view kPipelineCpuStem = "minddata_cpu_utilization";        // .json
inline constexpr std::string_view kDeviceQueueStem = "device_queue_profiling";          // .txt
inline constexpr std::string_view kDatasetIteratorStem = "dataset_iterator_profiling";  // .txt
inline constexpr std::string_view kParallelStrategyStem = "parallel_strategy";          // .json

// MindSpore 2.3 and 2.4 wrote the host's side into a folder of `profiler/`.
inline constexpr std::string_view kOldRunDirectory = "profiler";
inline constexpr std::string_view kHostInfoDirectory = "host_info";
inline constexpr std::string_view kHostInfoStem = "host_info";  // .csv

// "cpu_framework_0.txt"
std::string ranked_file(std::string_view stem, std::int64_t rank, std::string_view suffix);

}  // namespace npuprof::format::mindspore
