#include "report/result_files.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "analyze/operator_rows.h"
#include "base/file.h"
#include "base/stage_timer.h"
#include "format/host/levels.h"
#include "format/results/file_names.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/csv/csv_to_json.h"
#include "report/csv/framework_csv.h"
#include "report/csv/mindspore_csv.h"
#include "report/csv/model_names.h"
#include "report/csv/operator_csv.h"
#include "report/csv/run_csv.h"
#include "report/csv/sample_csv.h"
#include "report/json/communication_json.h"
#include "report/pending_output.h"
#include "report/perfetto/perfetto_timeline.h"
#include "report/readme.h"
#include "report/sqlite/analysis_database.h"
#include "report/sqlite/bulk_database.h"
#include "report/sqlite/database.h"
#include "report/tables/memory_record_table.h"
#include "report/tables/operator_memory_table.h"
#include "report/tables/step_trace_time.h"
#include "report/timeline/head_overhead_layer.h"
#include "report/timeline/write_timeline.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;
using analyze::SharedResults;
using trace::Level;
using trace::Trace;

using FileTask = std::function<Status()>;

// Files are independent of each other. The longest come first, so that none of them is left to one
// thread at the end.
Status write_files(const std::vector<FileTask>& tasks, ThreadPool& pool) {
  return pool.try_parallel_for(tasks.size(), [&](std::size_t i) { return tasks[i](); });
}

// Other programs read results: these have what was recorded, and nothing that we make of it.
TimelineOptions of_results(TimelineOptions options) {
  options.hidden_layers.emplace(kHeadOverheadLayerName);
  return options;
}

Status write_json(const SharedResults& results, const TimelineOptions& options,
                  const fs::path& path, ThreadPool& pool) {
  const StageTimer timer("trace_view");
  NPUPROF_ASSIGN_OR_RETURN(auto timeline, JsonTimeline::create(path, pool));
  return write_timeline(results, of_results(options), timeline);
}

Status write_perfetto(const SharedResults& results, const TimelineOptions& options,
                      const fs::path& path, ThreadPool& pool) {
  const StageTimer timer("perfetto");
  const trace::Session& session = results.trace().session;
  NPUPROF_ASSIGN_OR_RETURN(auto timeline,
                           PerfettoTimeline::create(path, session.rank, session.begin_ns, pool));
  return write_timeline(results, of_results(options), timeline);
}

Status write_framework_text(const SharedResults& results, const ExportOptions& options,
                            const fs::path& directory, ThreadPool& pool) {
  const Trace& trace = results.trace();
  const CsvTarget target{.directory = directory, .suffix = "", .line_end = "\r\n"};
  const Level level = trace.session.level;
  const bool has_device = !trace.devices.empty() && level != Level::kNoTasks;
  const bool has_details = level != Level::kLevel0;

  std::vector<FileTask> tasks{
      [&] {
        return write_json(results, timeline_options(trace, true, options.hidden_layers),
                          directory / format::results::kTimelineFile, pool);
      },
      [&] { return write_operator_details(trace, target, pool); },
      [&] { return write_memory_record(trace, target, pool); },
      [&] { return write_operator_memory(trace, target, pool); },
      [&] { return write_operator_host_memory(trace, target, pool); },
      [&] { return write_framework_sample_files(trace, results.samples(), target, pool); },
      [&] { return write_framework_communication(results, directory); },
  };
  if (has_device) {
    tasks.insert(tasks.begin() + 1, [&]() -> Status {
      const analyze::OperatorRows rows = analyze::operator_rows(trace);
      NPUPROF_RETURN_IF_ERROR(write_kernel_details(trace, rows, target, pool));
      return has_details ? write_op_statistic(trace, rows, {}, target, pool) : ok_status();
    });
    tasks.emplace_back([&] { return write_task_time(trace, target, pool); });
    tasks.emplace_back([&] { return write_step_trace_time(results.steps(), target, pool); });
    if (has_details) tasks.emplace_back([&] { return write_api_statistic(trace, target, pool); });
  }
  return write_files(tasks, pool);
}

