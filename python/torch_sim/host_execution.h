#pragma once

// Runs an operator of the simulated device on the host.

#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include "recording.h"

namespace npuprof::torch_sim {

// While it lives nothing of what the thread does is recorded: it does what the device would do.
class DeviceWork {
 public:
  DeviceWork() { ++recording->device_work(); }
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;
  ~DeviceWork() { --recording->device_work(); }

 private:
  at::DisableRecordFunctionGuard no_operators_;
};

bool is_on_device(const at::Tensor& tensor);

// The same memory as a tensor of the host. Tensors of the host are themselves.
at::Tensor host_view(const at::Tensor& tensor);
// A tensor of the device with the content of one of the host.
at::Tensor to_device(const at::Tensor& host);
// At least `bytes` of storage; what was there stays.
void grow_storage(const at::Tensor& tensor, std::size_t bytes);

// Half precision, of either kind.
bool is_half(const at::Tensor& tensor);

// Arguments and results of one call on their way to the host and back.
class HostExecution {
 public:
  // `widens`: the host has the operator only for floats; what is of half precision becomes float on
  // the way there, and half again on the way back.
  explicit HostExecution(bool widens) : widens_(widens) {}

  // `is_written`: the operator changes it, or gives it another size.
  c10::IValue argument(const c10::IValue& value, bool is_written);
  c10::IValue result(const c10::IValue& value) const;
  // The program asks for a type of results.
  void keep_type() { keeps_type_ = true; }
  // After the call: tensors that got another size on the host get it on the device.
  void write_back() const;

 private:
  struct Pair {
    at::Tensor device;
    at::Tensor host;
    bool is_written = false;
  };
  at::Tensor tensor_argument(const at::Tensor& tensor, bool is_written);
  at::Tensor tensor_result(const at::Tensor& tensor) const;
  at::Tensor widened(const at::Tensor& host);

  bool widens_;
  bool keeps_type_ = false;
  c10::optional<c10::ScalarType> half_type_;  // Of an argument that was widened.
  std::vector<Pair> pairs_;
};

}  // namespace npuprof::torch_sim
