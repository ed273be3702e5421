#pragma once

// What the programs that measure whole commands share: clocks, a place to write to, and how fast
// that place takes bytes.

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace npuprof::bench {

inline constexpr double kBytesPerMb = 1e6;

// Seconds on the wall and of CPU (all threads) since it was made.
class Stopwatch {
 public:
  double wall_s() const { return now_s(CLOCK_MONOTONIC) - wall_begin_s_; }
  double cpu_s() const { return now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_s_; }

 private:
  static double now_s(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  double wall_begin_s_ = now_s(CLOCK_MONOTONIC);
  double cpu_begin_s_ = now_s(CLOCK_PROCESS_CPUTIME_ID);
};

// A directory of its own for each measurement, removed with all in it.
class WorkDirectory {
 public:
  // `name` is the beginning of the directory's name.
  static Result<WorkDirectory> create(const std::filesystem::path& parent, std::string_view name);
  WorkDirectory(WorkDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  ~WorkDirectory();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit WorkDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Bytes of all files in and below `directory`.
std::uint64_t bytes_below(const std::filesystem::path& directory);

// Waits until the file system of `directory` has written what it holds back, so that a measurement
// does not pay for the one before it.
void settle(const std::filesystem::path& directory);

struct WriteTime {
  double wall_s = 0;
  double cpu_s = 0;
};

// How long it takes to write `bytes` from memory to a fresh file below `parent`, through a
// FileWriter into the page cache, without waiting for the disk behind it.
Result<WriteTime> write_time(const std::filesystem::path& parent, std::uint64_t bytes);
WriteTime better(const WriteTime& a, const WriteTime& b);

}  // namespace npuprof::bench
