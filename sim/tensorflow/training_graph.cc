#include "sim/tensorflow/training_graph.h"

#include <string>
#include <utility>

namespace npuprof::sim::tensorflow {
namespace {

using Sizes = std::vector<std::uint32_t>;

class Builder {
 public:
  explicit Builder(const TrainingOptions& options) : options_(options) {}

  TrainingGraph run() {
    std::size_t flow = take_batch();
    for (std::uint32_t layer = 0; layer < options_.layers; ++layer) flow = add_layer(layer, flow);
    if (options_.inference) {
      graph_.outputs = {add("Softmax", "Softmax", {flow}, {batch_}, {batch_})};
      return std::move(graph_);
    }
    add_training(flow);
    return std::move(graph_);
  }

 private:
  static TensorDesc tensor(const Sizes& sizes) {
    return {.type = ElementType::kFloat32, .shape = sizes};
  }

  std::size_t add(std::string name, std::string type, std::vector<std::size_t> from,
                  const std::vector<Sizes>& inputs, const std::vector<Sizes>& outputs,
                  std::uint32_t stream = 0) {
    GraphOp op{.name = std::move(name), .type = std::move(type), .stream = stream};
    for (const std::size_t place : from) op.inputs.push_back({.from = place});
    for (const Sizes& sizes : inputs) op.input_tensors.push_back(tensor(sizes));
    for (const Sizes& sizes : outputs) op.output_tensors.push_back(tensor(sizes));
    graph_.ops.push_back(std::move(op));
    return graph_.ops.size() - 1;
  }

  // With a queue the batch comes from GetNext; otherwise the program hands it in.
  std::size_t take_batch() {
    if (options_.gets_next_last || options_.inference) {
      return add("input", "Placeholder", {}, {}, {batch_});
    }
    return add("IteratorGetNext", "IteratorGetNext", {}, {}, {batch_, labels_});
  }

  std::size_t add_layer(std::uint32_t layer, std::size_t input) {
    const std::string name = "dense_" + std::to_string(layer) + "/";
    const std::size_t product =
        add(name + "MatMul", "MatMul", {input}, {batch_, weights_}, {batch_});
    const std::size_t sum = add(name + "BiasAdd", "BiasAdd", {product}, {batch_, bias_}, {batch_});
    layer_inputs_.push_back(input);
    activations_.push_back(add(name + "Relu", "Relu", {sum}, {batch_}, {batch_}));
    return activations_.back();
  }

  void add_training(std::size_t logits) {
    const std::size_t loss = add("loss/xentropy", "SparseSoftmaxCrossEntropyWithLogits", {logits},
                                 {batch_, labels_}, {labels_, batch_});
    const std::size_t mean = add("loss/Mean", "Mean", {loss}, {labels_}, {{1}});
    std::size_t gradient = add("gradients/loss/mul", "Mul", {loss}, {batch_}, {batch_});
    std::vector<std::size_t> gradients;
    for (std::uint32_t layer = options_.layers; layer-- > 0;) {
      gradients.push_back(add_gradients(layer, gradient));
    }
    if (options_.sums_gradients) {
      for (std::size_t& place : gradients) place = add_all_reduce(place);
    }
    if (options_.gets_next_last) {
      graph_.outputs.push_back(
          add("IteratorGetNext", "IteratorGetNext", {gradients.back()}, {}, {batch_, labels_}));
    }
    add_updates(gradients, mean);
  }

  // The gradient of the layer's weights; `gradient` becomes that of its input.
  std::size_t add_gradients(std::uint32_t layer, std::size_t& gradient) {
    const std::string name = "gradients/dense_" + std::to_string(layer) + "/";
    const std::size_t relu = add(name + "ReluGrad", "ReluGrad", {gradient, activations_[layer]},
                                 {batch_, batch_}, {batch_});
    graph_.outputs.push_back(add(name + "BiasAddGrad", "BiasAddGrad", {relu}, {batch_}, {bias_}));
    if (layer > 0) {
      gradient = add(name + "MatMul", "MatMul", {relu}, {batch_, weights_}, {batch_});
    }
    return add(name + "MatMul_1", "MatMul", {layer_inputs_[layer], relu},
               {{options_.width, options_.batch}, batch_}, {weights_});
  }

  std::size_t add_all_reduce(std::size_t gradient) {
    const std::string name = "DistributedOptimizer/HorovodAllreduce_" + std::to_string(reduces_++);
    return add(name, "HorovodAllreduce", {gradient}, {weights_}, {weights_},
               options_.reduces_on_own_stream ? 1 : 0);
  }

  void add_updates(const std::vector<std::size_t>& gradients, std::size_t mean) {
    for (std::uint32_t i = 0; i < options_.layers; ++i) {
      const std::string name = "GradientDescent/update_dense_" +
                               std::to_string(options_.layers - 1 - i) + "/ApplyGradientDescent";
      graph_.outputs.push_back(
          add(name, "ResourceApplyGradientDescent", {gradients[i]}, {{1}, weights_}, {weights_}));
    }
    graph_.outputs.push_back(
        add("GradientDescent/global_step", "AssignAddVariableOp", {mean}, {{1}}, {{1}}));
    graph_.outputs.push_back(mean);
  }

  TrainingOptions options_;
  const Sizes batch_{options_.batch, options_.width};
  const Sizes labels_{options_.batch};
  const Sizes weights_{options_.width, options_.width};
  const Sizes bias_{options_.width};
  std::vector<std::size_t> layer_inputs_;
  std::vector<std::size_t> activations_;
  std::uint32_t reduces_ = 0;
  TrainingGraph graph_;
};

}  // namespace

TrainingGraph make_training_graph(const TrainingOptions& options) { return Builder(options).run(); }

}  // namespace npuprof::sim::tensorflow
