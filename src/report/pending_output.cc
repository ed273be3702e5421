#include "report/pending_output.h"

#include <cerrno>
#include <climits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pending_name.h"
#include "base/write_all.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "made-by-npuprof";
constexpr const char* kNew = "new";
constexpr const char* kOld = "old";
// A directory that a user makes does not have the sticky bit.
constexpr mode_t kOwnMode = S_ISVTX | 0700;

// -1 if it is none, or a link to one.
int open_directory(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// False if another process has the lock (and `operation` says not to wait), or if the file system
// has no locks.
bool lock(int directory, int operation) {
  int failed = 0;
  do {
    failed = ::flock(directory, operation);
  } while (failed != 0 && errno == EINTR);
  return failed == 0;
}

// Whether this program made a directory, for this user.
bool is_own(int directory) {
  struct stat info {};
  return ::fstat(directory, &info) == 0 && info.st_uid == ::geteuid() &&
         (info.st_mode & S_ISVTX) != 0;
}

// The name in the mark of a directory; nothing if it has none.
std::optional<std::string> read_mark(int directory) {
  const int mark = ::openat(directory, kMark, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (mark < 0) return std::nullopt;
  char text[NAME_MAX];
  const ssize_t size = ::read(mark, text, sizeof(text));
  ::close(mark);
  if (size < 0) return std::nullopt;
  return std::string(text, static_cast<std::size_t>(size));
}

// The mark goes last: a process that dies here leaves what the next one knows to be removable.
void remove_own(const fs::path& own) {
  std::error_code ignored;
  for (const char* part : {kNew, kOld}) fs::remove_all(own / part, ignored);
  (void)::unlink((own / kMark).c_str());
  (void)::rmdir(own.c_str());
}

void remove_if_dead(const fs::path& path) {
  const int directory = open_directory(path);
  if (directory < 0) return;
  if (is_own(directory) && lock(directory, LOCK_EX | LOCK_NB)) {
    if (const auto name = read_mark(directory)) {
      // It died after it had put the old results aside: they come back.
      const fs::path place = path.parent_path() / fs::path(*name).filename();
      std::error_code ignored;
      if (!fs::exists(fs::symlink_status(place, ignored))) fs::rename(path / kOld, place, ignored);
      remove_own(path);
    } else {
      (void)::rmdir(path.c_str());  // Fails if there is something in it.
    }
  }
  ::close(directory);
}

void remove_leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().native().starts_with(kPendingPrefix)) {
      found.push_back(entry->path());
    }
  }
  for (const fs::path& path : found) remove_if_dead(path);
}

fs::path folder_of_place(const fs::path& place) {
  return place.has_parent_path() ? place.parent_path() : fs::path(".");
}

// Exchanges two directories in one step; false where the system or the file system cannot, with the
// reason in errno.
bool exchange(const fs::path& a, const fs::path& b) {
#ifdef SYS_renameat2
  constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE
  return ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), kExchange) == 0;
#else
  errno = ENOSYS;
  return false;
#endif
}

std::string_view kind_of_file(mode_t mode) {
  if (S_ISLNK(mode)) return "a link";
  if (S_ISDIR(mode)) return "a directory";
  return S_ISREG(mode) ? "a file" : "a device, pipe or socket";
}

}  // namespace

Result<PendingOutput> PendingOutput::directory_at(const fs::path& place) {
  return create(place, Kind::kDirectory);
}

Result<PendingOutput> PendingOutput::file_at(const fs::path& place) {
  return create(place, Kind::kFile);
}

Result<PendingOutput> PendingOutput::create(const fs::path& place, Kind kind) {
  PendingOutput pending(place, kind);
  NPUPROF_RETURN_IF_ERROR(pending.check_place());
  if (place.has_parent_path()) NPUPROF_RETURN_IF_ERROR(make_directories(place.parent_path()));
  NPUPROF_RETURN_IF_ERROR(pending.make_in(folder_of_place(place)));
  return pending;
}

Result<PendingOutput> PendingOutput::temporary_file(const std::string& name) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) {
    return Error::from_errno("cannot use the folder for temporary files (TMPDIR)", folder.native(),
                             error.value());
  }
  PendingOutput pending(name, Kind::kFile);
  NPUPROF_RETURN_IF_ERROR(pending.make_in(folder));
  return pending;
}

