#include "record/state_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"

namespace npuprof::record {
namespace {

// Room for all but long reasons of failures; it is there before the disk is full.
constexpr std::size_t kFewestBytes = 1024;

}  // namespace

// Not if another process has it.
void StateFile::open() {
  was_opened_ = true;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode);
  if (descriptor_ < 0) return;
  // Some file systems have no locks; a reader then does not know whether the process lives.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return close();
  (void)!::ftruncate(descriptor_, 0);
}

// The text never gets shorter, so that one write replaces all of the one before.
void StateFile::write(const format::framework::ProfilerInfo::Recorder& recorder) {
  if (!was_opened_) {
    const std::lock_guard lock(opening_);
    open();
  }
  if (descriptor_ < 0) return;
  std::string text = to_json(recorder);
  text.resize(std::max({text.size(), written_.size(), kFewestBytes}), ' ');
  if (text == written_) return;
  const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), 0);
  if (written == static_cast<ssize_t>(text.size())) written_ = std::move(text);
}

void StateFile::remove() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  close();
}

void StateFile::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace npuprof::record
