#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

enum class OverlapKind : std::uint8_t { kComputing, kCommunication, kNotOverlapped, kFree };

// Computing, communication, communication not overlapped, free.
struct OverlapIntervals {
  NPUPROF_TABLE(OverlapIntervals);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, kind);  // OverlapKind.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
