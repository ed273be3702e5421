#include "load/discover.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/pending_name.h"
#include "base/text.h"
#include "format/framework/file_names.h"
#include "format/framework/profiler_info.h"
#include "format/framework/profiler_metadata.h"
#include "format/host/file_names.h"
#include "format/host/names.h"
#include "format/mindspore/file_names.h"
#include "format/results/file_names.h"
#include "format/results/kernel_columns.h"
#include "load/timeline_origin.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;

// The parts of a directory by name, real directories before links, so that a directory which is
// also reached through a link goes by its own name.
struct Listing {
  std::vector<fs::path> directories;
  std::vector<fs::path> links;  // To directories.
  std::vector<fs::path> files;

  const fs::path* directory(std::string_view name) const {
    for (const auto* group : {&directories, &links}) {
      for (const fs::path& path : *group) {
        if (path.filename() == name) return &path;
      }
    }
    return nullptr;
  }
  const fs::path* file(std::string_view name) const {
    for (const fs::path& path : files) {
      if (path.filename() == name) return &path;
    }
    return nullptr;
  }
};

std::optional<Listing> list_directory(const fs::path& path, std::error_code& error) {
  Listing listing;
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    if (entries->path().filename().native().starts_with(kPendingPrefix)) continue;
    if (entries->is_directory(ignored)) {
      (entries->is_symlink(ignored) ? listing.links : listing.directories)
          .push_back(entries->path());
    } else {
      // Also what cannot be read as a file: that is said by who opens it.
      listing.files.push_back(entries->path());
    }
  }
  if (error) return std::nullopt;
  std::sort(listing.directories.begin(), listing.directories.end());
  std::sort(listing.links.begin(), listing.links.end());
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

std::string name_of(const fs::path& path) {
  // "dir/" and "dir/." mean dir.
  const fs::path normal = path.lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().native();
}

// The number between `prefix` and `suffix`, if nothing else is there.
template <typename Number>
std::optional<Number> number_between(std::string_view name, std::string_view prefix,
                                     std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() < prefix.size() + suffix.size()) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  return parse_number<Number>(name);
}

bool is_database_name(std::string_view name) {
  return name.ends_with(".db") && (name.starts_with(format::results::kPyTorchDatabaseStem) ||
                                   name.starts_with(format::results::kMindSporeDatabaseStem) ||
                                   name == "msprof.db" || name.starts_with("msprof_"));
}

// `<stem>.<extension>` or, as CANN's exports are named, `<stem>_<time>.<extension>`.
bool is_named(std::string_view name, std::string_view stem, std::string_view extension) {
  if (!name.starts_with(stem) || !name.ends_with(extension)) return false;
  return name.size() == stem.size() + extension.size() || name[stem.size()] == '_';
}

bool is_result_file_name(std::string_view name) {
  return is_database_name(name) || is_named(name, format::results::kTimelineStem, ".json") ||
         name == std::string(format::results::kTimelineFile) + ".gz" ||
         name == std::string(format::results::kernel_table::kKernelDetails.file) + ".csv" ||
         is_named(name, "msprof", ".json") ||
         is_named(name, format::results::kernel_table::kOpSummary.file, ".csv");
}

// A timeline that stands for itself, as profilers of other devices and MindSpore write it.
bool is_timeline_name(std::string_view name) {
  return name.ends_with(".json.gz") || name.ends_with(".pt.trace.json") ||
         device_of_display(name).has_value();
}

// The number in `ascend_pytorch_profiler_3.db`; -1 if there is none.
std::int32_t rank_of_database(std::string_view name) {
  if (!name.starts_with("ascend_") || !name.ends_with(".db")) return -1;
  name.remove_suffix(3);
  return parse_number<std::int32_t>(name.substr(name.rfind('_') + 1)).value_or(-1);
}

