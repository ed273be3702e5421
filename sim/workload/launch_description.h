#pragma once

#include <span>
#include <string>
#include <vector>

#include "include/npuprof/npusim.h"
#include "sim/workload/operator.h"

namespace npuprof::sim {

// A kernel in the form in which the simulated library is told of it. It points into the kernel, the
// name of the call and `tensors`.
NpusimKernel describe_kernel(const KernelDesc& kernel, const std::string& call,
                             std::vector<NpusimTensor>& tensors);

// The kernels of an operator in the form in which the simulated library is told of them.
class LaunchDescription {
 public:
  explicit LaunchDescription(Operator op);
  LaunchDescription(const LaunchDescription&) = delete;
  LaunchDescription& operator=(const LaunchDescription&) = delete;

  std::span<const NpusimKernel> kernels() const { return kernels_; }

 private:
  Operator op_;
  std::vector<std::vector<NpusimTensor>> tensors_;
  std::vector<NpusimKernel> kernels_;  // Point into the above.
};

}  // namespace npuprof::sim
