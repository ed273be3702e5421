#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/npu/npu_kernels.h"
#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

using GraphId = std::uint32_t;

// Where a kernel of a graph runs: `stream` counts the graph's own streams from 0.
struct GraphKernel {
  const KernelTemplate* kernel = nullptr;
  std::uint32_t stream = 0;
};

struct GraphDesc {
  std::string name;
  std::vector<GraphKernel> kernels;
  // The number of kernels up to the end of the forward pass (0: not a training graph).
  std::size_t forward_end = 0;
};

// Static graphs: their kernels are reported once, when they are loaded, and run often.
class NpuGraphs {
 public:
  NpuGraphs(NpuState& npu, TaskIssuer& issuer, NpuKernels& kernels)
      : npu_(npu), issuer_(issuer), kernels_(kernels) {}

  Result<GraphId> load(std::uint32_t thread, const GraphDesc& desc, std::int64_t begin_ns,
                       std::int64_t* host_end_ns = nullptr);
  TaskRun execute(std::uint32_t thread, GraphId graph, StreamId stream, std::int64_t begin_ns);

 private:
  struct Graph {
    std::uint32_t model_id = 0;
    std::size_t forward_end = 0;
    std::uint64_t executions = 0;
    std::vector<StreamId> streams;
    struct Task {
      const KernelTemplate* kernel;
      StreamId stream;
      std::uint32_t task;
    };
    std::vector<Task> tasks;
  };

  Result<GraphId> make(const GraphDesc& desc);
  void report_streams(std::uint32_t thread, const Graph& graph, const std::string& name,
                      std::int64_t time_ns);
  void report_model_event(std::uint32_t thread, std::uint32_t type, std::uint32_t model_id,
                          std::uint32_t request_id, std::int64_t begin_ns, std::int64_t end_ns);

  NpuState& npu_;
  TaskIssuer& issuer_;
  NpuKernels& kernels_;
  std::vector<Graph> graphs_;
};

}  // namespace npuprof::sim
