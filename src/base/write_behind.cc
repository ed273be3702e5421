#include "base/write_behind.h"

#include <fcntl.h>

namespace npuprof {
namespace {

// Large enough for a disk to write at full speed.
constexpr std::uint64_t kWindowBytes = std::uint64_t{32} << 20;
// A window leaves the cache when so many later ones are complete: by then the disk has it. If not,
// it just stays.
constexpr std::uint64_t kWindowsInFlight = 3;

}  // namespace

void write_behind(int descriptor, std::uint64_t begin, std::uint64_t end) {
  // Hints only: a file system that does not know them loses nothing.
  for (std::uint64_t window = begin / kWindowBytes; window < end / kWindowBytes; ++window) {
    const auto length = static_cast<off_t>(kWindowBytes);
    (void)::sync_file_range(descriptor, static_cast<off_t>(window * kWindowBytes), length,
                            SYNC_FILE_RANGE_WRITE);
    if (window < kWindowsInFlight) continue;
    const std::uint64_t done = window - kWindowsInFlight;
    (void)::posix_fadvise(descriptor, static_cast<off_t>(done * kWindowBytes), length,
                          POSIX_FADV_DONTNEED);
  }
}

}  // namespace npuprof
