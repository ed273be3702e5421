#include "load/chrome_trace/lanes.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace npuprof::load {

namespace lane = format::results::lane;
namespace {

LaneKind lane_kind_of(std::string_view name) {
  constexpr std::pair<std::string_view, LaneKind> kKinds[] = {
      {layer::kPython, LaneKind::kFramework},    {layer::kMindSpore, LaneKind::kFramework},
      {layer::kCpuOperators, LaneKind::kCpuOps}, {layer::kCann, LaneKind::kCann},
      {layer::kHardware, LaneKind::kHardware},   {layer::kCommunication, LaneKind::kCommunication},
      {"HCCL", LaneKind::kCommunication},        {layer::kOverlap, LaneKind::kOverlap},
      {layer::kFrequency, LaneKind::kFrequency}, {layer::kDeviceMemory, LaneKind::kMemory},
      {layer::kOsCalls, LaneKind::kOsRuntime},   {layer::kStepTrace, LaneKind::kStepTrace},
      {layer::kScopes, LaneKind::kScopes},
  };
  for (const auto& [known, kind] : kKinds) {
    if (name == known) return kind;
  }
  return LaneKind::kOther;
}

// The layer of CANN that ids of a kind say a process is.
std::uint64_t index_of(std::uint64_t pid, bool is_host, LaneIds ids) {
  constexpr std::uint64_t kIndexBits = 31;
  switch (ids) {
    case LaneIds::kShifted:
      return pid >> 5 & kIndexBits;
    case LaneIds::kWithDevice:
      return is_host ? pid % 100 : pid / 100 % 100;
    default:
      return pid % 100;
  }
}

bool is_layer_of_cann(LaneKind kind) {
  return kind != LaneKind::kOther && kind != LaneKind::kFramework && kind != LaneKind::kCpuOps &&
         kind != LaneKind::kScopes && kind != LaneKind::kStepTrace;
}

constexpr std::string_view kOnlyWhole = "Communication Kernel";  // Of 2023, without groups.

bool is_whole_lane(std::string_view name) {
  return name.ends_with(lane::kWhole) || name == kOnlyWhole;
}

}  // namespace

bool Lanes::has_process(std::string_view name) const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [&](const auto& known) { return known.second.name == name; });
}

void Lanes::add(const Event& event) {
  const std::uint64_t pid = lane_number(event.process);
  if (event.name == "process_name") {
    processes_[pid].name = event.text("name");
  } else if (event.name == "process_labels") {
    processes_[pid].labels = event.text("labels");
  } else if (event.name == "process_sort_index") {
    if (const auto index = event.integer("sort_index"); index && *index >= 0) {
      processes_[pid].sort_index = static_cast<std::uint64_t>(*index);
    }
  } else if (event.name == "thread_name") {
    threads_[{pid, lane_number(event.thread)}] = event.text("name");
  }
}

void Lanes::append(Lanes&& other) {
  for (auto& [pid, process] : other.processes_) {
    Process& own = processes_[pid];
    if (!process.name.empty()) own.name = std::move(process.name);
    if (!process.labels.empty()) own.labels = std::move(process.labels);
    if (process.sort_index) own.sort_index = process.sort_index;
  }
  for (auto& [lane, name] : other.threads_) threads_[lane] = std::move(name);
}

// The kind of ids that holds the index of most layers.
LaneIds Lanes::find_ids() const {
  constexpr LaneIds kAll[] = {LaneIds::kShifted, LaneIds::kWithDevice, LaneIds::kWithoutDevice};
  std::size_t known = 0;
  std::size_t agree[std::size(kAll)] = {};
  for (const auto& [pid, process] : processes_) {
    if (!is_layer_of_cann(process.kind) || !process.sort_index) continue;
    ++known;
    for (std::size_t i = 0; i < std::size(kAll); ++i) {
      if (index_of(pid, process.labels == layer::kHostLabel, kAll[i]) == *process.sort_index)
        ++agree[i];
    }
  }
  const auto best = std::max_element(std::begin(agree), std::end(agree));
  if (known == 0) return LaneIds::kShifted;
  return *best == 0 ? LaneIds::kUnknown : kAll[best - std::begin(agree)];
}

// Later ones are told by their labels too.
bool Lanes::has_display_labels() const {
  bool found = false;
  for (const auto& [pid, process] : processes_) {
    if (!process.name.empty()) return false;
    found = found || process.labels == "AICORE OP" || process.labels == "AICPU OP";
  }
  return found;
}

