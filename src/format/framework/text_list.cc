#include "format/framework/text_list.h"

#include <algorithm>

namespace npuprof::format::framework {

std::size_t item_count(std::optional<std::string_view> text, char separator) {
  if (!text) return 0;
  return 1 + static_cast<std::size_t>(std::count(text->begin(), text->end(), separator));
}

void append_joined(std::string& out, std::span<const std::string_view> items, char separator) {
  append_joined(out, items, separator,
                [](std::string& text, std::string_view item) { text += item; });
}

void append_dimensions(std::string& out, Dimensions dimensions) {
  append_joined(out, dimensions, ',', append_integer<std::int64_t>);
}

void append_shapes(std::string& out, std::span<const Dimensions> shapes) {
  append_joined(out, shapes, ';', append_dimensions);
}

}  // namespace npuprof::format::framework
