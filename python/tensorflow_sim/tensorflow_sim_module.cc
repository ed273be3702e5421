// The module npuprof._tensorflow_sim: graphs and operators of TensorFlow programs on the simulated
// NPU. npuprof/tensorflow/_simulated.py is its only user; it is loaded where the simulated
// libraries are in use.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "simulated_graphs.h"

namespace py = pybind11;

namespace npuprof::tensorflow_sim {
namespace {

using PlainTensor = std::tuple<int, std::vector<std::int64_t>>;  // Type of TensorFlow, sizes.
using PlainOp = std::tuple<std::string, std::string, std::vector<std::tuple<std::size_t, int>>,
                           std::vector<PlainTensor>, std::vector<PlainTensor>>;

sim::TensorDesc tensor_of(const PlainTensor& tensor) {
  return make_tensor(std::get<0>(tensor), std::get<1>(tensor));
}

sim::tensorflow::GraphOp op_of(const PlainOp& plain) {
  const auto& [name, type, inputs, input_tensors, output_tensors] = plain;
  sim::tensorflow::GraphOp op{.name = name, .type = type};
  for (const auto& [from, output] : inputs) op.inputs.push_back({.from = from, .output = output});
  for (const PlainTensor& tensor : input_tensors) op.input_tensors.push_back(tensor_of(tensor));
  for (const PlainTensor& tensor : output_tensors) op.output_tensors.push_back(tensor_of(tensor));
  return op;
}

std::uint32_t load_graph(const std::string& name, const std::vector<PlainOp>& plain,
                         const std::vector<std::size_t>& outputs, const std::string& fp_point,
                         const std::string& bp_point) {
  std::vector<sim::tensorflow::GraphOp> ops;
  for (const PlainOp& op : plain) ops.push_back(op_of(op));
  const py::gil_scoped_release other_threads_run;
  return SimulatedGraphs::shared().load(name, ops, outputs, fp_point, bp_point);
}

void launch(const PlainOp& plain) {
  const sim::tensorflow::GraphOp op = op_of(plain);
  const py::gil_scoped_release other_threads_run;
  SimulatedGraphs::shared().launch(op);
}

}  // namespace
}  // namespace npuprof::tensorflow_sim

PYBIND11_MODULE(_tensorflow_sim, module) {
  using namespace npuprof::tensorflow_sim;  // NOLINT(*-using-namespace): this is their Python face.
  module.def("load_graph", &load_graph);
  module.def(
      "execute_graph",
      [](std::uint32_t model, bool wait) { SimulatedGraphs::shared().execute(model, wait); },
      py::call_guard<py::gil_scoped_release>());
  module.def("launch", &launch);
}