// What MindSpore writes: tables of its own, others with its columns, and tables of CANN as they
// are.
Status write_mindspore_text(const SharedResults& results, const ExportOptions& options,
                            const fs::path& directory, ThreadPool& pool) {
  const Trace& trace = results.trace();
  const CsvTarget target{.directory = directory, .suffix = "", .line_end = "\r\n"};
  const CsvTarget copied{.directory = directory, .suffix = "", .line_end = "\n"};
  const bool has_device = !trace.devices.empty() && trace.session.level != Level::kNoTasks;
  const bool has_details = trace.session.level != Level::kLevel0;

  std::vector<FileTask> tasks{
      [&] {
        return write_json(results, timeline_options(trace, true, options.hidden_layers),
                          directory / format::results::kTimelineFile, pool);
      },
      [&] { return write_launch_shapes(trace, target, pool); },
      [&] { return write_dataset(trace, target, pool); },
      [&] { return write_data_pipeline(trace, target); },
      [&] { return write_memory_record(trace, target, pool); },
      [&] { return write_operator_memory(trace, target, pool); },
      [&] { return write_mindspore_sample_files(trace, results.samples(), copied, pool); },
      [&] { return write_framework_communication(results, directory); },
  };
  if (has_device) {
    tasks.insert(tasks.begin() + 1, [&]() -> Status {
      const analyze::OperatorRows rows = analyze::operator_rows(trace);
      NPUPROF_RETURN_IF_ERROR(write_kernel_details(trace, rows, target, pool));
      return has_details ? write_op_statistic(trace, rows, {}, copied, pool) : ok_status();
    });
    tasks.emplace_back(
        [&] { return write_mindspore_step_trace_time(results.steps(), target, pool); });
    tasks.emplace_back([&] { return write_api_statistic(trace, copied, pool); });
  }
  return write_files(tasks, pool);
}

// Timelines of the step trace and of marks alone, beside the one of all layers.
Status write_single_timelines(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto path_of = [&](const char* stem) {
    return target.directory / (stem + target.suffix + ".json");
  };
  if (trace.iterations().size() + trace.iteration_ranges().size() > 0) {
    NPUPROF_ASSIGN_OR_RETURN(auto steps, JsonTimeline::create(path_of("step_trace"), pool));
    NPUPROF_RETURN_IF_ERROR(write_step_trace_timeline(trace, steps));
  }
  if (trace.marks().size() + trace.device_marks().size() == 0) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(auto marks, JsonTimeline::create(path_of("msprof_tx"), pool));
  return write_mark_timeline(trace, marks);
}

// The graph whose iterations are all there is; nothing if there is more, or if steps are meant.
std::optional<std::uint32_t> chosen_graph(const ExportOptions& options) {
  constexpr std::uint64_t kNoGraph = 0xFFFFFFFF;
  if (!options.iterations || options.iterations->model_id >= kNoGraph) return std::nullopt;
  return static_cast<std::uint32_t>(options.iterations->model_id);
}

// "_20240101000000"; "_0_1_3_20240101000000" for iteration 3 of graph 1 on device 0, without the
// device if there are several, and without the graph if steps are meant.
std::string end_of_names(const Trace& trace, const ExportOptions& options) {
  std::string end;
  if (options.iterations) {
    if (trace.devices.size() == 1) end += "_" + std::to_string(trace.devices[0].id);
    if (const auto graph = chosen_graph(options)) end += "_" + std::to_string(*graph);
    end += "_" + std::to_string(options.iterations->first);
  }
  return end + "_" + options.time_stamp;
}

