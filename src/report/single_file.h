#pragma once

// One file of a profile, where and under which name the user wants it.

#include <string>

#include "analyze/key_averages.h"
#include "analyze/tensor_flow.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "report/flamegraph/stacks.h"
#include "report/output_file.h"
#include "trace/trace.h"

namespace npuprof::report {

// The timeline of all layers. `framework` as for TimelineOptions; `from_zero` counts times from the
// begin of the profile, see json_timeline.h.
Status export_chrome(const trace::Trace& trace, bool framework, bool from_zero,
                     const OutputFile& output, ThreadPool& pool);
Status export_perfetto(const trace::Trace& trace, bool framework, const OutputFile& output,
                       ThreadPool& pool);

// Fails if no operator has a call stack.
Status export_stacks(const trace::Trace& trace, StackMetric metric, const OutputFile& output,
                     ThreadPool& pool);

// Memory of a device by category over time. ".html" is a page, "raw.json.gz" has every change, all
// else is JSON of the totals. Fails if there are no memory events of that device.
Status export_memory_timeline(const trace::Trace& trace, analyze::MemoryDevice device,
                              const OutputFile& output, ThreadPool& pool);

// Each call of an operator.
Status export_events(const trace::Trace& trace, const OutputFile& output);

Status export_key_averages(const trace::Trace& trace, const analyze::KeyAverageOptions& options,
                           const OutputFile& output);

// "cpu" or "npu:0".
std::string device_name(analyze::MemoryDevice device);

}  // namespace npuprof::report
