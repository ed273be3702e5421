#include "device_operators.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include <ATen/EmptyTensor.h>
#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "host_execution.h"
#include "kernel_launcher.h"
#include "operator_attributes.h"
#include "sim/workload/aten_table.h"

namespace npuprof::torch_sim {
namespace {

constexpr auto kKey = c10::DispatchKey::PrivateUse1;

const SimulatedCann* cann = nullptr;

using OptionalDevice = c10::optional<c10::Device>;
using OptionalLayout = c10::optional<c10::Layout>;
using OptionalType = c10::optional<c10::ScalarType>;
using OptionalFormat = c10::optional<c10::MemoryFormat>;

c10::Device device_or_current(const OptionalDevice& device) {
  return device && device->has_index() ? *device
                                       : c10::impl::getDeviceGuardImpl(kType)->getDevice();
}

c10::ScalarType type_or_default(const OptionalType& type) {
  return type ? *type : c10::typeMetaToScalarType(c10::get_default_dtype());
}

at::Tensor empty_memory_format(at::IntArrayRef sizes, OptionalType type, OptionalLayout,
                               OptionalDevice device, c10::optional<bool>, OptionalFormat format) {
  const c10::DeviceGuard guard(device_or_current(device));
  return at::detail::empty_generic(sizes, c10::GetAllocator(kType), c10::DispatchKeySet(kKey),
                                   type_or_default(type), format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, OptionalType type,
                         OptionalLayout, OptionalDevice device, c10::optional<bool>) {
  const c10::DeviceGuard guard(device_or_current(device));
  return at::detail::empty_strided_generic(sizes, strides, c10::GetAllocator(kType),
                                           c10::DispatchKeySet(kKey), type_or_default(type));
}

const at::Tensor& resize(const at::Tensor& self, at::IntArrayRef sizes, OptionalFormat) {
  const c10::DeviceGuard guard(self.device());
  std::size_t elements = 1;
  for (const std::int64_t size : sizes) elements *= static_cast<std::size_t>(size);
  const auto offset = static_cast<std::size_t>(self.storage_offset());
  grow_storage(self, (offset + elements) * self.element_size());
  self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return self;
}

at::Tensor& set_storage_part(at::Tensor& self, at::Storage source, std::int64_t offset,
                             at::IntArrayRef sizes, at::IntArrayRef strides) {
  at::TensorImpl* const tensor = self.unsafeGetTensorImpl();
  tensor->set_storage_keep_dtype(std::move(source));
  tensor->set_storage_offset(offset);
  if (strides.size() == sizes.size()) {
    tensor->set_sizes_and_strides(sizes, strides);
  } else {
    tensor->set_sizes_contiguous(sizes);
  }
  return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source) {
  const auto elements =
      static_cast<std::int64_t>(source.nbytes() / static_cast<std::size_t>(self.element_size()));
  return set_storage_part(self, std::move(source), 0, {elements}, {});
}

// Memory that the copy goes through in one piece: that of a tensor which has it so.
at::Tensor in_one_piece(const at::Tensor& to, const at::Tensor& from) {
  if (to.is_contiguous()) return to;
  return from.is_contiguous() ? from : from.contiguous();
}

at::Tensor copy_between(const at::Tensor& to, const at::Tensor& from, bool non_blocking) {
  if (to.numel() == 0) return to;
  const bool is_to_device = is_on_device(to);
  {
    const DeviceWork work;
    host_view(to).copy_(host_view(from));
  }
  const c10::Device device = is_to_device ? to.device() : from.device();
  if (is_to_device && is_on_device(from)) {
    launch_kernels(*cann, device.index(), "aten::copy_", {to, from}, {to});
    return to;
  }
  const DeviceWork work;
  const at::Tensor piece = host_view(in_one_piece(to, from));
  const int kind =
      is_to_device ? NPUPROF_ACL_MEMCPY_HOST_TO_DEVICE : NPUPROF_ACL_MEMCPY_DEVICE_TO_HOST;
  // The data are there already; this is for the time it takes.
  copy_memory(*cann, device.index(), piece.data_ptr(), piece.data_ptr(),
              piece.numel() * piece.element_size(), kind, !non_blocking);
  return to;
}

at::Tensor& copy_into(at::Tensor& self, const at::Tensor& source, bool non_blocking) {
  copy_between(self, source, non_blocking);
  return self;
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool non_blocking) {
  return copy_between(target, source, non_blocking);
}

c10::Scalar local_scalar_dense(const at::Tensor& self) {
  const DeviceWork work;
  const at::Tensor host = host_view(self);
  copy_memory(*cann, self.device().index(), host.data_ptr(), host.data_ptr(), host.element_size(),
              NPUPROF_ACL_MEMCPY_DEVICE_TO_HOST, true);
  return host.item();
}

// After three tensors, forward and backward.
std::string convolution_attributes(const char* name, at::IntArrayRef stride,
                                   at::IntArrayRef padding, at::IntArrayRef dilation,
                                   bool transposed, at::IntArrayRef output_padding,
                                   std::int64_t groups) {
  if (!attributes_are_wanted()) return {};
  const c10::IValue tensor;
  const std::vector<c10::IValue> arguments{tensor,   tensor,     tensor,         stride, padding,
                                           dilation, transposed, output_padding, groups};
  return attributes_of(name, arguments);
}

// The host has convolutions of floats only.
at::Tensor float_view(const at::Tensor& tensor) {
  const at::Tensor host = host_view(tensor);
  return is_half(host) ? host.to(at::kFloat) : host;
}

at::Tensor to_device_as(const at::Tensor& host, const at::Tensor& like) {
  if (!host.defined()) return host;
  return to_device(host.to(like.scalar_type()));
}

c10::Device device_of(c10::ArrayRef<c10::IValue> values) {
  for (const c10::IValue& value : values) {
    if (value.isTensor() && is_on_device(value.toTensor())) return value.toTensor().device();
    if (value.isDevice() && value.toDevice().type() == kType) {
      return device_or_current(value.toDevice());
    }
    if (!value.isTensorList()) continue;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      if (is_on_device(tensor)) return tensor.device();
    }
  }
  return device_or_current(c10::nullopt);
}

bool is_written(const c10::FunctionSchema& schema, std::size_t argument) {
  const auto* const alias = schema.arguments()[argument].alias_info();
  return alias != nullptr && alias->isWrite();
}

// Results that are nothing but another look at an argument need no kernel.
bool computes(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments,
              c10::ArrayRef<c10::IValue> results) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_written(schema, i)) return true;
  }
  for (const c10::IValue& result : results) {
    if (!result.isTensor() || !result.toTensor().defined()) continue;
    for (const c10::IValue& argument : arguments) {
      if (argument.isTensor() && is_on_device(argument.toTensor()) &&
          result.toTensor().storage().data() == argument.toTensor().storage().data()) {
        return false;
      }
    }
  }
  return true;
}

