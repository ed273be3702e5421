#pragma once

// One file of a profile, where and under which name the user wants it. It appears when it is
// complete. A name that ends with ".gz" is compressed.

#include <filesystem>

#include "analyze/key_averages.h"
#include "analyze/tensor_flow.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "report/flamegraph/stacks.h"
#include "trace/trace.h"

namespace npuprof::report {

// The timeline of all layers. `framework` as for TimelineOptions; `from_zero` counts times from the
// begin of the profile, see json_timeline.h.
Status export_chrome(const trace::Trace& trace, bool framework, bool from_zero,
                     const std::filesystem::path& path, ThreadPool& pool);
Status export_perfetto(const trace::Trace& trace, bool framework, const std::filesystem::path& path,
                       ThreadPool& pool);

// Fails if no operator has a call stack.
Status export_stacks(const trace::Trace& trace, StackMetric metric,
                     const std::filesystem::path& path, ThreadPool& pool);

// Memory of a device by category over time. ".html" is a page, "raw.json.gz" has every change, all
// else is JSON of the totals. Fails if there are no memory events of that device.
Status export_memory_timeline(const trace::Trace& trace, analyze::MemoryDevice device,
                              const std::filesystem::path& path, ThreadPool& pool);

// Each call of an operator.
Status export_events(const trace::Trace& trace, const std::filesystem::path& path);

Status export_key_averages(const trace::Trace& trace, const analyze::KeyAverageOptions& options,
                           const std::filesystem::path& path);

// "cpu" or "npu:0".
std::string device_name(analyze::MemoryDevice device);

}  // namespace npuprof::report
