#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/framework/profiler_info.h"
#include "record/event_output.h"
#include "record/registry.h"
#include "record/session_files.h"
#include "record/state_file.h"
#include "record/writer.h"

namespace npuprof::record {

struct SessionOptions {
  std::optional<std::int64_t> rank;
  bool rank_is_from_environment = false;
  Registry::Limits limits;
  std::uint32_t flush_interval_ms = 100;
  bool markers = true;
  Registry::DomainFilter domains;
  HostSystem host_sys;
  std::uint32_t host_sys_hz = 50;
  // What profiler_info is to say about the settings; clock, rank and versions of ours are filled
  // in.
  format::framework::ProfilerInfo info;
};

// Settings of a program that records only its own events.
format::framework::ProfilerInfo default_profiler_info();

// RANK, if it is set to a number.
std::optional<std::int64_t> rank_from_environment();

struct SessionStats {
  std::uint64_t events_written = 0;
  std::uint64_t events_dropped = 0;   // Buffers were full.
  std::uint64_t details_dropped = 0;  // Of events that themselves found room.
  std::uint64_t events_lost = 0;      // Could not be written.
  std::uint64_t bytes_written = 0;
  std::uint64_t threads = 0;
  std::uint64_t events_too_deep = 0;  // Ranges in more than ThreadBuffer::kMaxDepth others.

  bool has_losses() const {
    return events_dropped + details_dropped + events_lost + events_too_deep > 0;
  }
};

// One recording of this process, and its result directory. Functions may be called from any thread,
// one at a time, and return errors instead of throwing. The first problem of a session is printed
// as a warning, later ones are not.
class RecordingSession {
 public:
  // Makes the directory, with FRAMEWORK in it.
  static Result<std::unique_ptr<RecordingSession>> open(const std::filesystem::path& directory,
                                                        SessionOptions options);
  RecordingSession(const RecordingSession&) = delete;
  RecordingSession& operator=(const RecordingSession&) = delete;
  ~RecordingSession();

  const std::filesystem::path& directory() const { return directory_; }

  enum class Outcome : std::uint8_t { kDone, kFailed, kBusy, kWrongState, kForked };
  Outcome start();
  Outcome stop();
  // Stops if need be and completes all files; nothing can be recorded any more.
  Outcome finalize();

  SessionStats stats() const { return stats_; }

  // Metadata of the user; replaces an earlier value of the key.
  Status add_metadata(std::string_view key, std::string_view text);
  Status add_metadata_json(std::string_view key, std::string_view json);
  SessionFiles& files() { return files_; }

  // For tests: the writer stops reading.
  void pause_writer(bool paused);
  // For tests: the time of a tick, as it is written, while or after recording.
  std::int64_t to_ns(std::uint64_t ticks) const { return output_->to_ns(ticks); }

 private:
  enum class State : std::uint8_t { kOpen, kRecording, kStopped, kFinalized };

  RecordingSession(std::filesystem::path directory, SessionOptions options);
  bool is_of_parent() const;
  Outcome start_locked();
  void stop_locked();
  Outcome finalize_locked();
  void flushed(const Status& status);
  void warn(std::string_view text);
  SessionStats stats_so_far() const;
  format::framework::ProfilerInfo::Recorder recorder_info(const SessionStats& stats,
                                                          bool is_complete) const;

  std::filesystem::path directory_;
  SessionOptions options_;
  std::int64_t pid_;
  State state_ = State::kOpen;
  SessionFiles files_;
  StateFile state_file_;
  std::unique_ptr<EventOutput> output_;
  std::unique_ptr<Writer> writer_;
  SessionStats stats_;
  SessionStats earlier_;  // Of recordings before the current one.
  std::atomic<bool> has_warned_{false};

  friend class SessionControl;
};

}  // namespace npuprof::record
