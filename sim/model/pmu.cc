#include "sim/model/pmu.h"

#include <algorithm>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include "sim/model/pmu_events.h"

namespace npuprof::sim {
namespace {

// Who moves the data of a MIX kernel: the cube side reads operands, the vector side also carries
// what goes between the two.
constexpr double kCubeTrafficOfMix = 0.6;

struct GroupName {
  MetricGroup group;
  std::string_view name;
  std::string_view interface_name;
};
constexpr GroupName kGroups[] = {
    {MetricGroup::kArithmeticUtilization, "ArithmeticUtilization",
     "ACL_AICORE_ARITHMETIC_UTILIZATION"},
    {MetricGroup::kPipeUtilization, "PipeUtilization", "ACL_AICORE_PIPE_UTILIZATION"},
    {MetricGroup::kMemory, "Memory", "ACL_AICORE_MEMORY_BANDWIDTH"},
    {MetricGroup::kMemoryL0, "MemoryL0", "ACL_AICORE_L0B_AND_WIDTH"},
    {MetricGroup::kResourceConflictRatio, "ResourceConflictRatio",
     "ACL_AICORE_RESOURCE_CONFLICT_RATIO"},
    {MetricGroup::kMemoryUb, "MemoryUB", "ACL_AICORE_MEMORY_UB"},
    {MetricGroup::kL2Cache, "L2Cache", "ACL_AICORE_L2_CACHE"},
    {MetricGroup::kPipelineExecuteUtilization, "PipelineExecuteUtilization",
     "ACL_AICORE_PIPE_EXECUTE_UTILIZATION"},
    {MetricGroup::kMemoryAccess, "MemoryAccess", "ACL_AICORE_MEMORY_ACCESS"},
    {MetricGroup::kNone, "AiCoreNone", "ACL_AICORE_NONE"},
};

using Events = std::vector<std::uint16_t>;

Events events_v4(MetricGroup group, CoreSide side) {
  switch (group) {
    case MetricGroup::kArithmeticUtilization:
      return {0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f};
    case MetricGroup::kPipeUtilization:
      if (side == CoreSide::kCube) return {0x416, 0x417, 0x9, 0x302, 0xc, 0x303, 0x54, 0x55};
      return {0x8, 0xa, 0x9, 0xb, 0xc, 0xd, 0x54, 0x55};
    case MetricGroup::kMemory:
      return {0x15, 0x16, 0x31, 0x32, 0xf, 0x10, 0x12, 0x13};
    case MetricGroup::kMemoryL0:
      return {0x1b, 0x1c, 0x21, 0x22, 0x27, 0x28, 0x29, 0x2a};
    case MetricGroup::kResourceConflictRatio:
      return {0x64, 0x65, 0x66};
    case MetricGroup::kMemoryUb:
      return {0x10, 0x13, 0x37, 0x38, 0x3d, 0x3e, 0x43, 0x44};
    case MetricGroup::kL2Cache:
      return {0x500, 0x502, 0x504, 0x506, 0x508, 0x50a};
    case MetricGroup::kPipelineExecuteUtilization:
      return {0x12c, 0x49, 0x4a, 0x9, 0x302, 0xc, 0xd, 0x303};
    case MetricGroup::kMemoryAccess:
      return {0x32, 0x3d, 0x3e, 0x206, 0x20c, 0x50c, 0x50d, 0x50e};
    default:
      return {};
  }
}

Events events_v6(MetricGroup group) {
  switch (group) {
    case MetricGroup::kArithmeticUtilization:
      return {0x323, 0x324};
    case MetricGroup::kPipeUtilization:
      return {0x501, 0x301, 0x1, 0x701, 0x202, 0x203, 0x34, 0x35, 0x714};
    case MetricGroup::kMemory:
      return {0x422, 0x423, 0x56f, 0x571, 0x570, 0x572, 0x707, 0x709};
    case MetricGroup::kMemoryL0:
      return {0x304, 0x703, 0x306, 0x705, 0x712, 0x30a, 0x308};
    case MetricGroup::kResourceConflictRatio:
      return {0x540, 0x556, 0x502, 0x528};
    case MetricGroup::kMemoryUb:
      return {0x3, 0x5, 0x70c, 0x206, 0x204, 0x571, 0x572};
    case MetricGroup::kL2Cache:
      return {0x424, 0x425, 0x426, 0x42a, 0x42b, 0x42c};
    default:
      return {};
  }
}

std::string join_events(std::span<const std::uint16_t> events) {
  std::string text;
  for (const std::uint16_t event : events) {
    text += fmt::format("{}{:#x}", text.empty() ? "" : ",", event);
  }
  return text;
}

std::optional<Events> parse_events(std::string_view text) {
  Events events;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    if (item.starts_with("0x") || item.starts_with("0X")) item.remove_prefix(2);
    std::uint16_t event = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), event, 16);
    if (error != std::errc() || end != item.data() + item.size()) return std::nullopt;
    events.push_back(event);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (events.empty() || events.size() > kMostCounters) return std::nullopt;
  return events;
}

CoreSide main_side_of(CoreKind kind) {
  return kind == CoreKind::kAic || kind == CoreKind::kMixAic ? CoreSide::kCube : CoreSide::kVector;
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
  return chip.is_v6() ? events_v6(selection.group) : events_v4(selection.group, side);
}

std::string metric_events_text(const ChipSpec& chip, const MetricSelection& selection,
                               CoreSide side) {
  return join_events(metric_events(chip, selection, side));
}

std::string metric_group_text(const ChipSpec& chip, const MetricSelection& selection,
                              CoreSide side) {
  if (selection.group == MetricGroup::kNone) return "";
  if (selection.group == MetricGroup::kCustom) {
    return "Custom:" + join_events(selection.custom_events);
  }
  const bool extended =
      selection.group == MetricGroup::kPipeUtilization && side == CoreSide::kCube && !chip.is_v6();
  if (extended) return "PipeUtilizationExct";
  for (const GroupName& entry : kGroups) {
    if (entry.group == selection.group) return std::string(entry.name);
  }
  return "";
}

std::optional<MetricSelection> parse_metric_selection(std::string_view text) {
  constexpr std::string_view kCustomPrefix = "Custom:";
  if (text.starts_with(kCustomPrefix)) {
    auto events = parse_events(text.substr(kCustomPrefix.size()));
    if (!events) return std::nullopt;
    return MetricSelection{MetricGroup::kCustom, *std::move(events)};
  }
  for (const GroupName& entry : kGroups) {
    if (text == entry.name || text == entry.interface_name) return MetricSelection{entry.group, {}};
  }
  return std::nullopt;
}

PmuCounters PmuTemplate::Side::scaled(double busy_ns, double mhz, std::uint32_t block_count) const {
  // A core works through `waves` blocks, so a block has that part of the time.
  const double block_cycles = busy_ns * mhz / 1000.0 / waves;
  const auto factor = static_cast<double>(block_count);
  PmuCounters result;
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
  const Events events = metric_events(chip, selection, side);
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
  return chip.is_v6() ? "0x00,0x81,0x82,0x83,0x74,0x75" : "0xf6,0xfb,0xfc,0xbf,0x90,0x91,0x9c,0x9d";
}

CacheCounters l2_cache_counters(const ChipSpec& chip, const KernelEstimate& estimate) {
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

std::string smmu_events_text() { return "SMMU:0x2,0x8a,0x8b,0x8c,0x8d"; }

CacheCounters smmu_counters(const KernelEstimate& estimate) {
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
