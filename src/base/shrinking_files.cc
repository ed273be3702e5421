#include "base/shrinking_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace npuprof {
namespace {

// A mapped file, as the signal handler sees it.
struct MappedRange {
  std::atomic<std::uintptr_t> begin{0};  // 0: no file.
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> has_fault{false};
};

// More files than are ever mapped at once. A file that finds no room is not protected.
constexpr std::size_t kMostRanges = 16384;
constexpr std::size_t kNoSlot = kMostRanges;

std::array<MappedRange, kMostRanges> mapped_ranges;
std::atomic<std::size_t> used_ranges{0};  // No file beyond.
struct sigaction handler_before;

std::mutex watch_mutex;                // For those below.
std::vector<std::size_t> free_ranges;  // Below used_ranges.
std::vector<ShrunkFile> shrunk_files;

// Puts zeros in place of the pages from the fault to the end of its file.
bool replace_pages(MappedRange& range, std::uintptr_t address) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = address & ~(page - 1);
  const std::uintptr_t end = (range.end.load() + page - 1) & ~(page - 1);
  void* const zeros = ::mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED) return false;
  range.has_fault.store(true);
  return true;
}

// Only calls that may be made in a signal handler: atomics, sysconf, mmap and sigaction of Linux.
void on_bus_error(int, siginfo_t* info, void*) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::size_t used = used_ranges.load();
  for (std::size_t slot = 0; slot < used; ++slot) {
    MappedRange& range = mapped_ranges[slot];
    const std::uintptr_t begin = range.begin.load();
    if (begin == 0 || address < begin || address >= range.end.load()) continue;
    if (!replace_pages(range, address)) break;
    errno = saved_errno;
    return;
  }
  // Not ours: the access is made again, and is whose it was before.
  ::sigaction(SIGBUS, &handler_before, nullptr);
  errno = saved_errno;
}

std::size_t take_slot() {
  const std::lock_guard lock(watch_mutex);
  if (!free_ranges.empty()) {
    const std::size_t slot = free_ranges.back();
    free_ranges.pop_back();
    return slot;
  }
  const std::size_t slot = used_ranges.load();
  free_ranges.reserve(slot + 1);  // So that giving it back needs no memory.
  if (slot < kMostRanges) used_ranges.store(slot + 1);
  return slot;
}

void tell_shrunk(const std::filesystem::path& path, std::uint64_t bytes_left) {
  try {
    shrunk_files.push_back({path.native(), bytes_left});
  } catch (const std::bad_alloc&) {
    // Where memory is out, more is lost than the end of a file; that is said elsewhere.
  }
}

// Whether `path` is `root` or lies below it, by their names.
bool is_at_or_below(const std::filesystem::path& path, const std::filesystem::path& root) {
  auto part = path.begin();
  for (const auto& expected : root) {
    if (expected.empty()) break;  // "root/"
    if (part == path.end() || *part != expected) return false;
    ++part;
  }
  return true;
}

}  // namespace

void survive_shrinking_files() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handler_before);
  });
}

std::vector<ShrunkFile> take_shrunk_files(const std::filesystem::path& path) {
  const std::lock_guard lock(watch_mutex);
  const auto taken = std::stable_partition(
      shrunk_files.begin(), shrunk_files.end(),
      [&](const ShrunkFile& file) { return !is_at_or_below(file.path, path); });
  std::vector<ShrunkFile> files(std::make_move_iterator(taken),
                                std::make_move_iterator(shrunk_files.end()));
  shrunk_files.erase(taken, shrunk_files.end());
  // Threads unmap in any order.
  std::sort(files.begin(), files.end(),
            [](const ShrunkFile& a, const ShrunkFile& b) { return a.path < b.path; });
  return files;
}

FileWatch::FileWatch(std::filesystem::path path, const struct stat& info, Bytes mapped)
    : path_(std::move(path)),
      device_(info.st_dev),
      inode_(info.st_ino),
      mapped_(mapped),
      slot_(take_slot()) {
  if (slot_ == kNoSlot) return;
  MappedRange& range = mapped_ranges[slot_];
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped.data());
  range.has_fault.store(false);
  range.end.store(begin + mapped.size());
  range.begin.store(begin);
}

FileWatch::~FileWatch() {
  bool has_fault = false;
  if (slot_ != kNoSlot) {
    mapped_ranges[slot_].begin.store(0);
    has_fault = mapped_ranges[slot_].has_fault.load();
  }
  // The rest of the last page that is left reads as zeros without a fault. A file that was removed,
  // or replaced by another, stays as it was mapped.
  struct stat now {};
  const bool is_there =
      ::stat(path_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
  const std::uint64_t size = is_there ? static_cast<std::uint64_t>(now.st_size) : mapped_.size();
  const std::lock_guard lock(watch_mutex);
  if (has_fault || size < mapped_.size()) tell_shrunk(path_, size);
  if (slot_ != kNoSlot) free_ranges.push_back(slot_);
}

}  // namespace npuprof
