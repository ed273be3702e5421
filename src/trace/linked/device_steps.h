#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Steps marked by the framework on the device (tags 60000 and 60001).
struct DeviceSteps {
  NPUPROF_TABLE(DeviceSteps);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint64_t, model_id);
  NPUPROF_COLUMN(std::uint64_t, index);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
