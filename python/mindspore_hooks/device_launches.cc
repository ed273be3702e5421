#include "device_launches.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "npuprof/npusim.h"

namespace npuprof::mindspore_hooks {
namespace {

namespace ms = format::mindspore;

constexpr const char* kLibrary = "libnpusim_cann.so";
constexpr std::int64_t kBetweenLaunchesNs = 200;
constexpr std::int32_t kFormatNd = 2;  // As aclFormat counts.
constexpr std::int64_t kClockToleranceNs = 1'000'000;
constexpr std::uint16_t kWaitEvent = 34;
constexpr std::uint16_t kDeviceTaskEvent = 31;

struct NamedType {
  std::string_view name;
  std::int32_t acl;  // As aclDataType counts.
};
constexpr std::array kTypes = {
    NamedType{"Float32", 0},   NamedType{"Float16", 1},  NamedType{"Int8", 2},
    NamedType{"Int32", 3},     NamedType{"UInt8", 4},    NamedType{"Int16", 6},
    NamedType{"Int64", 9},     NamedType{"Float64", 11}, NamedType{"Bool", 12},
    NamedType{"BFloat16", 27},
};

// Of graphs MindSpore does not tell: 32-bit floats then, and for types that are not simulated.
std::int32_t acl_data_type(std::string_view name) {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const NamedType& type) { return type.name == name; });
  return found == kTypes.end() ? kTypes[0].acl : found->acl;
}

using RunPrimitive = decltype(::npusimRunPrimitiveAt);

template <typename Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

// The function of the simulated library, with a device to run on; null if the library is not in
// use.
RunPrimitive* simulated_run() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  auto* const set_device = function_of<decltype(::aclrtSetDevice)>(library, "aclrtSetDevice");
  auto* const get_device = function_of<decltype(::aclrtGetDevice)>(library, "aclrtGetDevice");
  if (set_device == nullptr || get_device == nullptr) return nullptr;
  std::int32_t device = 0;
  if (get_device(&device) != NPUPROF_ACL_SUCCESS) (void)set_device(0);
  return function_of<RunPrimitive>(library, "npusimRunPrimitiveAt");
}

// The operator by its name alone: "Default/BiasAdd-op0" is BiasAdd.
std::string_view primitive_of(const OperatorRun& run) { return ms::brief_name(run.name); }

// Which thread ran an operator: the one whose innermost range at that time has begun last. A range
// of the thread that works for the device wins, one in which a thread only waits never does.
class ThreadFinder {
 public:
  explicit ThreadFinder(const std::vector<Range>& ranges) {
    for (const Range& range : ranges) {
      const bool counts = range.begin_ns != 0 && !range.record.fixed.is_stack &&
                          range.record.fixed.event != kWaitEvent &&
                          range.record.name != ms::kFlowName && range.end_ns > range.begin_ns;
      if (counts) by_begin_.push_back(&range);
    }
    std::stable_sort(by_begin_.begin(), by_begin_.end(), [](const Range* left, const Range* right) {
      return left->begin_ns < right->begin_ns;
    });
  }

  // Times must not go back.
  std::uint64_t at(std::int64_t time_ns) {
    for (; next_ < by_begin_.size() && by_begin_[next_]->begin_ns <= time_ns; ++next_) {
      open_[by_begin_[next_]->record.fixed.thread_id].push_back(by_begin_[next_]);
    }
    const Range* best = nullptr;
    for (auto& [thread, ranges] : open_) {
      std::erase_if(ranges, [&](const Range* range) { return range->end_ns < time_ns; });
      if (!ranges.empty() && is_better(*ranges.back(), best)) best = ranges.back();
    }
    return best != nullptr ? best->record.fixed.thread_id.get() : last_thread_or_any();
  }

 private:
  static bool is_better(const Range& range, const Range* best) {
    if (best == nullptr) return true;
    const bool is_task = range.record.fixed.event == kDeviceTaskEvent;
    const bool best_is_task = best->record.fixed.event == kDeviceTaskEvent;
    return is_task != best_is_task ? is_task : range.begin_ns > best->begin_ns;
  }
  std::uint64_t last_thread_or_any() const {
    return by_begin_.empty() ? 0 : by_begin_.front()->record.fixed.thread_id.get();
  }

  std::vector<const Range*> by_begin_;
  std::size_t next_ = 0;
  std::map<std::uint64_t, std::vector<const Range*>> open_;
};

// Ranges that MindSpore itself calls launches, by name and in order of time.
class LaunchRanges {
 public:
  explicit LaunchRanges(std::vector<Range>& ranges) {
    std::string name;
    for (Range& range : ranges) {
      name.clear();
      ms::append_event_name(name, range.record);
      if (range.begin_ns != 0 && ms::is_launch_name(name)) {
        by_name_[range.record.full_name].push_back(&range);
      }
    }
    for (auto& [unused, list] : by_name_) {
      std::stable_sort(list.begin(), list.end(), [](const Range* left, const Range* right) {
        return left->begin_ns < right->begin_ns;
      });
    }
  }

