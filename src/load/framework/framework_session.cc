#include "load/framework/framework_session.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "format/framework/profiler_metadata.h"
#include "load/framework/recorder_state.h"
#include "load/plausible.h"

namespace npuprof::load {
namespace {

using format::framework::ProfilerInfo;

void put_into(const ProfilerInfo& info, trace::Session& session) {
  session.simulated = session.simulated || info.simulated;
  if (session.level == trace::Level::kUnknown) {
    session.level = chosen_level(info.experimental.profiler_level);
  }
  if (session.cann_version.empty()) session.cann_version = info.cann_version.value_or("");
  if (session.end_ns == 0) session.end_ns = plausible(info.end.collection_time_end_ns).value_or(0);
}

std::string incomplete_text(const RecorderState& state) {
  const std::int64_t process = state.recorder.process;
  switch (state.process) {
    case RecorderState::Process::kRecords:
      return fmt::format(
          "process {} is still recording: these are its events so far; parse again when it has "
          "ended",
          process);
    case RecorderState::Process::kUnknown:
      if (process == 0) break;
      return fmt::format(
          "process {} is still recording, or ended while it was recorded: its last events are "
          "missing",
          process);
    case RecorderState::Process::kEnded:
      break;
  }
  return "the process ended while it was recorded: its last events are missing";
}

// What the recorder itself says is missing.
void report_recorder(const RecorderState& state, const std::string& path, trace::Losses& losses) {
  const ProfilerInfo::Recorder& recorder = state.recorder;
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count <= 0) return;
    losses.add(path, 0, static_cast<std::uint64_t>(count), fmt::format("{} {}", count, what));
  };
  if (!recorder.complete) losses.add(path, 0, 0, incomplete_text(state));
  add(recorder.dropped_events,
      fmt::format(
          "events were made faster than they could be written, and dropped; {} were written",
          recorder.events));
  add(recorder.dropped_details, "shapes, stacks or other details found no room, and were dropped");
  add(recorder.too_deep_events,
      fmt::format("ranges nested deeper than {} were left out", recorder.kDeepestRange));
  if (recorder.lost_events > 0 || !recorder.failure.empty()) {
    const std::int64_t count = std::max<std::int64_t>(recorder.lost_events, 0);
    losses.add(path, 0, static_cast<std::uint64_t>(count),
               fmt::format("{} events could not be written when they were recorded{}{}", count,
                           recorder.failure.empty() ? "" : ": ", recorder.failure));
  }
}

void take_profiler_info(const Profile& profile, const RecordingInfo& told, trace::Session& session,
                        trace::Losses& losses) {
  if (profile.profiler_info.empty()) {
    report_recording({}, told.state, profile.path.native(), losses);
    losses.add(profile.path.native(), 0, 0,
               told.state ? "there is no profiler_info.json: rank and settings are not known"
                          : "there is no profiler_info.json, which is written last: the process "
                            "was probably killed; rank and settings are not known");
    return;
  }
  if (!told.info) {
    losses.add(profile.profiler_info.native(), 0, 0, told.status.error().message);
    return;
  }
  session.profiler_info = told.text;
  session.rank = rank_of(told.info->rank_id, profile.rank);
  put_into(*told.info, session);
  report_recording(told.info->recorder, told.state, profile.profiler_info.native(), losses);
}

}  // namespace

std::int32_t rank_of(std::optional<std::int64_t> told, std::int32_t rank_in_file_name) {
  const std::int64_t rank = told.value_or(rank_in_file_name);
  if (rank < 0 || rank > std::numeric_limits<std::int32_t>::max()) return -1;
  return static_cast<std::int32_t>(rank);
}

trace::Level chosen_level(std::string_view name) {
  if (name == "Level0") return trace::Level::kLevel0;
  if (name == "Level1") return trace::Level::kLevel1;
  if (name == "Level2") return trace::Level::kLevel2;
  if (name == "Level_none" || name == "LevelNone") return trace::Level::kNoTasks;
  return trace::Level::kUnknown;
}

void report_recording(const std::optional<ProfilerInfo::Recorder>& told,
                      const std::optional<RecorderState>& state, const std::string& path,
                      trace::Losses& losses) {
  if (state && !(told && told->complete)) {
    report_recorder(*state, path, losses);
  } else if (told) {
    report_recorder({.recorder = *told}, path, losses);
  }
}

void load_profiler_metadata(const Profile& profile, trace::Session& session,
                            trace::Losses& losses) {
  if (profile.profiler_metadata.empty()) return;
  auto text = read_file(profile.profiler_metadata);
  if (!text.ok()) {
    losses.add(profile.profiler_metadata.native(), 0, 0, text.error().message);
    return;
  }
  // Reports copy keys of it, so only text that is known to be an object is kept.
  const auto metadata = format::framework::parse_profiler_metadata(*text);
  if (!metadata.ok()) {
    losses.add(profile.profiler_metadata.native(), 0, 0, metadata.error().message);
    return;
  }
  session.profiler_metadata = std::move(text).value();
}

void load_framework_session(const Profile& profile, const RecordingInfo& told,
                            trace::Session& session, trace::Losses& losses) {
  session.framework = trace::Framework::kPyTorch;
  session.rank = profile.rank;
  take_profiler_info(profile, told, session, losses);
  load_profiler_metadata(profile, session, losses);
}

}  // namespace npuprof::load