PendingOutput::PendingOutput(PendingOutput&& other) noexcept
    : place_(std::move(other.place_)),
      kind_(other.kind_),
      own_(std::exchange(other.own_, {})),
      new_(std::move(other.new_)),
      lock_(std::exchange(other.lock_, -1)) {}

PendingOutput::~PendingOutput() {
  if (!own_.empty()) remove_own(own_);
  if (lock_ >= 0) ::close(lock_);
}

// Replacing a device or a link would be a loss that nobody asked for.
Status PendingOutput::check_place() const {
  struct stat there {};
  if (::lstat(place_.c_str(), &there) != 0) return ok_status();
  const bool is_directory = kind_ == Kind::kDirectory;
  if (is_directory ? S_ISDIR(there.st_mode) : S_ISREG(there.st_mode)) return ok_status();
  return Error{ErrorCode::kInvalidArgument,
               "'" + place_.native() + "' is " + std::string(kind_of_file(there.st_mode)) +
                   ", where " + (is_directory ? "the directory of" : "a file with") +
                   " results should be: remove it, or write to another place with --output"};
}

Status PendingOutput::make_in(const fs::path& folder) {
  remove_leftovers(folder);
  constexpr int kMostAttempts = 10'000;
  // Processes of several containers or machines may have the same number, and so have threads.
  int number = 0;
  std::string path;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    path = folder / (std::string(kPendingPrefix) + std::to_string(::getpid()));
    if (number > 0) path += "-" + std::to_string(number);
    if (::mkdir(path.c_str(), kOwnMode) != 0) {
      if (errno != EEXIST) break;
      ++number;
      continue;
    }
    own_ = path;
    NPUPROF_ASSIGN_OR_RETURN(const bool is_ours, claim());
    if (!is_ours) continue;
    new_ = own_ / kNew;
    if (::mkdir(new_.c_str(), kDirectoryMode) == 0) return ok_status();
    path = new_;
    break;
  }
  return Error::from_errno("cannot create", path, errno);
}

// Locks the new directory and puts the mark into it. False if another process removed it before, as
// one that a dead process left.
Result<bool> PendingOutput::claim() {
  lock_ = open_directory(own_);
  if (lock_ < 0 && errno != ENOENT) return Error::from_errno("cannot open", own_.native(), errno);
  // Where there are no locks nobody removes anything.
  if (lock_ >= 0 && !lock(lock_, LOCK_EX)) return true;
  const int mark =
      lock_ < 0 ? -1 : ::openat(lock_, kMark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
  if (mark >= 0) {
    const Status written = write_all(mark, as_bytes(place_.filename().native()), own_.native());
    ::close(mark);
    if (!written.ok()) return written.error();
    return true;
  }
  if (errno != ENOENT) return Error::from_errno("cannot write into", own_.native(), errno);
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
  own_.clear();
  return false;
}

Error PendingOutput::cannot_put(int errno_value) const {
  return Error::from_errno("cannot put the results in place at", place_.native(), errno_value);
}

Status PendingOutput::publish() {
  NPUPROF_RETURN_IF_ERROR(check_place());
  if (kind_ == Kind::kDirectory) return put_directory_in_place();
  if (::rename(file().c_str(), place_.c_str()) == 0) return ok_status();
  return cannot_put(errno);
}

Status PendingOutput::put_directory_in_place() {
  // Others may publish at the same place, so that each step can find it changed.
  constexpr int kMostAttempts = 1000;
  const fs::path old = own_ / kOld;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    // What was there is then in our own directory, which the destructor removes.
    if (exchange(new_, place_)) return ok_status();
    const bool was_there = errno != ENOENT;
    if (::rename(new_.c_str(), place_.c_str()) == 0) return ok_status();
    const int reason = errno;
    std::error_code ignored;
    if (reason != ENOTEMPTY && reason != EEXIST) {
      if (!fs::exists(place_, ignored)) fs::rename(old, place_, ignored);
      return cannot_put(reason);
    }
    if (!was_there) continue;
    fs::remove_all(old, ignored);
    if (::rename(place_.c_str(), old.c_str()) != 0 && errno != ENOENT) return cannot_put(errno);
  }
  return cannot_put(EEXIST);
}

}  // namespace npuprof::report
