#pragma once

// Tensors as text, as they appear in operator inputs and in module and optimizer parameters:
//
//     impl ; storage ; dtype ; element size ; sizes ; strides ; device type ; device index

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/framework/text_list.h"

namespace npuprof::format::framework {

// c10::DeviceType. NPUs register as the "private use" backend.
enum class DeviceType : std::int8_t { kCpu = 0, kCuda = 1, kNpu = 20 };

// Views into the text it was parsed from.
//
// | item | member        | form                                                          |
// |------|---------------|---------------------------------------------------------------|
// |    0 | impl_address  | hexadecimal with 0x; null is "0"                              |
// |    1 | storage       | hexadecimal with 0x; null or no storage is empty              |
// |    2 | dtype         | C++ type name                                                 |
// |    3 | element_bytes | decimal                                                       |
// |    4 | sizes         | decimals joined with ',', see text_list.h                     |
// |    5 | strides       | decimals joined with ','; empty if the layout is not strided  |
// |    6 | device_type   | decimal                                                       |
// |    7 | device_index  | decimal; -1 for the CPU                                       |
struct TensorText {
  std::uint64_t impl_address = 0;
  std::uint64_t storage = 0;  // Data pointer, the `ptr` of its memory_usage records.
  std::string_view dtype;
  std::int64_t element_bytes = 0;
  std::string_view sizes;
  std::string_view strides;
  DeviceType device_type = DeviceType::kCpu;
  std::int8_t device_index = -1;

  bool operator==(const TensorText&) const = default;
};

std::optional<TensorText> parse_tensor(std::string_view text);
void append_tensor(std::string& out, const TensorText& tensor);

// Strides of a contiguous tensor of these sizes.
void append_contiguous_strides(std::string& out, Dimensions sizes);

// Tensors of one list: joined with ')', or each followed by ')'. Calls visit(const TensorText&) for
// each and returns how many texts were no tensors.
template <std::invocable<const TensorText&> Visit>
std::size_t for_each_tensor(std::optional<std::string_view> list, Visit&& visit) {
  if (list && list->ends_with(')')) list->remove_suffix(1);
  if (!list || list->empty()) return 0;
  std::size_t malformed = 0;
  for_each_item(list, ')', [&](std::string_view text) {
    if (const auto tensor = parse_tensor(text)) {
      visit(*tensor);
    } else {
      ++malformed;
    }
  });
  return malformed;
}

// The tensor inputs of an operator: tensors joined with ')'.
template <typename Tensors>
void append_tensors(std::string& out, const Tensors& tensors) {
  append_joined(out, tensors, ')', append_tensor);
}

// The tensor-list inputs of an operator: every tensor is followed by ')', lists are joined with
// '}'. An empty list is the empty text between its separators. Split with for_each_item(text, '}',
// ...).
template <typename TensorLists>
void append_tensor_lists(std::string& out, const TensorLists& lists) {
  append_joined(out, lists, '}', [](std::string& text, const auto& tensors) {
    for (const TensorText& tensor : tensors) {
      append_tensor(text, tensor);
      text += ')';
    }
  });
}

}  // namespace npuprof::format::framework
