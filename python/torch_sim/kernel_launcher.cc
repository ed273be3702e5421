#include "kernel_launcher.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "launch_queue.h"
#include "launch_streams.h"
#include "launching_thread.h"
#include "operator_attributes.h"
#include "python/torch_hooks/tensor_facts.h"
#include "recording.h"
#include "sim/workload/aten_table.h"
#include "sim/workload/launch_description.h"

namespace npuprof::torch_sim {
namespace {

constexpr std::size_t kMostDimensions = std::extent_v<decltype(NpusimTensor::shape)>;
constexpr std::int64_t kLongest = 0xFFFFFFFF;
// Kinds of calls whose kernels a thread that launches keeps.
constexpr std::size_t kMostPrepared = 4096;

std::atomic<const SimulatedCann*> cann_of_listener{nullptr};

sim::ElementType simulated_type(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Half:
      return sim::ElementType::kFloat16;
    case c10::ScalarType::BFloat16:
      return sim::ElementType::kBfloat16;
    case c10::ScalarType::Double:
      return sim::ElementType::kFloat64;
    case c10::ScalarType::Char:
      return sim::ElementType::kInt8;
    case c10::ScalarType::Byte:
      return sim::ElementType::kUint8;
    case c10::ScalarType::Short:
      return sim::ElementType::kInt16;
    case c10::ScalarType::Int:
      return sim::ElementType::kInt32;
    case c10::ScalarType::Long:
      return sim::ElementType::kInt64;
    case c10::ScalarType::Bool:
      return sim::ElementType::kBool;
    default:
      return sim::ElementType::kFloat32;
  }
}

void put_kernel_tensor(const at::Tensor& tensor, bool is_output, LaunchTensors& tensors) {
  if (!torch_hooks::has_plain_sizes(tensor)) return;
  NpusimTensor& desc = tensors.emplace_back();
  desc.is_output = is_output ? 1 : 0;
  desc.data_type = static_cast<std::int32_t>(simulated_type(tensor.scalar_type()));
  desc.format = static_cast<std::int32_t>(sim::TensorDesc{}.format);
  const auto sizes = tensor.sizes();
  desc.dimension_count = static_cast<std::uint32_t>(std::min(sizes.size(), kMostDimensions));
  for (std::uint32_t i = 0; i < desc.dimension_count; ++i) {
    desc.shape[i] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(sizes[i], 0, kLongest));
  }
}

void put_tensors(std::span<const c10::IValue> values, bool is_output, LaunchTensors& tensors) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      put_kernel_tensor(value.toTensor(), is_output, tensors);
    } else if (value.isList()) {
      for (const c10::IValue& item : value.toListRef()) {
        if (item.isTensor()) put_kernel_tensor(item.toTensor(), is_output, tensors);
      }
    }
  }
}

sim::TensorDesc desc_of(const NpusimTensor& tensor) {
  return {.is_output = tensor.is_output != 0,
          .type = static_cast<sim::ElementType>(tensor.data_type),
          .shape = sim::Shape(tensor.shape, tensor.shape + tensor.dimension_count)};
}

// What an operator did, taken down by the thread that ran it.
struct LaunchOrder {
  std::string_view name;  // "aten::add"; lives for ever, like the next one.
  std::string_view call;  // "aclnnAdd"
  LaunchTensors tensors;
  std::string attributes;
};

// The kernels of an operator, as they are launched each time; none if it computes nothing.
sim::Operator kernels_of(const sim::ChipSpec& chip, const LaunchOrder& order) {
  sim::AtenCall call{.name = order.name, .attributes = order.attributes};
  for (const NpusimTensor& tensor : order.tensors) {
    (tensor.is_output != 0 ? call.outputs : call.inputs).push_back(desc_of(tensor));
  }
  return sim::aten_operator(chip, call).value_or(sim::Operator{});
}

// Programs call the same operators with the same shapes again and again.
const sim::LaunchDescription& prepared(const sim::ChipSpec& chip, const LaunchOrder& order) {
  thread_local std::unordered_map<std::string, std::unique_ptr<const sim::LaunchDescription>> known;
  thread_local std::string key;
  key.assign(order.name).append(1, '\0').append(order.attributes).append(1, '\0');
  key.append(reinterpret_cast<const char*>(order.tensors.data()),
             order.tensors.size() * sizeof(NpusimTensor));
  const auto found = known.find(key);
  if (found != known.end()) return *found->second;
  if (known.size() >= kMostPrepared) known.clear();
  return *known
              .emplace(key, std::make_unique<const sim::LaunchDescription>(kernels_of(chip, order)))
              .first->second;
}

void launch(const SimulatedCann& cann, std::int32_t device, aclrtStream stream,
            const LaunchOrder& order) {
  use_device(cann, device);
  for (const NpusimKernel& kernel : prepared(*cann.chip, order).kernels()) {
    (void)cann.npusimLaunchKernel(&kernel, stream);
  }
}

// Both names of an operator, for ever.
struct OperatorNames {
  std::string name;
  std::string call;
};

const OperatorNames& names_of(std::string_view name) {
  thread_local std::unordered_map<std::string_view, const OperatorNames*> known;
  const auto found = known.find(name);
  if (found != known.end()) return *found->second;
  static auto& mutex = *new std::mutex;
  static auto& all = *new std::map<std::string, OperatorNames, std::less<>>;
  const std::lock_guard lock(mutex);
  auto entry = all.find(name);
  if (entry == all.end()) {
    const std::string text(name);
    entry = all.emplace(text, OperatorNames{text, sim::aten_call(name)}).first;
  }
  known.emplace(entry->second.name, &entry->second);
  return entry->second;
}

