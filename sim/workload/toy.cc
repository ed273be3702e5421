#include "sim/workload/toy.h"

#include <utility>

namespace npuprof::sim {

ToyModel::ToyModel(Worker& worker) : worker_(worker) {
  const OperatorCatalogue make(worker.npu().chip(), ElementType::kFloat32);
  const Shape shape{kBatch, kWidth};
  linear_ = prepare(
      make.linear(kBatch, kWidth, kWidth),
      {make.matmul(kBatch, kWidth, kWidth), make.matmul(kWidth, kBatch, kWidth), make.sum(shape)});
  clamp_ = prepare(make.clamp(shape), {make.multiply(shape)});
  norm_ = prepare(make.rms_norm(kBatch, kWidth), {make.rms_norm(kBatch, kWidth, true)});
  loss_ = prepare(make.mse_loss(shape), {make.mse_loss(shape, true)});
  random_bound_ = worker.prepare(make.random({1}));
  sgd_ = worker.prepare(make.sgd(kParameters));
}

ToyModel::Differentiable ToyModel::prepare(Operator forward, std::vector<Operator> backward) {
  Differentiable op{worker_.prepare(std::move(forward)), {}};
  for (Operator& each : backward) op.backward.push_back(worker_.prepare(std::move(each)));
  return op;
}

Status ToyModel::set_up(World& world, const ParallelLayout& layout, std::uint32_t rank) {
  for (const char* layer : {"model.net1", "model.net2"}) {
    worker_.add_parameter(layer, "weight", ElementType::kFloat32, {kWidth, kWidth});
    worker_.add_parameter(layer, "bias", ElementType::kFloat32, {kWidth});
  }
  worker_.add_parameter("model.rms_norm", "weight", ElementType::kFloat32, {kWidth});
  NPUPROF_ASSIGN_OR_RETURN(group_, worker_.join(world, layout.data_group(rank), rank));
  return ok_status();
}

void ToyModel::apply(std::vector<TapeItem>& tape, const Differentiable& op, const char* module,
                     const char* path) {
  worker_.enter_module(module, path);
  tape.push_back({worker_.run(op.forward), &op});
  worker_.leave_module();
}

Status ToyModel::run_step(std::uint64_t step) {
  worker_.begin_step(step);
  worker_.copy_to_device(kBatch * kWidth * 4);
  std::vector<TapeItem> tape;
  worker_.enter_module("ToyModel", "model");
  apply(tape, linear_, "Linear", "model.net1");
  for (int i = 0; i < 3; ++i) {
    worker_.run_once(random_bound_);
    tape.push_back({worker_.run(clamp_.forward), &clamp_});
  }
  apply(tape, linear_, "Linear", "model.net2");
  apply(tape, norm_, "RMSNorm", "model.rms_norm");
  worker_.leave_module();
  apply(tape, loss_, "MSELoss", "loss");

  worker_.begin_backward();
  for (auto item = tape.rbegin(); item != tape.rend(); ++item) {
    worker_.run_backward(item->entry, item->op->backward);
  }
  if (!group_.alone()) {
    NPUPROF_RETURN_IF_ERROR(worker_.collective(
        group_,
        {.kind = CollectiveKind::kAllReduce, .type = ElementType::kFloat32, .count = kParameters}));
  }
  worker_.end_backward();
  worker_.wait(group_);

  worker_.enter_optimizer("SGD");
  worker_.run_once(sgd_);
  worker_.leave_optimizer();
  worker_.copy_to_host(4);
  return worker_.end_step();
}

}  // namespace npuprof::sim
