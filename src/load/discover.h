#pragma once

// Says what a path is: a profile of some kind, or a tree with many of them. Only names are looked
// at here; no file is opened.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace npuprof::load {

enum class ProfileKind : std::uint8_t {
  kPyTorch,          // *_ascend_pt
  kMindSpore,        // *_ascend_ms
  kCann,             // PROF_*
  kJob,              // What a device wrote before there were PROF_* directories (2020): JOB*
  kResultDirectory,  // A directory with result files (timeline, tables, database) and no raw data.
  kResultDatabase,   // One .db file.
  kChromeTrace,      // One .json file (or .json.gz).
};

// `device_<N>` of a PROF_* directory.
struct DeviceDirectory {
  std::uint16_t id = 0;
  std::filesystem::path path;
};

// One collection of CANN data.
struct CannDirectory {
  std::filesystem::path path;            // PROF_*
  std::filesystem::path host;            // PROF_*/host, empty if there is none.
  std::vector<DeviceDirectory> devices;  // By id.
  std::filesystem::path results;  // PROF_*/mindstudio_profiler_output, empty if there is none.
  bool is_job = false;            // Files of all devices lie in the directory itself or in `data`.
};

// What one process (one rank) left behind.
struct Profile {
  ProfileKind kind = ProfileKind::kCann;
  std::filesystem::path path;
  std::filesystem::path framework;  // FRAMEWORK, empty if there is none.
  std::vector<CannDirectory> cann;  // By name. Usually one; each start of the profiler makes one.
  std::filesystem::path profiler_info;      // profiler_info[_<rank>].json, empty if there is none.
  std::filesystem::path profiler_metadata;  // profiler_metadata.json, empty if there is none.
  std::filesystem::path results;            // Directory of result files, empty if there is none.
  std::filesystem::path database;  // The profiler's result database, empty if there is none.
  std::int32_t rank = -1;          // From the name of profiler_info; -1 = not known there.

  bool has_raw_data() const { return !framework.empty() || !cann.empty(); }
  // Whether it is, or is the result of, a collection of CANN's alone, without a framework's.
  bool is_cann_only() const;
};

struct Discovery {
  std::vector<Profile> profiles;     // By rank (unknown last), then by path.
  std::vector<std::string> notices;  // What was left out, one sentence each. All are losses.

  // Keeps those with raw data if there are any, else all: results are for when there is nothing
  // else. Results of other runs than these are left out with a notice.
  void prefer_raw_data();
};

// Finds all profiles at and below `path`, however deep. Links to directories are followed, for some
// levels, each directory once. Fails if the path cannot be read or there is nothing in it.
Result<Discovery> discover(const std::filesystem::path& path);

}  // namespace npuprof::load
