#include "load/load_profile.h"

#include <utility>

#include "base/stage_timer.h"
#include "load/cann_device/cann_device.h"
#include "load/cann_host/cann_host.h"
#include "load/cann_host/graph_files.h"
#include "load/framework/load.h"
#include "load/load_results.h"

namespace npuprof::load {

namespace {

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
  return trace;
}

}  // namespace

Result<trace::Trace> load_profile(const Profile& profile, ThreadPool& pool, trace::Losses& losses) {
  if (!profile.has_raw_data()) return load_results(profile, losses, pool);
  if (profile.kind == ProfileKind::kJob) return load_job(profile, losses);
  trace::Trace trace;
  trace.session.rank = profile.rank;
  switch (profile.kind) {
    case ProfileKind::kPyTorch:
      trace.session.framework = trace::Framework::kPyTorch;
      break;
    case ProfileKind::kMindSpore:
      trace.session.framework = trace::Framework::kMindSpore;
      break;
    default:
      trace.session.framework = trace::Framework::kNoFramework;
  }
  // Devices are read while the host is. The framework comes last: it needs the host's clock.
  CannDevices devices;
  {
    const StageTimer timer("load CANN");
    pool.parallel_for(2, [&](std::size_t part) {
      if (part == 0) {
        load_cann_host(profile.cann, trace, losses);
      } else {
        devices = CannDevices::read(profile.cann);
      }
    });
    std::move(devices).append_to(trace, losses);
  }
  if (profile.kind != ProfileKind::kCann) {
    const StageTimer timer("load framework");
    load_framework(profile, trace, losses, {.pool = &pool});
  }
  return trace;
}

}  // namespace npuprof::load
