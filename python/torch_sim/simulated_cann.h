#pragma once

// The simulated CANN library: the one the profiler has opened, or one that is opened here. Never a
// library of real devices.

#include <cstdint>
#include <string>

#include "npuprof/npusim.h"
#include "sim/model/chip.h"

namespace npuprof::torch_sim {

struct SimulatedCann {
  decltype(::aclInit)* aclInit = nullptr;
  decltype(::aclrtSetDevice)* aclrtSetDevice = nullptr;
  decltype(::aclrtGetDeviceCount)* aclrtGetDeviceCount = nullptr;
  decltype(::aclrtGetSocName)* aclrtGetSocName = nullptr;
  decltype(::aclrtSynchronizeDevice)* aclrtSynchronizeDevice = nullptr;
  decltype(::aclrtCreateStream)* aclrtCreateStream = nullptr;
  decltype(::aclrtSynchronizeStream)* aclrtSynchronizeStream = nullptr;
  decltype(::aclrtMalloc)* aclrtMalloc = nullptr;
  decltype(::aclrtFree)* aclrtFree = nullptr;
  decltype(::aclrtMemcpy)* aclrtMemcpy = nullptr;
  decltype(::aclrtMemcpyAsync)* aclrtMemcpyAsync = nullptr;
  decltype(::npusimLaunchKernel)* npusimLaunchKernel = nullptr;

  const sim::ChipSpec* chip = nullptr;
  std::uint32_t device_count = 0;
};

// Null unless the library is in use already, and in a forked child.
const SimulatedCann* simulated_cann_in_use();
// Opens it if need be; null, and a sentence in `failure`, if that is impossible.
const SimulatedCann* open_simulated_cann(const std::string& path, std::string& failure);

// The device of this process: its place on the computer (LOCAL_RANK).
std::int32_t default_device(const SimulatedCann& cann);

}  // namespace npuprof::torch_sim
