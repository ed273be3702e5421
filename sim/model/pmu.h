#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/chip.h"
#include "sim/model/kernel.h"

namespace npuprof::sim {

// The groups of AI core counters a user chooses from (`aic_metrics`). The values are those of the
// vendor's collection interface.
enum class MetricGroup : std::uint8_t {
  kArithmeticUtilization = 0,
  kPipeUtilization = 1,
  kMemory = 2,
  kMemoryL0 = 3,
  kResourceConflictRatio = 4,
  kMemoryUb = 5,
  kL2Cache = 6,
  kPipelineExecuteUtilization = 7,
  kMemoryAccess = 8,
  kCustom = 9,  // "Custom:0x49,0x4a": the events themselves.
  kNone = 0xFF,
};

struct MetricSelection {
  MetricGroup group = MetricGroup::kNone;
  std::vector<std::uint16_t> custom_events;
};

enum class CoreSide : std::uint8_t { kCube, kVector };

// Which event each counter of a record counts, in record order; empty if the chip does not have the
// group.
std::vector<std::uint16_t> metric_events(const ChipSpec& chip, const MetricSelection& selection,
                                         CoreSide side);
// The same as in sample.json: "0x8,0xa,...".
std::string metric_events_text(const ChipSpec& chip, const MetricSelection& selection,
                               CoreSide side);
// The group as sample.json names it for that side ("PipeUtilizationExct" for the cube side of a
// 910B); empty for kNone.
std::string metric_group_text(const ChipSpec& chip, const MetricSelection& selection,
                              CoreSide side);

inline constexpr std::size_t kMostCounters = 10;

struct PmuCounts {
  std::uint64_t total_cycles = 0;
  std::array<std::uint64_t, kMostCounters> counters{};
};

// Counters of all launches of one kernel: worked out once, then scaled by how long a launch took.
class PmuTemplate {
 public:
  // The other side of a MIX kernel starts after and ends before the main one.
  static constexpr double kSlaveBusyShare = 0.97;

  PmuTemplate() = default;
  PmuTemplate(const ChipSpec& chip, const MetricSelection& selection, const KernelDesc& kernel,
              const KernelEstimate& estimate);

  // False: the kernel has no counters (not an AI core kernel, or no group chosen).
  bool counts() const { return main_.blocks > 0; }
  // MIX kernels: how many blocks run on the other kind of core; 0 otherwise.
  std::uint32_t slave_block_count() const { return slave_.blocks; }
  CoreSide main_side() const { return main_side_; }

  // Counters of the main side, summed over its blocks, for a launch whose cores were busy for
  // `busy_ns` at `mhz`.
  PmuCounts main(double busy_ns, double mhz) const {
    return main_.scaled(busy_ns, mhz, main_.blocks);
  }
  // Counters of so many blocks of the other side.
  PmuCounts slave(double busy_ns, double mhz, std::uint32_t block_count) const {
    return slave_.scaled(kSlaveBusyShare * busy_ns, mhz, block_count);
  }

 private:
  // Count of an event in one block = per_cycle * cycles + per_block.
  struct Side {
    std::uint32_t blocks = 0;
    std::uint32_t waves = 1;
    std::array<double, kMostCounters> per_cycle{};
    std::array<double, kMostCounters> per_block{};

    PmuCounts scaled(double busy_ns, double mhz, std::uint32_t block_count) const;
  };

  static Side make_side(const ChipSpec& chip, const MetricSelection& selection,
                        const KernelDesc& kernel, const KernelEstimate& estimate, CoreSide side);

  CoreSide main_side_ = CoreSide::kVector;
  Side main_;
  Side slave_;
};

// The L2 cache counters of one kernel run, in the order of `l2_cache_events_text`.
using L2Counters = std::array<std::uint64_t, 8>;
std::string l2_cache_events_text(const ChipSpec& chip);
L2Counters l2_cache_counters(const ChipSpec& chip, const KernelEstimate& estimate);
// Address translation counters, in the order of `smmu_events_text`.
std::string smmu_events_text();
L2Counters smmu_counters(const KernelEstimate& estimate);

}  // namespace npuprof::sim
