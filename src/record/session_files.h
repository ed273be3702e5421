#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "base/result.h"
#include "format/framework/profiler_info.h"
#include "format/framework/profiler_metadata.h"
#include "record/host_directory.h"

namespace npuprof::record {

// The two JSON files of a result directory. They are written when recording begins, again when
// something of them has changed, and at the end: a process that dies leaves valid ones. Several
// threads may use it.
class SessionFiles {
 public:
  SessionFiles(std::filesystem::path directory, format::framework::ProfilerInfo info);

  void set_start(const ClockStart& clock);
  void set_end(const ClockStart& clock);
  std::int64_t start_monotonic_ns() const;
  // The settings and versions of `info`; clock and rank stay as they are.
  void set_settings(format::framework::ProfilerInfo info);
  void set_recorder(format::framework::ProfilerInfo::Recorder recorder);

  // Keys and values of at most 4096 bytes, in all about 50 KiB.
  Status add_metadata(std::string_view key, std::string_view text);
  Status add_metadata_json(std::string_view key, std::string_view json);

  // Writes what has changed since.
  Status write();

 private:
  Status add_value(std::string_view key, std::string json, std::size_t value_bytes);

  std::filesystem::path directory_;
  mutable std::mutex mutex_;
  format::framework::ProfilerInfo info_;
  format::framework::ProfilerMetadata metadata_;
  std::size_t metadata_bytes_ = 0;
  bool info_changed_ = true;
  bool metadata_changed_ = true;
};

}  // namespace npuprof::record
