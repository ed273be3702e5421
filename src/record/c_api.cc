#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include <unistd.h>

#include "base/log.h"
#include "npuprof/record.h"
#include "record/collection_files.h"
#include "record/registry.h"
#include "record/session.h"

using npuprof::record::active_buffer;
using npuprof::record::RecordingSession;
using npuprof::record::Registry;
using npuprof::record::SessionOptions;
using npuprof::record::SessionStats;
using npuprof::record::ThreadBuffer;

namespace {

RecordingSession* unwrap(npuprof_session* session) {
  return reinterpret_cast<RecordingSession*>(session);
}

int code_of(RecordingSession::Outcome outcome, const SessionStats& stats) {
  switch (outcome) {
    case RecordingSession::Outcome::kDone:
      return stats.has_losses() ? NPUPROF_LOSSES : NPUPROF_OK;
    case RecordingSession::Outcome::kFailed:
      return NPUPROF_FAILED;
    case RecordingSession::Outcome::kBusy:
      return NPUPROF_BUSY;
    case RecordingSession::Outcome::kWrongState:
      return NPUPROF_WRONG_STATE;
    case RecordingSession::Outcome::kForked:
      return NPUPROF_FORKED;
  }
  return NPUPROF_FAILED;
}

void put_stats(const SessionStats& from, npuprof_stats* to) {
  if (to == nullptr) return;
  *to = {.events_written = from.events_written,
         .events_dropped = from.events_dropped,
         .details_dropped = from.details_dropped,
         .events_lost = from.events_lost,
         .bytes_written = from.bytes_written,
         .threads = from.threads,
         .events_too_deep = from.events_too_deep};
}

std::vector<std::string> list_of(const char* const* texts, std::size_t count) {
  std::vector<std::string> list;
  for (std::size_t i = 0; texts != nullptr && i < count; ++i) {
    if (texts[i] != nullptr) list.emplace_back(texts[i]);
  }
  return list;
}

// The caller's struct may be shorter or longer than ours.
npuprof_options complete(const npuprof_options* given) {
  npuprof_options options;
  npuprof_options_init(&options);
  if (given == nullptr || given->size == 0) return options;
  std::memcpy(&options, given, std::min(given->size, sizeof(options)));
  options.size = sizeof(options);
  return options;
}

SessionOptions session_options(const npuprof_options* given) {
  const npuprof_options options = complete(given);
  SessionOptions result;
  result.info = npuprof::record::default_profiler_info();
  if (options.rank >= 0) {
    result.rank = options.rank;
  } else {
    result.rank = npuprof::record::rank_from_environment();
    result.rank_is_from_environment = result.rank.has_value();
  }
  result.limits = {.buffer_bytes = options.buffer_bytes,
                   .memory_bytes = options.memory_limit_bytes};
  result.flush_interval_ms = options.flush_interval_ms;
  result.markers = options.markers != 0;
  result.domains.include = list_of(options.domain_include, options.domain_include_count);
  result.domains.exclude = list_of(options.domain_exclude, options.domain_exclude_count);
  result.host_sys = {.cpu = (options.host_sys & NPUPROF_HOST_CPU) != 0,
                     .memory = (options.host_sys & NPUPROF_HOST_MEMORY) != 0,
                     .disk = (options.host_sys & NPUPROF_HOST_DISK) != 0,
                     .network = (options.host_sys & NPUPROF_HOST_NETWORK) != 0};
  result.host_sys_hz = options.host_sys_hz;
  return result;
}

npuprof_session* open_session(const std::filesystem::path& directory,
                              const npuprof_options* options) {
  auto session = RecordingSession::open(directory, session_options(options));
  if (!session.ok()) {
    npuprof::log::warning("nothing is recorded: {}", session.error().message);
    return nullptr;
  }
  return reinterpret_cast<npuprof_session*>(std::move(session).value().release());
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

// Runs `action`; an exception (memory ran out) becomes `otherwise`.
template <typename Action, typename Value>
Value guarded(Action&& action, Value otherwise) noexcept {
  try {
    return action();
  } catch (...) {
    return otherwise;
  }
}

// A domain and a message that are to be recorded; null if not.
ThreadBuffer* marker_buffer(npuprof_domain domain, const char* message) {
  if (message == nullptr || !Registry::instance().is_domain_recorded(domain)) return nullptr;
  return npuprof::record::is_marker_text(message) ? active_buffer() : nullptr;
}

}  // namespace

extern "C" {

void npuprof_options_init(npuprof_options* options) {
  if (options == nullptr) return;
  const Registry::Limits limits;
  *options = npuprof_options{};
  options->size = sizeof(npuprof_options);
  options->rank = NPUPROF_RANK_FROM_ENVIRONMENT;
  options->buffer_bytes = limits.buffer_bytes;
  options->memory_limit_bytes = limits.memory_bytes;
  options->flush_interval_ms = 100;
  options->host_sys_hz = 50;
  options->markers = 1;
}

npuprof_session* npuprof_session_open(const char* parent, const char* worker,
                                      const npuprof_options* options) {
  return guarded(
      [&] {
        const auto wall_us = npuprof::record::clock_ns(CLOCK_REALTIME) / 1000;
        const std::string name =
            npuprof::record::ascend_pt_name(worker != nullptr ? std::string(worker) : host_name(),
                                            static_cast<std::uint64_t>(::getpid()), wall_us);
        const std::filesystem::path base = parent != nullptr ? parent : ".";
        return open_session(base / name, options);
      },
      static_cast<npuprof_session*>(nullptr));
}

npuprof_session* npuprof_session_open_directory(const char* directory,
                                                const npuprof_options* options) {
  if (directory == nullptr) return nullptr;
  return guarded([&] { return open_session(directory, options); },
                 static_cast<npuprof_session*>(nullptr));
}

const char* npuprof_session_directory(const npuprof_session* session) {
  if (session == nullptr) return "";
  return reinterpret_cast<const RecordingSession*>(session)->directory().c_str();
}

int npuprof_session_start(npuprof_session* session) {
  if (session == nullptr) return NPUPROF_WRONG_STATE;
  return guarded([&] { return code_of(unwrap(session)->start(), {}); }, int{NPUPROF_FAILED});
}

int npuprof_session_stop(npuprof_session* session, npuprof_stats* stats) {
  put_stats({}, stats);
  if (session == nullptr) return NPUPROF_WRONG_STATE;
  return guarded(
      [&] {
        const RecordingSession::Outcome outcome = unwrap(session)->stop();
        put_stats(unwrap(session)->stats(), stats);
        return code_of(outcome, unwrap(session)->stats());
      },
      int{NPUPROF_FAILED});
}

int npuprof_session_finalize(npuprof_session* session, npuprof_stats* stats) {
  put_stats({}, stats);
  if (session == nullptr) return NPUPROF_WRONG_STATE;
  return guarded(
      [&] {
        const std::unique_ptr<RecordingSession> owned(unwrap(session));
        const RecordingSession::Outcome outcome = owned->finalize();
        put_stats(owned->stats(), stats);
        return code_of(outcome, owned->stats());
      },
      int{NPUPROF_FAILED});
}

int64_t npuprof_timestamp_ns(void) { return npuprof::record::clock_ns(CLOCK_MONOTONIC_RAW); }

int64_t npuprof_session_start_ns(npuprof_session* session) {
  return session != nullptr ? unwrap(session)->files().start_monotonic_ns() : 0;
}

int npuprof_session_metadata(npuprof_session* session, const char* key, const char* text) {
  if (session == nullptr || key == nullptr || text == nullptr) return NPUPROF_WRONG_STATE;
  return guarded(
      [&] { return unwrap(session)->add_metadata(key, text).ok() ? NPUPROF_OK : NPUPROF_FAILED; },
      NPUPROF_FAILED);
}

int npuprof_session_metadata_json(npuprof_session* session, const char* key, const char* json) {
  if (session == nullptr || key == nullptr || json == nullptr) return NPUPROF_WRONG_STATE;
  return guarded(
      [&] {
        return unwrap(session)->add_metadata_json(key, json).ok() ? NPUPROF_OK : NPUPROF_FAILED;
      },
      NPUPROF_FAILED);
}

int npuprof_session_info_json(npuprof_session* session, const char* json) {
  if (session == nullptr || json == nullptr) return NPUPROF_WRONG_STATE;
  return guarded(
      [&] {
        auto info = npuprof::format::framework::parse_profiler_info(json);
        if (!info.ok()) return NPUPROF_FAILED;
        unwrap(session)->files().set_settings(std::move(info).value());
        return NPUPROF_OK;
      },
      NPUPROF_FAILED);
}

void* npuprof_thread_buffer(void) { return active_buffer(); }

int npuprof_recording(void) {
  return npuprof::record::recording_epoch.load(std::memory_order_relaxed) != 0 ? 1 : 0;
}

npuprof_name npuprof_name_id(const char* text) {
  if (text == nullptr) return 0;
  return guarded([&] { return Registry::instance().register_name(text); }, npuprof_name{0});
}

void npuprof_range_push(const char* name) {
  if (ThreadBuffer* const buffer = active_buffer()) {
    buffer->begin_range(std::string_view(name != nullptr ? name : ""));
  }
}

void npuprof_range_push_id(npuprof_name name) {
  if (ThreadBuffer* const buffer = active_buffer()) buffer->begin_range(name);
}

void npuprof_range_pop(void) {
  if (ThreadBuffer* const buffer = active_buffer()) buffer->end();
}

npuprof_begin_time npuprof_range_begin(void) {
  return active_buffer() != nullptr ? npuprof::record::now_ticks() : 0;
}

void npuprof_range_end(npuprof_name name, npuprof_begin_time begin) {
  if (begin == 0) return;
  const std::uint64_t end = npuprof::record::now_ticks();
  if (ThreadBuffer* const buffer = active_buffer()) buffer->range(name, begin, end);
}

void npuprof_mark(const char* name) {
  if (ThreadBuffer* const buffer = active_buffer()) {
    buffer->mark(std::string_view(name != nullptr ? name : ""));
  }
}

void npuprof_mark_id(npuprof_name name) {
  if (ThreadBuffer* const buffer = active_buffer()) buffer->mark(name);
}

void npuprof_counter(npuprof_name name, double value) {
  if (ThreadBuffer* const buffer = active_buffer()) buffer->counter(name, value);
}

void npuprof_memory(const void* address, int64_t size_bytes, int64_t total_allocated_bytes,
                    int64_t total_reserved_bytes) {
  if (ThreadBuffer* const buffer = active_buffer()) {
    buffer->host_memory(address, size_bytes, total_allocated_bytes, total_reserved_bytes);
  }
}

npuprof_domain npuprof_domain_create(const char* name) {
  if (name == nullptr) return Registry::kNoDomain;
  return guarded([&] { return Registry::instance().register_domain(name); }, Registry::kNoDomain);
}

void npuprof_mark_a(npuprof_domain domain, const char* message) {
  if (ThreadBuffer* const buffer = marker_buffer(domain, message)) buffer->marker(domain, message);
}

uint64_t npuprof_range_start_a(npuprof_domain domain, const char* message) {
  ThreadBuffer* const buffer = marker_buffer(domain, message);
  return buffer != nullptr ? buffer->marker_start(domain, message) : 0;
}

void npuprof_range_end_a(npuprof_domain domain, uint64_t id) {
  if (id == 0) return;
  if (ThreadBuffer* const buffer = active_buffer()) buffer->marker_end(domain, id);
}

int npuprof_range_push_a(npuprof_domain domain, const char* message) {
  ThreadBuffer* const buffer = marker_buffer(domain, message);
  return buffer != nullptr ? buffer->marker_push(domain, message) : -1;
}

int npuprof_range_pop_a(npuprof_domain domain) {
  ThreadBuffer* const buffer = active_buffer();
  return buffer != nullptr ? buffer->marker_pop(domain) : -1;
}

}  // extern "C"
