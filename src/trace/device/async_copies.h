#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Asynchronous copies seen by the task scheduler.
struct AsyncCopies {
  NPUPROF_TABLE(AsyncCopies);
  NPUPROF_COLUMN(Moment, received_ns);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
