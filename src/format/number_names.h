#pragma once

// Small fixed tables that pair a number with its name, searched both ways.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace npuprof::format {

struct NumberName {
  std::uint32_t number;
  std::string_view name;
};

template <std::size_t kSize>
constexpr bool is_sorted_by_number(const NumberName (&table)[kSize]) {
  for (std::size_t i = 1; i < kSize; ++i) {
    if (table[i - 1].number >= table[i].number) return false;
  }
  return true;
}

// `table` must be sorted by number. Returns an empty name for a number not in it.
template <std::size_t kSize>
std::string_view name_of(const NumberName (&table)[kSize], std::uint64_t number) {
  const auto* found = std::lower_bound(
      std::begin(table), std::end(table), number,
      [](const NumberName& entry, std::uint64_t wanted) { return entry.number < wanted; });
  if (found == std::end(table) || found->number != number) return {};
  return found->name;
}

// The number of the first entry called `name`.
template <std::size_t kSize>
std::optional<std::uint32_t> number_of(const NumberName (&table)[kSize], std::string_view name) {
  for (const NumberName& entry : table) {
    if (entry.name == name) return entry.number;
  }
  return std::nullopt;
}

}  // namespace npuprof::format
