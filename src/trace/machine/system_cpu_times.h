#pragma once

#include <cstdint>

#include "trace/machine/cpu_kind.h"
#include "trace/table.h"

namespace npuprof::trace {

// How long CPUs did what, in jiffies since the machine was started; all CPUs of a kind together.
struct SystemCpuTimes {
  NPUPROF_TABLE(SystemCpuTimes);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, cpu_kind);  // CpuKind.
  NPUPROF_COLUMN(std::uint64_t, user);
  NPUPROF_COLUMN(std::uint64_t, system);
  NPUPROF_COLUMN(std::uint64_t, io_wait);
  NPUPROF_COLUMN(std::uint64_t, irq);
  NPUPROF_COLUMN(std::uint64_t, soft_irq);
  NPUPROF_COLUMN(std::uint64_t, idle);
  NPUPROF_COLUMN(std::uint64_t, total);  // With times that have no column of their own.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
