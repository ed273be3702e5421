#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/host/names.h"
#include "format/record.h"

namespace npuprof::sim::testing {

// The raw files of a `device_<N>/data`: the slices of each base name, joined in order. Checks that
// each slice has its `.done` and is not longer than it should be.
inline std::map<std::string, std::string> read_device_data(const std::filesystem::path& directory) {
  std::map<std::string, std::map<std::uint32_t, std::string>> slices;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (!format::host::is_raw_file(name)) continue;
    const auto parsed = format::host::parse_device_file_name(name);
    EXPECT_TRUE(parsed) << name;
    if (!parsed) continue;
    const std::string content = read_file(entry.path()).value();
    slices[std::string(parsed->base)][parsed->slice] = content;
    const auto done = read_file(entry.path().native() + ".done");
    EXPECT_TRUE(done.ok()) << name;
    if (done.ok()) {
      EXPECT_TRUE(done->starts_with("filesize:" + std::to_string(content.size()) + "\n")) << *done;
    }
    EXPECT_LT(content.size(), format::host::kSliceBytes + 4096);
  }
  std::map<std::string, std::string> files;
  for (const auto& [base, parts] : slices) {
    std::uint32_t expected = 0;
    for (const auto& [number, content] : parts) {
      EXPECT_EQ(number, expected++) << base;
      files[base] += content;
    }
  }
  return files;
}

template <format::Record T>
std::vector<T> records_of(const std::string& content) {
  EXPECT_EQ(content.size() % sizeof(T), 0u);
  std::vector<T> records;
  for (std::size_t at = 0; at + sizeof(T) <= content.size(); at += sizeof(T)) {
    records.push_back(format::load<T>(as_bytes(content).data() + at));
  }
  return records;
}

}  // namespace npuprof::sim::testing
