#pragma once

// A text file whose rows are formatted by many threads and still come out in order. Ranges of rows
// are formatted into blocks; a block's place in the file is known once those before it have been
// formatted, and it is then written there without waiting for the others.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/first_error.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "report/text/text_buffer.h"

namespace npuprof::report {

class ParallelFile {
 public:
  // Formats the rows [first, last) to the end of `out`.
  using Format = std::function<void(TextBuffer& out, std::size_t first, std::size_t last)>;

  // Creates or truncates `path`.
  static Result<ParallelFile> create(const std::filesystem::path& path, ThreadPool& pool);

  ParallelFile(ParallelFile&& other) noexcept;
  ParallelFile& operator=(ParallelFile&&) = delete;
  ParallelFile(const ParallelFile&) = delete;
  ParallelFile& operator=(const ParallelFile&) = delete;
  ~ParallelFile();

  void text(std::string_view value);

  // Rows formatted as one block: enough to make a write worth while, few enough to share the work.
  static constexpr std::size_t kRowsPerBlock = 4096;

  // Appends `count` rows. `format` is called from several threads; the ranges do not depend on how
  // many.
  void rows(std::size_t count, const Format& format, std::size_t rows_per_block = kRowsPerBlock);

  std::uint64_t size() const { return size_; }
  // The first error of all calls so far, a full disk for instance.
  Status close();

 private:
  ParallelFile(int descriptor, std::filesystem::path path, ThreadPool& pool);
  // Returns the errno of a failed write, 0 if all is well.
  int write_at(std::uint64_t offset, std::string_view value);
  void note(int errno_value);

  int descriptor_ = -1;
  std::filesystem::path path_;
  ThreadPool* pool_;
  std::uint64_t size_ = 0;
  FirstError error_;
};

}  // namespace npuprof::report
