#include "format/framework/text_list.h"

#include "base/text.h"

namespace npuprof::format::framework {

void append_joined(std::string& out, std::span<const std::string_view> items, char separator) {
  append_joined(out, items, separator,
                [](std::string& text, std::string_view item) { text += item; });
}

void append_dimensions(std::string& out, Dimensions dimensions) {
  append_joined(out, dimensions, ',', append_integer<std::int64_t>);
}

}  // namespace npuprof::format::framework
