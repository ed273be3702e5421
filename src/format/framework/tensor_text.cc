#include "format/framework/tensor_text.h"

#include <charconv>
#include <vector>

#include "base/text.h"

namespace npuprof::format::framework {
namespace {

constexpr std::size_t kItems = 8;

std::optional<std::uint64_t> parse_address(std::string_view text) {
  if (text.empty()) return 0;
  return parse_hex<std::uint64_t>(text);
}

void append_address(std::string& out, std::uint64_t address) {
  if (address == 0) {
    out += '0';
    return;
  }
  char digits[16];
  const auto result = std::to_chars(digits, digits + sizeof(digits), address, 16);
  out += "0x";
  out.append(digits, result.ptr);
}

}  // namespace

std::optional<TensorText> parse_tensor(std::string_view text) {
  std::string_view items[kItems];
  std::size_t count = 0;
  TextItems reader(text, ';');
  while (const auto item = reader.next()) {
    if (count == kItems) return std::nullopt;
    items[count++] = *item;
  }
  if (count != kItems) return std::nullopt;

  const auto impl_address = parse_address(items[0]);
  const auto storage = parse_address(items[1]);
  const auto element_bytes = parse_number<std::int64_t>(items[3]);
  const auto device_type = parse_number<std::int8_t>(items[6]);
  const auto device_index = parse_number<std::int8_t>(items[7]);
  if (!impl_address || !storage || !element_bytes || !device_type || !device_index) {
    return std::nullopt;
  }
  return TensorText{.impl_address = *impl_address,
                    .storage = *storage,
                    .dtype = items[2],
                    .element_bytes = *element_bytes,
                    .sizes = items[4],
                    .strides = items[5],
                    .device_type = static_cast<DeviceType>(*device_type),
                    .device_index = *device_index};
}

void append_tensor(std::string& out, const TensorText& tensor) {
  append_address(out, tensor.impl_address);
  out += ';';
  if (tensor.storage != 0) append_address(out, tensor.storage);
  out += ';';
  out += tensor.dtype;
  out += ';';
  append_integer(out, tensor.element_bytes);
  out += ';';
  out += tensor.sizes;
  out += ';';
  out += tensor.strides;
  out += ';';
  append_integer(out, static_cast<std::int64_t>(tensor.device_type));
  out += ';';
  append_integer(out, tensor.device_index);
}

void append_contiguous_strides(std::string& out, Dimensions sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i] > 0 ? sizes[i] : 1;
  }
  append_dimensions(out, strides);
}

}  // namespace npuprof::format::framework
