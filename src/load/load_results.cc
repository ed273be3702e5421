#include "load/load_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/stage_timer.h"
#include "load/backward_rows.h"
#include "load/chrome_trace/chrome_trace.h"
#include "load/device_facts.h"
#include "load/framework/framework_session.h"
#include "load/impossible_times.h"
#include "load/mindspore/load_mindspore.h"
#include "load/result_db/result_db.h"
#include "load/result_text/group_ids.h"
#include "load/result_text/result_text.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernels.h"
#include "trace/table_list.h"

namespace npuprof::load {
namespace {

using trace::Framework;

// PyTorch's databases, and those of neither framework if there are operators of PyTorch in it.
Framework framework_of(const Profile& profile, const trace::Trace& trace) {
  const std::string name = profile.database.filename().native();
  if (profile.kind == ProfileKind::kMindSpore || name.starts_with("ascend_mindspore") ||
      trace.session.framework == Framework::kMindSpore ||
      device_of_display(profile.path.filename().native())) {
    return Framework::kMindSpore;
  }
  const bool has_framework_rows = trace.framework_ops().size() > 0 || trace.enqueues().size() > 0 ||
                                  trace.python_calls().size() > 0;
  if (profile.kind == ProfileKind::kPyTorch || name.starts_with("ascend_pytorch") ||
      has_framework_rows) {
    return Framework::kPyTorch;
  }
  return Framework::kNoFramework;
}

// At level 0 operators have no types, it is not known what cores they ran on, and collectives have
// no planes. A timeline has no types of operators at any level.
trace::Level level_of_results(const trace::Trace& trace) {
  if (trace.kernels().size() == 0) return trace::Level::kUnknown;
  const auto& types = trace.kernels().op_type;
  const bool has_types =
      std::any_of(types.begin(), types.end(), [](StringId type) { return type != kEmptyString; });
  const auto& cores = trace.kernels().task_type;
  const bool has_cores = std::any_of(cores.begin(), cores.end(), [&](StringId core) {
    const std::string_view name = trace.strings.view(core);
    return name == "AI_CORE" || name == "AI_VECTOR_CORE" || name.starts_with("MIX_");
  });
  const auto& planes = trace.collective_tasks().plane;
  const bool has_planes = std::any_of(planes.begin(), planes.end(),
                                      [](std::uint32_t plane) { return plane != trace::kNone; });
  return has_types || has_cores || has_planes ? trace::Level::kLevel1 : trace::Level::kLevel0;
}

const std::filesystem::path& results_of(const Profile& profile) {
  if (!profile.database.empty()) return profile.database;
  return profile.results.empty() ? profile.path : profile.results;
}

// Samples and events that no other table refers to.
void drop_far_samples(trace::Trace& trace, const std::string& source, trace::Losses& losses) {
  auto tables = trace::tables_of(trace);
  std::set<const char*> targets;  // Marks of tables that others refer to.
  for (const trace::AnyTable& table : tables) {
    for (const trace::ColumnFacts& facts : table.columns()) targets.insert(facts.target);
  }
  const std::int64_t time_ns = middle_time(trace);
  std::uint64_t dropped = 0;
  for (std::size_t number = 0; number < tables.size(); ++number) {
    const auto [name, kind, room] = trace::table_facts(number);
    const bool has_events = kind == trace::TableKind::kSamples ||
                            kind == trace::TableKind::kEvents ||
                            kind == trace::TableKind::kHostEvents;
    if (!has_events || room == trace::Room::kLinked || targets.contains(tables[number].mark())) {
      continue;
    }
    dropped +=
        drop_impossible_times(tables[number], 0, {.begin_ns = time_ns, .is_clock_sure = true});
  }
  report_impossible_times(dropped, source, losses);
}

Status load_files(const Profile& profile, trace::Trace& trace, trace::Losses& losses,
                  ThreadPool& pool, trace::Parts wanted) {
  if (!profile.database.empty()) {
    Status status = load_result_db(profile.database, trace, losses, wanted);
    if (status.ok() || profile.results.empty()) return status;
    losses.add(profile.database.native(), 0, 0, status.error().message);
  }
  if (profile.kind == ProfileKind::kChromeTrace) {
    const TimelineOrigin origin = find_timeline_origin(profile.path, trace.session);
    NPUPROF_RETURN_IF_ERROR(
        load_chrome_trace(std::span(&profile.path, 1), trace, losses, pool, origin));
    replace_group_numbers({}, trace, losses);
    return ok_status();
  }
  if (!profile.results.empty()) return load_result_text(profile.results, trace, losses, pool);
  return Error{ErrorCode::kNotFound,
               "'" + profile.path.native() +
                   "' holds neither raw data (FRAMEWORK, PROF_*) nor results (a database, a "
                   "timeline, tables); it may have been cleaned"};
}

}  // namespace

Result<trace::Trace> load_results(const Profile& profile, trace::Losses& losses, ThreadPool& pool,
                                  trace::Parts wanted) {
  const StageTimer timer("load results");
  trace::Trace trace;
  trace.session.origin = trace::Origin::kResults;
  trace.session.rank = profile.rank;
  const RecordingInfo told = read_recording_info(profile);
  if (told.is_of_mindspore) {
    load_mindspore_session(profile, told, trace.session, losses);
  } else if (!profile.profiler_info.empty()) {
    load_framework_session(profile, told, trace.session, losses);
  }
  const bool is_mindspore = trace.session.framework == Framework::kMindSpore;
  trace.session.framework = is_mindspore ? Framework::kMindSpore : Framework::kNoFramework;
  NPUPROF_RETURN_IF_ERROR(load_files(profile, trace, losses, pool, wanted));
  add_device_facts(results_of(profile), trace);
  const std::string source = results_of(profile).native();
  mend_backward_rows(trace, {.framework = source, .host = source, .device = source}, losses);
  drop_far_samples(trace, source, losses);
  trace.session.framework = framework_of(profile, trace);
  if (trace.session.level == trace::Level::kUnknown) trace.session.level = level_of_results(trace);
  return trace;
}

}  // namespace npuprof::load
