#pragma once

#include <cstdint>

namespace npuprof::sim::runtime_call {

// Numbers of runtime calls that simulated programs make; format::host::runtime_api_name() knows
// all.
inline constexpr std::uint32_t kStreamCreate = 6;
inline constexpr std::uint32_t kStreamDestroy = 7;
inline constexpr std::uint32_t kStreamWaitEvent = 8;
inline constexpr std::uint32_t kStreamSynchronize = 9;
inline constexpr std::uint32_t kEventRecord = 12;
inline constexpr std::uint32_t kEventSynchronize = 13;
inline constexpr std::uint32_t kDeviceSynchronize = 24;
inline constexpr std::uint32_t kModelExecute = 39;
inline constexpr std::uint32_t kNotifyRecord = 45;
inline constexpr std::uint32_t kNotifyWait = 46;
inline constexpr std::uint32_t kRdmaDbSend = 56;
inline constexpr std::uint32_t kMemsetAsync = 73;
inline constexpr std::uint32_t kReduceAsync = 74;
inline constexpr std::uint32_t kMemcpyAsync = 103;
inline constexpr std::uint32_t kLaunchKernel = 119;

}  // namespace npuprof::sim::runtime_call
