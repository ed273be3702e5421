#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/npu/graph_points.h"
#include "sim/npu/npu_collectives.h"
#include "sim/npu/npu_kernels.h"
#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

using GraphId = std::uint32_t;

struct GraphDesc {
  std::string name{};
  std::vector<GraphOperator> nodes{};
  PointNames points{};         // As the user gives them.
  std::uint32_t loops = 1;     // Iterations of one execution, counted on the device.
  bool reports_steps = false;  // Copies of inputs and outputs, and marks of steps on the host.
  std::string queue{};         // Where GetNext takes batches from; empty: not from a queue.
};

// Static graphs: their kernels are reported once, when they are loaded, and run often.
class NpuGraphs {
 public:
  NpuGraphs(NpuState& npu, TaskIssuer& issuer, NpuKernels& kernels, NpuCollectives& collectives)
      : npu_(npu), issuer_(issuer), kernels_(kernels), collectives_(collectives) {}

  // Edges must lead to nodes before, and streams be few. Marks are put into graphs that are loaded
  // while a collection runs.
  Result<GraphId> load(std::uint32_t thread, const GraphDesc& desc, std::int64_t begin_ns,
                       std::int64_t* host_end_ns = nullptr);
  Result<TaskRun> execute(std::uint32_t thread, GraphId graph, StreamNumber stream,
                          std::int64_t begin_ns);
  std::size_t size() const { return graphs_.size(); }
  // A collection begins: it knows no graphs yet. Those that are there are reported when they run.
  void begin_collection() { ++collection_; }
  // What the compiler found; empty if the graph was loaded without a collection.
  const std::vector<GraphMark>& marks(GraphId graph) const { return graphs_.at(graph).marks; }

 private:
  struct Graph {
    std::uint32_t model_id = 0;
    GraphDesc desc;
    std::uint32_t collection = 0;  // The one that it was reported to.
    std::uint64_t executions = 0;
    std::uint64_t batches = 0;  // Taken from the queue.
    std::vector<StreamNumber> streams;
    std::vector<std::uint32_t> tasks;  // Of each node; 0 for those without.
    std::vector<GraphMark> marks;
    std::uint64_t address = 0;  // Of its memory; 0 = not taken yet.
  };
  // An execution: when its nodes have ended, in this iteration.
  struct Execution {
    std::uint32_t thread;  // Which issues collectives.
    std::int64_t issue_ns;
    std::uint64_t step;
    std::vector<Interval> runs;
    std::int64_t end_ns;
  };

  Result<GraphId> make(const GraphDesc& desc);
  // When the host is done with it.
  std::int64_t report_load(std::uint32_t thread, Graph& graph, std::int64_t begin_ns);
  void report_fusion(std::uint32_t thread, const GraphOperator& node, std::int64_t time_ns);
  void report_memory(std::uint32_t thread, Graph& graph, std::int64_t time_ns);
  void report_streams(std::uint32_t thread, const Graph& graph, std::int64_t time_ns);
  void report_name(std::uint32_t thread, const Graph& graph, std::int64_t time_ns,
                   format::host::Age age);
  void report_model_event(std::uint32_t thread, std::uint32_t type, std::uint32_t model_id,
                          std::uint32_t request_id, std::int64_t begin_ns, std::int64_t end_ns);
  Status run_iteration(Graph& graph, std::uint32_t loop, Execution& execution);
  Result<Interval> run_node(Graph& graph, std::size_t node, std::int64_t ready_ns,
                            Execution& execution);
  std::int64_t report_step(std::uint32_t thread, const Graph& graph, std::int64_t begin_ns);
  void trace(const Graph& graph, std::size_t node, std::uint16_t tag, std::uint64_t step,
             std::int64_t time_ns);
  void write_marks(const Graph& graph, std::size_t node, bool is_after, std::int64_t time_ns,
                   const Execution& execution);

  NpuState& npu_;
  TaskIssuer& issuer_;
  NpuKernels& kernels_;
  NpuCollectives& collectives_;
  std::uint32_t collection_ = 0;  // Counts collections.
  std::int64_t collectives_issued_ns_ = 0;
  std::uint64_t memory_bytes_ = 0;  // That graphs have taken.
  std::vector<Graph> graphs_;
};

}  // namespace npuprof::sim
