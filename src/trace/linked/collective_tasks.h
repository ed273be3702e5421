#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct CollectiveOps;
struct Tasks;

// Sub-tasks of the collectives, grouped by op, then by time.
struct CollectiveTasks {
  NPUPROF_TABLE(CollectiveTasks);
  NPUPROF_COLUMN(PartOf<CollectiveOps>, op);
  NPUPROF_COLUMN(RowOf<Tasks>, task);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(Text, tag);
  NPUPROF_COLUMN(Text, group);
  NPUPROF_COLUMN(std::uint8_t, is_master);
  NPUPROF_COLUMN(std::uint32_t, plane);
  NPUPROF_COLUMN(std::uint64_t, notify_id);
  NPUPROF_COLUMN(std::uint32_t, rdma_type);
  NPUPROF_COLUMN(std::uint32_t, source_rank);
  NPUPROF_COLUMN(std::uint32_t, destination_rank);
  NPUPROF_COLUMN(std::uint32_t, transport_type);
  NPUPROF_COLUMN(std::uint64_t, size_bytes);
  NPUPROF_COLUMN(std::uint32_t, data_type);
  NPUPROF_COLUMN(std::uint32_t, link_type);
  NPUPROF_COLUMN(std::uint32_t, stage);
  NPUPROF_COLUMN(double, estimated_us);
  NPUPROF_COLUMN(double, bandwidth_gb_s);  // Decimal GB/s.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
