#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Tasks of data processing units, which the host runs. The columns from `reduce_op` on are of tasks
// of collectives.
struct DpuTasks {
  NPUPROF_TABLE(DpuTasks);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, unit);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(Text, name);  // Of the kernel or of the step of a collective.
  NPUPROF_COLUMN(Text, type);  // Host task type, empty = unknown.
  NPUPROF_COLUMN(std::uint8_t, is_collective);
  NPUPROF_COLUMN(std::uint8_t, reduce_op);
  NPUPROF_COLUMN(std::uint16_t, device);      // The NPU that works with it.
  NPUPROF_COLUMN(std::uint32_t, aicpu_task);  // On that NPU.
  NPUPROF_COLUMN(std::uint64_t, group_hash);
  NPUPROF_COLUMN(Text, group);
  NPUPROF_COLUMN(std::uint32_t, rank_size);
  NPUPROF_COLUMN(std::uint32_t, local_rank);
  NPUPROF_COLUMN(std::uint32_t, remote_rank);
  NPUPROF_COLUMN(std::uint16_t, plane);
  NPUPROF_COLUMN(std::uint64_t, notify_id);
  NPUPROF_COLUMN(double, estimated_us);
  NPUPROF_COLUMN(std::uint64_t, size_bytes);
  NPUPROF_COLUMN(std::uint8_t, data_type);
  NPUPROF_COLUMN(std::uint8_t, link_type);
  NPUPROF_COLUMN(std::uint8_t, transport_type);
  NPUPROF_COLUMN(std::uint8_t, rdma_type);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
