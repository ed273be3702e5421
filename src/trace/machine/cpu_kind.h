#pragma once

#include <cstdint>

namespace npuprof::trace {

// In `device` columns of the tables of this folder: the host.
inline constexpr std::uint16_t kHostDevice = 0xFFFF;

enum class CpuKind : std::uint8_t {
  kAi,         // CPUs of the device that run kernels.
  kControl,    // Those that run its operating system.
  kScheduler,  // The one of the task scheduler.
  kHost,
};

}  // namespace npuprof::trace
