#include "load/cann_device/block_pairing.h"

#include <bit>

namespace npuprof::load {

using format::device::BlockLogV6;
using format::device::FusionLogV6;
using format::device::StarsFunction;

void BlockPairing::add(const format::device::TaskLogV6& record) {
  const StarsFunction function = record.head.function();
  if (function == StarsFunction::kBlockStart || function == StarsFunction::kBlockEnd) {
    const auto log = std::bit_cast<BlockLogV6>(record);
    const auto core = log.is_vector_core() ? trace::PmuCore::kAiv : trace::PmuCore::kAic;
    pair({log.syscnt, log.task_id, static_cast<std::uint8_t>(core), log.core_id, log.block_id,
          false, function == StarsFunction::kBlockEnd});
  } else if (function == StarsFunction::kFusionStart || function == StarsFunction::kFusionEnd) {
    const auto log = std::bit_cast<FusionLogV6>(record);
    if (log.part_bits() == 0) return;
    const auto part = static_cast<std::uint8_t>(std::countr_zero(log.part_bits()));
    pair({log.syscnt, log.task_id, part, log.mission_id(), log.accelerator, true,
          function == StarsFunction::kFusionEnd});
  }
}

void BlockPairing::pair(const Block& block) {
  // Task 32 bits, block 16, core 8, kind of core 7, fusion 1.
  const std::uint64_t key = std::uint64_t{block.task} << 32 | std::uint64_t{block.block} << 16 |
                            std::uint64_t{block.core_id} << 8 |
                            static_cast<std::uint64_t>(block.core << 1) |
                            (block.is_fusion ? 1u : 0u);
  if (!block.is_end) {
    pending_.put(key, static_cast<std::uint32_t>(starts_.size()));
    starts_.push_back(block.syscnt);
    return;
  }
  const auto start = pending_.take(key);
  if (!start) return;
  out_.start_ns.push_back(config_.clock.from_syscnt(starts_[*start]));
  out_.end_ns.push_back(config_.clock.from_syscnt(block.syscnt));
  out_.device.push_back(config_.info.id);
  out_.task.push_back(block.task);
  out_.core.push_back(block.core);
  out_.core_id.push_back(block.core_id);
  out_.block.push_back(block.block);
  out_.is_fusion.push_back(block.is_fusion ? 1 : 0);
}

}  // namespace npuprof::load
