#include "load/missing_parts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/saturated.h"
#include "format/framework/file_names.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/profiler_info.h"
#include "load/collection_clock.h"
#include "trace/device/device_tasks.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/pipeline_ops.h"
#include "trace/framework/program_counters.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"
#include "trace/host/api_calls.h"
#include "trace/host/host_usage.h"
#include "trace/host/marks.h"
#include "trace/host/task_tracks.h"

namespace npuprof::load {
namespace {

namespace framework = format::framework;
using framework::ProfilerInfo;

class MissingParts {
 public:
  MissingParts(const Profile& profile, const RecordingInfo& told, const trace::Trace& trace,
               trace::Losses& losses)
      : profile_(profile), told_(told), info_(told.info), trace_(trace), losses_(losses) {}

  void report() {
    report_recorded();
    report_framework();
    report_cann();
    report_devices();
    report_device_clock();
  }

 private:
  bool recorded(std::string_view activity) const {
    const auto& names = info_->common.activities;
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::string_view(name).ends_with(activity);
    });
  }

  // torch_npu writes at least the ranges of steps. Our own recorder makes a file when there is a
  // first record for it, so without other records there may have been none.
  bool had_framework(std::string_view activity) const {
    return info_ && recorded(activity) && !info_->recorder;
  }

  // What our own recorder may have written, one row for each event at the least.
  std::uint64_t recorded_rows() const {
    return trace_.framework_ops().size() + trace_.queue_marks().size() +
           trace_.memory_events().size() + trace_.python_events().size() +
           trace_.garbage_collections().size() + trace_.python_names().size() +
           trace_.parameter_tensors().size() + trace_.program_counters().size() +
           trace_.python_calls().size() + trace_.flow_marks().size() +
           trace_.launch_shapes().size() + trace_.marks().size() + trace_.host_usage().size();
  }

  // Of our own recorder: those of a process that was killed are in a file of their own.
  std::optional<ProfilerInfo::Recorder> last_words() const {
    if (info_ && info_->recorder && info_->recorder->complete) return info_->recorder;
    return told_.state ? std::optional(told_.state->recorder) : std::nullopt;
  }

  void report_recorded() {
    const auto recorder = last_words();
    if (!recorder || recorder->events <= 0) return;
    const auto events = static_cast<std::uint64_t>(recorder->events);
    const std::uint64_t found = recorded_rows();
    if (found >= events) return;
    losses_.add(profile_.path.native(), 0, events - found,
                fmt::format("{} of the {} events that were recorded are not there.", events - found,
                            events));
  }

  void missing_file(std::string_view name, std::uint64_t records, std::string_view consequence) {
    const auto path = profile_.path / framework::kDirectoryName / name;
    losses_.add(path.native(), 0, records, fmt::format("The file is missing: {}.", consequence));
  }

  // MindSpore makes a file when there is a first record for it, so that one is missed only where
  // the rest proves that there were operators.
  void report_mindspore() {
    namespace mindspore = format::mindspore;
    if (trace_.framework_ops().size() == 0 && trace_.launch_shapes().size() > 0) {
      const std::size_t launches = trace_.launch_shapes().size();
      missing_file(mindspore::kOpRangeFile, launches,
                   fmt::format("there are no operators, but inputs of {} of them", launches));
    }
    const std::optional<mindspore::ProfilerInfo>& info = told_.mindspore;
    if (!info || info->recorder) return;
    const mindspore::ProfilerInfo::Parameters& asked = info->parameters;
    // Ours records programs without a device too.
    const bool is_ours = std::any_of(info->extra.begin(), info->extra.end(),
                                     [](const auto& key) { return key.name == "npuprof_version"; });
    const bool had_device = asked.has_activity("NPU") && (!is_ours || info->simulated);
    if (had_device && profile_.cann.empty()) {
      missing_directory("PROF_*", "CANN's data", "of the device");
    }
    const bool ran = trace_.task_tracks().size() + trace_.device_tasks().size() > 0;
    if (!asked.has_activity("CPU") || !ran) return;
    if (trace_.framework_ops().size() + trace_.launch_shapes().size() == 0) {
      missing_file(mindspore::kOpRangeFile, 0, "operators were recorded, and the device was busy");
    }
    if (asked.profile_memory && !is_ours && trace_.memory_events().size() == 0) {
      missing_file(mindspore::kMemoryUsageFile, 0, "memory was recorded, and the device was busy");
    }
    if (asked.data_process && trace_.pipeline_ops().size() == 0) {
      missing_file(mindspore::kPipelineStem, 0, "the data pipeline was recorded");
    }
  }