// The database of a directory; a framework's wins over msprof's, the last by name is the newest.
fs::path find_database(const Listing& listing) {
  fs::path found;
  for (const fs::path& file : listing.files) {
    if (!is_database_name(file.filename().native())) continue;
    const bool is_framework = file.filename().native().starts_with("ascend_");
    const bool had_framework = !found.empty() && found.filename().native().starts_with("ascend_");
    if (found.empty() || is_framework || !had_framework) found = file;
  }
  return found;
}

// The device of a file as collectors of 2020 named them; nothing for other names.
std::optional<std::uint16_t> device_of_job_file(std::string_view name) {
  if (name.find(".dev.profiler_default_tag.") == std::string_view::npos &&
      !name.starts_with("DATA_PREPROCESS.dev.")) {
    return std::nullopt;
  }
  const auto parsed = format::host::parse_device_file_name(name);
  if (!parsed || !std::in_range<std::uint16_t>(parsed->device)) return std::nullopt;
  return static_cast<std::uint16_t>(parsed->device);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Whether some part of a collection has its raw data.
bool has_data(const CannDirectory& cann) {
  if (!cann.host.empty() && is_folder(cann.host / "data")) return true;
  return std::any_of(cann.devices.begin(), cann.devices.end(),
                     [](const DeviceDirectory& device) { return is_folder(device.path / "data"); });
}

// A link may lead out of the tree that was meant, up to the root of the system.
constexpr int kLevelsBehindLinks = 5;

class Finder {
 public:
  Result<Discovery> run(const fs::path& path);

 private:
  void visit(const fs::path& path, int levels);
  bool first_visit(const fs::path& path);
  std::optional<Listing> list(const fs::path& path);

  // Results in place of the raw data of a collection that has none left; false if there are none.
  bool add_results_of_cann(const fs::path& path, const Listing& listing, const CannDirectory& cann);
  std::optional<CannDirectory> read_job(const fs::path& path, const Listing& listing);
  std::optional<CannDirectory> read_cann(const fs::path& path, const Listing& listing);
  void add_framework(ProfileKind kind, const fs::path& path, const Listing& listing);
  void add_cann(const fs::path& path, const Listing& listing, CannDirectory cann);
  void add_results(const fs::path& path, const Listing& listing);
  void add_file(const fs::path& path);
  void add_run_files(Profile& profile, const Listing& listing) const;
  void add_files_above(Profile& profile) const;
  void notice(const fs::path& path, std::string_view what) {
    discovery_.notices.push_back(path.native() + " was left out: " + std::string(what) + ".");
  }

  Discovery discovery_;
  std::set<std::pair<dev_t, ino_t>> visited_;
};

std::optional<Listing> Finder::list(const fs::path& path) {
  std::error_code error;
  auto listing = list_directory(path, error);
  if (!listing) notice(path, "it cannot be read (" + error.message() + ")");
  return listing;
}

// Links can make a tree endless, or show the same profile twice.
bool Finder::first_visit(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    notice(path, "it cannot be read (" + std::generic_category().message(errno) + ")");
    return false;
  }
  return visited_.emplace(status.st_dev, status.st_ino).second;
}

