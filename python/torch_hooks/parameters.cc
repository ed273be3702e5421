#include "parameters.h"

#include <optional>
#include <string>

#include <pybind11/pybind11.h>
#include <torch/csrc/autograd/python_variable.h>

#include "format/framework/param_tensor_info.h"
#include "tensor_facts.h"

namespace npuprof::torch_hooks {
namespace {

namespace framework = format::framework;

// A record is cut at the longest text, so long lists become several records.
constexpr std::size_t kEnoughText = record::kLongestText / 2;

// A tensor as text, with the texts it refers to.
class TensorWords {
 public:
  // False if there is no tensor, or none that has a text.
  bool set(const at::Tensor& tensor) {
    if (!has_plain_sizes(tensor)) return false;
    const auto type = data_type_of(tensor.scalar_type());
    if (!type) return false;
    const record::TensorDetail detail = detail_of(tensor);
    const c10::IntArrayRef sizes = tensor.sizes();
    const c10::IntArrayRef strides = strides_of(tensor);
    sizes_.clear();
    strides_.clear();
    framework::append_dimensions(sizes_, {sizes.data(), sizes.size()});
    framework::append_dimensions(strides_, {strides.data(), strides.size()});
    text_ = {.impl_address = detail.impl_address,
             .storage = detail.storage_address,
             .dtype = framework::traits_of(*type).name,
             .element_bytes = detail.element_bytes,
             .sizes = sizes_,
             .strides = strides_,
             .device_type = static_cast<framework::DeviceType>(detail.device_type),
             .device_index = detail.device_index};
    return true;
  }
  bool set(PyObject* object) {
    return THPVariable_Check(object) && set(THPVariable_Unpack(object));
  }
  bool set_gradient_of(PyObject* object) {
    const at::Tensor& tensor = THPVariable_Unpack(object);
    return tensor.is_leaf() && set(tensor.grad());
  }
  const framework::TensorText& text() const { return text_; }

 private:
  std::string sizes_;
  std::string strides_;
  framework::TensorText text_;
};

std::optional<framework::TensorText> gradient_text(PyObject* tensor, TensorWords& words) {
  if (words.set_gradient_of(tensor)) return words.text();
  return std::nullopt;
}

// Collects items and hands them over in portions.
class Items {
 public:
  Items(std::uint64_t key, bool is_optimizer, record::ThreadBuffer& buffer)
      : key_(key), is_optimizer_(is_optimizer), buffer_(buffer) {}

  std::string& text() { return text_; }
  void item_done() {
    if (text_.size() > kEnoughText) flush();
  }
  void flush() {
    if (!text_.empty()) buffer_.parameters(key_, is_optimizer_, text_);
    text_.clear();
  }

 private:
  std::uint64_t key_;
  bool is_optimizer_;
  record::ThreadBuffer& buffer_;
  std::string text_;
};

void put_module(py::handle module, Items& items) {
  const py::object parameters = py::getattr(module, "_parameters", py::none());
  if (!py::isinstance<py::dict>(parameters)) return;
  TensorWords tensor;
  TensorWords gradient;
  for (const auto& [name, parameter] : parameters.cast<py::dict>()) {
    if (!py::isinstance<py::str>(name) || !tensor.set(parameter.ptr())) continue;
    const std::string text = name.cast<std::string>();
    framework::append_module_parameter(
        items.text(), {text, tensor.text(), gradient_text(parameter.ptr(), gradient)});
    items.item_done();
  }
  items.flush();
}

std::string states_text(const py::dict& states, py::handle parameter) {
  std::string text;
  // Optimizers keep it in a dictionary that makes entries up; only look.
  PyObject* const found = PyDict_GetItemWithError(states.ptr(), parameter.ptr());
  if (found == nullptr) PyErr_Clear();
  if (found == nullptr || !PyDict_Check(found)) return text;
  TensorWords words;
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(found)) {
    if (!py::isinstance<py::str>(name) || !words.set(value.ptr())) continue;
    const std::string state = name.cast<std::string>();
    framework::append_optimizer_state(text, {state, words.text()});
  }
  return text;
}

void put_optimizer(py::handle optimizer, Items& items) {
  const py::object groups = py::getattr(optimizer, "param_groups", py::none());
  const py::object state = py::getattr(optimizer, "state", py::none());
  if (!py::isinstance<py::list>(groups)) return;
  const py::dict states = py::isinstance<py::dict>(state) ? state.cast<py::dict>() : py::dict();
  TensorWords tensor;
  TensorWords gradient;
  for (const py::handle group : groups.cast<py::list>()) {
    if (!py::isinstance<py::dict>(group)) continue;
    const auto members = group.cast<py::dict>();
    if (!members.contains("params") || !py::isinstance<py::list>(members["params"])) continue;
    for (const py::handle parameter : members["params"].cast<py::list>()) {
      if (!tensor.set(parameter.ptr())) continue;
      const std::string text = states_text(states, parameter);
      framework::append_optimizer_parameter(
          items.text(), {tensor.text(), gradient_text(parameter.ptr(), gradient), text});
      items.item_done();
    }
  }
  items.flush();
}

// What objects of the program raise is theirs, but nobody would expect it here.
template <typename Action>
void guarded(Action&& action) noexcept {
  const py::error_scope earlier_error_stays;
  try {
    action();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
  PyErr_Clear();
}

}  // namespace

void tell_module_parameters(PyObject* module, std::uint64_t key, record::ThreadBuffer& buffer) {
  guarded([&] {
    Items items(key, false, buffer);
    put_module(module, items);
  });
}

void tell_optimizer_parameters(PyObject* optimizer, std::uint64_t key,
                               record::ThreadBuffer& buffer) {
  guarded([&] {
    Items items(key, true, buffer);
    put_optimizer(optimizer, items);
  });
}

}  // namespace npuprof::torch_hooks
