#include "record/op_inputs.h"

#include <vector>

#include "format/framework/text_list.h"

namespace npuprof::record {
namespace {

using format::framework::DataType;
using format::framework::InputKind;
using format::framework::kDataTypes;
using format::framework::TensorText;

// Takes values from the front of the bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }
  template <typename T>
  bool take(T& value) {
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return true;
  }
  bool take(std::size_t count, std::vector<std::int64_t>& numbers) {
    const std::size_t bytes = count * sizeof(std::int64_t);
    if (rest_.size() < bytes) return false;
    numbers.resize(count);
    if (bytes > 0) std::memcpy(numbers.data(), rest_.data(), bytes);
    rest_.remove_prefix(bytes);
    return true;
  }

 private:
  std::string_view rest_;
};

struct Tensor {
  OpInputs::Head head;
  TensorDetail detail;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

bool take_tensor(Reader& reader, bool with_details, Tensor& tensor) {
  if (with_details && !reader.take(tensor.detail)) return false;
  return reader.take(tensor.head.size_count, tensor.sizes) &&
         reader.take(tensor.head.stride_count, tensor.strides);
}

std::string_view dtype_name(std::uint8_t type) {
  return type < kDataTypes.size() ? kDataTypes[type].name : format::framework::kNoInput;
}

void append_tensor_text(std::string& out, const Tensor& tensor) {
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

bool add_list(Reader& reader, std::uint32_t count, OpInputTexts& texts) {
  next_item(texts.tensor_lists, texts.has_lists, '}');
  Tensor tensor;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!reader.take(tensor.head) || !take_tensor(reader, true, tensor)) return false;
    append_tensor_text(texts.tensor_lists, tensor);
    texts.tensor_lists += ')';
  }
  return true;
}

bool add_input(Reader& reader, bool with_details, Tensor& tensor, OpInputTexts& texts) {
  if (!reader.take(tensor.head)) return false;
  const bool is_first = !texts.has_inputs;
  next_item(texts.dtypes, texts.has_inputs, ';');
  if (!is_first) texts.shapes += ';';
  switch (tensor.head.kind) {
    case InputKind::kTensor:
      if (!take_tensor(reader, with_details, tensor)) return false;
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

void make_input_texts(std::string_view inputs, OpInputTexts& texts) {
  for (std::string* text :
       {&texts.dtypes, &texts.shapes, &texts.tensors, &texts.tensor_lists, &texts.scalars}) {
    text->clear();
  }
  texts.has_inputs = texts.has_tensors = texts.has_lists = texts.has_scalars = false;
  Reader reader(inputs);
  std::uint8_t with_details = 0;
  if (!reader.take(with_details)) return;
  Tensor tensor;
  while (!reader.at_end()) {
    if (!add_input(reader, with_details != 0, tensor, texts)) return;
  }
}

}  // namespace npuprof::record
