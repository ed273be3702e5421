#include "load/result_text/result_text.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "format/results/kernel_columns.h"
#include "format/results/memory_columns.h"
#include "format/results/sample_columns.h"
#include "load/chrome_trace/chrome_trace.h"
#include "load/cleaned_texts.h"
#include "load/impossible_times.h"
#include "load/result_text/group_ids.h"
#include "load/result_text/result_tables.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
namespace results = format::results;

// Result files of one directory by what they are. Exports of CANN carry the time they were made; if
// there are several, the last one counts, with all its slices. Those of 2023 lie in `timeline` and
// `summary` below the device, a file for each iteration.
class ResultFiles {
 public:
  explicit ResultFiles(const fs::path& directory) {
    for (const fs::path& folder : {directory, directory / "timeline", directory / "summary"}) {
      std::error_code error;
      for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
           entry.increment(error)) {
        paths_.push_back(entry->path());
      }
    }
    std::sort(paths_.begin(), paths_.end());
  }

  // `<stem>.<extension>`, `<stem>_<time>.<extension>` or `<stem>_slice_<n>_<time>.<extension>`;
  // else all `<stem>_<device>_<model>_<iteration>.<extension>` of the first device.
  std::vector<fs::path> find(std::string_view stem, std::string_view extension) {
    std::vector<fs::path> found;
    std::string newest;
    std::map<std::uint64_t, std::vector<fs::path>> of_devices;
    for (const fs::path& path : paths_) {
      std::string name = path.filename().native();
      if (!name.starts_with(stem) || !name.ends_with(extension)) continue;
      name = name.substr(stem.size(), name.size() - stem.size() - extension.size());
      if (!name.empty() && name[0] != '_') continue;
      if (const auto device = device_of_iteration(name)) {
        of_devices[*device].push_back(path);
        continue;
      }
      const std::string time = name.substr(name.rfind('_') + 1);
      if (!is_time(time)) continue;
      if (time > newest) {
        newest = time;
        found.clear();
      }
      if (time == newest) found.push_back(path);
    }
    if (!found.empty() || of_devices.empty()) return found;
    for (auto other = std::next(of_devices.begin()); other != of_devices.end(); ++other) {
      left_out_.insert(other->second.begin(), other->second.end());
    }
    return of_devices.begin()->second;
  }

  // Files of other devices than the first.
  const std::set<fs::path>& left_out() const { return left_out_; }

 private:
  // `_<device>_<model>_<iteration>`.
  static std::optional<std::uint64_t> device_of_iteration(std::string_view name) {
    const std::vector<std::string_view> parts = split(name, '_');
    if (parts.size() != 4) return std::nullopt;
    if (parts[2].empty() || parts[3].empty() || !is_time(parts[2]) || !is_time(parts[3])) {
      return std::nullopt;
    }
    return parse_number<std::uint64_t>(parts[1]);
  }
  static bool is_time(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  std::vector<fs::path> paths_;
  std::set<fs::path> left_out_;
};

std::vector<fs::path> first_found(
    ResultFiles& files,
    std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  for (const auto& [stem, extension] : names) {
    if (auto found = files.find(stem, extension); !found.empty()) return found;
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> middle_of_timeline(const trace::Trace& trace) {
  const std::int64_t time_ns = middle_time(trace);
  return time_ns < kFirstWallTimeNs ? std::nullopt : std::optional(time_ns);
}

Status load_result_text(const fs::path& directory, trace::Trace& trace, trace::Losses& losses,
                        ThreadPool& pool) {
  ResultFiles files(directory);
  const auto timeline = first_found(
      files, {{"trace_view", ".json"}, {"trace_view", ".json.gz"}, {"msprof", ".json"}});
  const auto kernels = first_found(files, {{results::kernel_table::kKernelDetails.file, ".csv"},
                                           {results::kernel_table::kOpSummary.file, ".csv"}});
  trace.session.origin = trace::Origin::kResults;
  bool has_timeline = false;
  if (!timeline.empty()) {
    // A timeline that cannot be read is in the losses; the tables may still be good.
    const TimelineOrigin origin = find_timeline_origin(timeline.front(), trace.session);
    has_timeline = load_chrome_trace(timeline, trace, losses, pool, origin).ok();
    std::vector<fs::path> with_ids = files.find("communication", ".json");
    if (with_ids.empty()) with_ids = files.find("communication_matrix", ".json");
    replace_group_numbers(with_ids, trace, losses);
  }
  const bool has_kernels = read_kernel_tables(kernels, trace, losses);
  if (has_kernels) report_cleaned_texts(trace.strings, kernels.front().native(), losses);
  if (!has_timeline && !has_kernels) {
    return Error{ErrorCode::kNotFound,
                 "'" + directory.native() +
                     "' has neither a timeline (trace_view.json, msprof_*.json) nor a table of "
                     "kernels (kernel_details.csv, op_summary_*.csv) that can be read"};
  }
  if (!has_timeline) {
    losses.add(directory.native(), 0, 0,
               "there is no timeline (trace_view.json, msprof_*.json): host calls, operators and "
               "what led to what are not known");
  }
  const MemoryTables memory{
      .blocks = files.find(results::operator_memory::kFile, ".csv"),
      .totals = files.find(results::memory_record::kFile, ".csv"),
      .modules = files.find(results::samples::kModuleMemoryFile.name, ".csv"),
      .devices = files.find(results::samples::kDeviceMemoryFile.name, ".csv")};
  read_memory_tables(memory, trace, losses);
  if (!memory.blocks.empty())
    report_cleaned_texts(trace.strings, memory.blocks.front().native(), losses);
  if (const auto& others = files.left_out(); !others.empty()) {
    losses.add(others.begin()->native(), 0, others.size(),
               std::to_string(others.size()) +
                   " files are left out: they are of another device, give each device a folder");
  }
  return ok_status();
}

}  // namespace npuprof::load
