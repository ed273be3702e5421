#pragma once

// Writes the result files of one profile into its output directory, all or nothing: files are made
// in a directory beside it, which takes its place when all are complete.

#include <filesystem>
#include <optional>
#include <string>

#include "analyze/keep_steps.h"
#include "analyze/shared_results.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "report/timeline/context.h"
#include "trace/trace.h"

namespace npuprof::report {

struct ExportOptions {
  bool text = true;
  bool database = false;
  bool perfetto = false;
  bool only_communication =
      false;                 // CANN's export: the analysis of communication and nothing else.
  bool json_tables = false;  // CANN's export: tables as JSON.
  LayerNames hidden_layers;  // Of timelines.
  // ASCEND_PROFILER_OUTPUT of a framework's profile, or mindstudio_profiler_output of CANN's.
  std::filesystem::path output;
  // 14 digits: files of CANN's own exports carry the time of the export.
  std::string time_stamp;
  // Names of files of CANN's exports say which iterations of a graph are all that is in them.
  std::optional<analyze::GraphIterations> iterations;
};

// What a timeline shows: `framework` says whether it is one of a framework's profile.
TimelineOptions timeline_options(const trace::Trace& trace, bool framework,
                                 const LayerNames& hidden);

// Results as the framework's analysis names them: trace_view.json, kernel_details.csv, ...
Status export_framework(const analyze::SharedResults& results, const ExportOptions& options,
                        ThreadPool& pool);

// Results as CANN's export names them: msprof_<time>.json, op_summary_<time>.csv, ... The database
// and `analyze` (communication) go beside the output directory.
Status export_cann(const analyze::SharedResults& results, const ExportOptions& options,
                   ThreadPool& pool);

}  // namespace npuprof::report
