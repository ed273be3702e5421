#include "load/cann_device/block_pairing.h"

#include <bit>

#include "load/plausible.h"
#include "trace/device/unknown_stream.h"

namespace npuprof::load {

using format::device::BlockLogV6;
using format::device::FusionLogV6;
using format::device::StarsFunction;

void BlockPairing::add(const format::device::TaskLogV6& record) {
  const StarsFunction function = record.head.function();
  if (function == StarsFunction::kBlockStart || function == StarsFunction::kBlockEnd) {
    add_block(std::bit_cast<BlockLogV6>(record), function == StarsFunction::kBlockEnd);
  } else if (function == StarsFunction::kFusionStart || function == StarsFunction::kFusionEnd) {
    add_part(std::bit_cast<FusionLogV6>(record), function == StarsFunction::kFusionEnd);
  }
}

std::optional<BlockPairing::Interval> BlockPairing::pair(const Part& part, std::uint64_t syscnt,
                                                         bool is_end) {
  if (!is_end) {
    starts_.insert_or_assign(part, syscnt);
    return std::nullopt;
  }
  const auto start = starts_.find(part);
  if (start == starts_.end()) return std::nullopt;
  const Interval interval{config_.clock.from_syscnt(start->second),
                          config_.clock.from_syscnt(syscnt)};
  starts_.erase(start);
  if (!is_plausible(interval.start_ns, interval.end_ns)) return std::nullopt;
  return interval;
}

void BlockPairing::add_block(const BlockLogV6& log, bool is_end) {
  const auto core =
      static_cast<std::uint8_t>(log.is_vector_core() ? trace::PmuCore::kAiv : trace::PmuCore::kAic);
  const auto interval =
      pair({log.task_id, log.block_id, log.core_id, core, false}, log.syscnt, is_end);
  if (!interval) return;
  blocks_.start_ns.push_back(interval->start_ns);
  blocks_.end_ns.push_back(interval->end_ns);
  blocks_.device.push_back(config_.info.id);
  blocks_.stream.push_back(trace::kUnknownStream);
  blocks_.task.push_back(log.task_id);
  blocks_.core.push_back(core);
  blocks_.core_id.push_back(log.core_id);
  blocks_.block.push_back(log.block_id);
}

void BlockPairing::add_part(const FusionLogV6& log, bool is_end) {
  if (log.part_bits() == 0) return;
  const auto part = static_cast<std::uint8_t>(std::countr_zero(log.part_bits()));
  const auto interval =
      pair({log.task_id, log.accelerator, log.mission_id(), part, true}, log.syscnt, is_end);
  if (!interval) return;
  parts_.start_ns.push_back(interval->start_ns);
  parts_.end_ns.push_back(interval->end_ns);
  parts_.device.push_back(config_.info.id);
  parts_.task.push_back(log.task_id);
  parts_.type.push_back(log.head.sqe_type());
  parts_.part.push_back(part);
  parts_.mission.push_back(log.mission_id());
  parts_.accelerator.push_back(log.accelerator);
}

}  // namespace npuprof::load