  // The one that begins nearest. The two are stamped by different clocks, so the run need not lie
  // inside to the microsecond.
  Range* around(const OperatorRun& run) {
    const auto found = by_name_.find(run.name);
    if (found == by_name_.end()) return nullptr;
    const auto after = std::lower_bound(
        found->second.begin(), found->second.end(), run.begin_ns,
        [](const Range* range, std::int64_t time_ns) { return range->begin_ns < time_ns; });
    Range* best = nullptr;
    for (const auto& candidate : {after, after - (after != found->second.begin() ? 1 : 0)}) {
      if (candidate == found->second.end()) continue;
      if (best == nullptr || distance(**candidate, run) < distance(*best, run)) best = *candidate;
    }
    return best != nullptr && distance(*best, run) <= kClockToleranceNs ? best : nullptr;
  }

 private:
  static std::int64_t distance(const Range& range, const OperatorRun& run) {
    if (run.begin_ns < range.begin_ns) return range.begin_ns - run.begin_ns;
    return std::max<std::int64_t>(run.begin_ns - range.end_ns, 0);
  }

  std::unordered_map<std::string_view, std::vector<Range*>> by_name_;
};

class Launcher {
 public:
  Launcher(RunPrimitive* launch, RecordedFiles& files)
      : launch_(launch), launch_ranges_(files.ranges()), threads_(files.ranges()) {}

  void run(const OperatorRun& run) {
    Range* const range = launch_ranges_.around(run);
    const std::uint64_t thread =
        range != nullptr ? range->record.fixed.thread_id.get() : threads_.at(run.begin_ns);
    std::int64_t begin_ns = run.begin_ns;
    if (range != nullptr) begin_ns = std::clamp(begin_ns, range->begin_ns, range->end_ns);
    begin_ns = std::max(begin_ns, free_ns_[thread] + kBetweenLaunchesNs);
    const std::optional<std::int64_t> end_ns = launch(run, thread, begin_ns);
    if (!end_ns) return;
    free_ns_[thread] = *end_ns;
    if (range != nullptr) {
      range->end_ns = std::max(range->end_ns, *end_ns);
    } else {
      result.added.push_back({run.name, thread, run.begin_ns, std::max(run.end_ns, *end_ns)});
    }
  }

  DeviceLaunches result;

 private:
  // When the thread is free again; nothing if the operator has no kernels.
  std::optional<std::int64_t> launch(const OperatorRun& run, std::uint64_t thread,
                                     std::int64_t begin_ns) {
    const std::string primitive(primitive_of(run));
    const std::vector<NpusimTensor> inputs = inputs_of(run);
    std::int64_t end_ns = begin_ns;
    std::uint32_t kernels = 0;
    const aclError error =
        launch_(primitive.c_str(), inputs.data(), static_cast<std::uint32_t>(inputs.size()),
                static_cast<std::uint32_t>(thread), begin_ns, &end_ns, &kernels);
    if (error != NPUPROF_ACL_SUCCESS || kernels == 0) return std::nullopt;
    result.kernels += kernels;
    return end_ns;
  }

  static std::vector<NpusimTensor> inputs_of(const OperatorRun& run) {
    std::vector<NpusimTensor> inputs;
    if (run.inputs == nullptr) return inputs;
    const auto& [shapes, types] = *run.inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const std::vector<std::uint32_t> dimensions = dimensions_of(shapes[i]);
      NpusimTensor& tensor = inputs.emplace_back(NpusimTensor{.format = kFormatNd});
      if (i < types.size()) tensor.data_type = acl_data_type(types[i]);
      if (dimensions.size() > std::size(tensor.shape)) continue;
      tensor.dimension_count = static_cast<std::uint32_t>(dimensions.size());
      std::copy(dimensions.begin(), dimensions.end(), tensor.shape);
    }
    return inputs;
  }

  RunPrimitive* launch_;
  LaunchRanges launch_ranges_;
  ThreadFinder threads_;
  std::unordered_map<std::uint64_t, std::int64_t> free_ns_;  // Of threads.
};

}  // namespace

DeviceLaunches launch_on_simulated_npu(RecordedFiles& files) {
  RunPrimitive* const launch = simulated_run();
  if (launch == nullptr) return {};
  Launcher launcher(launch, files);
  for (const OperatorRun& run : files.runs()) launcher.run(run);
  return std::move(launcher.result);
}

}  // namespace npuprof::mindspore_hooks
