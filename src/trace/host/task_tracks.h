#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// One task put on a stream, in time order. Batch ids are set by link from the flip records, which
// are kept here too.
struct TaskTracks {
  NPUPROF_TABLE(TaskTracks);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(std::uint16_t, type);  // format::host::TaskType, e.g. 0 KERNEL_AICORE, 98 flip.
  NPUPROF_COLUMN(Text, type_name);      // From the type dictionary; names differ between releases.
  NPUPROF_COLUMN(Text, kernel_name);
  // Whether the next two are known; they are the launch's own.
  NPUPROF_COLUMN(std::uint8_t, has_blocks);
  NPUPROF_COLUMN(std::uint16_t, block_num);
  NPUPROF_COLUMN(std::uint8_t, mix_ratio);
  NPUPROF_COLUMN(std::uint32_t, model_id);  // Of model executions, else kNone.
  NPUPROF_COLUMN(Text, grid_dim);           // Of SIMT kernels, `x,y,z`; else empty.
  NPUPROF_COLUMN(Text, block_dim);
  NPUPROF_COLUMN(std::uint8_t, is_static);  // 1 = reported once (unaging).
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
