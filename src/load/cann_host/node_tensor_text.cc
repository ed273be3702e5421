#include "load/cann_host/node_tensor_text.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "format/host/enumerations.h"

namespace npuprof::load {
namespace {

using format::host::Tensor;

constexpr std::size_t kFirstTensorSlots = 256;

Bytes bytes_of_tensors(std::span<const Tensor> tensors) {
  return {reinterpret_cast<const std::byte*>(tensors.data()), tensors.size_bytes()};
}

// Tensors are 11 words of 4 bytes.
std::uint64_t hash_of(std::span<const Tensor> tensors) {
  const Bytes bytes = bytes_of_tensors(tensors);
  std::uint64_t hash = bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

bool same_bytes(std::span<const Tensor> a, std::span<const Tensor> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// The columns of one direction.
struct Columns {
  std::string shapes;
  std::string dtypes;
  std::string formats;
  bool is_empty = true;

  void add(const Tensor& tensor) {
    if (!is_empty) {
      for (std::string* column : {&shapes, &dtypes, &formats}) *column += ';';
    }
    is_empty = false;
    bool first = true;
    for (const std::uint32_t size : tensor.dimensions()) {
      if (!first) shapes += ',';
      first = false;
      append_integer(shapes, size);
    }
    const std::string_view dtype = format::host::tensor_data_type_name(tensor.data_type);
    if (dtype.empty()) {
      append_integer(dtypes, tensor.data_type.get());
    } else {
      dtypes += dtype;
    }
    format::host::append_tensor_format(formats, tensor.format);
  }
  std::string quoted_shapes() const { return is_empty ? std::string() : '"' + shapes + '"'; }
};

}  // namespace

void TensorTexts::grow() {
  std::vector<Slot> old(std::max(kFirstTensorSlots, slots_.size() * 2));
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number_plus_1 == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number_plus_1 != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::uint32_t TensorTexts::number_of(std::span<const Tensor> tensors) {
  if (lists_.size() >= slots_.size() / 2) grow();
  const std::uint64_t hash = hash_of(tensors);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].number_plus_1 != 0; at = (at + 1) & mask) {
    const std::uint32_t number = slots_[at].number_plus_1 - 1;
    if (slots_[at].hash == hash && same_bytes(lists_[number].tensors, tensors)) return number;
  }
  lists_.push_back({.tensors = {tensors.begin(), tensors.end()}});
  slots_[at] = {hash, static_cast<std::uint32_t>(lists_.size())};
  return static_cast<std::uint32_t>(lists_.size() - 1);
}

NodeTensorText TensorTexts::format(std::span<const std::uint32_t> numbers) {
  Columns inputs;
  Columns outputs;
  for (const std::uint32_t number : numbers) {
    for (const Tensor& tensor : lists_[number].tensors) {
      if (tensor.direction == Tensor::kInput) inputs.add(tensor);
      if (tensor.direction == Tensor::kOutput) outputs.add(tensor);
    }
  }
  return {.input_shapes = names_.intern(inputs.quoted_shapes()),
          .input_dtypes = names_.intern(inputs.dtypes),
          .input_formats = names_.intern(inputs.formats),
          .output_shapes = names_.intern(outputs.quoted_shapes()),
          .output_dtypes = names_.intern(outputs.dtypes),
          .output_formats = names_.intern(outputs.formats)};
}

const NodeTensorText& TensorTexts::text_of(std::uint32_t number) {
  List& list = lists_[number];
  if (!list.has_text) {
    list.text = format(std::span(&number, 1));
    list.has_text = true;
  }
  return list.text;
}

const NodeTensorText& TensorTexts::text_of(std::span<const std::uint32_t> numbers) {
  if (numbers.size() == 1) return text_of(numbers[0]);
  const auto [found, is_new] =
      joined_.try_emplace(std::vector<std::uint32_t>(numbers.begin(), numbers.end()));
  if (is_new) found->second = format(numbers);
  return found->second;
}

}  // namespace npuprof::load
