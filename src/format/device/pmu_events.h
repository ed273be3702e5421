#pragma once

// The AI core counters a collector selects for a metrics group (`aic_metrics`), and the text form
// of such lists in sample.json.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/device/chips.h"

namespace npuprof::format::device {

enum class PmuGroup : std::uint8_t {
  kArithmeticUtilization,
  kPipeUtilization,
  kPipeUtilizationExact,  // "PipeUtilizationExct": PipeUtilization on the cube cores of a 910B.
  kPipelineExecuteUtilization,
  kMemory,
  kMemoryL0,
  kMemoryUb,
  kResourceConflictRatio,
  kL2Cache,
  kMemoryAccess,
  kPipeStallCycle,  // Nano only.
  kScalarRatio,     // Nano only.
  kCustom,          // "Custom:0x8,0xa": events named by the user, reported as raw counts.
};

// The spelling of sample.json.
std::string_view pmu_group_name(PmuGroup group);

// Also accepts "Custom:..." for kCustom. Nothing if the name is unknown.
std::optional<PmuGroup> find_pmu_group(std::string_view name);

// Events the collector asks for, in the order the counters have in the records; empty if the chip
// does not have the group (and always for kCustom).
std::span<const std::uint16_t> pmu_events(PmuGroup group, ChipId chip);

// The group that counts on cube cores when the user asked for `group`.
PmuGroup cube_core_group(PmuGroup group, ChipId chip);

// "0x8,0xa,0x9": hexadecimal numbers below 2^16 with commas; blanks are allowed, the text may be
// empty. At most 10 events fit a record, so a longer list is an error.
Result<std::vector<std::uint16_t>> parse_event_list(std::string_view text);
std::string format_event_list(std::span<const std::uint16_t> events);

// The events of "Custom:0x8,0xa".
Result<std::vector<std::uint16_t>> parse_custom_group(std::string_view text);

}  // namespace npuprof::format::device
