#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/host_reporter.h"
#include "record/host_sampler.h"

namespace npuprof::record {

// How the clocks stood to each other when the recording began.
struct ClockStart {
  std::int64_t monotonic_ns = 0;    // CLOCK_MONOTONIC_RAW.
  std::int64_t wall_offset_ns = 0;  // Wall clock minus that.

  std::int64_t wall_ns() const { return monotonic_ns + wall_offset_ns; }
};

// The host half of a PROF_* directory, for what has no place among the framework's files: markers
// with domains, and samples of the machine. No device is involved. Stamps are nanoseconds of
// CLOCK_MONOTONIC_RAW.
class HostDirectory {
 public:
  struct Options {
    std::filesystem::path parent;
    std::uint32_t pid = 0;
    std::int64_t rank = -1;
    bool markers = true;
    HostSystem host_sys;
    std::uint32_t host_sys_hz = 50;
    ClockStart clock;
  };

  static Result<std::unique_ptr<HostDirectory>> create(const Options& options);

  struct Marker {
    std::int64_t start_ns;
    std::int64_t end_ns;  // Equal to start_ns for a mark.
    bool is_range;
    std::uint32_t thread_id;
    std::string_view domain;
    std::string_view message;
  };
  void put(const Marker& marker);
  // After flush() or finish(): those that a reader finds.
  std::uint64_t written_markers() const { return written_markers_; }

  // Takes a sample of the machine if one is due.
  void sample(std::int64_t monotonic_ns);

  Status flush();
  // Writes end_info.
  Status finish(const ClockStart& end);

 private:
  explicit HostDirectory(const Options& options, std::filesystem::path path);
  Status write_control_files() const;
  Status settle(Status flushed);

  Options options_;
  std::filesystem::path path_;
  HostReporter reporter_;
  std::optional<HostSampler> sampler_;
  std::uint64_t marker_count_ = 0;
  std::uint64_t written_markers_ = 0;
  bool has_failed_ = false;
};

}  // namespace npuprof::record
