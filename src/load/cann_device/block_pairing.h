#pragma once

#include <cstdint>
#include <vector>

#include "format/device/stars_soc.h"
#include "load/cann_device/device_config.h"
#include "load/cann_device/pending_map.h"
#include "trace/cann_device.h"

namespace npuprof::load {

// Pairs starts and ends of kernel blocks and of parts of fused tasks (chips 15, 16). Records must
// come in order of time; other records are ignored.
class BlockPairing {
 public:
  BlockPairing(const DeviceConfig& config, trace::BlockIntervals& out)
      : config_(config), out_(out) {}

  void add(const format::device::TaskLogV6& record);

 private:
  struct Block {
    std::uint64_t syscnt;
    std::uint32_t task;
    std::uint8_t core;
    std::uint8_t core_id;
    std::uint16_t block;
    bool is_fusion;
    bool is_end;
  };
  void pair(const Block& block);

  const DeviceConfig& config_;
  trace::BlockIntervals& out_;
  std::vector<std::uint64_t> starts_;
  PendingMap pending_;  // Rows of starts_.
};

}  // namespace npuprof::load
