#pragma once

#include <cstdint>
#include <string_view>

namespace npuprof::format::device {

inline constexpr std::uint32_t kCpuCyclesEvent = 0x11;

// The name that Arm gives an event of its CPUs ("CPU_CYCLES"); empty if it is not known. The
// device's CPUs, that of the task scheduler too, count these.
std::string_view cpu_event_name(std::uint32_t event);

}  // namespace npuprof::format::device