  void missing_directory(std::string_view name, std::string_view of, std::string_view consequence,
                         std::uint64_t records = 0) {
    losses_.add(
        (profile_.path / name).native(), 0, records,
        fmt::format("The directory of {} is missing: there is nothing {}.", of, consequence));
  }

  void report_framework() {
    if (profile_.kind == ProfileKind::kMindSpore) return report_mindspore();
    if (profile_.kind != ProfileKind::kPyTorch) return;
    if (profile_.framework.empty()) {
      if (had_framework("CPU")) {
        losses_.add((profile_.path / framework::kDirectoryName).native(), 0, 0,
                    "The directory is missing: there are no operators of the framework.");
      }
      return;
    }
    const std::uint64_t marks = trace_.queue_marks().size() + trace_.memory_events().size();
    if (trace_.framework_ops().size() == 0 && (had_framework("CPU") || marks > 0)) {
      missing_file(framework::kOpRangeFile, 0,
                   fmt::format("there are no operators, but {} records of what they did", marks));
    }
    if (!had_framework("CPU")) return;
    const ProfilerInfo::CommonConfig& common = info_->common;
    if (common.profile_memory && trace_.memory_events().size() == 0) {
      missing_file(framework::kMemoryUsageFile, 0, "memory was recorded");
    }
    if ((common.with_stack || common.with_modules) && trace_.python_events().size() == 0) {
      missing_file(framework::kPythonTracerCallFile, 0, "Python calls were recorded");
    }
  }

  void report_cann() {
    if (!profile_.cann.empty() || profile_.kind != ProfileKind::kPyTorch) return;
    const bool is_ours = info_ && info_->recorder;  // It has marks of programs without a device.
    if (is_ours || (!had_framework("NPU") && trace_.queue_marks().size() == 0)) return;
    missing_directory("PROF_*", "CANN's data", "of the device", trace_.queue_marks().size() / 2);
  }

  // Launches name their device.
  void report_devices() {
    if (profile_.cann.empty()) return;
    if (trace_.task_tracks().size() == 0 && trace_.device_tasks().size() > 0 &&
        trace_.api_calls().size() > 0) {
      const std::size_t tasks = trace_.device_tasks().size();
      losses_.add((profile_.cann.front().host / "data").native(), 0, tasks,
                  fmt::format("There is no record of a launch: what {} task(s) of devices ran is "
                              "not known.",
                              tasks));
    }
    std::map<std::uint16_t, std::uint64_t> launches;
    for (const std::uint16_t device : trace_.task_tracks().device) ++launches[device];
    for (const trace::DeviceInfo& device : trace_.devices) launches.erase(device.id);
    for (const auto& [device, count] : launches) {
      losses_.add((profile_.cann.front().path / fmt::format("device_{}", device)).native(), 0,
                  count,
                  fmt::format("There is no data of device {}: {} launched task(s) have no times.",
                              device, count));
    }
    if (trace_.devices.empty() && launches.empty() && had_framework("NPU")) {
      losses_.add(profile_.cann.front().path.native(), 0, 0,
                  "There is no data of a device: no device_<N> can be read.");
    }
  }

  // The last word on clocks: whatever they say, one profile happens at one time.
  void report_device_clock() {
    const auto& host = trace_.api_calls().start_ns;
    const auto& device = trace_.device_tasks().start_ns;
    if (host.empty() || device.empty() || is_near(middle_of(host), middle_of(device))) return;
    const double days =
        static_cast<double>(saturated_difference(middle_of(device), middle_of(host))) / kFarNs;
    losses_.add(profile_.path.native(), 0, device.size(),
                fmt::format("Times of the device lie {:.1f} days from those of the host: a clock "
                            "of the profile is wrong.",
                            days));
  }

  const Profile& profile_;
  const RecordingInfo& told_;
  const std::optional<ProfilerInfo>& info_;
  const trace::Trace& trace_;
  trace::Losses& losses_;
};

}  // namespace

void report_missing_parts(const Profile& profile, const RecordingInfo& told,
                          const trace::Trace& trace, trace::Losses& losses) {
  MissingParts(profile, told, trace, losses).report();
}

}  // namespace npuprof::load
