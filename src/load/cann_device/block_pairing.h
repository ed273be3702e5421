#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "format/device/stars_soc.h"
#include "load/cann_device/device_config.h"
#include "trace/device/block_intervals.h"
#include "trace/device/fusion_parts.h"

namespace npuprof::load {

// Pairs starts and ends of kernel blocks and of parts of fused tasks (chips 15, 16). Records must
// come in order of time; other records are ignored.
class BlockPairing {
 public:
  BlockPairing(const DeviceConfig& config, trace::BlockIntervals& blocks, trace::FusionParts& parts)
      : config_(config), blocks_(blocks), parts_(parts) {}

  void add(const format::device::TaskLogV6& record);

 private:
  void add_block(const format::device::BlockLogV6& log, bool is_end);
  void add_part(const format::device::FusionLogV6& log, bool is_end);
  struct Interval {
    std::int64_t start_ns;
    std::int64_t end_ns;
  };
  // What a start and an end have in common.
  struct Part {
    std::uint32_t task;
    std::uint16_t number;  // Block or accelerator.
    std::uint8_t unit;     // Core or mission.
    std::uint8_t kind;     // Of core or of part.
    bool is_fusion;

    auto operator<=>(const Part&) const = default;
  };
  // When what ends now ran; nothing for a start, or if that was lost.
  std::optional<Interval> pair(const Part& part, std::uint64_t syscnt, bool is_end);

  const DeviceConfig& config_;
  trace::BlockIntervals& blocks_;
  trace::FusionParts& parts_;
  std::map<Part, std::uint64_t> starts_;  // Ticks of what has not ended.
};

}  // namespace npuprof::load
