#include "load/load_profile.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/shrinking_files.h"
#include "base/stage_timer.h"
#include "format/framework/profiler_info.h"
#include "load/backward_rows.h"
#include "load/cann_device/cann_device.h"
#include "load/cann_host/cann_host.h"
#include "load/cann_host/graph_files.h"
#include "load/cann_host/host_session.h"
#include "load/cleaned_texts.h"
#include "load/framework/load_framework.h"
#include "load/framework_times.h"
#include "load/load_results.h"
#include "load/mindspore/load_mindspore.h"
#include "load/missing_parts.h"
#include "load/recording_info.h"

namespace npuprof::load {

namespace {

TraceSources raw_sources(const Profile& profile) {
  const std::filesystem::path& cann =
      profile.cann.empty() ? profile.path : profile.cann.front().path;
  return {.framework = profile.framework.native(), .host = cann / "host", .device = cann};
}

// A job of 2020 has no control files: what these say is assumed, or taken from the devices.
trace::Trace load_job(const Profile& profile, trace::Losses& losses) {
  const StageTimer timer("load job");
  trace::Trace trace;
  trace.session.rank = profile.rank;
  trace.session.level = trace::Level::kLevel1;
  load_cann_devices(profile.cann, trace, losses);
  if (!trace.devices.empty()) {
    trace.session.chip = trace.devices.front().chip;
    trace.session.monotonic_to_wall_ns = trace.devices.front().counter_begin_ns;
  }
  for (const CannDirectory& job : profile.cann) load_graph_files(job, trace, losses);
  const TraceSources sources = raw_sources(profile);
  report_cleaned_texts(trace.strings, sources.device, losses);
  mend_backward_rows(trace, sources, losses);
  return trace;
}

FrameworkClocks clocks_of(const std::optional<format::framework::ProfilerInfo>& info) {
  FrameworkClocks clocks;
  if (!info) return clocks;
  if (info->end.collection_time_end_ns > 0 && info->end.monotonic_time_end_ns > 0) {
    clocks.monotonic_to_wall_ns =
        info->end.collection_time_end_ns - info->end.monotonic_time_end_ns;
  }
  if (info->start.syscnt_enable && info->start.start_cnt > 0 &&
      info->start.start_monotonic_ns > 0) {
    format::host::ClockLog& log = clocks.log.emplace();
    log.counter = static_cast<std::uint64_t>(info->start.start_cnt);
    log.monotonic_raw_ns = static_cast<std::uint64_t>(info->start.start_monotonic_ns);
  }
  return clocks;
}

trace::Framework framework_of_raw(ProfileKind kind) {
  switch (kind) {
    case ProfileKind::kPyTorch:
      return trace::Framework::kPyTorch;
    case ProfileKind::kMindSpore:
      return trace::Framework::kMindSpore;
    default:
      return trace::Framework::kNoFramework;
  }
}

trace::Trace load_raw(const Profile& profile, ThreadPool& pool, trace::Losses& losses) {
  trace::Trace trace;
  trace.session.rank = profile.rank;
  trace.session.framework = framework_of_raw(profile.kind);
  const TraceSources sources = raw_sources(profile);
  // Facts first: who reads records needs clocks, stream ids and names.
  const RecordingInfo told = read_recording_info(profile);
  const std::vector<HostSession> sessions =
      read_host_sessions(profile.cann, clocks_of(told.info), trace.session, losses);
  // Devices are read while the host is. The framework comes last: it needs the host's clock.
  {
    const StageTimer timer("load CANN");
    CannDevices devices;
    for (std::size_t i = 0; i < profile.cann.size(); ++i) {
      const HostFacts facts = read_host_facts(profile.cann[i], sessions[i], trace, losses);
      LoadJobs jobs;
      devices.add_jobs(profile.cann[i], facts, jobs);
      add_host_jobs(facts, trace, jobs);
      std::move(jobs).run(trace.strings, losses, &pool);
      facts.names.report_missing_hashes(losses);
    }
    finish_host_tables(trace);
    report_cleaned_texts(trace.strings, sources.host, losses);
    std::move(devices).append_to(trace, losses);
    report_cleaned_texts(trace.strings, sources.device, losses);
  }
  if (profile.kind != ProfileKind::kCann) {
    const StageTimer timer("load framework");
    if (profile.kind == ProfileKind::kMindSpore) {
      load_mindspore(profile, told, trace, losses, {.pool = &pool});
    } else {
      load_framework(profile, told, trace, losses, {.pool = &pool});
    }
    report_cleaned_texts(trace.strings, sources.framework, losses);
    move_framework_to_cann(profile, trace, losses);
  }
  // Times that count from the start of the machine have no end on the wall clock.
  if (!profile.cann.empty() && trace.session.begin_ns == 0) trace.session.end_ns = 0;
  mend_backward_rows(trace, sources, losses);
  report_missing_parts(profile, told, trace, losses);
  return trace;
}

Result<trace::Trace> load_any(const Profile& profile, ThreadPool& pool, trace::Losses& losses,
                              trace::Parts wanted) {
  if (!profile.has_raw_data()) return load_results(profile, losses, pool, wanted);
  if (profile.kind == ProfileKind::kJob) return load_job(profile, losses);
  return load_raw(profile, pool, losses);
}

}  // namespace

Result<trace::Trace> load_profile(const Profile& profile, ThreadPool& pool, trace::Losses& losses,
                                  trace::Parts wanted) {
  Result<trace::Trace> trace = load_any(profile, pool, losses, wanted);
  for (const ShrunkFile& file : take_shrunk_files(profile.path)) {
    losses.add(file.path, file.bytes_left, 0,
               "The file was shortened while it was read: what was behind is lost.");
  }
  return trace;
}

}  // namespace npuprof::load
