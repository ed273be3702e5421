#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Memory reserved by each CANN component.
struct ModuleMemory {
  NPUPROF_TABLE(ModuleMemory);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint32_t, module);
  NPUPROF_COLUMN(std::int64_t, reserved_bytes);  // -1 = unknown.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
