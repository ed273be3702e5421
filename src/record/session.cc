#include "record/session.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "format/framework/file_names.h"
#include "record/signal_block.h"

namespace npuprof::record {

using format::framework::ProfilerInfo;

// All sessions of the process, and which of them records. Never destroyed.
class SessionControl {
 public:
  static SessionControl& instance() {
    static SessionControl& control = *new SessionControl();
    return control;
  }

  std::mutex mutex;
  std::vector<RecordingSession*> open;
  RecordingSession* recording = nullptr;

 private:
  SessionControl() {
    Registry::instance();  // Its handlers come first: they are to run inside of these.
    ::pthread_atfork([] { instance().before_fork(); }, [] { instance().after_fork(); },
                     [] { instance().enter_child(); });
    std::atexit([] { instance().finalize_all(); });
  }

  void before_fork() {
    mutex.lock();
    for (RecordingSession* const session : open) session->state_file_.before_fork();
  }

  void after_fork() {
    for (RecordingSession* const session : open) session->state_file_.after_fork();
    mutex.unlock();
  }

  // The sessions stay where they are: their files belong to the parent.
  void enter_child() {
    for (RecordingSession* const session : open) {
      session->state_file_.after_fork();
      session->state_file_.close();
    }
    open.clear();
    recording = nullptr;
    mutex.unlock();
  }

  // The program exits without having finalized them. They are still its own to free.
  void finalize_all() {
    const std::lock_guard lock(mutex);
    while (!open.empty()) {
      completed_.push_back(open.back());
      open.pop_back();
      (void)completed_.back()->finalize_locked();
    }
  }

