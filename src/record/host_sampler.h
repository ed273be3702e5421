#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/slice_writer.h"

namespace npuprof::record {

// What the host sampler watches (`host_sys`).
struct HostSystem {
  bool cpu = false;
  bool memory = false;
  bool disk = false;
  bool network = false;

  bool any() const { return cpu || memory || disk || network; }
  // "cpu", "mem", "disk", "network" as far as chosen.
  std::vector<std::string> names() const;
  std::string text() const;  // The same, joined with ','.
};

struct HostSamplerOptions {
  HostSystem watch;
  std::uint32_t frequency_hz = 50;
  std::uint32_t pid = 0;
  std::filesystem::path proc = "/proc";
};

// Samples the use of CPU, memory, disk and network from /proc into the text files of `host/data`.
// It has no thread and no clock of its own: whoever drives it calls sample() with the time, a
// real-time thread as well as a simulation whose time is virtual. What cannot be read is left out.
class HostSampler {
 public:
  HostSampler(const std::filesystem::path& data_directory, HostSamplerOptions options);

  // Takes a sample if one is due at `now_ns` (CLOCK_MONOTONIC_RAW, not going back). After a longer
  // pause it takes one, not one for each missed period.
  void sample(std::uint64_t now_ns);

  // Hands what is buffered to the operating system. The first failure so far.
  Status flush();
  Status close();

 private:
  // What the disk columns are differences of.
  struct DiskCounters {
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t delay_jiffies = 0;  // Spent waiting for block I/O.
  };

  std::filesystem::path process_path() const {
    return options_.proc / std::to_string(options_.pid);
  }
  void sample_cpu(std::uint64_t now_ns);
  void sample_memory(std::uint64_t now_ns);
  void sample_disk(std::uint64_t now_ns);
  void sample_network(std::uint64_t now_ns);
  DiskCounters read_disk_counters() const;

  HostSamplerOptions options_;
  std::uint64_t period_ns_;
  std::uint64_t next_due_ns_ = 0;
  SliceWriter cpu_;
  SliceWriter memory_;
  SliceWriter disk_;
  SliceWriter network_;
  std::string text_;
  std::vector<std::string> stat_lines_;

  std::string command_;
  std::optional<std::uint64_t> disk_start_ns_;
  std::uint64_t disk_time_ns_ = 0;  // Up to here lines are written.
  DiskCounters disk_counters_;
};

}  // namespace npuprof::record