// A directory counts as PROF_* by its name, or, if it was renamed, by the info.json in its parts.
std::optional<CannDirectory> Finder::read_cann(const fs::path& path, const Listing& listing) {
  CannDirectory cann{.path = path};
  bool has_info = false;
  const auto check_part = [&](const fs::path& part) {
    std::error_code ignored;
    const auto parts = list_directory(part, ignored);
    has_info =
        has_info ||
        (parts && std::any_of(parts->files.begin(), parts->files.end(), [](const fs::path& file) {
           return file.filename().native().starts_with(format::host::kInfoFile);
         }));
  };
  for (const auto* group : {&listing.directories, &listing.links}) {
    for (const fs::path& part : *group) {
      const std::string name = part.filename().native();
      if (name == "host") cann.host = part;
      if (name == format::results::kCannResults) cann.results = part;
      const auto device = number_between<std::uint16_t>(name, "device_", "");
      if (device) cann.devices.push_back({*device, part});
      if (name == "host" || device) check_part(part);
    }
  }
  std::sort(cann.devices.begin(), cann.devices.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  const bool has_parts = !cann.host.empty() || !cann.devices.empty();
  if (name_of(path).starts_with(format::host::kProfPrefix) ? has_parts : has_info) return cann;
  return std::nullopt;
}

// Files lie in the directory or in `data`, those of devices and of the host side by side.
std::optional<CannDirectory> Finder::read_job(const fs::path& path, const Listing& listing) {
  std::set<std::uint16_t> devices;
  const auto look_at = [&](const std::vector<fs::path>& files) {
    for (const fs::path& file : files) {
      if (const auto device = device_of_job_file(file.filename().native())) devices.insert(*device);
    }
  };
  look_at(listing.files);
  if (const fs::path* data = listing.directory("data")) {
    std::error_code ignored;
    if (const auto files = list_directory(*data, ignored)) look_at(files->files);
  }
  if (devices.empty()) return std::nullopt;
  CannDirectory job{.path = path, .is_job = true};
  for (const std::uint16_t device : devices) job.devices.push_back({device, path});
  return job;
}

// What the framework noted about the run.
void Finder::add_run_files(Profile& profile, const Listing& listing) const {
  std::vector<fs::path> files = listing.files;
  // A directory of that name cannot be read as a file, which is said by who opens it.
  files.insert(files.end(), listing.directories.begin(), listing.directories.end());
  files.insert(files.end(), listing.links.begin(), listing.links.end());
  for (const fs::path& file : files) {
    const std::string name = file.filename().native();
    if (name == format::framework::kProfilerMetadataFile) profile.profiler_metadata = file;
    if (name == format::framework::profiler_info_file_name({}) && profile.profiler_info.empty())
      profile.profiler_info = file;
    if (const auto rank = number_between<std::int32_t>(name, "profiler_info_", ".json")) {
      if (profile.rank < 0) {
        profile.profiler_info = file;
        profile.rank = *rank;
      }
    }
  }
}

// Files of a run lie above the directory of its results.
void Finder::add_files_above(Profile& profile) const {
  std::error_code ignored;
  const fs::path results = fs::absolute(profile.results / ".", ignored);
  if (name_of(results) != format::results::kFrameworkResults) return;
  if (const auto listing = list_directory((results / "..").lexically_normal(), ignored)) {
    add_run_files(profile, *listing);
  }
}

void Finder::add_framework(ProfileKind kind, const fs::path& path, const Listing& listing) {
  Profile profile{.kind = kind, .path = path};
  add_run_files(profile, listing);
  if (const auto* found = listing.directory(format::framework::kDirectoryName))
    profile.framework = *found;
  // MindSpore 2.3 and 2.4 have all of it in one directory.
  if (listing.directory(format::mindspore::kHostInfoDirectory) != nullptr) profile.framework = path;
  if (const auto* found = listing.directory(format::results::kFrameworkResults))
    profile.results = *found;
  for (const auto* group : {&listing.directories, &listing.links}) {
    for (const fs::path& part : *group) {
      if (!part.filename().native().starts_with(format::host::kProfPrefix) || !first_visit(part))
        continue;
      const auto parts = list(part);
      if (!parts) continue;
      if (auto cann = read_cann(part, *parts)) {
        const bool has_results = profile.framework.empty() && !profile.results.empty();
        if (has_data(*cann) || !has_results) profile.cann.push_back(std::move(*cann));
      } else {
        notice(part, "it has no host and no device_<N> directory");
      }
    }
  }
  if (!profile.results.empty()) {
    if (const auto results = list(profile.results)) profile.database = find_database(*results);
    // Results that were written to a folder of their own have no other file that tells.
    if (profile.rank < 0 && !profile.has_raw_data())
      profile.rank = rank_of_database(profile.database.filename().native());
  }
  if (!profile.has_raw_data() && profile.results.empty()) {
    notice(path, "it has neither raw data (FRAMEWORK, PROF_*) nor results");
    return;
  }
  discovery_.profiles.push_back(std::move(profile));
}

void Finder::add_cann(const fs::path& path, const Listing& listing, CannDirectory cann) {
  Profile profile{.kind = ProfileKind::kCann, .path = path};
  profile.results = cann.results;
  profile.database = find_database(listing);
  profile.cann.push_back(std::move(cann));
  discovery_.profiles.push_back(std::move(profile));
}

bool Finder::add_results_of_cann(const fs::path& path, const Listing& listing,
                                 const CannDirectory& cann) {
  Profile profile{.kind = ProfileKind::kResultDirectory, .path = path};
  profile.results = cann.results;
  profile.database = find_database(listing);
  if (!profile.results.empty() || !profile.database.empty()) {
    discovery_.profiles.push_back(std::move(profile));
    return true;
  }
  // Exports of 2023: each device has its own.
  const std::size_t known = discovery_.profiles.size();
  for (const DeviceDirectory& device : cann.devices) {
    if (!is_folder(device.path / "timeline") && !is_folder(device.path / "summary")) continue;
    Profile of_device{.kind = ProfileKind::kResultDirectory, .path = device.path};
    of_device.results = device.path;
    discovery_.profiles.push_back(std::move(of_device));
  }
  return discovery_.profiles.size() > known;
}

void Finder::add_results(const fs::path& path, const Listing& listing) {
  std::vector<fs::path> of_ranks;
  for (const fs::path& file : listing.files) {
    const std::string name = file.filename().native();
    if (is_database_name(name) && rank_of_database(name) >= 0) of_ranks.push_back(file);
  }
  if (of_ranks.size() > 1) {  // Databases that were gathered into one folder.
    for (const fs::path& file : of_ranks) add_file(file);
    return;
  }
  Profile profile{.kind = ProfileKind::kResultDirectory, .path = path};
  profile.results = path;
  profile.database = find_database(listing);
  add_files_above(profile);
  if (profile.rank < 0) profile.rank = rank_of_database(profile.database.filename().native());
  discovery_.profiles.push_back(std::move(profile));
}

void Finder::add_file(const fs::path& path) {
  const std::string name = path.filename().native();
  Profile profile{.kind = ProfileKind::kChromeTrace, .path = path};
  profile.results = path.parent_path();
  add_files_above(profile);
  profile.results.clear();
  if (name.ends_with(".db")) {
    profile.kind = ProfileKind::kResultDatabase;
    profile.database = path;
    if (profile.rank < 0) profile.rank = rank_of_database(name);
  }
  discovery_.profiles.push_back(std::move(profile));
}

void Finder::visit(const fs::path& path, int levels) {
  if (!first_visit(path)) return;
  const auto listing = list(path);
  if (!listing) return;

  const std::string name = name_of(path);
  if (name.ends_with(format::framework::kRunSuffix))
    return add_framework(ProfileKind::kPyTorch, path, *listing);
  if (name.ends_with(format::mindspore::kRunSuffix)) {
    const fs::path* const older = listing->directory(format::mindspore::kOldRunDirectory);
    const bool has_own = listing->directory(format::framework::kDirectoryName) != nullptr ||
                         listing->directory(format::results::kFrameworkResults) != nullptr;
    if (older != nullptr && !has_own && levels > 0) return visit(*older, levels - 1);
    return add_framework(ProfileKind::kMindSpore, path, *listing);
  }
  if (auto cann = read_cann(path, *listing)) {
    if (!has_data(*cann) && add_results_of_cann(path, *listing, *cann)) return;
    return add_cann(path, *listing, std::move(*cann));
  }
  if (auto job = read_job(path, *listing)) {
    Profile profile{.kind = ProfileKind::kJob, .path = path};
    profile.cann.push_back(std::move(*job));
    discovery_.profiles.push_back(std::move(profile));
    return;
  }
  if (listing->directory(format::mindspore::kHostInfoDirectory) != nullptr) {
    return add_framework(ProfileKind::kMindSpore, path, *listing);
  }
  // A framework directory that was renamed.
  const bool has_framework = listing->directory(format::framework::kDirectoryName) != nullptr;
  if (has_framework || listing->directory(format::results::kFrameworkResults) != nullptr) {
    std::error_code ignored;
    const bool is_mindspore =
        has_framework && fs::exists(*listing->directory(format::framework::kDirectoryName) /
                                        format::mindspore::kOpRangeFile,
                                    ignored);
    return add_framework(is_mindspore ? ProfileKind::kMindSpore : ProfileKind::kPyTorch, path,
                         *listing);
  }
  if (std::any_of(listing->files.begin(), listing->files.end(), [](const fs::path& file) {
        return is_result_file_name(file.filename().native());
      })) {
    return add_results(path, *listing);
  }
  const std::size_t found = discovery_.profiles.size();
  for (const fs::path& file : listing->files) {
    if (is_timeline_name(file.filename().native())) add_file(file);
  }
  if (levels == 0) return;
  for (const fs::path& part : listing->directories) visit(part, levels - 1);
  for (const fs::path& part : listing->links) visit(part, std::min(levels - 1, kLevelsBehindLinks));
  if (name.starts_with(format::host::kProfPrefix) && discovery_.profiles.size() == found) {
    notice(path, "it has no host and no device_<N> directory, and no results");
  }
}

Result<Discovery> Finder::run(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return Error::from_errno("cannot open", path.native(), errno);
  }
  if (S_ISREG(status.st_mode)) {
    const std::string name = path.filename().native();
    if (!name.ends_with(".db") && !name.ends_with(".json") && !name.ends_with(".json.gz")) {
      return Error{
          ErrorCode::kUnsupported,
          path.native() + " is not a profile: expected a .db or .json file or a directory"};
    }
    add_file(path);
    return std::move(discovery_);
  }
  std::error_code error;
  if (!list_directory(path, error)) {
    return Error::from_errno("cannot read", path.native(), error.value());
  }
  visit(path, std::numeric_limits<int>::max());
  if (discovery_.profiles.empty()) {
    std::string message = "no profile in " + path.native() +
                          ": expected *_ascend_pt, *_ascend_ms, PROF_*, JOB* or result files";
    for (const std::string& sentence : discovery_.notices) message += ". " + sentence;
    if (message.back() == '.') message.pop_back();
    return Error{ErrorCode::kNotFound, std::move(message)};
  }
  const auto key = [](const Profile& profile) {
    return std::pair(static_cast<std::uint32_t>(profile.rank), profile.path);  // -1 comes last.
  };
  std::sort(discovery_.profiles.begin(), discovery_.profiles.end(),
            [&](const Profile& a, const Profile& b) { return key(a) < key(b); });
  return std::move(discovery_);
}

}  // namespace

