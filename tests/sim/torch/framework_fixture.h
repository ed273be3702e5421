#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "format/framework/file_names.h"
#include "format/framework/tlv.h"
#include "sim/torch/framework_writer.h"
#include "temporary_directory.h"

namespace npuprof::sim::testing {

inline constexpr std::uint64_t kProcess = 77;
inline constexpr std::uint64_t kMainThread = 78;
inline constexpr std::uint64_t kQueueThread = 79;

// Everything on.
inline FrameworkOptions all_options() {
  return {.record_shapes = true,
          .profile_memory = true,
          .with_stack = true,
          .with_flops = false,
          .with_modules = true,
          .gc_detect_threshold_ms = 1.0,
          .task_queue = true,
          .process_id = kProcess};
}

// A writer into a fresh directory, and what a reader finds there afterwards.
class FrameworkFixture : public ::testing::Test {
 protected:
  FrameworkWriter& open(const FrameworkOptions& options = all_options()) {
    auto created = FrameworkWriter::create(directory_.path(), options, clock_);
    EXPECT_TRUE(created.ok());
    writer_ = std::make_unique<FrameworkWriter>(std::move(*created));
    return *writer_;
  }

  std::filesystem::path file(std::string_view name) const {
    return directory_.path() / format::framework::kDirectoryName / name;
  }

  // Closes the writer and hands out the records of one file, which stays mapped until the test
  // ends. A file that is not there has no records.
  template <format::framework::TlvRecord T>
  std::vector<T> records(std::string_view name) {
    std::vector<T> found;
    const auto report = format::framework::for_each_tlv_record<T>(
        bytes(name), [&](const T& record) { found.push_back(record); });
    EXPECT_TRUE(report.whole());
    return found;
  }

  template <format::Record T>
  std::vector<T> bare_records(std::string_view name) {
    std::vector<T> found;
    const Bytes slices[] = {bytes(name)};
    EXPECT_EQ(format::for_each_record<T>(slices, format::Leftover::kAtEnd,
                                         [&](const T& record) { found.push_back(record); }),
              0u);
    return found;
  }

  std::uint64_t ticks(std::int64_t time_ns) const { return clock_.host_ticks(time_ns); }

  npuprof::testing::TemporaryDirectory directory_;
  SimClock clock_{ClockOptions{}};
  std::unique_ptr<FrameworkWriter> writer_;

 private:
  Bytes bytes(std::string_view name) {
    EXPECT_TRUE(writer_->close().ok());
    if (!std::filesystem::exists(file(name))) return {};
    auto mapped = MappedFile::open(file(name));
    EXPECT_TRUE(mapped.ok());
    mapped_.push_back(std::make_unique<MappedFile>(std::move(*mapped)));
    return mapped_.back()->bytes();
  }

  std::vector<std::unique_ptr<MappedFile>> mapped_;
};

}  // namespace npuprof::sim::testing
