#include "record/collection_files.h"

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/file.h"
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
  name.append("_").append(prof_name_time(wall_us)).append("_ascend_pt");
  return name;
}

Status write_control_file(const std::filesystem::path& path, std::string_view content) {
  NPUPROF_RETURN_IF_ERROR(write_file(path, content));
  return write_file(path.native() + ".done", format::host::make_control_done(content.size()));
}

Status replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path draft = path.native() + ".tmp";
  NPUPROF_RETURN_IF_ERROR(write_file(draft, content));
  if (::rename(draft.c_str(), path.c_str()) == 0) return ok_status();
  return Error::from_errno("cannot replace", path.native(), errno);
}

}  // namespace npuprof::record
