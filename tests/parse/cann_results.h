#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "link/link.h"
#include "load/cann_host/host_directory.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "report/sqlite/sqlite_query.h"

namespace npuprof::testing {

// A PROF_* directory with one device, written file by file, and the results of parsing it.
class CannResults : public ::testing::Test {
 protected:
  // The device's counter runs at 50 MHz and showed this when the collection began.
  static constexpr std::uint64_t kFirstSyscnt = 1000000;

  explicit CannResults(std::int64_t chip = 15) {
    host_.info.platform_version = chip;
    device_info_.platform_version = chip;
    device_info_.driver_version = 0x072211;
    device_info_.device_info.resize(1);
    device_info_.device_info[0].ai_core_num = 24;
    device_info_.device_info[0].aiv_num = 48;
    device_info_.device_info[0].hwts_frequency_mhz = 50;
    device_info_.device_info[0].aic_frequency_mhz = 1000;
    device_sample_.ai_core_profiling_mode = "task-based";
  }

  template <format::Record T>
  void write_device(const std::string& base, const std::vector<T>& records) {
    std::string content;
    for (const T& record : records) content += as_text(format::bytes_of(record));
    append_device(base, content);
  }
  void append_device(const std::string& base, const std::string& content) {
    std::string& file = device_files_[base];
    file += content;
  }

  // Parses everything that was written.
  void parse() {
    host_.write_controls();
    host_.append("unaging.additional.hash_dic.slice_0", "");
    host_.append("unaging.additional.type_info_dic.slice_0", "");
    namespace control = format::host;
    host_.write("device_0/info.json.0", control::make_info_json(device_info_));
    host_.write("device_0/sample.json", control::make_sample_json(device_sample_));
    host_.write("device_0/start_info.0", control::make_collection_time(host_.start));
    control::ClockLog log = host_.log;
    host_.write("device_0/host_start.log.0", control::make_clock_log(log));
    log.counter = kFirstSyscnt;
    host_.write("device_0/dev_start.log.0", control::make_clock_log(log));
    append_device("stars_soc.data", "");
    for (const auto& [base, content] : device_files_) {
      host_.write("device_0/data/" + control::make_device_file_name(base, 0, 0), content);
    }
    ThreadPool pool(2);
    trace::Losses losses;
    const auto found = load::discover(host_.path());
    ASSERT_TRUE(found.ok());
    trace::Trace trace = load::load_profile(found->profiles.at(0), pool, losses).value();
    for (const auto& loss : losses.items()) losses_.push_back(loss.what);
    link::link_all(trace, &pool);
    report::ExportOptions options;
    options.database = true;
    options.output = output();
    options.time_stamp = "1";
    ASSERT_TRUE(report::export_cann(trace, options, pool).ok());
  }

  std::filesystem::path output() const { return host_.path() / "mindstudio_profiler_output"; }

  std::vector<std::string> csv(const std::string& stem) const {
    std::vector<std::string> lines;
    const auto text = read_file(output() / (stem + "_1.csv"));
    if (!text.ok()) return lines;
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
  }

  std::vector<std::string> rows(const std::string& sql) const {
    return query(host_.path() / "msprof_1.db", sql);
  }

  load::testing::HostDirectory host_;
  format::host::InfoJson device_info_;
  format::host::SampleJson device_sample_;
  std::map<std::string, std::string> device_files_;
  std::vector<std::string> losses_;
};

}  // namespace npuprof::testing
