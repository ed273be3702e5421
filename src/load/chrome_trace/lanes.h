#pragma once

// What the lanes of a timeline are, from the names it gives them.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/chrome_trace/event.h"

namespace npuprof::load {

enum class LaneKind : std::uint8_t {
  kOther,
  kFramework,      // Operators of PyTorch or MindSpore.
  kCann,           // Host calls.
  kHardware,       // Tasks, a thread for each stream.
  kCommunication,  // Collectives, and their tasks by plane.
  kOverlap,
  kFrequency,
  kMemory,
  kOsRuntime,
};

struct Process {
  std::string name;
  std::string labels;
  LaneKind kind = LaneKind::kOther;
  std::uint16_t device = 0;
};

class Lanes {
 public:
  // Takes events that name a process or thread (phase M).
  void add(const Event& event);
  // Later names win.
  void append(Lanes&& other);
  // Finds kinds and devices, once all names are known.
  void classify();

  // Never null; unknown processes are of kind kOther.
  const Process& process(std::uint64_t pid) const;
  const std::unordered_map<std::uint64_t, Process>& processes() const { return processes_; }

  // Of a thread of a communication process: the name of its group, and whether it shows collectives
  // as a whole; else `plane` is its number.
  struct GroupLane {
    std::string group;
    bool is_whole = false;
    std::uint32_t plane = 0;
  };
  GroupLane group_lane(std::uint64_t pid, std::uint64_t tid) const;

 private:
  std::unordered_map<std::uint64_t, Process> processes_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> threads_;
};

}  // namespace npuprof::load
