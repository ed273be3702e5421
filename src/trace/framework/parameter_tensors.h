#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Parameters of a module or optimizer, as text.
struct ParameterTensors {
  NPUPROF_TABLE(ParameterTensors);
  NPUPROF_COLUMN(std::uint64_t, key);  // Key of the Python call.
  NPUPROF_COLUMN(std::uint8_t, is_optimizer);
  NPUPROF_COLUMN(Text, text);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
