#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/first_error.h"
#include "base/result.h"

namespace npuprof {

class FileWatch;

using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A whole regular file, mapped read-only. Empty files are valid and map to an empty span. What
// becomes of the bytes when another process shortens the file is said in shrinking_files.h.
class MappedFile {
 public:
  // Fails at once if `path` is a pipe, a device or the like, which might never end.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept {
    swap(other);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  Bytes bytes() const { return {data_, size_}; }
  std::string_view text() const { return as_text(bytes()); }

  // Gives the memory of the bytes [begin, end) back to the system. They can still be read, from the
  // file again: this is for large files of which each part is read once.
  void forget(std::size_t begin, std::size_t end) const;

 private:
  void swap(MappedFile& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(watch_, other.watch_);
  }

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::unique_ptr<FileWatch> watch_;  // While it is mapped.
};

// More than any small file has. What is larger was put in its place by accident, or to do harm.
inline constexpr std::size_t kMostSmallFileBytes = std::size_t{256} << 20;

// Reads a whole small file into memory. Fails if it is larger than `most_bytes`, or no regular
// file.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t most_bytes = kMostSmallFileBytes);

// Profiles may hold personal paths and names, so nothing is readable by others.
inline constexpr mode_t kFileMode = 0640;
inline constexpr mode_t kDirectoryMode = 0750;

// Creates `path` and its missing parents with kDirectoryMode; an existing directory is fine.
Status make_directories(const std::filesystem::path& path);

// Writes a file front to back through a buffer. The first failure (a full disk, say) is kept: later
// writes do nothing and close() reports it, so a hot loop need not check every call.
class FileWriter {
 public:
  static constexpr std::size_t kDefaultBufferBytes = 256 * 1024;

  // Creates or truncates `path` with kFileMode.
  static Result<FileWriter> create(const std::filesystem::path& path,
                                   std::size_t buffer_bytes = kDefaultBufferBytes);

  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();  // Closes; call close() to learn of errors.

  void write(Bytes bytes) {
    if (bytes.size() <= capacity_ - used_) {
      if (!bytes.empty()) std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
      used_ += bytes.size();
      return;
    }
    write_slow(bytes);
  }
  void write(std::string_view text) { write(as_bytes(text)); }

  // Room for `size` contiguous bytes in the buffer (size <= buffer capacity), to be encoded in
  // place; commit() then says how many of them were used.
  std::byte* reserve(std::size_t size) {
    if (size > capacity_ - used_) flush_buffer();
    return buffer_.get() + used_;
  }
  void commit(std::size_t size) { used_ += size; }

  std::uint64_t position() const { return flushed_ + used_; }
  const std::filesystem::path& path() const { return path_; }

  Status flush();
  Status close();

 private:
  FileWriter(int descriptor, std::filesystem::path path, std::size_t buffer_bytes);
  void write_slow(Bytes bytes);
  void flush_buffer();
  void write_through(Bytes bytes);

  int descriptor_ = -1;
  std::filesystem::path path_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::uint64_t flushed_ = 0;
  FirstError error_;
};

// Writes a small file in one go.
Status write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace npuprof
