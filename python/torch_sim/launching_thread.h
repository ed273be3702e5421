#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npuprof/npusim.h"

namespace npuprof::torch_sim {

// What the simulated device keeps for each thread that launches on it.
struct LaunchingThread {
  std::int32_t device = -1;          // That the thread has chosen; -1: none yet.
  std::vector<aclrtStream> streams;  // By device: that the thread has chosen; null: none.

  // Operators inside one whose kernels are on the device already; they launch none. Counts that one
  // too; 0 outside.
  std::uint32_t launched_depth = 0;
  std::vector<NpusimTensor> launched_tensors;
  std::string launched_attributes;
};

LaunchingThread& launching_thread();

}  // namespace npuprof::torch_sim
