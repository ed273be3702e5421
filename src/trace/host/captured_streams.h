#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Streams captured into a graph.
struct CapturedStreams {
  NPUPROF_TABLE(CapturedStreams);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint16_t, original_stream);
  NPUPROF_COLUMN(std::uint16_t, model_id);
  NPUPROF_COLUMN(std::uint16_t, status);  // 0 bound, 1 destroyed.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
