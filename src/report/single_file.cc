#include "report/single_file.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyze/memory_timeline.h"
#include "base/file.h"
#include "format/framework/tensor_text.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/html/memory_page.h"
#include "report/json/key_averages_json.h"
#include "report/json/memory_timeline_json.h"
#include "report/perfetto/perfetto_timeline.h"
#include "report/result_files.h"
#include "report/timeline/write_timeline.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;

// Results do not tell when collection began.
std::int64_t begin_of(const trace::Trace& trace) {
  if (trace.session.begin_ns != 0) return trace.session.begin_ns;
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t>* const columns[] = {
      &trace.framework_ops().start_ns, &trace.api_calls().start_ns, &trace.tasks().start_ns};
  for (const auto* starts : columns) {
    for (const std::int64_t start_ns : *starts) begin_ns = std::min(begin_ns, start_ns);
  }
  return begin_ns == std::numeric_limits<std::int64_t>::max() ? 0 : begin_ns;
}

}  // namespace

Status export_chrome(const trace::Trace& trace, bool framework, bool from_zero,
                     const OutputFile& output, ThreadPool& pool) {
  return output.write([&](const fs::path& file) -> Status {
    NPUPROF_ASSIGN_OR_RETURN(
        auto timeline, JsonTimeline::create(
                           file, pool, from_zero ? std::optional(begin_of(trace)) : std::nullopt));
    return write_timeline(trace, timeline_options(trace, framework, {}), timeline);
  });
}

Status export_perfetto(const trace::Trace& trace, bool framework, const OutputFile& output,
                       ThreadPool& pool) {
  return output.write([&](const fs::path& file) -> Status {
    NPUPROF_ASSIGN_OR_RETURN(auto timeline, PerfettoTimeline::create(file, trace.session.rank,
                                                                     trace.session.begin_ns, pool));
    return write_timeline(trace, timeline_options(trace, framework, {}), timeline);
  });
}

Status export_stacks(const trace::Trace& trace, StackMetric metric, const OutputFile& output,
                     ThreadPool& pool) {
  if (operators_with_stack(trace) == 0) {
    return Error{ErrorCode::kNotFound,
                 "no operator has a call stack: they are recorded with with_stack=True"};
  }
  return output.write(
      [&](const fs::path& file) { return write_stacks(trace, metric, file, pool); });
}

Status export_memory_timeline(const trace::Trace& trace, analyze::MemoryDevice device,
                              const OutputFile& output, ThreadPool& pool) {
  const std::vector<analyze::MemoryDevice> devices = analyze::memory_devices(trace);
  if (devices.empty()) {
    return Error{ErrorCode::kNotFound,
                 "there are no memory events: they are recorded with profile_memory=True"};
  }
  if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
    std::vector<std::string> names;
    names.reserve(devices.size());
    for (const analyze::MemoryDevice one : devices) names.push_back(device_name(one));
    return Error{ErrorCode::kNotFound, fmt::format("there are no memory events of {}, only of {}",
                                                   device_name(device), fmt::join(names, ", "))};
  }
  const analyze::MemoryChanges changes = analyze::memory_changes(trace, device);
  const std::string& name = output.name();
  return output.write([&](const fs::path& file) -> Status {
    if (name.ends_with("raw.json.gz")) return write_memory_changes(changes, file, pool);
    const analyze::MemoryTimeline timeline = analyze::memory_timeline(changes);
    if (!name.ends_with(".html")) return write_memory_timeline(timeline, file, pool);
    return write_file(file, memory_page(timeline, {.device = device_name(device),
                                                   .peaks = analyze::memory_peaks(trace, device),
                                                   .simulated = trace.session.simulated}));
  });
}

Status export_events(const trace::Trace& trace, const OutputFile& output) {
  return output.write([&](const fs::path& file) {
    return write_file(
        file, operator_events_json(analyze::operator_events(trace), trace.session.simulated));
  });
}

Status export_key_averages(const trace::Trace& trace, const analyze::KeyAverageOptions& options,
                           const OutputFile& output) {
  return output.write([&](const fs::path& file) {
    return write_file(
        file, key_averages_json(analyze::key_averages(trace, options), trace.session.simulated));
  });
}

std::string device_name(analyze::MemoryDevice device) {
  using format::framework::DeviceType;
  if (device.type == static_cast<std::uint8_t>(DeviceType::kCpu)) return "cpu";
  const char* kind = device.type == static_cast<std::uint8_t>(DeviceType::kNpu)    ? "npu"
                     : device.type == static_cast<std::uint8_t>(DeviceType::kCuda) ? "cuda"
                                                                                   : "device";
  return fmt::format("{}:{}", kind, static_cast<int>(device.index));
}

}  // namespace npuprof::report
