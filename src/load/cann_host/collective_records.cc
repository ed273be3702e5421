#include "load/cann_host/collective_records.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "format/host/additional.h"
#include "format/host/compact.h"

namespace npuprof::load {

using format::host::HcclInfo;
using format::host::HcclOpInfo;
using format::host::Mc2CommInfo;

void decode_collective_infos(DecodeContext& context, trace::CollectiveInfos& infos) {
  decode_rows<HcclOpInfo>(context, HcclOpInfo::kKind, infos,
                          [&](const HcclOpInfo& record, const HostSlice&, std::size_t row) {
                            infos.time_ns[row] = context.clock.to_wall_ns(record.header.timestamp);
                            infos.tid[row] = record.header.thread_id;
                            infos.relay[row] = record.relay();
                            infos.retry[row] = record.retry();
                            infos.data_type[row] = record.data_type;
                            infos.algorithm[row] = context.names.of_hash(record.algorithm);
                            infos.count[row] = record.element_count;
                            infos.group_hash[row] = record.group_name;
                            infos.group[row] = context.names.of_hash(record.group_name);
                            return true;
                          });
}

void decode_collective_task_infos(DecodeContext& context, trace::CollectiveTaskInfos& infos) {
  decode_rows<HcclInfo>(context, HcclInfo::kKind, infos,
                        [&](const HcclInfo& record, const HostSlice&, std::size_t row) {
                          infos.time_ns[row] = context.clock.to_wall_ns(record.header.timestamp);
                          infos.tid[row] = record.header.thread_id;
                          infos.name[row] = context.names.of_hash(record.item);
                          infos.tag[row] = context.names.of_hash(record.ccl_tag);
                          infos.group_hash[row] = record.group_name;
                          infos.group[row] = context.names.of_hash(record.group_name);
                          infos.local_rank[row] = record.local_rank;
                          infos.remote_rank[row] = record.remote_rank;
                          infos.rank_size[row] = record.rank_size;
                          infos.plane[row] = record.plane_id;
                          infos.context[row] = record.context_id;
                          infos.notify_id[row] = record.notify_id;
                          infos.stage[row] = record.stage;
                          infos.role[row] = record.role;
                          infos.estimated_us[row] = record.estimated_duration_us;
                          infos.source_address[row] = record.source_address;
                          infos.destination_address[row] = record.destination_address;
                          infos.size_bytes[row] = record.data_size;
                          infos.reduce_op[row] = record.reduce_op;
                          infos.data_type[row] = record.data_type;
                          infos.link_type[row] = record.link_type;
                          infos.transport_type[row] = record.transport_type;
                          infos.rdma_type[row] = record.rdma_type;
                          return true;
                        });
}

void decode_communicator_streams(DecodeContext& context, trace::CommunicatorStreams& streams) {
  decode_lists<Mc2CommInfo>(context, Mc2CommInfo::kKind,
                            [&](const Mc2CommInfo& record, const HostSlice&) {
                              for (const std::uint32_t stream : record.valid_streams()) {
                                streams.group.push_back(context.names.of_hash(record.group_name));
                                streams.group_hash.push_back(record.group_name);
                                streams.rank_size.push_back(record.rank_size);
                                streams.rank.push_back(record.rank_id);
                                streams.user_rank.push_back(record.user_rank_id);
                                streams.kernel_stream.push_back(record.aicpu_stream);
                                streams.stream.push_back(stream);
                              }
                            });
}

void add_captured_communicators(const trace::CapturedStreams& captured,
                                trace::CommunicatorStreams& streams) {
  constexpr std::uint16_t kNoStream = 0xFFFF;
  std::vector<std::pair<std::uint16_t, std::uint16_t>> twins;  // Original, captured.
  for (std::size_t row = 0; row < captured.size(); ++row) {
    if (captured.status[row] != 0 || captured.stream[row] == kNoStream) continue;
    twins.emplace_back(captured.original_stream[row], captured.stream[row]);
  }
  std::sort(twins.begin(), twins.end());
  twins.erase(std::unique(twins.begin(), twins.end()), twins.end());

  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> kernel_streams;
  for (std::uint32_t row = 0; row < streams.size(); ++row) {
    order.push_back(row);
    kernel_streams.push_back(streams.kernel_stream[row]);
  }
  // Real profiles have a handful; damaged ones must not multiply.
  const std::size_t budget = streams.size() + 65536;
  for (std::uint32_t row = 0; row < streams.size(); ++row) {
    const std::uint32_t original = streams.kernel_stream[row];
    auto twin = std::lower_bound(
        twins.begin(), twins.end(), std::pair(original, 0u),
        [](const auto& entry, const auto& wanted) { return entry.first < wanted.first; });
    for (; twin != twins.end() && twin->first == original && order.size() < budget; ++twin) {
      order.push_back(row);
      kernel_streams.push_back(twin->second);
    }
  }
  trace::reorder_rows(streams, order);
  streams.kernel_stream = std::move(kernel_streams);
}

}  // namespace npuprof::load
