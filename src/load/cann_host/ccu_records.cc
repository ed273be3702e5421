#include "load/cann_host/ccu_records.h"

#include <cstdint>
#include <limits>

#include "format/host/additional_ccu.h"

namespace npuprof::load {
namespace {

using format::host::CcuGroupInfo;
using format::host::CcuTaskInfo;
using format::host::CcuWaitSignalInfo;
using trace::CcuInfoKind;

// What the three kinds of records have in common. New rows hold zeros otherwise.
void fill(const auto& record, CcuInfoKind kind, trace::CcuInfos& infos, std::size_t row) {
  infos.kind[row] = static_cast<std::uint8_t>(kind);
  infos.stream[row] = record.stream;
  infos.task[row] = record.task_id;
  infos.die[row] = record.die_id;
  infos.instruction[row] = record.instruction_id;
  infos.channels[row].fill(trace::kNoCcuChannel);
}

// A channel without a rank at its other end is not in use.
trace::CcuChannelIds used_channels(const auto& record) {
  constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();
  trace::CcuChannelIds channels;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const bool is_used = record.remote_rank_ids[i] != kNoRank;
    channels[i] = is_used ? record.channel_ids[i].get() : trace::kNoCcuChannel;
  }
  return channels;
}

}  // namespace

void decode_ccu_infos(DecodeContext& context, trace::CcuInfos& infos) {
  decode_rows<CcuTaskInfo>(context, CcuTaskInfo::kKind, infos,
                           [&](const CcuTaskInfo& record, const HostSlice&, std::size_t row) {
                             fill(record, CcuInfoKind::kTask, infos, row);
                             return true;
                           });
  decode_rows<CcuWaitSignalInfo>(
      context, CcuWaitSignalInfo::kKind, infos,
      [&](const CcuWaitSignalInfo& record, const HostSlice&, std::size_t row) {
        fill(record, CcuInfoKind::kWait, infos, row);
        infos.channels[row] = used_channels(record);
        infos.mask[row] = record.mask;
        return true;
      });
  decode_rows<CcuGroupInfo>(context, CcuGroupInfo::kKind, infos,
                            [&](const CcuGroupInfo& record, const HostSlice&, std::size_t row) {
                              fill(record, CcuInfoKind::kTransfer, infos, row);
                              infos.channels[row] = used_channels(record);
                              infos.size_bytes[row] = record.data_size;
                              infos.reduce_op[row] = record.reduce_op;
                              infos.input_type[row] = record.input_data_type;
                              infos.output_type[row] = record.output_data_type;
                              return true;
                            });
}

}  // namespace npuprof::load
