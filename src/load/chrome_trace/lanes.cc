#include "load/chrome_trace/lanes.h"

#include "base/text.h"

namespace npuprof::load {
namespace {

LaneKind lane_kind_of(std::string_view name) {
  constexpr std::pair<std::string_view, LaneKind> kKinds[] = {
      {"Python", LaneKind::kFramework},         {"MindSpore", LaneKind::kFramework},
      {"CPU OP", LaneKind::kFramework},         {"CANN", LaneKind::kCann},
      {"Ascend Hardware", LaneKind::kHardware}, {"Communication", LaneKind::kCommunication},
      {"HCCL", LaneKind::kCommunication},       {"Overlap Analysis", LaneKind::kOverlap},
      {"AI Core Freq", LaneKind::kFrequency},   {"NPU MEM", LaneKind::kMemory},
      {"OS Runtime API", LaneKind::kOsRuntime},
  };
  for (const auto& [known, kind] : kKinds) {
    if (name == known) return kind;
  }
  return LaneKind::kOther;
}

constexpr std::string_view kGroupPrefix = "Group ";
constexpr std::string_view kWhole = "Communication";
constexpr std::string_view kPlane = "Plane ";

}  // namespace

void Lanes::add(const Event& event) {
  const std::uint64_t pid = lane_number(event.process);
  if (event.name == "process_name") {
    processes_[pid].name = event.text("name");
  } else if (event.name == "process_labels") {
    processes_[pid].labels = event.text("labels");
  } else if (event.name == "thread_name") {
    threads_[{pid, lane_number(event.thread)}] = event.text("name");
  }
}

void Lanes::append(Lanes&& other) {
  for (auto& [pid, process] : other.processes_) {
    Process& own = processes_[pid];
    if (!process.name.empty()) own.name = std::move(process.name);
    if (!process.labels.empty()) own.labels = std::move(process.labels);
  }
  for (auto& [lane, name] : other.threads_) threads_[lane] = std::move(name);
}

void Lanes::classify() {
  for (auto& [pid, process] : processes_) {
    process.kind = lane_kind_of(process.name);
    // "NPU 3"; older ones have the device only in the low bits of the process id.
    const std::string_view labels = process.labels;
    const auto number = labels.starts_with("NPU ")
                            ? parse_number<std::uint16_t>(trim(labels.substr(4)))
                            : std::nullopt;
    constexpr std::uint64_t kDeviceBits = 31;
    process.device = number.value_or(static_cast<std::uint16_t>(pid & kDeviceBits));
  }
}

const Process& Lanes::process(std::uint64_t pid) const {
  static const Process unknown;
  const auto found = processes_.find(pid);
  return found == processes_.end() ? unknown : found->second;
}

Lanes::GroupLane Lanes::group_lane(std::uint64_t pid, std::uint64_t tid) const {
  GroupLane lane;
  auto thread = threads_.find({pid, tid});
  if (thread == threads_.end()) return lane;
  if (const std::string_view name = thread->second; name.starts_with(kPlane)) {
    lane.plane = parse_number<std::uint32_t>(name.substr(kPlane.size())).value_or(0);
  }
  lane.is_whole = thread->second.ends_with(kWhole);
  // The lanes of a group's planes follow that of the group.
  while (!thread->second.ends_with(kWhole)) {
    if (thread == threads_.begin()) return lane;
    --thread;
    if (thread->first.first != pid) return lane;
  }
  std::string_view name = thread->second;
  name.remove_suffix(kWhole.size());
  if (name.starts_with(kGroupPrefix)) name.remove_prefix(kGroupPrefix.size());
  lane.group = trim(name);
  return lane;
}

}  // namespace npuprof::load
