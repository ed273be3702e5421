#include "input_values.h"

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

void put_list(c10::ArrayRef<c10::IValue> list, record::OpInputs& inputs) {
  if (list.empty() || list[0].isScalar()) return inputs.scalar_list();
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
      inputs.scalar(scalar_kind(value));
    } else if (value.isList()) {
      put_list(value.toListRef(), inputs);
    } else {
      inputs.none();
    }
  }
}

}  // namespace npuprof::torch_hooks
