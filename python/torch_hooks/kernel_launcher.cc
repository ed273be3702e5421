#include "kernel_launcher.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "attributes.h"
#include "sim/workload/aten_table.h"
#include "task_queue.h"
#include "tensor_facts.h"
#include "thread_state.h"

namespace npuprof::torch_hooks {
namespace {

constexpr std::size_t kMostTensors = 64;
constexpr std::size_t kMostDimensions = 8;
constexpr std::int64_t kLongest = 0xFFFFFFFF;

std::atomic<const SimulatedCann*> cann_of_listener{nullptr};

sim::DataType simulated_type(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Half:
      return sim::DataType::kFloat16;
    case c10::ScalarType::BFloat16:
      return sim::DataType::kBfloat16;
    case c10::ScalarType::Double:
      return sim::DataType::kFloat64;
    case c10::ScalarType::Char:
      return sim::DataType::kInt8;
    case c10::ScalarType::Byte:
      return sim::DataType::kUint8;
    case c10::ScalarType::Short:
      return sim::DataType::kInt16;
    case c10::ScalarType::Int:
      return sim::DataType::kInt32;
    case c10::ScalarType::Long:
      return sim::DataType::kInt64;
    case c10::ScalarType::Bool:
      return sim::DataType::kBool;
    default:
      return sim::DataType::kFloat32;
  }
}

void put_kernel_tensor(const at::Tensor& tensor, bool is_output,
                       std::vector<sim::TensorDesc>& tensors) {
  if (!has_plain_sizes(tensor)) return;
  sim::TensorDesc desc{.is_output = is_output, .type = simulated_type(tensor.scalar_type())};
  for (const std::int64_t size : tensor.sizes()) {
    desc.shape.push_back(static_cast<std::uint32_t>(std::clamp<std::int64_t>(size, 0, kLongest)));
  }
  tensors.push_back(std::move(desc));
}

std::vector<sim::TensorDesc> tensors_of(std::span<const c10::IValue> values, bool is_output) {
  std::vector<sim::TensorDesc> tensors;
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      put_kernel_tensor(value.toTensor(), is_output, tensors);
    } else if (value.isList()) {
      for (const c10::IValue& item : value.toListRef()) {
        if (item.isTensor()) put_kernel_tensor(item.toTensor(), is_output, tensors);
      }
    }
  }
  return tensors;
}

std::vector<NpusimTensor> described(const std::vector<sim::TensorDesc>& tensors) {
  std::vector<NpusimTensor> result;
  for (const sim::TensorDesc& tensor : tensors) {
    if (result.size() == kMostTensors) break;
    NpusimTensor& item = result.emplace_back();
    item.is_output = tensor.is_output ? 1 : 0;
    item.data_type = static_cast<std::int32_t>(tensor.type);
    item.format = static_cast<std::int32_t>(tensor.format);
    item.dimension_count =
        static_cast<std::uint32_t>(std::min(tensor.shape.size(), kMostDimensions));
    std::copy_n(tensor.shape.begin(), item.dimension_count, item.shape);
  }
  return result;
}

void launch(const SimulatedCann& cann, std::int32_t device, const sim::Operator& op) {
  use_device(cann, device);
  for (const sim::KernelDesc& kernel : op.kernels) {
    const std::vector<NpusimTensor> tensors = described(kernel.tensors);
    const NpusimKernel order{.call = op.call.c_str(),
                             .name = kernel.name.c_str(),
                             .type = kernel.type.c_str(),
                             .attributes = kernel.attributes.c_str(),
                             .core = static_cast<std::int32_t>(kernel.kind),
                             .block_count = kernel.block_count,
                             .mix_ratio = kernel.mix_ratio,
                             .math_type = static_cast<std::int32_t>(kernel.type_of_math),
                             .cube_flops = kernel.cube_flops,
                             .vector_operations = kernel.vector_operations,
                             .bytes_read = kernel.bytes_read,
                             .bytes_written = kernel.bytes_written,
                             .tensors = tensors.data(),
                             .tensor_count = static_cast<std::uint32_t>(tensors.size())};
    (void)cann.npusimLaunchKernel(&order, nullptr);
  }
}

