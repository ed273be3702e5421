#include "report/pending_output.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial-";
constexpr std::string_view kOld = ".old-";

// Whether `name` ends with `mark` and the number of a process.
bool has_mark(std::string_view name, std::string_view mark) {
  const std::size_t at = name.rfind(mark);
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view number = name.substr(at + mark.size());
  return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}

// A lock on a directory, which ends with the process that has it. -1 if another process has it (or
// there are no locks here).
int lock_directory(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

void remove_if_dead(const fs::path& path) {
  const int lock = lock_directory(path);
  if (lock < 0) return;
  std::error_code ignored;
  fs::remove_all(path, ignored);
  ::close(lock);
}

// Where directories cannot be exchanged, a process that died between two renames has left the old
// results under another name.
void restore_old(const fs::path& final_path, const std::vector<fs::path>& old) {
  std::error_code ignored;
  for (const fs::path& path : old) {
    if (!path.native().starts_with(final_path.native() + std::string(kOld))) continue;
    if (!fs::exists(final_path, ignored)) {
      fs::rename(path, final_path, ignored);
    } else {
      fs::remove_all(path, ignored);
    }
  }
}

void remove_leftovers(const fs::path& final_path) {
  std::vector<fs::path> partial;
  std::vector<fs::path> old;
  std::error_code error;
  for (fs::directory_iterator entry(final_path.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (has_mark(name, kPartial)) partial.push_back(entry->path());
    if (has_mark(name, kOld)) old.push_back(entry->path());
  }
  std::sort(old.begin(), old.end());
  restore_old(final_path, old);
  for (const fs::path& path : partial) remove_if_dead(path);
}

// Exchanges two directories in one step; false where the system or the file system cannot.
bool exchange(const fs::path& a, const fs::path& b) {
#ifdef SYS_renameat2
  constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE
  return ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), kExchange) == 0;
#else
  return false;
#endif
}

}  // namespace

Result<PendingOutput> PendingOutput::create(const fs::path& final_path) {
  if (!final_path.parent_path().empty()) {
    NPUPROF_RETURN_IF_ERROR(make_directories(final_path.parent_path()));
  }
  remove_leftovers(final_path);
  // Processes of several containers or machines may have the same number.
  constexpr int kMostNames = 1000;
  for (int number = 0; number < kMostNames; ++number) {
    std::string path = final_path.native() + std::string(kPartial) + std::to_string(::getpid());
    if (number > 0) path += std::to_string(number);
    if (::mkdir(path.c_str(), kDirectoryMode) == 0) {
      PendingOutput pending(final_path, path);
      pending.lock_ = lock_directory(pending.path_);
      return pending;
    }
    if (errno != EEXIST) return Error::from_errno("cannot create", path, errno);
  }
  return Error::from_errno("cannot create a directory beside", final_path.native(), EEXIST);
}

PendingOutput::PendingOutput(PendingOutput&& other) noexcept
    : final_(std::move(other.final_)),
      path_(std::exchange(other.path_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

PendingOutput::~PendingOutput() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

Status PendingOutput::replace_directory() {
  // What was there is now in our own directory, which the destructor removes.
  if (exchange(path_, final_)) return ok_status();
  const fs::path old = final_.native() + std::string(kOld) + std::to_string(::getpid());
  std::error_code error;
  fs::rename(final_, old, error);
  if (!error) fs::rename(path_, final_, error);
  std::error_code ignored;
  if (error) {
    if (!fs::exists(final_, ignored)) fs::rename(old, final_, ignored);
    return Error::from_errno("cannot put the results in place at", final_.native(), error.value());
  }
  path_.clear();
  fs::remove_all(old, ignored);
  return ok_status();
}

Status PendingOutput::publish() {
  std::error_code error;
  if (fs::exists(final_, error)) return replace_directory();
  fs::rename(path_, final_, error);
  if (error) {
    return Error::from_errno("cannot put the results in place at", final_.native(), error.value());
  }
  path_.clear();
  return ok_status();
}

Status PendingOutput::publish_file(std::string_view name) {
  std::error_code error;
  fs::rename(path_ / name, final_, error);
  if (error) {
    return Error::from_errno("cannot put the result in place at", final_.native(), error.value());
  }
  return ok_status();
}

}  // namespace npuprof::report
