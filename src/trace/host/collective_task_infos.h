#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Description of one sub-task of a collective.
struct CollectiveTaskInfos {
  NPUPROF_TABLE(CollectiveTaskInfos);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(Text, tag);
  NPUPROF_COLUMN(std::uint64_t, group_hash);
  NPUPROF_COLUMN(Text, group);
  NPUPROF_COLUMN(std::uint32_t, local_rank);
  NPUPROF_COLUMN(std::uint32_t, remote_rank);
  NPUPROF_COLUMN(std::uint32_t, rank_size);
  NPUPROF_COLUMN(std::uint32_t, plane);
  NPUPROF_COLUMN(std::uint32_t, context);
  NPUPROF_COLUMN(std::uint64_t, notify_id);
  NPUPROF_COLUMN(std::uint32_t, stage);
  NPUPROF_COLUMN(std::uint32_t, role);
  NPUPROF_COLUMN(double, estimated_us);
  NPUPROF_COLUMN(std::uint64_t, source_address);
  NPUPROF_COLUMN(std::uint64_t, destination_address);
  NPUPROF_COLUMN(std::uint64_t, size_bytes);
  NPUPROF_COLUMN(std::uint32_t, reduce_op);
  NPUPROF_COLUMN(std::uint32_t, data_type);
  NPUPROF_COLUMN(std::uint32_t, link_type);
  NPUPROF_COLUMN(std::uint32_t, transport_type);
  NPUPROF_COLUMN(std::uint32_t, rdma_type);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
