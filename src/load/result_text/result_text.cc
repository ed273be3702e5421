#include "load/result_text/result_text.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "load/chrome_trace/chrome_trace.h"
#include "load/result_text/group_ids.h"
#include "load/result_text/tables.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;

// Result files of one directory by what they are. Exports of CANN carry the time they were made; if
// there are several, the last one counts, with all its slices.
class ResultFiles {
 public:
  explicit ResultFiles(const fs::path& directory) {
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error)) {
      paths_.push_back(entry->path());
    }
    std::sort(paths_.begin(), paths_.end());
  }

  // `<stem>.<extension>`, `<stem>_<time>.<extension>` or `<stem>_slice_<n>_<time>.<extension>`.
  std::vector<fs::path> find(std::string_view stem, std::string_view extension) const {
    std::vector<fs::path> found;
    std::string newest;
    for (const fs::path& path : paths_) {
      std::string name = path.filename().native();
      if (!name.starts_with(stem) || !name.ends_with(extension)) continue;
      name = name.substr(stem.size(), name.size() - stem.size() - extension.size());
      if (!name.empty() && name[0] != '_') continue;
      const std::string time = name.substr(name.rfind('_') + 1);
      if (!is_time(time)) continue;
      if (time > newest) {
        newest = time;
        found.clear();
      }
      if (time == newest) found.push_back(path);
    }
    return found;
  }

 private:
  static bool is_time(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  std::vector<fs::path> paths_;
};

std::vector<fs::path> first_found(
    const ResultFiles& files, std::initializer_list<std::pair<const char*, const char*>> names) {
  for (const auto& [stem, extension] : names) {
    if (auto found = files.find(stem, extension); !found.empty()) return found;
  }
  return {};
}

}  // namespace

Status load_result_text(const fs::path& directory, trace::Trace& trace, trace::Losses& losses,
                        ThreadPool& pool) {
  const ResultFiles files(directory);
  const auto timeline = first_found(
      files, {{"trace_view", ".json"}, {"trace_view", ".json.gz"}, {"msprof", ".json"}});
  const auto kernels = first_found(files, {{"kernel_details", ".csv"}, {"op_summary", ".csv"}});
  trace.session.origin = trace::Origin::kResults;
  bool has_timeline = false;
  if (!timeline.empty()) {
    // A timeline that cannot be read is in the losses; the tables may still be good.
    has_timeline = load_chrome_trace(timeline, trace, losses, pool).ok();
    std::vector<fs::path> with_ids = files.find("communication", ".json");
    if (with_ids.empty()) with_ids = files.find("communication_matrix", ".json");
    replace_group_numbers(with_ids, trace, losses);
  }
  const bool has_kernels = read_kernel_tables(kernels, trace, losses);
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
  read_memory_tables({.blocks = files.find("operator_memory", ".csv"),
                      .totals = files.find("memory_record", ".csv"),
                      .modules = files.find("npu_module_mem", ".csv"),
                      .devices = files.find("npu_mem", ".csv")},
                     trace, losses);
  return ok_status();
}

}  // namespace npuprof::load
