#include "record/op_inputs.h"

#include "format/framework/text_list.h"

namespace npuprof::record {
namespace {

using format::framework::InputKind;
using format::framework::kDataTypes;
using format::framework::TensorText;

std::string_view dtype_name(std::uint8_t type) {
  return type < kDataTypes.size() ? kDataTypes[type].name : format::framework::kNoInput;
}

void append_tensor_text(std::string& out, const RecordedInput& tensor) {
  std::string sizes;
  std::string strides;
  format::framework::append_dimensions(sizes, tensor.sizes);
  format::framework::append_dimensions(strides, tensor.strides);
  append_tensor(out, TensorText{.impl_address = tensor.detail.impl_address,
                                .storage = tensor.detail.storage_address,
                                .dtype = dtype_name(tensor.head.type),
                                .element_bytes = tensor.detail.element_bytes,
                                .sizes = sizes,
                                .strides = strides,
                                .device_type = static_cast<format::framework::DeviceType>(
                                    tensor.detail.device_type),
                                .device_index = tensor.detail.device_index});
}

// Begins the next item of a list of texts.
void next_item(std::string& text, bool& has_items, char separator) {
  if (has_items) text += separator;
  has_items = true;
}

bool add_list(InputReader& reader, std::uint32_t count, OpInputTexts& texts) {
  next_item(texts.tensor_lists, texts.has_lists, '}');
  RecordedInput tensor;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!reader.next(tensor)) return false;
    append_tensor_text(texts.tensor_lists, tensor);
    texts.tensor_lists += ')';
  }
  return true;
}

bool add_input(InputReader& reader, RecordedInput& tensor, OpInputTexts& texts) {
  if (!reader.next(tensor)) return false;
  const bool with_details = reader.with_details();
  const bool is_first = !texts.has_inputs;
  next_item(texts.dtypes, texts.has_inputs, ';');
  if (!is_first) texts.shapes += ';';
  switch (tensor.head.kind) {
    case InputKind::kTensor:
      texts.dtypes += dtype_name(tensor.head.type);
      format::framework::append_dimensions(texts.shapes, tensor.sizes);
      if (with_details) {
        next_item(texts.tensors, texts.has_tensors, ')');
        append_tensor_text(texts.tensors, tensor);
      }
      return true;
    case InputKind::kTensorList:
      texts.dtypes += format::framework::kTensorListInput;
      return !with_details || add_list(reader, tensor.head.list_count, texts);
    case InputKind::kScalar:
      texts.dtypes += format::framework::kScalarInput;
      if (with_details && tensor.head.type < format::framework::kScalarKindNames.size()) {
        next_item(texts.scalars, texts.has_scalars, ';');
        texts.scalars += format::framework::kScalarKindNames[tensor.head.type];
      }
      return true;
    case InputKind::kScalarList:
      texts.dtypes += format::framework::kScalarListInput;
      return true;
    case InputKind::kNone:
      texts.dtypes += format::framework::kNoInput;
      return true;
  }
  return false;
}

}  // namespace

InputReader::InputReader(std::string_view inputs) : rest_(inputs) { (void)take(told_); }

template <typename T>
bool InputReader::take(T& value) {
  if (rest_.size() < sizeof(T)) return false;
  std::memcpy(&value, rest_.data(), sizeof(T));
  rest_.remove_prefix(sizeof(T));
  return true;
}

bool InputReader::take(std::size_t count, std::vector<std::int64_t>& numbers) {
  const std::size_t bytes = count * sizeof(std::int64_t);
  if (rest_.size() < bytes) return false;
  numbers.resize(count);
  if (bytes > 0) std::memcpy(numbers.data(), rest_.data(), bytes);
  rest_.remove_prefix(bytes);
  return true;
}

bool InputReader::next(RecordedInput& input) {
  if (!take(input.head)) return false;
  if (with_details() && input.head.kind == InputKind::kTensor && !take(input.detail)) return false;
  return take(input.head.size_count, input.sizes) && take(input.head.stride_count, input.strides);
}

void make_input_texts(std::string_view inputs, OpInputTexts& texts) {
  for (std::string* text :
       {&texts.dtypes, &texts.shapes, &texts.tensors, &texts.tensor_lists, &texts.scalars}) {
    text->clear();
  }
  texts.has_inputs = texts.has_tensors = texts.has_lists = texts.has_scalars = false;
  InputReader reader(inputs);
  RecordedInput tensor;
  while (!reader.at_end()) {
    if (!add_input(reader, tensor, texts)) return;
  }
}

}  // namespace npuprof::record
