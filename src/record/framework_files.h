#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
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
// them nothing more is written; status() tells of it.
class FrameworkFiles {
 public:
  explicit FrameworkFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  template <format::framework::TlvRecord T>
  void put(FrameworkFile which, const T& record) {
    FileWriter* const file = opened(which);
    if (file == nullptr) return;
    const std::size_t size = encoded_size(record);
    if (size <= kInPlaceBytes) {
      encode(record, file->reserve(size));
      file->commit(size);
      return;
    }
    long_record_.clear();
    append(record, long_record_);
    file->write(Bytes(long_record_));
  }
  template <format::Record T>
  void put_bare(FrameworkFile which, const T& record) {
    FileWriter* const file = opened(which);
    if (file == nullptr) return;
    format::store(file->reserve(sizeof(T)), record);
    file->commit(sizeof(T));
  }

  // Hands what is buffered to the operating system: this much survives if the process is killed.
  Status flush();
  Status close();
  // The first failure of all.
  Status status() const;

  std::uint64_t bytes() const;

 private:
  static constexpr std::size_t kFiles = 7;
  static constexpr std::size_t kBufferBytes = 256 * 1024;
  static constexpr std::size_t kInPlaceBytes = 16 * 1024;

  FileWriter* opened(FrameworkFile which) {
    std::optional<FileWriter>& file = files_[static_cast<std::size_t>(which)];
    if (error_) [[unlikely]]
      return nullptr;
    if (!file) [[unlikely]]
      open(which);
    return file ? &*file : nullptr;
  }
  void open(FrameworkFile which);
  void keep(const Status& status);

  std::filesystem::path directory_;
  std::array<std::optional<FileWriter>, kFiles> files_;
  std::vector<std::byte> long_record_;
  std::optional<Error> error_;
};

}  // namespace npuprof::record
