#include "cli/tidy.h"

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "format/results/file_names.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

// What a link leads to may belong to somebody else, or to other profiles too: nothing is removed
// behind one.
bool is_link(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return false;
  log::warning("'{}' is a link: what is behind it was left alone", path.native());
  return true;
}

// A link is removed, not what it leads to.
void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) log::warning("cannot remove '{}': {}", path.native(), error.message());
}

std::vector<fs::path> data_directories(const load::CannDirectory& cann) {
  std::vector<fs::path> directories;
  if (!cann.host.empty()) directories.push_back(cann.host);
  for (const load::DeviceDirectory& device : cann.devices) directories.push_back(device.path);
  std::erase_if(directories, is_link);
  return directories;
}

// The profile itself may have been named by a link; that is what the user meant.
bool is_reached_by_link(const load::CannDirectory& cann, const load::Profile& profile) {
  return cann.path != profile.path && is_link(cann.path);
}

// msprof_analysis_<n>.log
bool is_analysis_log(std::string_view name) {
  constexpr std::string_view kBegin = "msprof_analysis_";
  constexpr std::string_view kEnd = ".log";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
  if (name.size() <= kBegin.size() + kEnd.size()) return false;
  const std::string_view number =
      name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  return number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void remove_intermediate_databases(const load::Profile& profile) {
  for (const load::CannDirectory& cann : profile.cann) {
    if (is_reached_by_link(cann, profile)) continue;
    for (const fs::path& directory : data_directories(cann)) remove_tree(directory / "sqlite");
  }
}

void remove_derived_data(const load::Profile& profile) {
  for (const load::CannDirectory& cann : profile.cann) {
    if (is_reached_by_link(cann, profile)) continue;
    for (const fs::path& directory : data_directories(cann)) {
      for (const char* name : {"sqlite", "summary", "timeline"}) remove_tree(directory / name);
    }
    if (profile.is_cann_only()) continue;  // Those are the results.
    for (const std::string_view name : {format::results::kCannAnalysis, format::results::kCannLogs,
                                        format::results::kCannResults}) {
      remove_tree(cann.path / name);
    }
    std::vector<fs::path> logs;
    std::error_code error;
    for (fs::directory_iterator entry(cann.path, error), end; !error && entry != end;
         entry.increment(error)) {
      if (is_analysis_log(entry->path().filename().native())) logs.push_back(entry->path());
    }
    for (const fs::path& path : logs) remove_tree(path);
  }
}

}  // namespace npuprof::cli