template <typename Visit>
void each_tensor(c10::ArrayRef<c10::IValue> values, Visit visit) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      visit(value.toTensor());
    } else if (value.isTensorList() || value.isOptionalTensorList()) {
      for (const c10::IValue& item : value.toListRef()) {
        if (item.isTensor()) visit(item.toTensor());
      }
    }
  }
}

// Indices and lengths of these may be on the host, as on other devices.
bool takes_host_tensors(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {"aten::index",
                                                      "aten::index_put",
                                                      "aten::index_put_",
                                                      "aten::_index_put_impl_",
                                                      "aten::_copy_from",
                                                      "aten::_copy_from_and_resize",
                                                      "aten::_pack_padded_sequence"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Devices do not see each other's memory, nor that of the host but for single values.
void check_devices(const char* name, c10::ArrayRef<c10::IValue> values) {
  if (takes_host_tensors(name)) return;
  c10::optional<c10::Device> device;
  c10::optional<c10::Device> other;
  each_tensor(values, [&](const at::Tensor& tensor) {
    if (!tensor.defined() || (tensor.device().is_cpu() && tensor.dim() == 0)) return;
    if (!device) device = tensor.device();
    if (*device != tensor.device() && !other) other = tensor.device();
  });
  TORCH_CHECK(!other,
              "Expected all tensors to be on the same device, but found at least two "
              "devices, ",
              *device, " and ", *other, "! (in ", name, ")");
}

bool has_half(c10::ArrayRef<c10::IValue> values) {
  bool found = false;
  each_tensor(values, [&](const at::Tensor& tensor) { found = found || is_half(tensor); });
  return found;
}

bool is_of_missing_half(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  constexpr const char* kMessages[] = {"not implemented for 'Half'",
                                       "not implemented for 'BFloat16'", "but found Half",
                                       "but found BFloat16"};
  return std::any_of(std::begin(kMessages), std::end(kMessages),
                     [&](const char* message) { return text.find(message) != std::string::npos; });
}

// From `first` on the stack has the results in place of the arguments.
void call_on_host(const c10::OperatorHandle& op, const std::vector<c10::IValue>& arguments,
                  std::size_t first, bool widens, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const DeviceWork work;
  HostExecution call(widens);
  stack->resize(first);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (schema.arguments()[i].name() == "dtype" && !arguments[i].isNone()) call.keep_type();
    // Of softmax backward; the result would be of a type that the host cannot compute with.
    const bool is_input_type = widens && schema.arguments()[i].name() == "input_dtype";
    stack->push_back(is_input_type ? c10::IValue(static_cast<std::int64_t>(at::kFloat))
                                   : call.argument(arguments[i], is_written(schema, i)));
  }
  op.callBoxed(stack);
  call.write_back();
  for (std::size_t i = first; i < stack->size(); ++i) (*stack)[i] = call.result((*stack)[i]);
}

// The host has fewer operators for half precision than an NPU.
void call_on_host_widening(const c10::OperatorHandle& op, const std::vector<c10::IValue>& arguments,
                           std::size_t first, torch::jit::Stack* stack) {
  thread_local std::unordered_set<c10::OperatorName> without_half;
  if (!has_half(arguments)) return call_on_host(op, arguments, first, false, stack);
  if (without_half.count(op.operator_name()) == 0) {
    try {
      return call_on_host(op, arguments, first, false, stack);
    } catch (const c10::Error& error) {
      if (!is_of_missing_half(error)) throw;
      without_half.insert(op.operator_name());
    }
  }
  call_on_host(op, arguments, first, true, stack);
}

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const c10::optional<at::Tensor>& bias, at::IntArrayRef stride,
                       at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, std::int64_t groups) {
  check_devices("aten::convolution", {input, weight, bias});
  const c10::DeviceGuard guard(input.device());
  at::Tensor result;
  {
    const DeviceWork work;
    c10::optional<at::Tensor> host_bias;
    if (bias && bias->defined()) host_bias = float_view(*bias);
    result = to_device_as(at::convolution(float_view(input), float_view(weight), host_bias, stride,
                                          padding, dilation, transposed, output_padding, groups),
                          input);
  }
  launch_kernels(*cann, input.device().index(), "aten::convolution_overrideable", {input, weight},
                 {result},
                 convolution_attributes("aten::convolution_overrideable", stride, padding, dilation,
                                        transposed, output_padding, groups));
  return result;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& gradient, const at::Tensor& input, const at::Tensor& weight,
    at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
    at::IntArrayRef output_padding, std::int64_t groups, std::array<bool, 3> output_mask) {
  const c10::DeviceGuard guard(input.device());
  std::tuple<at::Tensor, at::Tensor, at::Tensor> results;
  {
    const DeviceWork work;
    const std::int64_t channels = transposed ? weight.size(1) * groups : weight.size(0);
    const auto host = at::convolution_backward(
        float_view(gradient), float_view(input), float_view(weight), at::IntArrayRef(channels),
        stride, padding, dilation, transposed, output_padding, groups, output_mask);
    results = {to_device_as(std::get<0>(host), input), to_device_as(std::get<1>(host), weight),
               to_device_as(std::get<2>(host), weight)};
  }
  launch_kernels(*cann, input.device().index(), "aten::convolution_backward_overrideable",
                 {gradient, input, weight},
                 {std::get<0>(results), std::get<1>(results), std::get<2>(results)},
                 convolution_attributes("aten::convolution_backward_overrideable", stride, padding,
                                        dilation, transposed, output_padding, groups));
  return results;
}

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const std::size_t count = schema.arguments().size();
  const std::vector<c10::IValue> arguments(stack->end() - static_cast<std::ptrdiff_t>(count),
                                           stack->end());
  const c10::Device device = device_of(arguments);
  const c10::DeviceGuard guard(device);
  const std::size_t first = stack->size() - count;
  check_devices(schema.name().c_str(), arguments);
  call_on_host_widening(op, arguments, first, stack);
  const std::vector<c10::IValue> results(stack->begin() + static_cast<std::ptrdiff_t>(first),
                                         stack->end());
  if (!computes(schema, arguments, results)) return;
  launch_kernels(*cann, device.index(), schema.name(), arguments, results,
                 attributes_of(schema, arguments));
}

