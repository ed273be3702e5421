#pragma once

// Files and folders of results that go by their whole name. Tables in text have theirs where their
// columns are.

#include <string_view>

namespace npuprof::format::results {

// Folders: in that of a framework's run, and in `PROF_*`.
inline constexpr std::string_view kFrameworkResults = "ASCEND_PROFILER_OUTPUT";
inline constexpr std::string_view kCannResults = "mindstudio_profiler_output";
inline constexpr std::string_view kCannAnalysis = "analyze";
inline constexpr std::string_view kCannLogs = "mindstudio_profiler_log";

inline constexpr std::string_view kTimelineFile = "trace_view.json";
inline constexpr std::string_view kTimelineStem = kTimelineFile.substr(0, kTimelineFile.find('.'));
inline constexpr std::string_view kCommunicationFile = "communication.json";
inline constexpr std::string_view kCommunicationMatrixFile = "communication_matrix.json";

// Databases of a framework; `_<rank>` may stand before the extension.
inline constexpr std::string_view kPyTorchDatabaseStem = "ascend_pytorch_profiler";
inline constexpr std::string_view kMindSporeDatabaseStem = "ascend_mindspore_profiler";
inline constexpr std::string_view kAnalysisDatabase = "analysis.db";
inline constexpr std::string_view kCommunicationDatabase = "communication_analyzer.db";

}  // namespace npuprof::format::results