  std::vector<RecordingSession*> completed_;
};

// Made when the library is loaded, as the registry is.
[[maybe_unused]] const SessionControl& control_made_early = SessionControl::instance();

namespace {

ClockStart read_clocks(const TickPair& now) {
  return {.monotonic_ns = now.monotonic_ns, .wall_offset_ns = read_wall_offset_ns()};
}

SessionStats sum_of(const SessionStats& a, const SessionStats& b) {
  return {.events_written = a.events_written + b.events_written,
          .events_dropped = a.events_dropped + b.events_dropped,
          .details_dropped = a.details_dropped + b.details_dropped,
          .events_lost = a.events_lost + b.events_lost,
          .bytes_written = a.bytes_written + b.bytes_written,
          .threads = a.threads + b.threads,
          .events_too_deep = a.events_too_deep + b.events_too_deep};
}

std::string reason_of(const Error& error) {
  return (error.code == ErrorCode::kNoSpace ? "full disk: " : "") + error.message;
}

std::string losses_text(const SessionStats& stats) {
  static_assert(ThreadBuffer::kMaxDepth == ProfilerInfo::Recorder::kDeepestRange);
  std::string text;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    fmt::format_to(std::back_inserter(text), "{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(stats.events_dropped, "events were dropped because buffers were full");
  add(stats.details_dropped, "details of other events were dropped for the same reason");
  add(stats.events_too_deep,
      fmt::format("ranges nested deeper than {} were left out", ThreadBuffer::kMaxDepth));
  add(stats.events_lost, "events could not be written");
  return text;
}

ProfilerInfo complete_info(const SessionOptions& options) {
  ProfilerInfo info = options.info;
  info.rank_id = options.rank;
  info.rank_id_is_text = options.rank_is_from_environment;
  info.experimental.mstx = options.markers;
  info.experimental.mstx_domain_include = options.domains.include;
  info.experimental.mstx_domain_exclude = options.domains.exclude;
  info.experimental.host_sys = options.host_sys.names();
  return info;
}

}  // namespace

ProfilerInfo default_profiler_info() {
  ProfilerInfo info;
  info.common.activities = {"ProfilerActivity.CPU"};
  info.experimental.profiler_level = "Level_none";
  return info;
}

std::optional<std::int64_t> rank_from_environment() {
  const char* const text = std::getenv("RANK");
  return text != nullptr ? parse_number<std::int64_t>(text) : std::nullopt;
}

RecordingSession::RecordingSession(std::filesystem::path directory, SessionOptions options)
    : directory_(std::move(directory)),
      options_(std::move(options)),
      pid_(::getpid()),
      files_(directory_, complete_info(options_)),
      state_file_(directory_) {
  EventOutput::Options output{.directory = directory_, .pid = static_cast<std::uint32_t>(pid_)};
  output.host.rank = options_.rank.value_or(-1);
  output.host.markers = options_.markers;
  output.host.host_sys = options_.host_sys;
  output.host.host_sys_hz = options_.host_sys_hz;
  output_ = std::make_unique<EventOutput>(output);
}

RecordingSession::~RecordingSession() {
  if (is_of_parent()) {
    // Closing would write what the parent has buffered a second time.
    (void)writer_.release();
    (void)output_.release();
    return;
  }
  (void)finalize();
}

Result<std::unique_ptr<RecordingSession>> RecordingSession::open(
    const std::filesystem::path& directory, SessionOptions options) {
  try {
    const std::filesystem::path absolute = std::filesystem::absolute(directory);
    NPUPROF_RETURN_IF_ERROR(make_directories(absolute / format::framework::kDirectoryName));
    if (::access(absolute.c_str(), W_OK) != 0) {
      return Error::from_errno("cannot write to", absolute.native(), errno);
    }
    std::unique_ptr<RecordingSession> session(new RecordingSession(absolute, std::move(options)));
    SessionControl& control = SessionControl::instance();
    const std::lock_guard lock(control.mutex);
    control.open.push_back(session.get());
    return session;
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kInternal, std::string("cannot open a session: ") + exception.what()};
  }
}

bool RecordingSession::is_of_parent() const { return pid_ != ::getpid(); }

void RecordingSession::warn(std::string_view text) {
  if (!has_warned_.exchange(true)) {
    log::warning("recording into {}: {}", directory_.native(), text);
  }
}

// Called by the writer's thread.
void RecordingSession::flushed(const Status& status) {
  Status written = ok_status();
  if (status.ok()) written = files_.write();
  const Status& problem = status.ok() ? written : status;
  if (!problem.ok()) {
    output_->fail(problem.error());
    warn(reason_of(problem.error()) + "; events are lost from here on");
  }
  state_file_.write(recorder_info(stats_so_far(), false));
}

RecordingSession::Outcome RecordingSession::start() {
  if (is_of_parent()) return Outcome::kForked;
  const std::lock_guard lock(SessionControl::instance().mutex);
  try {
    return start_locked();
  } catch (const std::exception& exception) {
    warn(exception.what());
    return Outcome::kFailed;
  }
}

RecordingSession::Outcome RecordingSession::start_locked() {
  SessionControl& control = SessionControl::instance();
  if (state_ == State::kRecording || state_ == State::kFinalized) return Outcome::kWrongState;
  if (control.recording != nullptr) {
    warn("another session is recording; stop it first");
    return Outcome::kBusy;
  }
  Registry& registry = Registry::instance();
  const TickPair now = read_tick_pair();
  const ClockStart clock = read_clocks(now);
  if (state_ == State::kOpen) {
    files_.set_start(clock);
    files_.set_recorder(recorder_info({}, false));
  }
  output_->begin(now, clock);
  Registry::DomainFilter domains = options_.domains;
  domains.any = options_.markers;
  registry.set_domain_filter(std::move(domains));
  earlier_ = stats_;
  writer_ = std::make_unique<Writer>(
      *output_, Writer::Options{.flush_interval = std::chrono::milliseconds(
                                    std::max<std::uint32_t>(options_.flush_interval_ms, 1)),
                                .on_flush = [this](const Status& status) { flushed(status); }});
  const Status started = writer_->start(registry.begin_recording(options_.limits));
  if (!started.ok()) {
    registry.end_recording();
    writer_.reset();
    warn(started.error().message);
    return Outcome::kFailed;
  }
  control.recording = this;
  state_ = State::kRecording;
  return Outcome::kDone;
}

RecordingSession::Outcome RecordingSession::stop() {
  if (is_of_parent()) return Outcome::kForked;
  const std::lock_guard lock(SessionControl::instance().mutex);
  if (state_ != State::kRecording) return Outcome::kWrongState;
  stop_locked();
  return Outcome::kDone;
}

void RecordingSession::stop_locked() {
  Registry::instance().end_recording();
  writer_->stop(now_ticks());
  stats_ = stats_so_far();
  writer_.reset();
  SessionControl::instance().recording = nullptr;
  state_ = State::kStopped;
  if (stats_.has_losses()) warn(losses_text(stats_));
}

// By the writer's thread, or when it has stopped.
SessionStats RecordingSession::stats_so_far() const {
  const Writer::Dropped dropped = writer_->dropped();
  SessionStats stats = sum_of(earlier_, {.events_dropped = dropped.events,
                                         .details_dropped = dropped.details,
                                         .threads = writer_->thread_count(),
                                         .events_too_deep = dropped.too_deep});
  stats.events_written = output_->events_written();
  stats.events_lost = output_->events_lost();
  stats.bytes_written = output_->bytes();
  return stats;
}

ProfilerInfo::Recorder RecordingSession::recorder_info(const SessionStats& stats,
                                                       bool is_complete) const {
  const std::optional<Error>& failure = output_->failure();
  return {.complete = is_complete,
          .process = pid_,
          .clock = has_steady_counter ? "counter" : "CLOCK_MONOTONIC_RAW",
          .events = static_cast<std::int64_t>(stats.events_written),
          .dropped_events = static_cast<std::int64_t>(stats.events_dropped),
          .dropped_details = static_cast<std::int64_t>(stats.details_dropped),
          .too_deep_events = static_cast<std::int64_t>(stats.events_too_deep),
          .lost_events = static_cast<std::int64_t>(stats.events_lost),
          .threads = static_cast<std::int64_t>(stats.threads),
          .failure = failure ? reason_of(*failure) : "",
          .extra = {}};
}

RecordingSession::Outcome RecordingSession::finalize() {
  if (is_of_parent()) return Outcome::kForked;
  SessionControl& control = SessionControl::instance();
  const std::lock_guard lock(control.mutex);
  if (state_ == State::kFinalized) return Outcome::kWrongState;
  std::erase(control.open, this);
  return finalize_locked();
}

RecordingSession::Outcome RecordingSession::finalize_locked() {
  const SignalBlock block;
  try {
    if (state_ == State::kRecording) stop_locked();
    state_ = State::kFinalized;
    const ClockStart end = read_clocks(read_tick_pair());
    const Status closed = output_->close(end);
    stats_.events_written = output_->events_written();
    stats_.events_lost = output_->events_lost();
    files_.set_end(end);
    files_.set_recorder(recorder_info(stats_, true));
    const Status written = files_.write();
    if (written.ok()) {
      state_file_.remove();
    } else {
      state_file_.write(recorder_info(stats_, true));
    }
    const Status& problem = closed.ok() ? written : closed;
    if (problem.ok()) return Outcome::kDone;
    warn(reason_of(problem.error()));
  } catch (const std::exception& exception) {
    warn(exception.what());
  }
  return Outcome::kFailed;
}

Status RecordingSession::add_metadata(std::string_view key, std::string_view text) {
  Status added = files_.add_metadata(key, text);
  if (!added.ok()) warn(added.error().message);
  return added;
}

Status RecordingSession::add_metadata_json(std::string_view key, std::string_view json) {
  Status added = files_.add_metadata_json(key, json);
  if (!added.ok()) warn(added.error().message);
  return added;
}

void RecordingSession::pause_writer(bool paused) {
  if (writer_ != nullptr) writer_->set_paused(paused);
}

}  // namespace npuprof::record
