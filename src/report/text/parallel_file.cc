#include "report/text/parallel_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write_behind.h"

namespace npuprof::report {

Result<ParallelFile> ParallelFile::create(const std::filesystem::path& path, ThreadPool& pool) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode);
  if (descriptor < 0) return Error::from_errno("cannot create", path.native(), errno);
  return ParallelFile(descriptor, path, pool);
}

ParallelFile::ParallelFile(int descriptor, std::filesystem::path path, ThreadPool& pool)
    : descriptor_(descriptor), path_(std::move(path)), pool_(&pool) {}

ParallelFile::ParallelFile(ParallelFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      pool_(other.pool_),
      size_(other.size_),
      error_(std::move(other.error_)) {}

ParallelFile::~ParallelFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int ParallelFile::write_at(std::uint64_t offset, std::string_view value) {
  const std::uint64_t begin = offset;
  while (!value.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, value.data(), value.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    offset += static_cast<std::uint64_t>(written);
    value.remove_prefix(static_cast<std::size_t>(written));
  }
  write_behind(descriptor_, begin, offset);
  return 0;
}

void ParallelFile::note(int errno_value) {
  if (errno_value != 0) {
    error_.keep(Error::from_errno("cannot write", path_.native(), errno_value));
  }
}

void ParallelFile::text(std::string_view value) {
  if (error_.failed()) return;
  note(write_at(size_, value));
  size_ += value.size();
}

void ParallelFile::rows(std::size_t count, const Format& format, std::size_t rows_per_block) {
  if (error_.failed() || count == 0) return;
  const std::size_t blocks = (count + rows_per_block - 1) / rows_per_block;
  std::atomic<std::size_t> next_block{0};
  std::mutex mutex;
  std::condition_variable placed;
  std::size_t placed_blocks = 0;  // Blocks whose place in the file is known.
  int failure = 0;

  // Each worker takes the next block, so the lowest block without a place is always being formatted
  // and nobody waits for work that no one does.
  pool_->parallel_for(std::min(blocks, pool_->worker_count() + 1), [&](std::size_t) {
    TextBuffer out(1 << 20);
    for (;;) {
      const std::size_t block = next_block.fetch_add(1);
      if (block >= blocks) return;
      out.clear();
      bool formatted = true;
      try {
        format(out, block * rows_per_block, std::min(count, (block + 1) * rows_per_block));
      } catch (const std::bad_alloc&) {  // Keep the turn, or the others would wait for ever.
        formatted = false;
        out.clear();
      }
      std::uint64_t offset = 0;
      {
        std::unique_lock lock(mutex);
        placed.wait(lock, [&] { return placed_blocks == block; });
        if (!formatted) failure = ENOMEM;
        offset = size_;
        size_ += out.size();
        ++placed_blocks;
      }
      placed.notify_all();
      const int errno_value = write_at(offset, out.view());
      if (errno_value != 0) {
        const std::lock_guard lock(mutex);
        failure = errno_value;
      }
    }
  });
  note(failure);
}

Status ParallelFile::close() {
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0) note(errno);
  return error_.status();
}

}  // namespace npuprof::report
