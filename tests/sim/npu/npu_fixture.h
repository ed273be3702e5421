#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/device/stars_soc.h"
#include "format/host/api_event.h"
#include "format/host/compact_task.h"
#include "format/host/names.h"
#include "record/host_reporter.h"
#include "sim/npu/npu.h"
#include "sim/prof/device_reporter.h"
#include "temporary_directory.h"

namespace npuprof::sim::testing {

// A device that writes its profile into a temporary directory, and the records read back.
class Recording {
 public:
  explicit Recording(NpuOptions options = {}, ClockOptions clock_options = {}) {
    if (options.chip == nullptr) options.chip = *find_chip("910B3");
    clock_options.device_mhz = options.chip->device_counter_mhz;
    clock_ = std::make_unique<SimClock>(clock_options);
    npu_ = std::make_unique<Npu>(std::move(options), *clock_);
    EXPECT_TRUE(make_directories(directory_.path() / "host").ok());
    EXPECT_TRUE(make_directories(directory_.path() / "device").ok());
    host_.emplace(directory_.path() / "host");
    device_.emplace(*DeviceReporter::create({.data_directory = directory_.path() / "device",
                                             .device = npu_->options().device,
                                             .chip = npu_->chip().id()}));
    npu_->attach(*host_, *device_, clock_->begin_ns());
  }

  Npu& npu() { return *npu_; }
  const SimClock& clock() const { return *clock_; }
  std::int64_t begin_ns() const { return clock_->first_event_ns(); }
  const std::filesystem::path& path() const { return directory_.path(); }

  // After a detach.
  void attach_again(std::int64_t time_ns) { npu_->attach(*host_, *device_, time_ns); }

  // Ends the collection; afterwards the records can be read.
  void finish() {
    if (npu_->collecting()) npu_->detach(npu_->streams().latest_free_ns() + 1);
    EXPECT_TRUE(host_->close().ok());
    EXPECT_TRUE(device_->close().ok());
    EXPECT_EQ(device_->late_count(), 0u);
  }

  std::vector<std::string> files(std::string_view side) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path() / side)) {
      const std::string name = entry.path().filename();
      if (!name.ends_with(".done")) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  bool has_file(std::string_view side, std::string_view prefix) const {
    const auto names = files(side);
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return name.starts_with(prefix); });
  }

  // All records of the slices whose names begin with `prefix`, slices in order of their number.
  template <typename Layout>
  std::vector<Layout> read(std::string_view side, std::string_view prefix) const {
    std::vector<Layout> records;
    for (int slice = 0;; ++slice) {
      const auto path =
          directory_.path() / side / (std::string(prefix) + ".slice_" + std::to_string(slice));
      const auto bytes = read_file(path);
      if (!bytes.ok()) return records;
      EXPECT_EQ(bytes->size() % sizeof(Layout), 0u) << path;
      for (std::size_t at = 0; at + sizeof(Layout) <= bytes->size(); at += sizeof(Layout)) {
        records.push_back(
            format::load<Layout>(reinterpret_cast<const std::byte*>(bytes->data()) + at));
      }
    }
  }
  template <typename Layout>
  std::vector<Layout> host(format::host::Age age = format::host::Age::kAging) const {
    return read<Layout>("host", std::string(format::host::age_name(age)) + "." +
                                    std::string(format::host::module_name(Layout::kKind.module)) +
                                    "." + std::string(Layout::kKind.tag));
  }
  std::vector<format::host::ApiEvent> calls(
      format::host::Age age = format::host::Age::kAging) const {
    return read<format::host::ApiEvent>(
        "host", std::string(format::host::age_name(age)) + ".api_event.data");
  }
  template <typename Layout>
  std::vector<Layout> device(std::string_view base) const {
    return read<Layout>("device", std::string(base) + "." + std::to_string(npu_->options().device));
  }
  std::vector<format::device::FftsPlusLog> task_log() const {
    return device<format::device::FftsPlusLog>("stars_soc.data");
  }

 private:
  ::npuprof::testing::TemporaryDirectory directory_;
  std::unique_ptr<SimClock> clock_;
  std::unique_ptr<Npu> npu_;
  std::optional<HostReporter> host_;
  std::optional<DeviceReporter> device_;
};

// The innermost call interval that a record belongs to: begin < time <= end, of the given level.
inline const format::host::ApiEvent* enclosing(const std::vector<format::host::ApiEvent>& calls,
                                               std::uint16_t level, std::uint32_t thread,
                                               std::uint64_t time) {
  const format::host::ApiEvent* best = nullptr;
  for (const auto& call : calls) {
    const bool contains = !call.is_event() && call.level == level && call.thread_id == thread &&
                          call.begin < time && time <= call.end;
    if (contains && (best == nullptr || call.begin > best->begin)) best = &call;
  }
  return best;
}

}  // namespace npuprof::sim::testing
