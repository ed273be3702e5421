#include "sim/model/pmu.h"

#include <algorithm>
#include <span>
#include <utility>

#include "format/device/l2_cache.h"
#include "format/device/pmu_events.h"
#include "sim/model/event_rates.h"

namespace npuprof::sim {
namespace {

// Who moves the data of a MIX kernel: the cube side reads operands, the vector side also carries
// what goes between the two.
constexpr double kCubeTrafficOfMix = 0.6;

using format::device::PmuGroup;

struct GroupEvents {
  MetricGroup group;
  PmuGroup pmu_group;
};
constexpr GroupEvents kGroups[] = {
    {MetricGroup::kArithmeticUtilization, PmuGroup::kArithmeticUtilization},
    {MetricGroup::kPipeUtilization, PmuGroup::kPipeUtilization},
    {MetricGroup::kMemory, PmuGroup::kMemory},
    {MetricGroup::kMemoryL0, PmuGroup::kMemoryL0},
    {MetricGroup::kResourceConflictRatio, PmuGroup::kResourceConflictRatio},
    {MetricGroup::kMemoryUb, PmuGroup::kMemoryUb},
    {MetricGroup::kL2Cache, PmuGroup::kL2Cache},
    {MetricGroup::kPipelineExecuteUtilization, PmuGroup::kPipelineExecuteUtilization},
    {MetricGroup::kMemoryAccess, PmuGroup::kMemoryAccess},
};

// The group that counts on one kind of core when the user asked for `group`.
std::optional<PmuGroup> side_group(const ChipSpec& chip, MetricGroup group, CoreSide side) {
  for (const GroupEvents& entry : kGroups) {
    if (entry.group != group) continue;
    return side == CoreSide::kCube ? format::device::cube_core_group(entry.pmu_group, chip.id())
                                   : entry.pmu_group;
  }
  return std::nullopt;
}

CoreSide main_side_of(KernelCore kind) {
  return kind == KernelCore::kAic || kind == KernelCore::kMixAic ? CoreSide::kCube
                                                                 : CoreSide::kVector;
}
CoreSide other(CoreSide side) {
  return side == CoreSide::kCube ? CoreSide::kVector : CoreSide::kCube;
}

SideLoad load_of(const KernelDesc& kernel, const KernelEstimate& estimate, CoreSide side) {
  double traffic = 1.0;
  if (is_mix(kernel.kind) && kernel.mix_ratio > 0) {
    traffic = side == CoreSide::kCube ? kCubeTrafficOfMix : 1.0 - kCubeTrafficOfMix;
  }
  return {
      .side = side,
      .type_of_math = kernel.type_of_math,
      .ratios = side == CoreSide::kCube ? estimate.cube_core : estimate.vector_core,
      .cube_flops = side == CoreSide::kCube ? kernel.cube_flops : 0,
      .read_bytes = traffic * estimate.l2_read_bytes,
      .written_bytes = traffic * estimate.l2_write_bytes,
      .hbm_read_bytes = traffic * estimate.hbm_read_bytes,
      .hbm_written_bytes = traffic * estimate.hbm_write_bytes,
  };
}

}  // namespace

std::vector<std::uint16_t> metric_events(const ChipSpec& chip, const MetricSelection& selection,
                                         CoreSide side) {
  if (selection.group == MetricGroup::kCustom) return selection.custom_events;
  const auto group = side_group(chip, selection.group, side);
  if (!group) return {};
  const std::span<const std::uint16_t> events = format::device::pmu_events(*group, chip.id());
  return {events.begin(), events.end()};
}

std::string metric_events_text(const ChipSpec& chip, const MetricSelection& selection,
                               CoreSide side) {
  return format::device::format_event_list(metric_events(chip, selection, side));
}

std::string metric_group_text(const ChipSpec& chip, const MetricSelection& selection,
                              CoreSide side) {
  if (selection.group == MetricGroup::kCustom) {
    return "Custom:" + format::device::format_event_list(selection.custom_events);
  }
  const auto group = side_group(chip, selection.group, side);
  return group ? std::string(format::device::pmu_group_name(*group)) : "";
}

PmuCounts PmuTemplate::Side::scaled(double busy_ns, double mhz, std::uint32_t block_count) const {
  // A core works through `waves` blocks, so a block has that part of the time.
  const double block_cycles = busy_ns * mhz / 1000.0 / waves;
  const auto factor = static_cast<double>(block_count);
  PmuCounts result;
  result.total_cycles = static_cast<std::uint64_t>(block_cycles * factor);
  for (std::size_t i = 0; i < kMostCounters; ++i) {
    result.counters[i] =
        static_cast<std::uint64_t>((per_cycle[i] * block_cycles + per_block[i]) * factor);
  }
  return result;
}

PmuTemplate::Side PmuTemplate::make_side(const ChipSpec& chip, const MetricSelection& selection,
                                         const KernelDesc& kernel, const KernelEstimate& estimate,
                                         CoreSide side) {
  const bool is_main = side == main_side_of(kernel.kind);
  const std::uint32_t blocks = std::max(kernel.block_count, 1u);
  Side result;
  result.blocks = is_main ? blocks : blocks * kernel.mix_ratio;
  if (result.blocks == 0) return result;
  result.waves = wave_count(result.blocks,
                            side == CoreSide::kCube ? chip.ai_core_count : chip.vector_core_count);
  const SideLoad load = load_of(kernel, estimate, side);
  const std::vector<std::uint16_t> events = metric_events(chip, selection, side);
  for (std::size_t i = 0; i < std::min(events.size(), kMostCounters); ++i) {
    const EventRate rate = event_rate(chip, events[i], load);
    result.per_cycle[i] = rate.per_cycle;
    result.per_block[i] = rate.fixed / result.blocks;
  }
  return result;
}

PmuTemplate::PmuTemplate(const ChipSpec& chip, const MetricSelection& selection,
                         const KernelDesc& kernel, const KernelEstimate& estimate) {
  if (selection.group == MetricGroup::kNone || !has_core_counters(kernel.kind)) return;
  main_side_ = main_side_of(kernel.kind);
  if (metric_events(chip, selection, main_side_).empty()) return;
  main_ = make_side(chip, selection, kernel, estimate, main_side_);
  if (is_mix(kernel.kind)) {
    slave_ = make_side(chip, selection, kernel, estimate, other(main_side_));
  }
}

std::string l2_cache_events_text(const ChipSpec& chip) {
  return format::device::format_event_list(format::device::l2_events(chip.id()).collected);
}

L2Counters l2_cache_counters(const ChipSpec& chip, const KernelEstimate& estimate) {
  constexpr double kLineBytes = 128;
  const auto lines = [](double bytes) { return static_cast<std::uint64_t>(bytes / kLineBytes); };
  const std::uint64_t reads = lines(estimate.l2_read_bytes);
  const std::uint64_t writes = lines(estimate.l2_write_bytes);
  const std::uint64_t read_misses = std::min(lines(estimate.hbm_read_bytes), reads);
  const std::uint64_t write_misses = std::min(lines(estimate.hbm_write_bytes), writes);
  // Half of the lines that are fetched push another one out.
  const std::uint64_t victims = (read_misses + write_misses) / 2;
  if (chip.is_v6()) {
    // Hits are requests less misses (three kinds) less victims (two kinds).
    return {reads + writes, read_misses / 2, write_misses / 2, 0, victims / 2, victims / 4, 0, 0};
  }
  return {
      reads + writes,        reads,   writes,     read_misses + write_misses, reads - read_misses,
      writes - write_misses, victims, victims / 8};
}

std::string smmu_events_text() {
  return "SMMU:" + format::device::format_event_list(format::device::kSmmuEvents);
}

L2Counters smmu_counters(const KernelEstimate& estimate) {
  // One translation per 4 KiB of traffic; 2 MiB pages make nearly all of them hits.
  const auto requests =
      static_cast<std::uint64_t>((estimate.hbm_read_bytes + estimate.hbm_write_bytes) / 4096);
  const std::uint64_t misses = requests / 512;
  const std::uint64_t second_level_hits = requests / 64;
  return {misses,
          requests,
          requests - misses,
          requests - misses - second_level_hits,
          second_level_hits,
          0,
          0,
          0};
}

}  // namespace npuprof::sim