Status write_cann_text(const SharedResults& results, const ExportOptions& options,
                       const fs::path& directory, ThreadPool& pool) {
  const Trace& trace = results.trace();
  constexpr std::size_t kRowsPerFile = 1'000'000;
  const CsvTarget target{.directory = directory,
                         .suffix = end_of_names(trace, options),
                         .line_end = "\n",
                         .rows_per_file = kRowsPerFile};
  const std::vector<FileTask> tasks{
      [&] {
        return write_json(results, timeline_options(trace, false, options.hidden_layers),
                          directory / ("msprof" + target.suffix + ".json"), pool);
      },
      [&]() -> Status {
        const analyze::OperatorRows rows = analyze::operator_rows(trace);
        const auto graph = chosen_graph(options);
        NPUPROF_RETURN_IF_ERROR(write_op_summary(trace, rows, graph.has_value(), target, pool));
        const ModelNames names(trace);
        const auto name = graph ? std::optional(names.find(*graph)) : std::nullopt;
        return write_op_statistic(trace, rows, name, target, pool);
      },
      [&] { return write_task_time(trace, target, pool); },
      [&] { return write_sample_files(trace, results.samples(), target, pool); },
      [&] { return write_communication_statistic(trace, target, pool); },
      [&] { return write_api_statistic(trace, target, pool); },
      [&] { return write_step_trace(trace, target, pool); },
      [&] { return write_fusion_op(trace, target, pool); },
      [&] { return write_msprof_tx(trace, target, pool); },
      [&] { return write_single_timelines(trace, target, pool); },
  };
  NPUPROF_RETURN_IF_ERROR(write_files(tasks, pool));
  return write_readme(directory);
}

Status write_framework_databases(const SharedResults& results, const fs::path& directory,
                                 ThreadPool& pool) {
  const Trace& trace = results.trace();
  const bool mindspore = trace.session.framework == trace::Framework::kMindSpore;
  std::string name(mindspore ? format::results::kMindSporeDatabaseStem
                             : format::results::kPyTorchDatabaseStem);
  if (trace.session.rank >= 0) name += "_" + std::to_string(trace.session.rank);
  NPUPROF_RETURN_IF_ERROR(sqlite::write_database(results, directory / (name + ".db"), pool));
  if (trace.devices.empty() || trace.session.level == Level::kNoTasks) return ok_status();
  const auto& ops = results.communication();
  return mindspore ? sqlite::write_communication_database(
                         ops, directory / format::results::kCommunicationDatabase, pool)
                   : sqlite::write_analysis_database(
                         results, directory / format::results::kAnalysisDatabase, pool);
}

constexpr std::string_view kCannDatabase = "msprof_";

// The time in the name makes each export a file of its own. Those that this program made before are
// replaced by the new one; CANN's own stay.
void remove_earlier_databases(const fs::path& newest) {
  const std::string name = newest.filename();
  std::vector<fs::path> earlier;
  std::error_code error;
  for (fs::directory_iterator entry(newest.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string other = entry->path().filename();
    const bool is_alike = other.size() == name.size() && other.starts_with(kCannDatabase) &&
                          other.ends_with(".db") && other < name;
    if (is_alike && sqlite::is_own_database(entry->path())) earlier.push_back(entry->path());
  }
  for (const fs::path& path : earlier) fs::remove(path, error);
}

// Results that are written and not yet in their places.
using PendingOutputs = std::vector<PendingOutput>;

// What CANN's own analysis of communication writes, into `analyze` beside the other results.
Status write_cann_analysis(const SharedResults& results, const ExportOptions& options,
                           ThreadPool& pool, PendingOutputs& written) {
  const auto& ops = results.communication();
  if (ops.empty()) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(
      auto pending,
      PendingOutput::directory_at(options.output.parent_path() / format::results::kCannAnalysis));
  if (options.text) NPUPROF_RETURN_IF_ERROR(write_cann_communication(ops, pending.path()));
  if (options.database) {
    NPUPROF_RETURN_IF_ERROR(sqlite::write_communication_database(
        ops, pending.path() / format::results::kCommunicationDatabase, pool));
  }
  written.push_back(std::move(pending));
  return ok_status();
}

Status write_cann_folder(const SharedResults& results, const ExportOptions& options,
                         ThreadPool& pool, PendingOutputs& written) {
  const Trace& trace = results.trace();
  NPUPROF_ASSIGN_OR_RETURN(auto pending, PendingOutput::directory_at(options.output));
  if (options.text) {
    NPUPROF_RETURN_IF_ERROR(write_cann_text(results, options, pending.path(), pool));
    if (options.json_tables) {
      NPUPROF_RETURN_IF_ERROR(csv_files_to_json(pending.path(), end_of_names(trace, options)));
    }
  }
  if (options.perfetto) {
    const fs::path path =
        pending.path() / ("msprof" + end_of_names(trace, options) + ".perfetto-trace");
    NPUPROF_RETURN_IF_ERROR(
        write_perfetto(results, timeline_options(trace, false, options.hidden_layers), path, pool));
  }
  written.push_back(std::move(pending));
  return ok_status();
}

Status write_cann_database(const SharedResults& results, const fs::path& path, ThreadPool& pool,
                           PendingOutputs& written) {
  NPUPROF_ASSIGN_OR_RETURN(auto pending, PendingOutput::file_at(path));
  NPUPROF_RETURN_IF_ERROR(sqlite::write_database(results, pending.file(), pool));
  written.push_back(std::move(pending));
  return ok_status();
}

}  // namespace

