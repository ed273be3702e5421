#include "sim/torch/autograd.h"

#include <string>

namespace npuprof::sim {
namespace {

using format::framework::OpScope;

OpTemplate wrapper_template(std::string_view node, const FrameworkOptions& options) {
  OpDescription description;
  description.name = std::string(format::framework::kEvaluateFunctionPrefix) + std::string(node);
  return {description, options};
}

OpTemplate node_template(std::string_view node, std::vector<TemplateInput> inputs,
                         const FrameworkOptions& options) {
  OpDescription description;
  description.name = node;
  description.scope = OpScope::kBackwardFunction;
  description.inputs = std::move(inputs);
  return {description, options};
}

}  // namespace

BackwardTemplate::BackwardTemplate(std::string_view node, std::vector<TemplateInput> inputs,
                                   const FrameworkOptions& options)
    : wrapper_(wrapper_template(node, options)),
      node_(node_template(node, std::move(inputs), options)) {}

void AutogradTape::write(FrameworkWriter& writer, const BackwardTemplate& backward,
                         std::int64_t sequence_number, std::uint64_t thread_id, Span wrapper,
                         Span node, const OpTensors& tensors) const {
  writer.op(backward.wrapper(),
            {.start_ns = wrapper.start_ns, .end_ns = wrapper.end_ns, .thread_id = thread_id});
  writer.op(backward.node(),
            {.start_ns = node.start_ns,
             .end_ns = node.end_ns,
             .thread_id = thread_id,
             .sequence_number = sequence_number,
             .forward_thread = forward_thread_},
            tensors);
}

}  // namespace npuprof::sim
