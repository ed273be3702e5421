#pragma once

// What the lanes of a timeline are, from the names it gives them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/chrome_trace/timeline_event.h"
#include "load/timeline_origin.h"

namespace npuprof::load {

enum class LaneKind : std::uint8_t {
  kOther,
  kFramework,      // Operators of PyTorch or MindSpore.
  kCpuOps,         // Kernels that MindSpore ran on the host.
  kScopes,         // Scopes of the network, which follow from the names of kernels.
  kCann,           // Host calls.
  kHardware,       // Tasks, a thread for each stream.
  kCommunication,  // Collectives, and their tasks by plane.
  kOverlap,
  kFrequency,
  kMemory,
  kOsRuntime,
  kStepTrace,  // Iterations, where they have a process of their own.
  kDisplay,    // Operators on a device, as MindSpore shows them.
};

struct Process {
  std::string name;
  std::string labels;
  std::optional<std::uint64_t> sort_index;
  LaneKind kind = LaneKind::kOther;
  std::uint16_t device = 0;
  std::uint32_t os_pid = 0;  // Of the program, for layers of CANN; 0 = not known.
  std::string task_type;     // Of all tasks of a kDisplay.
};

// How the ids of processes are made, which stand for the layers of one program and device. All of
// them hold the sort index of the layer, so they can be told apart.
enum class LaneIds : std::uint8_t {
  kShifted,        // Program << 10 | index << 5 | device, since early 2024.
  kWithDevice,     // Program * 10000 + index * 100 + device, early 2024; on the host as below.
  kWithoutDevice,  // Program * 100 + index, 2023.
  kUnknown,
};

class Lanes {
 public:
  // Takes events that name a process or thread (phase M).
  void add(const Event& event);
  // Later names win.
  void append(Lanes&& other);
  // Finds kinds, programs and devices, once all names are known. Where ids do not say the device it
  // is that of the origin.
  LaneIds classify(const TimelineOrigin& origin);
  // Whether this is a timeline that MindSpore made for display: its processes have numbers instead
  // of names.
  bool is_display() const { return is_display_; }

  // Unknown processes are of kind kOther.
  const Process& process(std::uint64_t pid) const;
  bool has_process(std::string_view name) const;
  const std::unordered_map<std::uint64_t, Process>& processes() const { return processes_; }

  // Of a thread of a communication process: the name of its group, and whether it shows collectives
  // as a whole; else `plane` is its number.
  struct GroupLane {
    std::string group;
    bool is_whole = false;
    std::uint32_t plane = 0;
  };
  GroupLane group_lane(std::uint64_t pid, std::uint64_t tid) const;
  // Of a thread that shows the iterations of a model; 0 if its name does not say.
  std::uint64_t model_of(std::uint64_t pid, std::uint64_t tid) const;

 private:
  using Threads = std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>;

  bool has_display_labels() const;
  void classify_display(std::uint16_t device);
  LaneIds find_ids() const;
  // The lane that shows collectives as a whole for the group of a thread; the end if there is none.
  Threads::const_iterator whole_lane(Threads::const_iterator thread) const;

  std::unordered_map<std::uint64_t, Process> processes_;
  Process other_process_;  // What a process is that is not among them.
  Threads threads_;
  bool is_display_ = false;
};

}  // namespace npuprof::load
