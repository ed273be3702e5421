#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/first_error.h"
#include "base/result.h"
#include "format/framework/tlv.h"
#include "format/record.h"

namespace npuprof::record {

enum class FrameworkFile : std::uint8_t {
  kOpRange,
  kOpMark,
  kMemoryUsage,
  kPythonCalls,
  kPythonNames,
  kParameters,
  kGarbage,
};

// The files of FRAMEWORK/. A file is made when its first record comes. After a failure of any of
// them nothing more is put; status() tells of it. The file that failed is cut back to where it was
// whole, so that it holds the records that are counted as written, and no part of another.
class FrameworkFiles {
 public:
  explicit FrameworkFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  template <format::framework::TlvRecord T>
  void put(FrameworkFile which, const T& record) {
    const std::size_t size = encoded_size(record);
    File* const file = opened(which, size);
    if (file == nullptr) return;
    if (size <= kInPlaceBytes) {
      encode(record, file->writer.reserve(size));
      file->writer.commit(size);
    } else {
      long_record_.clear();
      append(record, long_record_);
      file->writer.write(Bytes(long_record_));
    }
    ++file->records;
  }
  template <format::Record T>
  void put_bare(FrameworkFile which, const T& record) {
    File* const file = opened(which, sizeof(T));
    if (file == nullptr) return;
    format::store(file->writer.reserve(sizeof(T)), record);
    file->writer.commit(sizeof(T));
    ++file->records;
  }

  // Hands what is buffered to the operating system: this much survives if the process is killed.
  Status flush();
  Status close();
  // The first failure of all.
  Status status() const { return error_.status(); }
  // Nothing more is put.
  void fail(const Error& error) { error_.keep(error); }

  // What the operating system has got.
  std::uint64_t written_records() const;
  std::uint64_t written_bytes() const;

 private:
  struct File {
    FileWriter writer;
    std::uint64_t records = 0;
    std::uint64_t written_records = 0;
    std::uint64_t written_bytes = 0;
    bool is_cut = false;  // It failed.
  };

  static constexpr std::size_t kFiles = 7;
  static constexpr std::size_t kBufferBytes = 256 * 1024;
  static constexpr std::size_t kInPlaceBytes = 16 * 1024;

  // With room in its buffer for a record of that size, so that the buffer is only ever written as a
  // whole, by hand_over(). (Longer records than the buffer are not buffered.)
  File* opened(FrameworkFile which, std::size_t size) {
    std::optional<File>& file = files_[static_cast<std::size_t>(which)];
    if (error_.failed()) [[unlikely]]
      return nullptr;
    if (!file) [[unlikely]]
      open(which);
    if (file && file->writer.position() - file->written_bytes + size > kBufferBytes) [[unlikely]]
      hand_over(*file);
    return error_.failed() ? nullptr : &*file;
  }
  void open(FrameworkFile which);
  void hand_over(File& file);
  void settle(File& file, const Status& written);

  std::filesystem::path directory_;
  std::array<std::optional<File>, kFiles> files_;
  std::vector<std::byte> long_record_;
  FirstError error_;
};

}  // namespace npuprof::record