Result<Discovery> discover(const fs::path& path) { return Finder().run(path); }

bool Profile::is_cann_only() const {
  switch (kind) {
    case ProfileKind::kCann:
    case ProfileKind::kJob:
      return true;
    case ProfileKind::kPyTorch:
    case ProfileKind::kMindSpore:
      return false;
    default: {
      const std::string name = name_of(database.empty() ? path : database);
      return name.starts_with("msprof") || name == format::results::kCannResults ||
             name.starts_with(format::host::kProfPrefix) || name.starts_with("device_") ||
             name_of(path.parent_path()).starts_with("device_");
    }
  }
}

void Discovery::prefer_raw_data() {
  std::set<std::string> runs;
  for (const Profile& profile : profiles) {
    if (profile.has_raw_data()) runs.insert(name_of(profile.path));
  }
  if (runs.empty()) return;
  // Results are kept in folders that are called after their run.
  const auto is_of_run = [&](const Profile& results) {
    return std::any_of(results.path.begin(), results.path.end(),
                       [&](const fs::path& part) { return runs.contains(part.native()); });
  };
  std::erase_if(profiles, [&](const Profile& profile) {
    if (profile.has_raw_data()) return false;
    if (!is_of_run(profile)) {
      notices.push_back(profile.path.native() +
                        " was left out: it has results only, and there are raw profiles.");
    }
    return true;
  });
}

}  // namespace npuprof::load
