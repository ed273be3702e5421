#include "load/input_data.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "format/framework/file_names.h"
#include "format/mindspore/file_names.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;

// Parts of a profile as they are read.
struct InputParts {
  std::vector<fs::path> raw;     // Directories of raw data: nothing else belongs there.
  std::vector<fs::path> shared;  // Directories in which results may lie beside what is read.
  std::vector<fs::path> files;
};

InputParts input_parts(const Profile& profile) {
  InputParts parts;
  const auto add = [](std::vector<fs::path>& to, const fs::path& path) {
    if (!path.empty()) to.push_back(path);
  };
  add(parts.files, profile.profiler_info);
  add(parts.files, profile.profiler_metadata);
  if (profile.has_raw_data()) {
    add(parts.files, profile.path / format::framework::kRecorderStateFile);
  }
  if (profile.framework == profile.path) {  // MindSpore 2.3 and 2.4 have no folder for it.
    add(parts.shared, profile.framework);
    add(parts.raw, profile.framework / format::mindspore::kHostInfoDirectory);
  } else {
    add(parts.raw, profile.framework);
  }
  for (const CannDirectory& cann : profile.cann) {
    if (cann.is_job) {
      add(parts.shared, cann.path);
      continue;
    }
    add(parts.raw, cann.host);
    for (const DeviceDirectory& device : cann.devices) add(parts.raw, device.path);
  }
  if (profile.has_raw_data()) return parts;
  add(parts.files, profile.database);
  if (profile.kind == ProfileKind::kChromeTrace) add(parts.files, profile.path);
  if (profile.database.empty()) add(parts.shared, profile.results);
  return parts;
}

std::uint64_t bytes_below(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) bytes += entry->file_size(ignored);
  }
  return bytes;
}

// Without links, so that paths can be compared by name.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path.lexically_normal() : real;
}

// Whether `inner` is `outer` or lies below it.
bool holds(const fs::path& outer, const fs::path& inner) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// A file that is there and may be read: other results of this program lie in the same folders.
bool is_read_from(const fs::path& shared, const fs::path& place, bool is_raw) {
  std::error_code error;
  if (!holds(shared, place) || !fs::is_regular_file(place, error)) return false;
  const std::string name = place.filename();
  return is_raw || name.ends_with(".csv") || name.ends_with(".json") || name.ends_with(".json.gz");
}

}  // namespace

std::uint64_t input_bytes(const Profile& profile) {
  const InputParts parts = input_parts(profile);
  std::uint64_t bytes = 0;
  for (const auto* directories : {&parts.raw, &parts.shared}) {
    for (const fs::path& directory : *directories) bytes += bytes_below(directory);
  }
  for (const fs::path& file : parts.files) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(file, error);
    if (!error) bytes += size;
  }
  return bytes;
}

bool is_in_the_way_of(const Profile& profile, const fs::path& place) {
  const fs::path real = real_path(place);
  const InputParts parts = input_parts(profile);
  const auto is_lost = [&](const fs::path& part) { return holds(real, real_path(part)); };
  const auto is_among = [&](const fs::path& part) {
    return is_lost(part) || holds(real_path(part), real);
  };
  const auto is_read = [&](const fs::path& part) {
    return is_lost(part) || is_read_from(real_path(part), real, profile.has_raw_data());
  };
  return std::any_of(parts.raw.begin(), parts.raw.end(), is_among) ||
         std::any_of(parts.shared.begin(), parts.shared.end(), is_read) ||
         std::any_of(parts.files.begin(), parts.files.end(), is_lost);
}

}  // namespace npuprof::load