constexpr std::string_view kReadScalar = "aten::_local_scalar_dense";

void enter(const at::RecordFunction& function) {
  if (is_forked_child()) return;
  ThreadState& thread = this_thread();
  if (thread.launched_depth > 0) {
    ++thread.launched_depth;
    return;
  }
  const std::string_view name = function.name();
  if (name != kReadScalar && !sim::is_in_aten_table(name)) return;
  thread.launched_depth = 1;
  const auto inputs = function.inputs();
  thread.launched_inputs = tensors_of({inputs.data(), inputs.size()}, false);
  thread.launched_attributes = attributes_of(function);
}

void leave(const at::RecordFunction& function) {
  ThreadState& thread = this_thread();
  if (thread.launched_depth == 0 || --thread.launched_depth > 0 || is_forked_child()) return;
  const SimulatedCann& cann = *cann_of_listener.load(std::memory_order_relaxed);
  const std::string_view name = function.name();
  const std::int32_t device = default_device(cann);
  if (name == kReadScalar) {
    // The value would have to come from the device.
    std::int64_t from = 0;
    std::int64_t to = 0;
    return copy_memory(cann, device, &to, &from, sizeof(to), NPUPROF_ACL_MEMCPY_DEVICE_TO_HOST,
                       true);
  }
  const std::vector<c10::IValue>& outputs = function.outputs();
  const auto op = sim::aten_operator(
      *cann.chip, {name, std::move(thread.launched_inputs), tensors_of(outputs, true),
                   std::move(thread.launched_attributes)});
  if (op) launch(cann, device, *op);
}

}  // namespace

void use_device(const SimulatedCann& cann, std::int32_t device) {
  ThreadState& thread = this_thread();
  if (thread.simulated_device == device) return;
  if (cann.aclrtSetDevice(device) == NPUPROF_ACL_SUCCESS) thread.simulated_device = device;
}

void launch_kernels(const SimulatedCann& cann, std::int32_t device, std::string_view name,
                    const std::vector<c10::IValue>& inputs, const std::vector<c10::IValue>& outputs,
                    std::string attributes) {
  if (is_forked_child()) return;
  auto op = sim::aten_operator(*cann.chip, {name, tensors_of(inputs, false),
                                            tensors_of(outputs, true), std::move(attributes)});
  if (!op) return;
  std::string call = op->call;
  TaskQueue::of_device(device).put(
      {std::move(call), [&cann, device, op = std::move(*op)] { launch(cann, device, op); }});
}

void copy_memory(const SimulatedCann& cann, std::int32_t device, void* to, const void* from,
                 std::size_t bytes, int kind, bool wait) {
  if (bytes == 0 || is_forked_child()) return;
  if (wait) {
    TaskQueue::of_device(device).drain();
    use_device(cann, device);
    (void)cann.aclrtMemcpy(to, bytes, from, bytes, kind);
    return;
  }
  const bool is_to_device = kind == NPUPROF_ACL_MEMCPY_HOST_TO_DEVICE;
  TaskQueue::of_device(device).put(
      {is_to_device ? "acl_memcpy_host_to_device" : "acl_memcpy_device_to_host", [=, &cann] {
         use_device(cann, device);
         (void)cann.aclrtMemcpyAsync(to, bytes, from, bytes, kind, nullptr);
       }});
}

void synchronize(const SimulatedCann& cann, std::int32_t device) {
  TaskQueue::drain_all();
  use_device(cann, device);
  (void)cann.aclrtSynchronizeDevice();
}

OperatorListener listener_that_launches(const SimulatedCann& cann) {
  cann_of_listener = &cann;
  return {&enter, &leave};
}

}  // namespace npuprof::torch_hooks
