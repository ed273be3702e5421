#include "input_values.h"

#include <array>

#include "tensor_facts.h"

namespace npuprof::torch_hooks {
namespace {

using Numbers = record::OpInputs::Numbers;
using format::framework::ScalarKind;

using Type = std::optional<format::framework::DataType>;

// Nothing if the tensor cannot be told.
Type told_type(const at::Tensor& tensor) {
  return has_plain_sizes(tensor) ? data_type_of(tensor.scalar_type()) : std::nullopt;
}

void put_tensor(const at::Tensor& tensor, Type type, record::OpInputs& inputs) {
  const c10::IntArrayRef sizes = tensor.sizes();
  if (!inputs.with_details()) return inputs.tensor(*type, Numbers(sizes.data(), sizes.size()));
  const c10::IntArrayRef strides = strides_of(tensor);
  inputs.tensor(*type, Numbers(sizes.data(), sizes.size()), detail_of(tensor),
                Numbers(strides.data(), strides.size()));
}

bool is_whole(const c10::IValue& value) { return value.isInt() || value.isBool(); }

std::int64_t whole_value(const c10::IValue& value) {
  return value.isInt() ? value.toInt() : static_cast<std::int64_t>(value.toBool());
}

void put_scalars(c10::ArrayRef<c10::IValue> list, record::OpInputs& inputs) {
  std::array<std::int64_t, record::OpInputs::kMostValues> values;
  if (!inputs.with_values() || list.size() > values.size()) return inputs.scalar_list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!is_whole(list[i])) return inputs.scalar_list();
    values[i] = whole_value(list[i]);
  }
  inputs.scalar_list(Numbers(values.data(), list.size()));
}

void put_list(c10::ArrayRef<c10::IValue> list, record::OpInputs& inputs) {
  if (list.empty() || list[0].isScalar()) return put_scalars(list, inputs);
  if (!list[0].isTensor()) return inputs.none();
  if (!inputs.with_details()) return inputs.tensor_list(0);
  std::uint32_t count = 0;
  const auto each = [&](auto&& action) {
    for (const c10::IValue& value : list) {
      if (!value.isTensor()) continue;
      if (const Type type = told_type(value.toTensor())) action(value.toTensor(), type);
    }
  };
  each([&](const at::Tensor&, Type) { ++count; });
  inputs.tensor_list(count);
  each([&](const at::Tensor& tensor, Type type) { put_tensor(tensor, type, inputs); });
}

ScalarKind scalar_kind(const c10::IValue& value) {
  if (value.isBool()) return ScalarKind::kBool;
  if (value.isInt()) return ScalarKind::kInt;
  if (value.isDouble()) return ScalarKind::kDouble;
  if (value.isComplexDouble()) return ScalarKind::kComplex;
  return ScalarKind::kOthers;
}

void put_scalar(const c10::IValue& value, record::OpInputs& inputs) {
  if (!inputs.with_values() || !is_whole(value)) return inputs.scalar(scalar_kind(value));
  const std::int64_t whole = whole_value(value);
  inputs.scalar(scalar_kind(value), Numbers(&whole, 1));
}

}  // namespace

void put_inputs(c10::ArrayRef<const c10::IValue> values, record::OpInputs& inputs) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      if (const Type type = told_type(value.toTensor())) {
        put_tensor(value.toTensor(), type, inputs);
      } else {
        inputs.none();
      }
    } else if (value.isScalar()) {
      put_scalar(value, inputs);
    } else if (value.isList()) {
      put_list(value.toListRef(), inputs);
    } else {
      inputs.none();
    }
  }
}

}  // namespace npuprof::torch_hooks
