#include "load/mindspore/load_mindspore.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "format/framework/record_clock.h"
#include "format/mindspore/file_names.h"
#include "format/mindspore/profiler_info.h"
#include "format/mindspore/record_clock.h"
#include "load/framework/framework_clock.h"
#include "load/framework/framework_session.h"
#include "load/framework/opened_files.h"
#include "load/framework/recorder_state.h"
#include "load/impossible_times.h"
#include "load/mindspore/pipeline_files.h"
#include "load/mindspore/records.h"
#include "load/mindspore/text_files.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/pool_totals.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
namespace mindspore = format::mindspore;
using Info = std::optional<mindspore::ProfilerInfo>;

// `{worker}_{pid}_{time}_ascend_ms`: 0 if the name is another.
std::uint32_t pid_of_directory(const fs::path& path) {
  const std::string name = fs::path(path / "").parent_path().filename().native();
  const auto parts = split(name, '_');
  if (parts.size() < 5 || parts[parts.size() - 2] != "ascend") return 0;
  return parse_number<std::uint32_t>(parts[parts.size() - 4]).value_or(0);
}

// The clock of ranges. Without one they count from any begin, which is worth a word.
StampClock range_clock(const Profile& profile, const Info& info, bool has_ranges,
                       const trace::Session& session, trace::Losses& losses) {
  if (const auto clock = mindspore_clock(profile, info, session, losses)) {
    return StampClock(*clock);
  }
  if (has_ranges) {
    losses.note(profile.framework.native(), 0,
                "nothing tells what the ticks of mindspore.op_range mean: they are taken for 100 "
                "MHz, and its times are no times of the day");
  }
  return StampClock(mindspore::op_range_clock({}));
}

void load_records(const Profile& profile, const Info& info, OpenedFiles& files, trace::Trace& trace,
                  trace::Losses& losses, const FrameworkLoadOptions& options) {
  const auto ranges = files.open(mindspore::kOpRangeFile);
  const JobSettings settings{range_clock(profile, info, ranges.has_value(), trace.session, losses),
                             options.part_bytes};
  MindSporeRecords records;
  MindSporeBlocks blocks;
  std::vector<JobMaker> makers;
  const auto add = [&](const std::optional<RawFile>& file, auto make_job, auto& table) {
    if (file) makers.push_back([=, &settings, &table] { return make_job(*file, settings, table); });
  };
  add(ranges, mindspore_range_job, records);
  add(files.open(mindspore::kMemoryUsageFile), mindspore_memory_job, blocks);
  add(files.open(mindspore::kRecordShapesFile), mindspore_shapes_job, trace.launch_shapes());
  run_file_jobs(makers, trace.strings, losses, options.pool);

  const auto drop = [&](std::string_view file, auto& table, bool is_clock_sure) {
    drop_far_rows(table, {.begin_ns = trace.session.begin_ns, .is_clock_sure = is_clock_sure},
                  profile.framework / file, losses);
  };
  const bool is_near_begin =
      records.size() > 0 && is_near(middle_of(records.start_ns), trace.session.begin_ns);
  drop(mindspore::kOpRangeFile, records, is_near_begin);
  drop(mindspore::kMemoryUsageFile, blocks, false);
  if (trace.session.pid == 0 && blocks.size() > 0) trace.session.pid = blocks.pid[0];
  if (trace.session.pid == 0) trace.session.pid = pid_of_directory(profile.path);
  share_out(records, trace.session.pid, trace);
  share_out(blocks, trace);
}

void load_texts(const Profile& profile, const OpenedFiles& files, trace::Trace& trace,
                trace::Losses& losses) {
  if (const auto path = files.find(mindspore::kCpuOpTimesStem)) {
    load_cpu_op_times(*path, trace, losses);
  }
  if (const auto path = files.find(mindspore::kCpuOpDetailsStem);
      path && trace.cpu_ops().size() == 0) {
    losses.add(path->native(), 0, 0,
               "operators ran on the host, and nothing tells when: cpu_op_execute_timestamp, which "
               "MindSpore writes with this file, is not there or has no lines");
  }
  if (const auto path = files.find(mindspore::kCpuMemoryStem)) {
    load_pool_totals(*path, trace, losses);
  }
  const auto path_of = [&](std::string_view stem) { return files.find(stem).value_or(fs::path()); };
  load_pipeline({.pipeline = path_of(mindspore::kPipelineStem),
                 .cpu = path_of(mindspore::kPipelineCpuStem),
                 .device_queue = path_of(mindspore::kDeviceQueueStem),
                 .iterator = path_of(mindspore::kDatasetIteratorStem)},
                trace, losses);
  const fs::path host_info = profile.framework / mindspore::kHostInfoDirectory;
  std::error_code ignored;
  if (!fs::is_directory(host_info, ignored) || trace.framework_ops().size() > 0) return;
  const OpenedFiles host_files(host_info, losses);
  if (const auto path = host_files.find(mindspore::kHostInfoStem)) {
    load_host_info(*path, trace, losses);
    if (trace.session.rank < 0) {
      const std::string stem = path->stem().native();  // "host_info_3"
      trace.session.rank =
          parse_number<std::int32_t>(std::string_view(stem).substr(stem.rfind('_') + 1))
              .value_or(-1);
    }
  }
}

}  // namespace

// Programs on the CPU leave no profiler_info, nor do old versions always: it is missed only where
// there was a device, and a folder for the framework's files.
void load_mindspore_session(const Profile& profile, const RecordingInfo& told,
                            trace::Session& session, trace::Losses& losses) {
  session.framework = trace::Framework::kMindSpore;
  session.rank = profile.rank;
  const Info& info = told.mindspore;
  const fs::path& told_by = profile.profiler_info.empty() ? profile.path : profile.profiler_info;
  if (!told.status.ok()) losses.add(told_by.native(), 0, 0, told.status.error().message);
  report_recording(info ? info->recorder : std::nullopt, told.state, told_by.native(), losses);
  const bool is_old = profile.framework == profile.path;
  if (profile.profiler_info.empty() && !profile.cann.empty() && !is_old) {
    losses.add(profile.path.native(), 0, 0,
               "there is no profiler_info.json, which is written last: the process was probably "
               "killed; rank and settings are not known");
  }
  if (info) {
    session.profiler_info = told.text;
    session.rank = rank_of(info->rank_id, profile.rank);
    session.simulated = session.simulated || info->simulated;
    if (session.level == trace::Level::kUnknown) {
      session.level = chosen_level(info->parameters.profiler_level);
    }
    if (session.cann_version.empty()) session.cann_version = info->cann_version.value_or("");
  }
  load_profiler_metadata(profile, session, losses);
}

void load_mindspore(const Profile& profile, const RecordingInfo& told, trace::Trace& trace,
                    trace::Losses& losses, const FrameworkLoadOptions& options) {
  load_mindspore_session(profile, told, trace.session, losses);
  OpenedFiles files(profile.framework, losses);
  load_records(profile, told.mindspore, files, trace, losses, options);
  load_texts(profile, files, trace, losses);
  // Programs on the CPU have no device that tells the rank.
  if (trace.session.rank < 0) trace.session.rank = profile.rank;
}

}  // namespace npuprof::load