void Lanes::classify_display(std::uint16_t device) {
  is_display_ = true;
  const auto hardware = [&](const char* type) {
    return Process{.kind = LaneKind::kDisplay, .device = device, .task_type = type};
  };
  // The operators of a device have its number.
  other_process_ = hardware("AI_CORE");
  for (auto& [pid, process] : processes_) process = other_process_;
  processes_[9000] = hardware("AI_CPU");
  processes_[10000] = {.kind = LaneKind::kCommunication, .device = device};
  processes_[11000] = {.kind = LaneKind::kFramework, .device = device};
  processes_[12000] = {.kind = LaneKind::kOverlap, .device = device};
}

LaneIds Lanes::classify(const TimelineOrigin& origin) {
  if (origin.is_display || has_display_labels()) {
    classify_display(origin.device);
    return LaneIds::kWithoutDevice;
  }
  for (auto& [pid, process] : processes_) process.kind = lane_kind_of(process.name);
  const LaneIds ids = find_ids();
  for (auto& [pid, process] : processes_) {
    const bool is_host = process.labels == layer::kHostLabel;
    process.device = origin.device;
    if (process.kind == LaneKind::kStepTrace) continue;
    if (ids == LaneIds::kShifted) {
      constexpr std::uint64_t kDeviceBits = 31;
      process.device = static_cast<std::uint16_t>(pid & kDeviceBits);
      process.os_pid = static_cast<std::uint32_t>(pid >> 10);
    } else if (ids == LaneIds::kWithDevice && !is_host) {
      process.device = static_cast<std::uint16_t>(pid % 100);
      process.os_pid = static_cast<std::uint32_t>(pid / 10000);
    } else if (ids != LaneIds::kUnknown) {
      process.os_pid = static_cast<std::uint32_t>(pid / 100);
    }
    // "NPU 3", which older ones do not say.
    const std::string_view labels = process.labels;
    if (!labels.starts_with("NPU ")) continue;
    const auto number = parse_number<std::uint16_t>(trim(labels.substr(4)));
    process.device = number.value_or(process.device);
  }
  return ids;
}

const Process& Lanes::process(std::uint64_t pid) const {
  const auto found = processes_.find(pid);
  return found == processes_.end() ? other_process_ : found->second;
}

Lanes::GroupLane Lanes::group_lane(std::uint64_t pid, std::uint64_t tid) const {
  GroupLane lane;
  lane.is_whole = is_display_;  // Which shows no parts.
  if (is_display_) return lane;
  auto thread = threads_.find({pid, tid});
  if (thread == threads_.end()) return lane;
  if (const std::string_view name = thread->second; name.starts_with(lane::kPlane)) {
    lane.plane = parse_number<std::uint32_t>(name.substr(lane::kPlane.size())).value_or(0);
  }
  lane.is_whole = is_whole_lane(thread->second);
  thread = whole_lane(thread);
  if (thread == threads_.end() || thread->second == kOnlyWhole) return lane;
  std::string_view name = thread->second;
  name.remove_suffix(lane::kWhole.size());
  if (name.starts_with(lane::kGroup)) name.remove_prefix(lane::kGroup.size());
  lane.group = trim(name);
  return lane;
}

// The lanes of a group's planes follow that of the group. Where there is but one group it may come
// last.
Lanes::Threads::const_iterator Lanes::whole_lane(Threads::const_iterator thread) const {
  const std::uint64_t pid = thread->first.first;
  for (auto before = thread;; --before) {
    if (before->first.first != pid) break;
    if (is_whole_lane(before->second)) return before;
    if (before == threads_.begin()) break;
  }
  auto only = threads_.end();
  for (auto after = thread; after != threads_.end() && after->first.first == pid; ++after) {
    if (!is_whole_lane(after->second)) continue;
    if (only != threads_.end()) return threads_.end();
    only = after;
  }
  return only;
}

std::uint64_t Lanes::model_of(std::uint64_t pid, std::uint64_t tid) const {
  constexpr std::string_view kModel = "Model ID:";
  const auto thread = threads_.find({pid, tid});
  if (thread == threads_.end()) return 0;
  std::string_view name = thread->second;
  const std::size_t at = name.find(kModel);
  if (at == std::string_view::npos) return 0;
  name.remove_prefix(at + kModel.size());
  return parse_number<std::uint64_t>(name.substr(0, name.find(')'))).value_or(0);
}

}  // namespace npuprof::load
