#include "sim/workload/graph_mode.h"

#include <string>

namespace npuprof::sim {
namespace {

// Host time of the phases of a call, ns. A hit of the compiled code is cheap, a compilation is not.
constexpr std::int64_t kGuardNs = 45'000;
constexpr std::int64_t kPythonNs = 60'000;
constexpr std::int64_t kAssembleNs = 18'000;
constexpr std::int64_t kRefreshNs = 6'000;
constexpr std::int64_t kTraceNs = 9'000'000;
constexpr std::int64_t kCompileNs = 25'000'000;

}  // namespace

TorchAirModel::TorchAirModel(const GraphModeOptions& options, Worker& worker)
    : options_(options), worker_(worker) {
  const OperatorCatalogue make(worker.npu().chip());
  const Shape shape{512, 2048};
  for (Operator& op : std::vector<Operator>{
           make.linear(512, 2048, 2048), make.rms_norm(512, 2048), make.add(shape),
           make.swiglu(512, 2048), make.attention(1, 16, 512, 128, true), make.multiply(shape)}) {
    operators_.push_back(worker.prepare(std::move(op)));
  }
}

Status TorchAirModel::compile(std::uint32_t index) {
  worker_.enter_range("torchair::Export");
  worker_.spend(kTraceNs);
  worker_.leave_range();
  worker_.enter_range("TorchNpuGraphBase::Compile");
  worker_.spend(kCompileNs);
  worker_.leave_range();
  worker_.enter_range("TorchNpuGraphBase::Load");
  GraphDesc desc{.name = "graph_" + std::to_string(++compiled_)};
  GraphOperator output{.name = "Node_Output", .type = std::string(kNetOutput)};
  for (std::uint32_t i = 0; i < options_.kernels_per_graph; ++i) {
    const PreparedOperator& op = *operators_[(i + index) % operators_.size()];
    // Independent branches go to a second stream.
    for (const KernelTemplate* kernel : op.kernels) {
      output.inputs.push_back({.from = desc.nodes.size()});
      desc.nodes.push_back({.name = kernel->desc().name,
                            .type = kernel->desc().type,
                            .stream = i % 8 == 7 ? 1u : 0u,
                            .kernel = kernel});
    }
  }
  desc.nodes.push_back(std::move(output));
  NPUPROF_ASSIGN_OR_RETURN(graphs_[index], worker_.load_graph(desc));
  worker_.leave_range();
  return ok_status();
}

Status TorchAirModel::set_up() {
  graphs_.resize(options_.graphs);
  for (std::uint32_t i = 0; i < options_.graphs; ++i) NPUPROF_RETURN_IF_ERROR(compile(i));
  return ok_status();
}

Status TorchAirModel::call(std::uint32_t index) {
  worker_.enter_range("npu_fx_compiler inference");
  worker_.spend(kPythonNs);
  worker_.enter_range("TorchNpuGraphBase::Run");
  worker_.enter_range("AssembleInputs");
  worker_.spend(kAssembleNs);
  worker_.leave_range();
  worker_.enter_range("RefreshAtTensorFromGeTensor");
  worker_.spend(kRefreshNs);
  worker_.leave_range();
  worker_.enter_range("AssembleOutputs");
  worker_.spend(kAssembleNs / 2);
  worker_.leave_range();
  worker_.enter_range("ExecuteGraph");
  const Status executed = worker_.execute_graph(graphs_[index]);
  worker_.leave_range();
  worker_.leave_range();
  worker_.leave_range();
  return executed;
}

Status TorchAirModel::run_step(std::uint64_t step) {
  worker_.begin_step(step);
  worker_.copy_to_device(512 * 2048 * 2);
  const bool misses = options_.recompile_every != 0 && step % options_.recompile_every == 0;
  for (std::uint32_t i = 0; i < options_.graphs; ++i) {
    worker_.enter_range("Torch-Compiled Region");
    worker_.spend(kGuardNs);
    if (misses && i == 0) NPUPROF_RETURN_IF_ERROR(compile(i));
    NPUPROF_RETURN_IF_ERROR(call(i));
    worker_.leave_range();
    // What the compiler could not take runs operator by operator between the graphs.
    worker_.run_once(operators_[2]);
  }
  worker_.copy_to_host(4);
  return worker_.end_step();
}

}  // namespace npuprof::sim
