#include "load/done_marks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
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

}  // namespace

void check_done_marks(const fs::path& directory, trace::Losses& losses) {
  for (const fs::path& mark : list_marks(directory)) {
    const Result<std::string> text = read_file(mark);
    const auto bytes = text.ok() ? format::host::parse_done(*text) : std::nullopt;
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
