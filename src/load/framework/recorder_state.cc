#include "load/framework/recorder_state.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "format/framework/file_names.h"

namespace npuprof::load {
namespace {

// The system takes the lock from a process that ends, however it does.
RecorderState::Process process_with_lock(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return RecorderState::Process::kUnknown;
  const int locked = ::flock(file, LOCK_SH | LOCK_NB);
  const int reason = errno;
  ::close(file);
  if (locked == 0) return RecorderState::Process::kEnded;
  return reason == EWOULDBLOCK ? RecorderState::Process::kRecords
                               : RecorderState::Process::kUnknown;
}

}  // namespace

std::optional<RecorderState> read_recorder_state(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / format::framework::kRecorderStateFile;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  // The lock first: the process may end in between, and then its last words are those read here.
  const auto process = process_with_lock(path);
  const auto text = read_file(path);
  if (!text.ok()) return std::nullopt;
  auto recorder = format::framework::parse_recorder(*text);
  if (!recorder.ok()) return std::nullopt;
  return RecorderState{std::move(recorder).value(), process};
}

}  // namespace npuprof::load
