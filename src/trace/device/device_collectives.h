#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Collectives and their tasks reported by the AI CPU, joined to tasks by (stream, task).
struct DeviceCollectives {
  NPUPROF_TABLE(DeviceCollectives);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, kind);  // AI CPU record type: 10 op, 12 main-stream mark, 13 task.
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(std::uint16_t, other_stream);  // Kind 12: AI CPU stream.
  NPUPROF_COLUMN(std::uint32_t, other_task);
  NPUPROF_COLUMN(std::uint16_t, mark);  // Kind 12: 0 first, 1 last.
  NPUPROF_COLUMN(std::uint8_t, relay);
  NPUPROF_COLUMN(std::uint8_t, retry);
  NPUPROF_COLUMN(std::uint32_t, data_type);
  NPUPROF_COLUMN(Text, algorithm);
  NPUPROF_COLUMN(std::uint64_t, count);
  NPUPROF_COLUMN(std::uint64_t, group_hash);
  NPUPROF_COLUMN(Text, group);
  NPUPROF_COLUMN(std::uint32_t, rank_size);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(std::uint32_t, local_rank);
  NPUPROF_COLUMN(std::uint32_t, remote_rank);
  NPUPROF_COLUMN(std::uint32_t, plane);
  NPUPROF_COLUMN(std::uint64_t, notify_id);
  NPUPROF_COLUMN(double, estimated_us);
  NPUPROF_COLUMN(std::uint64_t, size_bytes);
  NPUPROF_COLUMN(std::uint32_t, reduce_op);
  NPUPROF_COLUMN(std::uint32_t, link_type);
  NPUPROF_COLUMN(std::uint32_t, transport_type);
  NPUPROF_COLUMN(std::uint32_t, rdma_type);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