// PyTorch would take such operators apart: first their meta function, then their variant with
// `out`.
void keep_whole(torch::Library& library) {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (!name.name.starts_with("aten::")) continue;
    const auto op = dispatcher.findOp(name);
    if (!op || !op->hasSchema() ||
        !op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional)) {
      continue;
    }
    std::string plain = name.name.substr(6);
    if (!name.overload_name.empty()) plain += "." + name.overload_name;
    library.impl(plain.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
  }
}

}  // namespace

void register_device_operators(const SimulatedCann& simulated) {
  cann = &simulated;
  // Registrations last as long as these objects.
  auto& rest = *new torch::Library(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
  rest.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
  auto& library = *new torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__);
  library.impl("empty.memory_format", &empty_memory_format);
  library.impl("empty_strided", &empty_strided);
  library.impl("resize_", &resize);
  library.impl("set_.source_Storage", &set_storage);
  library.impl("set_.source_Storage_storage_offset", &set_storage_part);
  library.impl("as_strided", &at::native::as_strided_tensorimpl);
  library.impl("view", &at::native::view);
  library.impl("_reshape_alias", &at::native::_reshape_alias);
  library.impl("copy_", &copy_into);
  library.impl("_copy_from", &copy_from);
  library.impl("_local_scalar_dense", &local_scalar_dense);
  library.impl("convolution_overrideable", &convolution);
  library.impl("convolution_backward_overrideable", &convolution_backward);
  keep_whole(library);
}

}  // namespace npuprof::torch_sim
