#pragma once

// Lists as text. A list is written as "item separator" for each item, and the last character is
// then removed; nothing is escaped. So one empty item is the empty text, the shapes [[2,3],[]] are
// "2,3;", and a list without items has no text at all (its field is not written). Splitting at each
// separator is the exact inverse.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace npuprof::format::framework {

// Hands out the items of a text one by one. An absent text has no items.
class TextItems {
 public:
  TextItems(std::string_view text, char separator)
      : rest_(text), separator_(separator), done_(false) {}
  TextItems(std::optional<std::string_view> text, char separator)
      : rest_(text.value_or(std::string_view())), separator_(separator), done_(!text) {}

  std::optional<std::string_view> next() {
    if (done_) return std::nullopt;
    const std::size_t end = rest_.find(separator_);
    const std::string_view item = rest_.substr(0, end);
    done_ = end == std::string_view::npos;
    if (!done_) rest_.remove_prefix(end + 1);
    return item;
  }

 private:
  std::string_view rest_;
  char separator_;
  bool done_;
};

template <std::invocable<std::string_view> Visit>
void for_each_item(std::optional<std::string_view> text, char separator, Visit&& visit) {
  TextItems items(text, separator);
  while (const auto item = items.next()) visit(*item);
}

// Appends the items, each through append_item(out, item), by the rule above.
template <typename Items, typename AppendItem>
void append_joined(std::string& out, const Items& items, char separator, AppendItem append_item) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    append_item(out, item);
  }
}
void append_joined(std::string& out, std::span<const std::string_view> items, char separator);

using Dimensions = std::span<const std::int64_t>;

// Dimensions of one tensor: decimals joined with ','; no dimensions are the empty text.
void append_dimensions(std::string& out, Dimensions dimensions);

}  // namespace npuprof::format::framework
