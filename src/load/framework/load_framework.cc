#include "load/framework/load_framework.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "format/framework/file_names.h"
#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "load/framework/framework_clock.h"
#include "load/framework/framework_session.h"
#include "load/framework/opened_files.h"
#include "load/framework/record_tables.h"
#include "load/impossible_times.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/program_counters.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"

namespace npuprof::load {
namespace {

namespace framework = format::framework;

// The time stamp of the first usable record.
template <framework::TlvRecord T>
std::optional<std::int64_t> first_stamp(const std::optional<RawFile>& file) {
  std::optional<std::int64_t> stamp;
  if (!file) return stamp;
  framework::TlvReader reader(file->bytes());
  framework::Tlv item;
  framework::TlvReport ignored;
  T record;
  while (!stamp && reader.next(item)) {
    if (!framework::decode_value(item.value, record, ignored)) continue;
    if constexpr (requires { record.fixed.start; }) {
      stamp = record.fixed.start;
    } else {
      stamp = record.fixed.time;
    }
  }
  return stamp;
}

// Counters of the program travel as ranges; they are no operators.
void take_counters(trace::Trace& trace) {
  trace::FrameworkOps& ops = trace.framework_ops();
  trace::ProgramCounters& counters = trace.program_counters();
  if (std::all_of(ops.extra_args.begin(), ops.extra_args.end(),
                  [](StringId text) { return text == kEmptyString; })) {
    return;
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    std::optional<double> value;
    if (ops.extra_args[op] != kEmptyString) {
      value = framework::counter_value(trace.strings.view(ops.extra_args[op]));
    }
    if (!value) {
      kept.push_back(op);
      continue;
    }
    counters.time_ns.push_back(ops.start_ns[op]);
    counters.value.push_back(*value);
    counters.name.push_back(ops.name[op]);
    counters.tid.push_back(ops.tid[op]);
    counters.pid.push_back(ops.pid[op]);
  }
  if (counters.size() > 0) trace::reorder_rows(ops, kept);
}

}  // namespace

void load_framework(const Profile& profile, const RecordingInfo& told, trace::Trace& trace,
                    trace::Losses& losses, const FrameworkLoadOptions& options) {
  load_framework_session(profile, told, trace.session, losses);
  OpenedFiles files(profile.framework, losses);
  const auto op_range = files.open(framework::kOpRangeFile);
  const auto op_mark = files.open(framework::kOpMarkFile);
  auto stamp = first_stamp<framework::OpRange>(op_range);
  if (!stamp) stamp = first_stamp<framework::OpMark>(op_mark);
  const framework::Clock clock = framework_clock(profile, told.info, stamp, trace.session, losses);
  if (trace.session.monotonic_to_wall_ns == 0) {
    trace.session.monotonic_to_wall_ns = clock.wall_offset_ns();
  }

  const JobSettings settings{StampClock(clock), options.part_bytes};
  std::vector<JobMaker> makers;
  const auto add = [&](const std::optional<RawFile>& file, auto make_job, auto& table) {
    if (file) makers.push_back([=, &settings, &table] { return make_job(*file, settings, table); });
  };
  add(op_range, op_range_job, trace.framework_ops());
  add(op_mark, op_mark_job, trace.queue_marks());
  add(files.open(framework::kMemoryUsageFile), memory_usage_job, trace.memory_events());
  add(files.open(framework::kPythonTracerCallFile), python_call_job, trace.python_events());
  add(files.open(framework::kPythonTracerHashFile), python_hash_job, trace.python_names());
  add(files.open(framework::kParamTensorInfoFile), param_tensor_job, trace.parameter_tensors());
  add(files.open(framework::kGcRecordFile), gc_record_job, trace.garbage_collections());
  run_file_jobs(makers, trace.strings, losses, options.pool);
  const auto& starts = trace.framework_ops().start_ns;
  const bool is_clock_sure = !starts.empty() && is_near(middle_of(starts), trace.session.begin_ns);
  const auto drop = [&](std::string_view file, auto& table) {
    drop_far_rows(table, {.begin_ns = trace.session.begin_ns, .is_clock_sure = is_clock_sure},
                  profile.framework / file, losses);
  };
  drop(framework::kOpRangeFile, trace.framework_ops());
  drop(framework::kOpMarkFile, trace.queue_marks());
  drop(framework::kMemoryUsageFile, trace.memory_events());
  drop(framework::kPythonTracerCallFile, trace.python_events());
  drop(framework::kGcRecordFile, trace.garbage_collections());
  take_counters(trace);
  if (trace.session.pid == 0 && trace.framework_ops().size() > 0) {
    trace.session.pid = trace.framework_ops().pid[0];
  }
}

}  // namespace npuprof::load
