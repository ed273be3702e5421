#include "sim/tensorflow/graph_compiler.h"

#include <algorithm>
#include <utility>

#include "sim/tensorflow/operator_table.h"

namespace npuprof::sim::tensorflow {
namespace {

class Compiler {
 public:
  Compiler(const ChipSpec& chip, std::span<const GraphOp> ops)
      : chip_(chip), ops_(ops), replacements_(ops.size()), consumers_(ops.size()) {}

  std::vector<CompiledNode> run(std::span<const std::size_t> outputs) {
    for (const GraphOp& op : ops_) {
      for (const GraphEdge& edge : op.inputs) ++consumers_[edge.from];
    }
    for (const std::size_t output : outputs) ++consumers_[output];
    for (std::size_t i = 0; i < ops_.size(); ++i) replacements_[i] = compile_op(ops_[i]);
    add_output(outputs);
    return std::move(nodes_);
  }

 private:
  // What edges from an operator become: none, or one for each node behind it.
  using Edges = std::vector<GraphEdge>;

  Edges replaced(const GraphEdge& edge) const {
    Edges edges = replacements_[edge.from];
    for (GraphEdge& to : edges) {
      const bool is_control = edge.output == GraphEdge::kControl;
      if (is_control) to.output = GraphEdge::kControl;
      // What was removed hands its input on; all others have outputs of their own.
      if (!is_control && to.output != GraphEdge::kControl && !is_removed(edge.from)) {
        to.output = edge.output;
      }
    }
    return edges;
  }

  bool is_removed(std::size_t op) const {
    const OperatorKind kind = operator_kind(ops_[op].type);
    return kind == OperatorKind::kPassed || kind == OperatorKind::kGroup;
  }

  Edges all_inputs(const GraphOp& op) const {
    Edges edges;
    for (const GraphEdge& edge : op.inputs) {
      for (const GraphEdge& to : replaced(edge)) {
        const bool is_known = std::any_of(edges.begin(), edges.end(), [&](const GraphEdge& known) {
          return known.from == to.from && known.output == to.output;
        });
        if (!is_known) edges.push_back(to);
      }
    }
    return edges;
  }

  Edges compile_op(const GraphOp& op) {
    switch (operator_kind(op.type)) {
      case OperatorKind::kConstant:
        return {};
      case OperatorKind::kPassed:
        return op.inputs.empty() ? Edges{} : replaced(op.inputs.front());
      case OperatorKind::kGroup: {
        Edges edges = all_inputs(op);
        for (GraphEdge& edge : edges) edge.output = GraphEdge::kControl;
        return edges;
      }
      case OperatorKind::kData:
        return {{.from = add(op, {}, std::nullopt)}};
      case OperatorKind::kTask:
        break;
    }
    if (const auto producer = fused_producer(op)) {
      fuse(*producer, op);
      return {{.from = *producer}};
    }
    auto kernel = kernel_of(chip_, op.name, op.type, op.input_tensors, op.output_tensors);
    // Nothing to compute: whoever waits for it waits for its inputs.
    if (!kernel) return all_inputs(op);
    return {{.from = add(op, all_inputs(op), std::move(kernel))}};
  }

  // Either the operator or the variable that it changes is called so.
  bool counts_steps(const GraphOp& op) const {
    constexpr std::string_view kName = "global_step";
    if (op.name.find(kName) != std::string::npos) return true;
    return op.type.starts_with("AssignAdd") && !op.inputs.empty() &&
           ops_[op.inputs.front().from].name.find(kName) != std::string::npos;
  }

  std::size_t add(const GraphOp& op, Edges inputs, std::optional<KernelDesc> kernel) {
    GraphOperator node{.name = op.name,
                       .type = npu_type(op.type),
                       .original_type = op.type,
                       .original_names = {op.name},
                       .inputs = std::move(inputs),
                       .stream = op.stream,
                       .is_global_step = counts_steps(op)};
    nodes_.push_back({std::move(node), std::move(kernel)});
    return nodes_.size() - 1;
  }

  // The node that computes the first input, if nobody else needs that as it is.
  std::optional<std::size_t> fused_producer(const GraphOp& op) const {
    if (op.inputs.empty() || op.inputs.front().output != 0) return std::nullopt;
    const std::size_t from = op.inputs.front().from;
    const Edges& nodes = replacements_[from];
    if (consumers_[from] != 1 || nodes.size() != 1 || is_removed(from)) return std::nullopt;
    const GraphOperator& node = nodes_[nodes.front().from].node;
    // What else it takes must have been computed before.
    const Edges inputs = all_inputs(op);
    const bool comes_later = std::any_of(inputs.begin(), inputs.end(), [&](const GraphEdge& edge) {
      return edge.from > nodes.front().from;
    });
    const bool fits = is_fused_into(node.original_type, op.type) && !comes_later;
    return fits ? std::optional(nodes.front().from) : std::nullopt;
  }

  void fuse(std::size_t producer, const GraphOp& op) {
    CompiledNode& made = nodes_[producer];
    made.node.name += op.name;
    made.node.original_names.push_back(op.name);
    for (const GraphEdge& edge : all_inputs(op)) {
      if (edge.from != producer) made.node.inputs.push_back(edge);
    }
    if (!made.kernel) return;
    made.kernel->name = made.node.name;
    // The result of the first part never leaves the core.
    std::vector<TensorDesc> tensors;
    for (const TensorDesc& tensor : made.kernel->tensors) {
      if (!tensor.is_output) tensors.push_back(tensor);
    }
    for (std::size_t i = 1; i < op.input_tensors.size(); ++i)
      tensors.push_back(op.input_tensors[i]);
    for (TensorDesc tensor : op.output_tensors) {
      tensor.is_output = true;
      tensors.push_back(std::move(tensor));
    }
    made.kernel->tensors = std::move(tensors);
  }

  void add_output(std::span<const std::size_t> outputs) {
    GraphOperator output{.name = "Node_Output", .type = std::string(kNetOutput)};
    for (const std::size_t place : outputs) {
      for (const GraphEdge& edge : replaced({.from = place})) output.inputs.push_back(edge);
    }
    nodes_.push_back({std::move(output), std::nullopt});
  }

  const ChipSpec& chip_;
  std::span<const GraphOp> ops_;
  std::vector<Edges> replacements_;  // By operator.
  std::vector<std::uint32_t> consumers_;
  std::vector<CompiledNode> nodes_;
};

}  // namespace

std::vector<CompiledNode> compile(const ChipSpec& chip, std::span<const GraphOp> ops,
                                  std::span<const std::size_t> outputs) {
  return Compiler(chip, ops).run(outputs);
}

}  // namespace npuprof::sim::tensorflow
