#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/framework/file_names.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/op_range.h"
#include "format/mindspore/profiler_info.h"
#include "format/mindspore/record_shapes.h"
#include "load/framework/raw_framework.h"
#include "temporary_directory.h"

namespace npuprof::load::testing {

// A `*_ascend_ms` directory whose clock begins at kBeginNs with tick 1000, 100 ticks a microsecond.
class RawMindSpore {
 public:
  static constexpr std::int64_t kBeginNs = 1'700'000'000'001'000'000;

  RawMindSpore() {
    path = directory_ / "machine_77_20251118150000000_ascend_ms";
    put_file("PROF_1/host/info.json", R"({"CPU": [{"Frequency": "100.000000"}], "pid": "77"})");
    put_file("PROF_1/host/host_start.log",
             "[Host]\nclock_monotonic_raw: 5000000000\ncntvct: 1000\n");
    put_file("PROF_1/host/start_info",
             R"({"collectionTimeBegin": "1700000000000000", "clockMonotonicRaw": "4999000000"})");
  }

  void put_file(const std::string& name, std::string_view content) const {
    EXPECT_TRUE(make_directories((path / name).parent_path()).ok());
    EXPECT_TRUE(write_file(path / name, content).ok());
  }
  void put_framework(std::string_view name, std::string_view content) const {
    put_file("FRAMEWORK/" + std::string(name), content);
  }
  void put_info(const format::mindspore::ProfilerInfo& info) const {
    put_file("profiler_info_3.json", to_json(info));
  }

  // Times in microseconds from kBeginNs.
  static format::mindspore::OpRange range(std::uint64_t tid, std::uint64_t start_us,
                                          std::uint64_t end_us, std::string_view module,
                                          std::string_view event, std::string_view full_name) {
    format::mindspore::OpRange record;
    record.fixed.thread_id = tid;
    record.fixed.start = 1000 + start_us * 100;
    record.fixed.end = 1000 + end_us * 100;
    record.fixed.module = *format::mindspore::module_index(module);
    record.fixed.event = *format::mindspore::event_index(event);
    record.name = format::mindspore::brief_name(full_name);
    record.full_name = full_name;
    return record;
  }
  static format::mindspore::MemoryUsage block(std::uint64_t time_us, std::uint64_t address,
                                              std::uint64_t size, std::uint64_t used,
                                              std::string_view owner) {
    format::mindspore::MemoryUsage record;
    record.fixed.thread_id = 79;
    record.fixed.process_id = 77;
    record.fixed.time = static_cast<std::uint64_t>(kBeginNs) + time_us * 1000;
    record.fixed.address = address;
    record.fixed.size = size;
    record.fixed.used = used;
    record.fixed.reserved = 1 << 30;
    record.fixed.stream_pointer = 43520;
    record.owner = owner;
    return record;
  }

  std::filesystem::path path;

 private:
  npuprof::testing::TemporaryDirectory directory_;
};

}  // namespace npuprof::load::testing
