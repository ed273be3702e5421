#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "format/host/control.h"
#include "format/host/names.h"
#include "format/record.h"
#include "load/cann_device/cann_device.h"
#include "temporary_directory.h"

namespace npuprof::load::testing {

// A record, as a file has it.
std::string bytes(const auto& record) { return std::string(as_text(format::bytes_of(record))); }

// A `device_<N>` directory written by hand. Its counter runs at 50 MHz and showed 1000000 when the
// host's monotonic clock was at 7 s; wall time is monotonic time + 100 s.
class RawDevice {
 public:
  static constexpr std::uint64_t kFirstSyscnt = 1000000;
  static constexpr std::int64_t kStartNs = 107'000'000'000;  // Wall time of kFirstSyscnt.

  explicit RawDevice(std::int64_t chip = 5) {
    info.platform_version = chip;
    info.driver_version = 0x072211;
    info.device_info.resize(1);
    info.device_info[0].ai_core_num = 24;
    info.device_info[0].aiv_num = 48;
    info.device_info[0].hwts_frequency_mhz = 50;
    info.device_info[0].aic_frequency_mhz = 1650;
    sample.ai_core_profiling = "on";
    sample.ai_core_profiling_mode = "task-based";
    sample.ai_core_metrics = "PipeUtilizationExct";
    sample.ai_core_profiling_events = "0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55";
    sample.aiv_profiling = "on";
    sample.aiv_profiling_mode = "task-based";
    sample.aiv_metrics = "PipeUtilization";
    sample.aiv_profiling_events = "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55";
    start.begin_us = 105'000'000;
    start.monotonic_raw_ns = 5'000'000'000;
    host_log.section = "Device3";
    host_log.monotonic_raw_ns = 7'000'000'000;
    host_log.counter = 500;
    host_log.counter_diff = 0;
    device_log.monotonic_raw_ns = 900'000'000;
    device_log.counter = kFirstSyscnt;
    EXPECT_TRUE(make_directories(data()).ok());
  }

  // Wall time of a counter value.
  static std::int64_t at(std::uint64_t syscnt) {
    return kStartNs +
           (static_cast<std::int64_t>(syscnt) - static_cast<std::int64_t>(kFirstSyscnt)) * 20;
  }

  std::filesystem::path path() const { return directory_ / "device_3"; }
  std::filesystem::path host() const { return directory_ / "host"; }
  std::filesystem::path data() const { return path() / "data"; }

  void write_slice(std::string_view base, std::uint32_t slice, std::string_view content) const {
    ASSERT_TRUE(
        write_file(data() / format::host::make_device_file_name(base, kDevice, slice), content)
            .ok());
  }
  void write_text(std::string_view base, std::string_view content) const {
    write_slice(base, 0, content);
  }
  template <format::Record T>
  void write_records(std::string_view base, const std::vector<T>& records) const {
    std::string content;
    for (const T& record : records) content += as_text(format::bytes_of(record));
    write_slice(base, 0, content);
  }

  // A file of `host/data`.
  void write_host_file(std::string_view name, std::string_view content) const {
    ASSERT_TRUE(make_directories(host() / "data").ok());
    ASSERT_TRUE(write_file(host() / "data" / name, content).ok());
  }

  // Writes the control files and loads everything.
  trace::Trace load() {
    write_control();
    trace::Trace trace;
    CannDirectory collection;
    if (std::filesystem::exists(host())) collection.host = host();
    collection.devices.push_back({kDevice, path()});
    losses = {};
    load_cann_devices({&collection, 1}, trace, losses);
    return trace;
  }

  void write_control() const {
    namespace host = format::host;
    const auto write = [&](std::string_view name, const std::string& text) {
      ASSERT_TRUE(write_file(path() / name, text).ok());
    };
    write("info.json.3", host::make_info_json(info));
    write("sample.json", host::make_sample_json(sample));
    write("start_info.3", host::make_collection_time(start));
    write("host_start.log.3", host::make_clock_log(host_log));
    write("dev_start.log.3", host::make_clock_log(device_log));
  }

  static constexpr std::uint16_t kDevice = 3;

  format::host::InfoJson info;
  format::host::SampleJson sample;
  format::host::CollectionTime start;
  format::host::ClockLog host_log;
  format::host::ClockLog device_log;
  trace::Losses losses;  // Of the last load().

 private:
  npuprof::testing::TemporaryDirectory directory_;
};

inline std::string describe(const trace::Losses& losses) {
  std::string text;
  for (const trace::Loss& loss : losses.items()) {
    text += fmt::format("{} at {}: {} ({})\n", loss.file, loss.offset, loss.what, loss.records);
  }
  return text;
}

}  // namespace npuprof::load::testing