// At level 0 frameworks leave out the calls of CANN. Until early 2024 they left out those of nodes
// only: timelines of that time are shown as they were.
TimelineOptions timeline_options(const Trace& trace, bool framework, const LayerNames& hidden) {
  const auto& levels = trace.api_calls().level;
  const bool lacks_nodes =
      trace.session.origin == trace::Origin::kResults && !levels.empty() &&
      std::find(levels.begin(), levels.end(), format::host::kLevelNode) == levels.end();
  return {.framework = framework,
          .host_calls = !framework || trace.session.level != Level::kLevel0 || lacks_nodes,
          .hidden_layers = hidden};
}

Status export_framework(const SharedResults& results, const ExportOptions& options,
                        ThreadPool& pool) {
  const Trace& trace = results.trace();
  NPUPROF_ASSIGN_OR_RETURN(auto pending, PendingOutput::directory_at(options.output));
  if (options.text) {
    const StageTimer timer("text");
    const bool is_mindspore = trace.session.framework == trace::Framework::kMindSpore;
    const auto write = is_mindspore ? write_mindspore_text : write_framework_text;
    NPUPROF_RETURN_IF_ERROR(write(results, options, pending.path(), pool));
  }
  if (options.perfetto) {
    NPUPROF_RETURN_IF_ERROR(write_perfetto(results,
                                           timeline_options(trace, true, options.hidden_layers),
                                           pending.path() / "trace_view.perfetto-trace", pool));
  }
  if (options.database) {
    NPUPROF_RETURN_IF_ERROR(write_framework_databases(results, pending.path(), pool));
  }
  NPUPROF_RETURN_IF_ERROR(write_file(pending.path() / "analyse.done", ""));
  return pending.publish();
}

// Nothing is put in place before all is written: a full disk leaves no mixture of old and new.
Status export_cann(const SharedResults& results, const ExportOptions& options, ThreadPool& pool) {
  PendingOutputs written;
  const fs::path database =
      options.output.parent_path() / (std::string(kCannDatabase) + options.time_stamp + ".db");
  if (!options.only_communication) {
    if (options.text || options.perfetto) {
      NPUPROF_RETURN_IF_ERROR(write_cann_folder(results, options, pool, written));
    }
    if (options.database) {
      NPUPROF_RETURN_IF_ERROR(write_cann_database(results, database, pool, written));
    }
  }
  NPUPROF_RETURN_IF_ERROR(write_cann_analysis(results, options, pool, written));
  for (PendingOutput& pending : written) NPUPROF_RETURN_IF_ERROR(pending.publish());
  if (options.database) remove_earlier_databases(database);
  return ok_status();
}

}  // namespace npuprof::report
