#pragma once

// What was written into one rank's profile, counted while it was written: the truth a reader of the
// profile is compared with. Times are those a reader finds (ticks turned into ns), so sums are
// exact.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval_sweep.h"
#include "base/json_writer.h"
#include "sim/model/chip.h"

namespace npuprof::sim {

struct TimeSum {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t max_ns = 0;

  void add(std::int64_t duration_ns) {
    min_ns = count == 0 || duration_ns < min_ns ? duration_ns : min_ns;
    max_ns = duration_ns > max_ns ? duration_ns : max_ns;
    total_ns += duration_ns;
    ++count;
  }
};

// Things that are only counted.
enum class TruthCount : std::uint8_t {
  kDeviceTasks,  // Start/end pairs in the scheduler's log.
  kKernels,
  kMixKernels,
  kAicpuKernels,
  kCopies,
  kFills,
  kEvents,  // Event and notify tasks outside collectives.
  kCollectives,
  kCollectiveTasks,
  kCollectiveCopies,  // Those of them whose size the runtime reports.
  kFlips,
  kMarks,  // mstx marks and ranges.
  kGraphReplays,
  kDroppedRecords,  // Left out on purpose, by a fault.
};
inline constexpr std::size_t kTruthCounts = 14;

// One collective as a reader sums it up: elapse is that of the main plane, the rest that of the
// first plane that moves data to another rank.
struct CollectiveTruth {
  std::int64_t elapse_ns = 0;
  std::int64_t transit_ns = 0;
  std::int64_t wait_ns = 0;
  std::int64_t synchronization_ns = 0;  // Waiting before the first transit.
};

class TruthCounter {
 public:
  // The numbers of names, for the calls below. A name has one number for ever.
  std::uint32_t kernel_type(std::string_view type, std::string_view core);
  std::uint32_t module(std::string_view path);

  // Everything that is added from here on belongs to this step (until the next call or end_step).
  void begin_step(std::uint64_t id, std::int64_t begin_wall_ns);
  void end_step(std::int64_t end_wall_ns);
  // The step that has begun does not end: it is no step at all.
  void abandon_step() { in_step_ = false; }
  // Kernels from here on belong to this module; kNoModule: to none.
  static constexpr std::uint32_t kNoModule = 0xFFFFFFFF;
  void set_module(std::uint32_t module) { module_ = module; }

  void count(TruthCount what, std::uint64_t times = 1) {
    counts_[static_cast<std::size_t>(what)] += times;
  }
  std::uint64_t counted(TruthCount what) const { return counts_[static_cast<std::size_t>(what)]; }

  // `wall` is when the kernel ran, as a reader finds it.
  void add_kernel(std::uint32_t kernel_type, Interval wall) {
    const std::int64_t duration_ns = wall.end - wall.begin;
    kernel_types_[kernel_type].time.add(duration_ns);
    kernels_.add(duration_ns);
    if (module_ != kNoModule) modules_[module_].time.add(duration_ns);
    if (in_step_) open_step_.compute.push_back(wall);
  }
  void add_collective(std::string_view name, std::string_view group, Interval wall,
                      const CollectiveTruth& truth);
  // One transfer of a collective, on any plane.
  void add_transfer(std::uint32_t to_rank, Link link, std::uint64_t bytes,
                    std::int64_t duration_ns);
  void add_copy(std::uint16_t direction, std::uint64_t bytes, std::int64_t duration_ns);

  // A mark in a graph.
  struct GraphMarkTruth {
    std::uint32_t model = 0;
    std::uint64_t step = 0;
    std::uint16_t tag = 0;
    std::int64_t wall_ns = 0;
  };
  void add_graph_mark(const GraphMarkTruth& mark) { graph_marks_.push_back(mark); }
  const std::vector<GraphMarkTruth>& graph_marks() const { return graph_marks_; }

  const TimeSum& kernels() const { return kernels_; }

  // An object with everything; call after the last step has ended.
  void write_json(JsonWriter& json) const;

 private:
  struct NamedTime {
    std::string name;
    std::string core;
    TimeSum time;
  };
  struct CollectiveSum {
    TimeSum time;
    CollectiveTruth sum;
  };
  struct TransferSum {
    TimeSum time;
    std::uint64_t bytes = 0;
  };
  struct OpenStep {
    std::uint64_t id = 0;
    std::int64_t begin_wall_ns = 0;
    std::vector<Interval> compute;
    std::vector<Interval> communication;
  };
  struct Step {
    std::uint64_t id = 0;
    std::int64_t begin_wall_ns = 0;
    std::int64_t end_wall_ns = 0;
    std::uint64_t kernels = 0;
    std::int64_t kernel_ns = 0;  // Sum of durations; the others are lengths of unions.
    std::int64_t compute_ns = 0;
    std::int64_t communication_ns = 0;
    std::int64_t overlapped_ns = 0;
  };

  void write_steps(JsonWriter& json) const;
  void write_communication(JsonWriter& json) const;
  void write_graph_marks(JsonWriter& json) const;

  std::array<std::uint64_t, kTruthCounts> counts_{};
  TimeSum kernels_;
  std::vector<NamedTime> kernel_types_;
  std::vector<NamedTime> modules_;
  std::map<std::string, std::uint32_t, std::less<>> kernel_type_numbers_;
  std::map<std::string, std::uint32_t, std::less<>> module_numbers_;
  std::map<std::pair<std::string, std::string>, CollectiveSum> collectives_;  // By (name, group).
  std::map<std::pair<std::uint32_t, Link>, TransferSum> transfers_;
  std::map<std::uint16_t, TransferSum> copies_;  // By direction.
  std::uint32_t module_ = kNoModule;
  bool in_step_ = false;
  OpenStep open_step_;
  std::vector<Step> steps_;
  std::vector<GraphMarkTruth> graph_marks_;
};

}  // namespace npuprof::sim
