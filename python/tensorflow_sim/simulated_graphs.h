#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npuprof/npusim.h"
#include "sim/model/chip.h"
#include "sim/tensorflow/graph_compiler.h"

namespace npuprof::tensorflow_sim {

// `type` as TensorFlow numbers types; sizes below 0 are not known and count as 1.
sim::TensorDesc make_tensor(int type, const std::vector<std::int64_t>& sizes);

// Hands graphs to the simulated CANN library that the profiler has opened. Functions throw
// std::runtime_error with a sentence, for instance if there is no such library. Several threads may
// use it.
class SimulatedGraphs {
 public:
  static SimulatedGraphs& shared();

  std::uint32_t load(const std::string& name, const std::vector<sim::tensorflow::GraphOp>& ops,
                     const std::vector<std::size_t>& outputs, const std::string& fp_point,
                     const std::string& bp_point) const;
  // `wait`: until the device is done with it.
  void execute(std::uint32_t model, bool wait) const;
  // One operator outside graphs.
  void launch(const sim::tensorflow::GraphOp& op) const;

 private:
  SimulatedGraphs();
  // Makes the calling thread use the device of this process.
  void use_device() const;

  decltype(::aclrtSetDevice)* set_device_ = nullptr;
  decltype(::aclrtSynchronizeDevice)* synchronize_ = nullptr;
  decltype(::npusimLaunchKernel)* launch_kernel_ = nullptr;
  decltype(::npusimLoadGraph)* load_graph_ = nullptr;
  decltype(::npusimExecuteGraph)* execute_graph_ = nullptr;
  const sim::ChipSpec* chip_ = nullptr;
  std::int32_t device_ = 0;
};

}  // namespace npuprof::tensorflow_sim
