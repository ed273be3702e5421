#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/first_error.h"
#include "base/result.h"
#include "format/host/names.h"
#include "format/record.h"

namespace npuprof::record {

// Writes the slices `<directory>/<base>.slice_<k>` of one raw file. A slice is closed as soon as it
// has `slice_bytes` or more, always between two records, and gets its `.done` file then. No slice
// is made before the first record. The first failure is kept: later records go nowhere and close()
// reports it, so that callers need not check each call.
class SliceWriter {
 public:
  static constexpr std::uint64_t kNeverSplit = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t kMaxRecordBytes = 64 * 1024;  // Longer ones take write().

  // `base` is all of the name before ".slice_", such as "aging.compact.task_track".
  SliceWriter(std::filesystem::path directory, std::string base,
              std::uint64_t slice_bytes = format::host::kSliceBytes);

  template <format::Record T>
  void append(const T& record) {
    static_assert(sizeof(T) <= kMaxRecordBytes);
    format::store(reserve(sizeof(T)), record);
    commit(sizeof(T));
  }

  // Room for a record of up to `size` <= kMaxRecordBytes bytes, to be encoded in place; commit()
  // says how long it became.
  std::byte* reserve(std::size_t size) {
    if (!file_) open_slice();
    return file_ ? file_->reserve(size) : scratch();
  }
  void commit(std::size_t size) {
    if (!file_) return;
    file_->commit(size);
    if (file_->position() >= slice_bytes_) close_slice();
  }

  // One record (or piece of text) of any length.
  void write(Bytes bytes);
  void write(std::string_view text) { write(as_bytes(text)); }

  // Hands what is buffered to the operating system, so that it survives the death of the process.
  void flush();

  // The first failure so far.
  Status status() const { return error_.status(); }

  // Closes the open slice; further records would begin a new one. Returns the first failure of all.
  Status close();

 private:
  void open_slice();
  void close_slice();
  std::byte* scratch();

  std::filesystem::path directory_;
  std::string base_;
  std::uint64_t slice_bytes_;
  std::uint32_t next_slice_ = 0;
  std::optional<FileWriter> file_;
  FirstError error_;
  std::unique_ptr<std::byte[]> scratch_;  // Takes records after a failure.
};

}  // namespace npuprof::record
