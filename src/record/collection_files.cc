#include "record/collection_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "format/framework/file_names.h"
#include "format/host/control.h"

namespace npuprof::record {
namespace {

constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;

std::string formatted_time(std::int64_t wall_us, const char* format) {
  const std::time_t seconds = wall_us / kMicrosecondsPerSecond;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[64];
  return std::string(text, std::strftime(text, sizeof(text), format, &parts));
}

std::string six_digits(std::int64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "%06lld", static_cast<long long>(number));
  return text;
}

bool write_at(int file, std::string_view content, std::size_t offset) {
  while (offset < content.size()) {
    const ::ssize_t count = ::pwrite(file, content.data() + offset, content.size() - offset,
                                     static_cast<::off_t>(offset));
    if (count <= 0) return false;
    offset += static_cast<std::size_t>(count);
  }
  return true;
}

// On a full disk a file can still be written where it is, and a little beyond its end. The file
// stays as it was if that is not enough.
bool overwrite_file(const std::filesystem::path& path, std::string_view content) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  struct stat status {};
  bool is_done = ::fstat(file, &status) == 0;
  if (is_done) {
    const auto size = static_cast<std::size_t>(status.st_size);
    // The end first: it is what may find no room.
    is_done = write_at(file, content, std::min(size, content.size()));
    if (is_done) {
      is_done = write_at(file, content.substr(0, std::min(size, content.size())), 0) &&
                ::ftruncate(file, static_cast<::off_t>(content.size())) == 0;
    } else {
      (void)!::ftruncate(file, status.st_size);
    }
  }
  ::close(file);
  return is_done;
}

}  // namespace

std::string prof_name_time(std::int64_t wall_us) {
  const std::string micros = six_digits(wall_us % kMicrosecondsPerSecond);
  return formatted_time(wall_us, "%Y%m%d%H%M%S") + micros.substr(0, 3);
}

std::string collection_date(std::int64_t wall_us) {
  return formatted_time(wall_us, "%Y-%m-%d %H:%M:%S.") +
         six_digits(wall_us % kMicrosecondsPerSecond);
}

std::string prof_name_letters(std::uint64_t bits) {
  constexpr std::uint64_t kLetterCount = 18;  // A to R
  std::string letters;
  for (int i = 0; i < 8; ++i) {
    letters += static_cast<char>('A' + bits % kLetterCount);
    bits /= kLetterCount;
  }
  return letters;
}

std::string ascend_pt_name(std::string_view worker, std::uint64_t process_id,
                           std::int64_t wall_us) {
  std::string name(worker);
  name.append("_").append(std::to_string(process_id));
  name.append("_").append(prof_name_time(wall_us)).append(format::framework::kRunSuffix);
  return name;
}

Status write_control_file(const std::filesystem::path& path, std::string_view content) {
  NPUPROF_RETURN_IF_ERROR(write_file(path, content));
  return write_file(path.native() + ".done", format::host::make_control_done(content.size()));
}

Status replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path draft = path.native() + ".tmp";
  Status written = write_file(draft, content);
  if (written.ok()) {
    if (::rename(draft.c_str(), path.c_str()) == 0) return ok_status();
    return Error::from_errno("cannot replace", path.native(), errno);
  }
  (void)::unlink(draft.c_str());
  if (written.error().code == ErrorCode::kNoSpace && overwrite_file(path, content)) {
    return ok_status();
  }
  return written;
}

}  // namespace npuprof::record
