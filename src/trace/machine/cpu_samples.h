#pragma once

#include <cstdint>

#include "trace/machine/cpu_kind.h"
#include "trace/table.h"

namespace npuprof::trace {

// Counter samples of CPUs of a device: how often an event occurred since the sample before, and
// which function it was in.
struct CpuSamples {
  NPUPROF_TABLE(CpuSamples);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, cpu_kind);  // CpuKind.
  NPUPROF_COLUMN(std::uint32_t, event);    // Number of the CPU's event.
  NPUPROF_COLUMN(std::uint64_t, count);
  NPUPROF_COLUMN(Text, function);  // Of the scheduler its address.
  NPUPROF_COLUMN(Text, module);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
