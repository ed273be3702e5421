#include "format/host/dictionary.h"

#include <algorithm>

#include "base/text.h"
#include "format/text_scan.h"

namespace npuprof::format::host {
namespace {

// Calls `line(text)` for every line of the slices read as one file. Lines inside a slice are not
// copied; one that straddles slices is put together first. Returns whether the last line has its
// line end.
template <typename Line>
bool for_each_line(std::span<const Bytes> slices, Line&& line) {
  std::string straddling;
  for (const Bytes slice : slices) {
    std::string_view text = as_text(slice);
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        straddling += text;
        break;
      }
      std::string_view whole = text.substr(0, end);
      text.remove_prefix(end + 1);
      if (!straddling.empty()) {
        straddling += whole;
        whole = straddling;
      }
      if (!whole.empty() && whole.back() == '\r') whole.remove_suffix(1);
      line(whole);
      straddling.clear();
    }
  }
  if (straddling.empty()) return true;
  line(std::string_view(straddling));
  return false;
}

// `entry(key, value)` says whether it could use the line.
template <typename Entry>
DictionaryCounts read_entries(std::span<const Bytes> slices, Entry&& entry) {
  DictionaryCounts counts;
  const bool complete = for_each_line(slices, [&](std::string_view line) {
    if (line.empty()) return;
    const auto parts = split_at_colon(line);
    if (parts && entry(parts->key, parts->value)) {
      ++counts.entries;
    } else {
      ++counts.bad_lines;
    }
  });
  counts.cut_short = !complete;
  return counts;
}

void append_value(std::string& out, std::string_view value) {
  const std::size_t begin = out.size();
  out += value;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
  out += '\n';
}

}  // namespace

DictionaryCounts read_hash_dictionary(std::span<const Bytes> slices, const HashEntry& entry) {
  return read_entries(slices, [&](std::string_view key, std::string_view value) {
    const auto hash = parse_number<std::uint64_t>(key);
    if (hash) entry(*hash, value);
    return hash.has_value();
  });
}

DictionaryCounts read_type_dictionary(std::span<const Bytes> slices, const TypeEntry& entry) {
  return read_entries(slices, [&](std::string_view key, std::string_view value) {
    const std::size_t underscore = key.find('_');
    if (underscore == std::string_view::npos) return false;
    const auto level = parse_number<std::uint16_t>(key.substr(0, underscore));
    const auto type = parse_number<std::uint32_t>(key.substr(underscore + 1));
    if (!level || !type) return false;
    entry(*level, *type, value);
    return true;
  });
}

void append_hash_entry(std::string& out, std::uint64_t hash, std::string_view text) {
  append_integer(out, hash);
  out += ':';
  append_value(out, text);
}

void append_type_entry(std::string& out, std::uint16_t level, std::uint32_t type,
                       std::string_view name) {
  append_integer(out, level);
  out += '_';
  append_integer(out, type);
  out += ':';
  append_value(out, name);
}

}  // namespace npuprof::format::host
