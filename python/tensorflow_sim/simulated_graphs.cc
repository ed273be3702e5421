#include "simulated_graphs.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <stdexcept>

#include <dlfcn.h>

#include "sim/tensorflow/operator_table.h"
#include "sim/workload/launch_description.h"

namespace npuprof::tensorflow_sim {
namespace {

using sim::tensorflow::CompiledNode;
using sim::tensorflow::GraphOp;

constexpr const char* kLibrary = "libnpusim_cann.so";
constexpr std::int64_t kLongest = 0xFFFFFFFF;

sim::ElementType element_type(int type) {
  switch (type) {
    case 2:
      return sim::ElementType::kFloat64;
    case 3:
      return sim::ElementType::kInt32;
    case 4:
      return sim::ElementType::kUint8;
    case 5:
      return sim::ElementType::kInt16;
    case 6:
      return sim::ElementType::kInt8;
    case 9:
      return sim::ElementType::kInt64;
    case 10:
      return sim::ElementType::kBool;
    case 14:
      return sim::ElementType::kBfloat16;
    case 19:
      return sim::ElementType::kFloat16;
    default:
      return sim::ElementType::kFloat32;
  }
}

template <typename Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr) {
    throw std::runtime_error(std::string("the simulated library has no ") + name);
  }
}

void check(const char* function, aclError code) {
  if (code == NPUPROF_ACL_SUCCESS) return;
  throw std::runtime_error(std::string(function) + " failed with code " + std::to_string(code));
}

// A description for the library, with all that it points to.
class Description {
 public:
  NpusimNode node(const CompiledNode& compiled) {
    const sim::GraphOperator& node = compiled.node;
    auto& names = names_.emplace_back();
    for (const std::string& name : node.original_names) names.push_back(name.c_str());
    auto& places = places_.emplace_back();
    auto& outputs = outputs_.emplace_back();
    for (const sim::GraphEdge& edge : node.inputs) {
      places.push_back(static_cast<std::uint32_t>(edge.from));
      outputs.push_back(edge.output);
    }
    NpusimNode result{.name = node.name.c_str(),
                      .type = node.type.c_str(),
                      .original_type = node.original_type.c_str(),
                      .original_names = names.data(),
                      .original_name_count = static_cast<std::uint32_t>(names.size()),
                      .input_nodes = places.data(),
                      .input_outputs = outputs.data(),
                      .input_count = static_cast<std::uint32_t>(places.size()),
                      .stream = node.stream,
                      .is_global_step = node.is_global_step ? 1 : 0,
                      .kernel = nullptr};
    if (compiled.kernel) {
      kernels_.push_back(
          sim::describe_kernel(*compiled.kernel, node.type, tensors_.emplace_back()));
      result.kernel = &kernels_.back();
    }
    return result;
  }

 private:
  std::deque<std::vector<NpusimTensor>> tensors_;
  std::deque<std::vector<const char*>> names_;
  std::deque<std::vector<std::uint32_t>> places_;
  std::deque<std::vector<std::int32_t>> outputs_;
  std::deque<NpusimKernel> kernels_;
};

}  // namespace

sim::TensorDesc make_tensor(int type, const std::vector<std::int64_t>& sizes) {
  sim::TensorDesc tensor{.type = element_type(type)};
  for (const std::int64_t size : sizes) {
    tensor.shape.push_back(static_cast<std::uint32_t>(size < 0 ? 1 : std::min(size, kLongest)));
  }
  return tensor;
}

SimulatedGraphs& SimulatedGraphs::shared() {
  static SimulatedGraphs graphs;  // Again with the next call if it throws.
  return graphs;
}

SimulatedGraphs::SimulatedGraphs() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) throw std::runtime_error("the simulated NPU is not in use");
  decltype(::aclInit)* init = nullptr;
  decltype(::aclrtGetSocName)* get_name = nullptr;
  decltype(::aclrtGetDeviceCount)* get_count = nullptr;
  find(library, "aclInit", init);
  find(library, "aclrtGetSocName", get_name);
  find(library, "aclrtGetDeviceCount", get_count);
  find(library, "aclrtSetDevice", set_device_);
  find(library, "aclrtSynchronizeDevice", synchronize_);
  find(library, "npusimLaunchKernel", launch_kernel_);
  find(library, "npusimLoadGraph", load_graph_);
  find(library, "npusimExecuteGraph", execute_graph_);
  (void)init(nullptr);  // Somebody else may have done it.
  const char* const name = get_name();
  const auto chip = sim::find_chip(name != nullptr ? name : "");
  if (!chip.ok()) throw std::runtime_error(chip.error().message);
  chip_ = *chip;
  std::uint32_t count = 0;
  check("aclrtGetDeviceCount", get_count(&count));
  const char* const rank = std::getenv("LOCAL_RANK");
  const unsigned long place = rank != nullptr ? std::strtoul(rank, nullptr, 10) : 0;
  device_ = static_cast<std::int32_t>(place % std::max(count, 1u));
}

void SimulatedGraphs::use_device() const { check("aclrtSetDevice", set_device_(device_)); }

std::uint32_t SimulatedGraphs::load(const std::string& name, const std::vector<GraphOp>& ops,
                                    const std::vector<std::size_t>& outputs,
                                    const std::string& fp_point,
                                    const std::string& bp_point) const {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const sim::GraphEdge& edge : ops[i].inputs) {
      if (edge.from >= i) throw std::runtime_error(ops[i].name + " comes before its input");
    }
  }
  for (const std::size_t output : outputs) {
    if (output >= ops.size()) throw std::runtime_error("there is no such output");
  }
  use_device();
  const std::vector<CompiledNode> compiled = sim::tensorflow::compile(*chip_, ops, outputs);
  Description description;
  std::vector<NpusimNode> nodes;
  nodes.reserve(compiled.size());
  for (const CompiledNode& node : compiled) nodes.push_back(description.node(node));
  const NpusimGraph graph{.name = name.c_str(),
                          .nodes = nodes.data(),
                          .node_count = static_cast<std::uint32_t>(nodes.size()),
                          .loops = 1,
                          .fp_point = fp_point.c_str(),
                          .bp_point = bp_point.c_str(),
                          .queue = "queue_0"};
  std::uint32_t model = 0;
  check("npusimLoadGraph", load_graph_(&graph, &model));
  return model;
}

void SimulatedGraphs::execute(std::uint32_t model, bool wait) const {
  use_device();
  check("npusimExecuteGraph", execute_graph_(model, nullptr));
  if (wait) check("aclrtSynchronizeDevice", synchronize_());
}

void SimulatedGraphs::launch(const GraphOp& op) const {
  if (sim::tensorflow::operator_kind(op.type) != sim::tensorflow::OperatorKind::kTask) return;
  const auto kernel =
      sim::tensorflow::kernel_of(*chip_, op.name, op.type, op.input_tensors, op.output_tensors);
  if (!kernel) return;
  use_device();
  const std::string call = "aclop" + kernel->type;
  std::vector<NpusimTensor> tensors;
  const NpusimKernel plain = sim::describe_kernel(*kernel, call, tensors);
  check("npusimLaunchKernel", launch_kernel_(&plain, nullptr));
}

}  // namespace npuprof::tensorflow_sim