bool has_elements(const NpusimTensor& tensor) {
  return std::find(tensor.shape, tensor.shape + tensor.dimension_count, 0u) ==
         tensor.shape + tensor.dimension_count;
}

// Whether there is something to compute.
bool computes_something(const LaunchTensors& tensors) {
  const bool has_outputs = std::any_of(tensors.begin(), tensors.end(),
                                       [](const auto& tensor) { return tensor.is_output != 0; });
  return std::any_of(tensors.begin(), tensors.end(), [&](const auto& tensor) {
    return has_elements(tensor) && (tensor.is_output != 0 || !has_outputs);
  });
}

void enqueue(const SimulatedCann& cann, std::int32_t device, aclrtStream stream,
             std::string_view name, LaunchTensors tensors, std::string attributes) {
  if (!computes_something(tensors)) return;
  const OperatorNames& names = names_of(name);
  LaunchQueue::of_device(device).put(
      {names.call,
       [&cann, device, stream,
        order = LaunchOrder{names.name, names.call, std::move(tensors), std::move(attributes)}] {
         launch(cann, device, stream, order);
       }});
}

constexpr std::string_view kReadScalar = "aten::_local_scalar_dense";

void enter(const at::RecordFunction& function) {
  if (is_forked_child()) return;
  LaunchingThread& thread = launching_thread();
  if (thread.launched_depth > 0) {
    ++thread.launched_depth;
    return;
  }
  const std::string_view name = function.name();
  if (name != kReadScalar && !sim::is_in_aten_table(name)) return;
  thread.launched_depth = 1;
  const auto inputs = function.inputs();
  thread.launched_tensors.clear();
  put_tensors({inputs.data(), inputs.size()}, false, thread.launched_tensors);
  thread.launched_attributes = attributes_of(function);
}

void leave(const at::RecordFunction& function) {
  LaunchingThread& thread = launching_thread();
  if (thread.launched_depth == 0 || --thread.launched_depth > 0 || is_forked_child()) return;
  const SimulatedCann& cann = *cann_of_listener.load(std::memory_order_relaxed);
  const std::string_view name = function.name();
  const std::int32_t device = default_device(cann);
  if (name == kReadScalar) {
    // The value would have to come from the device.
    std::int64_t from = 0;
    std::int64_t to = 0;
    LaunchQueue::of_device(device).drain();
    use_device(cann, device);
    (void)cann.aclrtMemcpy(&to, sizeof(to), &from, sizeof(from), NPUPROF_ACL_MEMCPY_DEVICE_TO_HOST);
    return;
  }
  put_tensors(function.outputs(), true, thread.launched_tensors);
  enqueue(cann, device, nullptr, name, std::move(thread.launched_tensors),
          std::move(thread.launched_attributes));
}

}  // namespace

void use_device(const SimulatedCann& cann, std::int32_t device) {
  LaunchingThread& thread = launching_thread();
  if (thread.device == device) return;
  if (cann.aclrtSetDevice(device) == NPUPROF_ACL_SUCCESS) thread.device = device;
}

void launch_kernels(const SimulatedCann& cann, std::int32_t device, std::string_view name,
                    const std::vector<c10::IValue>& inputs, const std::vector<c10::IValue>& outputs,
                    std::string attributes) {
  if (is_forked_child()) return;
  LaunchTensors tensors;
  put_tensors(inputs, false, tensors);
  put_tensors(outputs, true, tensors);
  enqueue(cann, device, current_stream(cann, device), name, std::move(tensors),
          std::move(attributes));
}

void copy_memory(const SimulatedCann& cann, std::int32_t device, void* to, const void* from,
                 std::size_t bytes, int kind, bool wait) {
  if (bytes == 0 || is_forked_child()) return;
  aclrtStream const stream = current_stream(cann, device);
  if (wait) {
    LaunchQueue::of_device(device).drain();
    use_device(cann, device);
    (void)cann.aclrtMemcpyAsync(to, bytes, from, bytes, kind, stream);
    (void)cann.aclrtSynchronizeStream(stream);
    return;
  }
  const bool is_to_device = kind == NPUPROF_ACL_MEMCPY_HOST_TO_DEVICE;
  LaunchQueue::of_device(device).put(
      {is_to_device ? "acl_memcpy_host_to_device" : "acl_memcpy_device_to_host", [=, &cann] {
         use_device(cann, device);
         (void)cann.aclrtMemcpyAsync(to, bytes, from, bytes, kind, stream);
       }});
}

void synchronize(const SimulatedCann& cann, std::int32_t device) {
  LaunchQueue::drain_all();
  use_device(cann, device);
  (void)cann.aclrtSynchronizeDevice();
}

void synchronize_stream(const SimulatedCann& cann, std::int32_t device, aclrtStream stream) {
  LaunchQueue::of_device(device).drain();
  use_device(cann, device);
  (void)cann.aclrtSynchronizeStream(stream);
}

torch_hooks::OperatorListener listener_that_launches(const SimulatedCann& cann) {
  cann_of_listener = &cann;
  return {&enter, &leave};
}

}  // namespace npuprof::torch_sim
