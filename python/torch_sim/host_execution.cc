#include "host_execution.h"

#include <cstring>

#include <ATen/EmptyTensor.h>
#include <ATen/Functions.h>
#include <ATen/ops/as_strided_native.h>

namespace npuprof::torch_sim {

bool is_on_device(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == c10::DeviceType::PrivateUse1;
}

at::Tensor host_view(const at::Tensor& tensor) {
  if (!is_on_device(tensor)) return tensor;
  const auto options = at::TensorOptions().dtype(tensor.dtype()).device(at::kCPU);
  // Nothing has no address.
  if (tensor.numel() == 0) return at::empty(tensor.sizes(), options);
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), options);
}

at::Tensor to_device(const at::Tensor& host) {
  if (!host.defined() || is_on_device(host)) return host;
  const bool is_dense = host.is_non_overlapping_and_dense();
  const at::Tensor source = is_dense ? host : host.contiguous();
  at::Tensor result = at::detail::empty_strided_generic(
      source.sizes(), source.strides(), c10::GetAllocator(c10::DeviceType::PrivateUse1),
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), source.scalar_type());
  if (source.numel() > 0) {
    std::memcpy(result.data_ptr(), source.data_ptr(), source.numel() * source.element_size());
  }
  return result;
}

void grow_storage(const at::Tensor& tensor, std::size_t bytes) {
  const c10::Storage& storage = tensor.storage();
  if (storage.nbytes() >= bytes) return;
  c10::DataPtr memory = c10::GetAllocator(c10::DeviceType::PrivateUse1)->allocate(bytes);
  if (storage.nbytes() > 0) std::memcpy(memory.get(), storage.data(), storage.nbytes());
  storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(memory));
  storage.unsafeGetStorageImpl()->set_nbytes(bytes);
}

bool is_half(const at::Tensor& tensor) {
  return tensor.defined() && (tensor.scalar_type() == c10::ScalarType::Half ||
                              tensor.scalar_type() == c10::ScalarType::BFloat16);
}

at::Tensor HostExecution::widened(const at::Tensor& host) {
  if (!widens_ || !host.defined()) return host;
  if (is_half(host)) {
    half_type_ = host.scalar_type();
    return host.to(at::kFloat);
  }
  // Results of both types together are of the wider one.
  if (host.scalar_type() == c10::ScalarType::Float && host.dim() > 0) keep_type();
  return host;
}

at::Tensor HostExecution::tensor_argument(const at::Tensor& tensor, bool is_written) {
  if (!is_on_device(tensor)) return widened(tensor);
  for (const Pair& pair : pairs_) {
    if (pair.device.is_same(tensor)) return pair.host;
  }
  pairs_.push_back({tensor, widened(host_view(tensor)), is_written});
  return pairs_.back().host;
}

c10::IValue HostExecution::argument(const c10::IValue& value, bool is_written) {
  if (value.isTensor()) return tensor_argument(value.toTensor(), is_written);
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      list.push_back(tensor_argument(tensor, is_written));
    }
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<c10::optional<at::Tensor>> list;
    for (const c10::IValue& item : value.toListRef()) {
      list.push_back(item.isTensor()
                         ? c10::optional<at::Tensor>(tensor_argument(item.toTensor(), is_written))
                         : c10::nullopt);
    }
    return list;
  }
  if (value.isDevice()) return c10::Device(at::kCPU);
  return value;
}

at::Tensor HostExecution::tensor_result(const at::Tensor& tensor) const {
  if (!tensor.defined()) return tensor;
  for (const Pair& pair : pairs_) {
    if (pair.host.is_same(tensor)) return pair.device;
    if (tensor.numel() == 0 || pair.host.numel() == 0) continue;
    if (tensor.storage().data() == pair.host.storage().data()) {
      return at::native::as_strided_tensorimpl(
          pair.device, tensor.sizes(), tensor.strides(),
          pair.device.storage_offset() + tensor.storage_offset());
    }
  }
  const bool was_widened =
      half_type_ && !keeps_type_ && tensor.scalar_type() == c10::ScalarType::Float;
  return to_device(was_widened ? tensor.to(*half_type_) : tensor);
}

c10::IValue HostExecution::result(const c10::IValue& value) const {
  if (value.isTensor()) return tensor_result(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(tensor_result(tensor));
    return list;
  }
  return value;
}

void HostExecution::write_back() const {
  for (const Pair& pair : pairs_) {
    if (!pair.is_written || pair.host.numel() == 0) continue;
    if (pair.host.data_ptr() == pair.device.data_ptr()) continue;
    if (pair.host.sizes() == pair.device.sizes()) {
      host_view(pair.device).copy_(pair.host);
      continue;
    }
    const at::Tensor source = pair.host.to(pair.device.scalar_type()).contiguous();
    const std::size_t bytes = source.numel() * source.element_size();
    pair.device.unsafeGetTensorImpl()->set_storage_offset(0);
    grow_storage(pair.device, bytes);
    pair.device.unsafeGetTensorImpl()->set_sizes_contiguous(source.sizes());
    std::memcpy(pair.device.data_ptr(), source.data_ptr(), bytes);
  }
}

}  // namespace npuprof::torch_sim
