#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/host/control.h"
#include "format/host/dictionary.h"
#include "format/host/names.h"
#include "format/host/record_header.h"
#include "format/record.h"
#include "load/cann_host/load_cann_host.h"
#include "load/discover.h"
#include "temporary_directory.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load::testing {

using format::host::Age;

// Writes a PROF_* directory file by file and loads it. Its clock: 100 MHz, tick 1000 is the begin
// of the collection.
class HostDirectory {
 public:
  static constexpr std::int64_t kBeginNs = 1'700'000'000'000'000'000;
  static constexpr std::int64_t kMonotonicNs = 5'000'000;
  static constexpr std::uint64_t kAnchorTicks = 1000;

  HostDirectory() {
    info.platform_version = 5;
    info.driver_version = 0x072211;
    info.cpus.push_back({.frequency_mhz = 100});
    info.memory_total_kb = 1000;
    info.cpu_count = 2;
    info.jiffies_per_second = 100;
    sample.prof_level = "l1";
    start.begin_us = kBeginNs / 1000;
    start.monotonic_raw_ns = kMonotonicNs;
    end.end_us = kBeginNs / 1000 + 1'000'000;
    log.section = "Host";
    log.monotonic_raw_ns = kMonotonicNs;
    log.counter = kAnchorTicks;
    log.counter_diff = 0;
  }

  format::host::InfoJson info;
  format::host::SampleJson sample;
  format::host::CollectionTime start;
  format::host::CollectionTime end;
  format::host::ClockLog log;

  std::filesystem::path path() const { return directory_.path() / "PROF_000001_1_A"; }
  std::filesystem::path data() const { return path() / "host/data"; }

  // Wall time of a number of ticks after the begin.
  static std::int64_t at(std::int64_t ticks) { return kBeginNs + ticks * 10; }
  static std::uint64_t ticks(std::int64_t after_begin) {
    return kAnchorTicks + static_cast<std::uint64_t>(after_begin);
  }

  void write_controls() {
    write("host/info.json", format::host::make_info_json(info));
    write("host/sample.json", format::host::make_sample_json(sample));
    write("host/start_info", format::host::make_collection_time(start));
    write("host/end_info", format::host::make_collection_time(end));
    write("host/host_start.log", format::host::make_clock_log(log));
  }
  void write(const std::filesystem::path& relative, std::string_view content) {
    const auto file = path() / relative;
    ASSERT_TRUE(make_directories(file.parent_path()).ok());
    ASSERT_TRUE(write_file(file, content).ok());
  }
  // Appends a record to a slice.
  template <format::Record T>
  void add(const T& record, const format::host::RecordKind& kind, Age age = Age::kAging,
           std::uint32_t slice = 0) {
    append(format::host::make_host_file_name(age, kind.module, kind.tag, slice),
           as_text(format::bytes_of(record)));
  }
  template <format::Record T>
  void add(const T& record, Age age = Age::kAging, std::uint32_t slice = 0) {
    add(record, T::kKind, age, slice);
  }
  void add(const format::host::ApiEvent& event, Age age = Age::kAging, std::uint32_t slice = 0) {
    add(event, {format::host::Module::kApiEvent, "data", 0, 0}, age, slice);
  }
  void append(const std::string& name, std::string_view content) {
    const auto file = data() / name;
    std::string all;
    if (auto before = read_file(file); before.ok()) all = *before;
    write("host/data/" + name, all + std::string(content));
  }
  // The hash of a name, which is put into the dictionary.
  std::uint64_t hash(std::string_view text) {
    const std::uint64_t value = format::host::string_hash(text);
    std::string line;
    format::host::append_hash_entry(line, value, text);
    append("unaging.additional.hash_dic.slice_0", line);
    return value;
  }
  void type(std::uint16_t level, std::uint32_t number, std::string_view name) {
    std::string line;
    format::host::append_type_entry(line, level, number, name);
    append("unaging.additional.type_info_dic.slice_0", line);
  }

  // Loads what was written; call once.
  void load() {
    const auto found = discover(path());
    ASSERT_TRUE(found.ok()) << found.error().message;
    load_cann_host(found->profiles.at(0).cann, trace, losses);
  }
  // Writes control files and dictionaries that are not there yet, and loads.
  void finish_and_load() {
    write_controls();
    append("unaging.additional.hash_dic.slice_0", "");
    append("unaging.additional.type_info_dic.slice_0", "");
    load();
  }

  std::string_view text(StringId id) const { return trace.strings.view(id); }
  std::string all_losses() const {
    std::string sentences;
    for (const auto& loss : losses.items()) {
      sentences += loss.file + " @" + std::to_string(loss.offset) + " (" +
                   std::to_string(loss.records) + "): " + loss.what + "\n";
    }
    return sentences;
  }

  trace::Trace trace;
  trace::Losses losses;

 private:
  npuprof::testing::TemporaryDirectory directory_;
};

// A record header; the time in ticks after the begin of the collection.
inline format::host::RecordHeader header(std::int64_t time, std::uint32_t payload_length = 0,
                                         std::uint16_t level = 0, std::uint32_t tid = 7) {
  return {.level = level,
          .type = 0,
          .thread_id = tid,
          .payload_length = payload_length,
          .timestamp = HostDirectory::ticks(time)};
}

}  // namespace npuprof::load::testing
