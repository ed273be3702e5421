#pragma once

#include <string>
#include <string_view>

#include "analyze/ccu_events.h"
#include "format/host/enumerations.h"
#include "format/results/timeline_names.h"
#include "report/name_or_number.h"
#include "trace/device/ccu_missions.h"
#include "trace/host/ccu_infos.h"
#include "trace/trace.h"

namespace npuprof::report {

constexpr std::string_view ccu_event_name(const analyze::CcuEvent& event) {
  return event.is_wait ? "Wait" : "LoopGroup";
}

// How bandwidths are counted: MB are 2^20 bytes.
struct CcuBandwidthUnit {
  std::string_view key;
  double bytes_per_second;
};
inline constexpr CcuBandwidthUnit kCcuMegabytes{"Bandwidth (MB/s)", 1024.0 * 1024};
inline constexpr CcuBandwidthUnit kCcuBytes{"Bandwidth (B/s)", 1};

// What the host announced about a loop: what it moves.
void put_ccu_transfer(auto& target, const trace::CcuInfos& infos, const analyze::CcuEvent& event,
                      const CcuBandwidthUnit& unit) {
  constexpr std::uint8_t kNoReduction = 255;
  constexpr std::uint8_t kProduct = 1;  // Collectives call it MUL.
  const std::uint32_t info = event.info;
  target.argument("Data Size", infos.size_bytes[info]);
  const auto duration_ns = static_cast<double>(event.end_ns - event.start_ns);
  if (duration_ns > 0) {
    const double bytes = static_cast<double>(infos.size_bytes[info]);
    target.argument(unit.key, bytes / duration_ns * 1e9 / unit.bytes_per_second);
  }
  const std::uint8_t op = infos.reduce_op[info];
  if (op == kNoReduction) return;
  const auto data_type = [](std::uint8_t type) {
    return name_or_number(format::host::hccl_data_type_name(type), type);
  };
  const std::string_view op_name =
      op == kProduct ? std::string_view("PROD") : format::host::hccl_reduce_op_name(op);
  target.argument("Reduce Op Type", std::string_view(name_or_number(op_name, op)));
  target.argument("Input Data Type", std::string_view(data_type(infos.input_type[info])));
  target.argument("Output Data Type", std::string_view(data_type(infos.output_type[info])));
}

// Puts the arguments of a loop or wait of the communication unit: of a slice of the timeline, or of
// the cell of the database that repeats them.
void put_ccu_arguments(auto& target, const trace::Trace& trace, const analyze::CcuEvent& event,
                       const CcuBandwidthUnit& unit) {
  const auto& missions = trace.ccu_missions();
  const auto& infos = trace.ccu_infos();
  target.argument(format::results::argument::kStream, missions.stream[event.mission]);
  target.argument(format::results::argument::kTask, missions.task[event.mission]);
  if (event.is_wait) {
    target.argument("Notify Instruction ID", missions.wait_instruction[event.mission]);
    target.argument("Notify Rank ID", event.last_rank);
  } else {
    target.argument("Instruction ID", missions.loop_instruction[event.mission]);
  }
  target.argument("Die Id", missions.die[event.mission]);
  if (event.info == trace::kNone) return;
  if (!event.is_wait) return put_ccu_transfer(target, infos, event, unit);
  target.argument("Mask", infos.mask[event.info]);
  if (event.slowest_channel == trace::kNoCcuChannel) return;
  target.argument("Maximum Delay Channel", event.slowest_channel);
  target.argument("Maximum Channel Delay", event.channel_delay);
}

}  // namespace npuprof::report
