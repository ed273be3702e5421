#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Start and end of every task and FFTS+ context, paired. Batch ids are set when loading, from the
// device's own flip records.
struct DeviceTasks {
  NPUPROF_TABLE(DeviceTasks);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(std::uint32_t, context);  // kNone = the task itself.
  NPUPROF_COLUMN(std::uint8_t, type);      // SQE type, or sub-task type when context is set.
  NPUPROF_COLUMN(std::uint16_t, thread);   // Of an FFTS+ context, else 0.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
