#include "load/done_marks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "format/host/control.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkExtension = ".done";

std::vector<fs::path> list_marks(const fs::path& directory) {
  std::vector<fs::path> marks;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kMarkExtension) marks.push_back(entry->path());
  }
  std::sort(marks.begin(), marks.end());
  return marks;
}

// The size that a mark tells.
std::optional<std::uint64_t> marked_bytes(const fs::path& mark) {
  constexpr std::size_t kMostMarkBytes = 4096;
  const Result<std::string> text = read_file(mark, kMostMarkBytes);
  return text.ok() ? format::host::parse_done(*text) : std::nullopt;
}

}  // namespace

bool has_done_mark(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file.native() + std::string(kMarkExtension), ignored);
}

std::uint64_t bytes_lost_at_end(const fs::path& file, std::uint64_t size) {
  // No file is as long as a damaged mark may say.
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 48;
  const auto bytes = marked_bytes(file.native() + std::string(kMarkExtension));
  return bytes && *bytes > size && *bytes < kMostBytes ? *bytes - size : 0;
}

void check_done_marks(const fs::path& directory, trace::Losses& losses) {
  for (const fs::path& mark : list_marks(directory)) {
    const auto bytes = marked_bytes(mark);
    if (!bytes) continue;
    const fs::path file = fs::path(mark).replace_extension();
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (error == std::errc::no_such_file_or_directory) {
      losses.add(file.native(), 0, 0,
                 fmt::format("The file is missing: it had {} bytes when it was written.", *bytes));
    } else if (!error && size < *bytes) {
      losses.add(file.native(), size, 0,
                 fmt::format("The file has lost its end: {} of {} bytes are left.", size, *bytes));
    }
  }
}

}  // namespace npuprof::load
