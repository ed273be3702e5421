#pragma once

// The text dictionaries of `host/data`: one "key:value" entry per line, split at the first colon
// (a value may contain more of them).
//
//   unaging.additional.hash_dic.slice_<k>         <u64>:<string>
//   unaging.additional.type_info_dic.slice_<k>    <level>_<type>:<name>
//   unaging.additional.data_format_dic.slice_<k>  <level>_<type>:<JSON schema>
//
// Entries are appended while the program runs, so a dictionary may continue in the next slice, even
// in the middle of a line. If a key comes twice the last entry counts.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"

namespace npuprof::format::host {

// The id under which `text` is known in every record: two polynomial hashes of the (signed) bytes,
// side by side. 0 is never used for a name: it means "none". The empty text has all ones.
constexpr std::uint64_t string_hash(std::string_view text) {
  if (text.empty()) return ~std::uint64_t{0};
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  for (const char c : text) {
    // The sign extension is part of the hash.
    const auto value = static_cast<std::uint32_t>(static_cast<signed char>(c));
    high = high * 29 + value;
    low = low * 131 + value;
  }
  return std::uint64_t{high} << 32 | low;
}

struct DictionaryCounts {
  std::size_t entries = 0;
  std::size_t bad_lines = 0;  // Lines without a valid key; empty lines are not counted.
  bool cut_short = false;     // The last line has no line end, its value may be incomplete.
};

// Readers: they call `entry` for each line in file order; the texts are valid during the call only.
using HashEntry = std::function<void(std::uint64_t hash, std::string_view text)>;
using TypeEntry = std::function<void(std::uint16_t level, std::uint32_t type, std::string_view)>;

DictionaryCounts read_hash_dictionary(std::span<const Bytes> slices, const HashEntry& entry);
// Also for data_format_dic, whose values are JSON.
DictionaryCounts read_type_dictionary(std::span<const Bytes> slices, const TypeEntry& entry);

// Writers: append one line. Line ends inside a text would break the file and are written as blanks.
void append_hash_entry(std::string& out, std::uint64_t hash, std::string_view text);
void append_type_entry(std::string& out, std::uint16_t level, std::uint32_t type,
                       std::string_view name);

}  // namespace npuprof::format::host
