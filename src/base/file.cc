#include "base/file.h"

#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shrinking_files.h"

namespace npuprof {
namespace {

// Closes a descriptor when the scope ends.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(-1); }
  void reset(int value) {
    if (value_ >= 0) ::close(value_);
    value_ = value;
  }
  int get() const { return value_; }

 private:
  int value_ = -1;
};

// Opens a regular file to be read. The type is asked of the open file, so it cannot change any
// more; without waiting, since a pipe that nobody writes to would never open.
Status open_regular(const std::filesystem::path& path, Descriptor& file, struct stat& info) {
  file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return Error::from_errno("cannot open", path.native(), errno);
  if (::fstat(file.get(), &info) != 0) {
    return Error::from_errno("cannot inspect", path.native(), errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kUnsupported, "'" + path.native() + "' is not a regular file"};
  }
  return ok_status();
}

Error too_large(const std::filesystem::path& path, std::size_t most_bytes) {
  return Error{ErrorCode::kUnsupported, "'" + path.native() + "' has more than " +
                                            std::to_string(most_bytes) +
                                            " bytes, which no file of its kind has"};
}

}  // namespace

MappedFile::MappedFile() = default;
MappedFile::MappedFile(MappedFile&& other) noexcept { swap(other); }

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  Descriptor file;
  struct stat info {};
  NPUPROF_RETURN_IF_ERROR(open_regular(path, file, info));
  MappedFile mapped;
  if (info.st_size == 0) return mapped;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) return Error::from_errno("cannot map", path.native(), errno);
  mapped.data_ = static_cast<const std::byte*>(address);
  mapped.size_ = size;
  mapped.watch_ = std::make_unique<FileWatch>(path, info, mapped.bytes());
  return mapped;
}

MappedFile::~MappedFile() {
  watch_.reset();
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::forget(std::size_t begin, std::size_t end) const {
  // Whole pages only: those at the edges may be in use by the neighbours.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = end >= size_ ? size_ : end / page * page;
  if (first >= last) return;
  ::madvise(const_cast<std::byte*>(data_) + first, last - first, MADV_DONTNEED);
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes) {
  Descriptor file;
  struct stat info {};
  NPUPROF_RETURN_IF_ERROR(open_regular(path, file, info));
  if (info.st_size > 0 && static_cast<std::size_t>(info.st_size) > most_bytes) {
    return too_large(path, most_bytes);
  }
  std::string content;
  // Read until end rather than trusting the size: files of /proc report 0.
  for (;;) {
    constexpr std::size_t kChunk = 64 * 1024;
    const std::size_t old_size = content.size();
    content.resize(old_size + kChunk);
    const ssize_t got = ::read(file.get(), content.data() + old_size, kChunk);
    content.resize(old_size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return content;
    if (got < 0 && errno != EINTR) return Error::from_errno("cannot read", path.native(), errno);
    if (content.size() > most_bytes) return too_large(path, most_bytes);
  }
}

Status make_directories(const std::filesystem::path& path) {
  std::filesystem::path partial;
  for (const auto& part : path) {
    partial /= part;
    if (::mkdir(partial.c_str(), kDirectoryMode) == 0 || errno == EEXIST) continue;
    // A parent we may not write to can still exist (errno EROFS or EACCES before EEXIST).
    const int reason = errno;
    std::error_code ignored;
    if (!std::filesystem::is_directory(partial, ignored)) {
      return Error::from_errno("cannot create directory", partial.native(), reason);
    }
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    return Error::from_errno("cannot create directory", path.native(), ENOTDIR);
  }
  return ok_status();
}

FileWriter::FileWriter(int descriptor, std::filesystem::path path, std::size_t buffer_bytes)
    : descriptor_(descriptor),
      path_(std::move(path)),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(buffer_bytes)),
      capacity_(buffer_bytes) {}

Result<FileWriter> FileWriter::create(const std::filesystem::path& path, std::size_t buffer_bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode);
  if (descriptor < 0) return Error::from_errno("cannot create", path.native(), errno);
  return FileWriter(descriptor, path, buffer_bytes);
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      capacity_(std::exchange(other.capacity_, 0)),
      used_(std::exchange(other.used_, 0)),
      flushed_(std::exchange(other.flushed_, 0)),
      error_(std::move(other.error_)) {}

FileWriter& FileWriter::operator=(FileWriter&& other) noexcept {
  if (this != &other) {
    this->~FileWriter();
    new (this) FileWriter(std::move(other));
  }
  return *this;
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) (void)close();
}

void FileWriter::write_slow(Bytes bytes) {
  flush_buffer();
  if (bytes.size() >= capacity_) {
    write_through(bytes);
    return;
  }
  std::memcpy(buffer_.get(), bytes.data(), bytes.size());
  used_ = bytes.size();
}

void FileWriter::flush_buffer() {
  const std::size_t pending = std::exchange(used_, 0);
  write_through({buffer_.get(), pending});
}

void FileWriter::write_through(Bytes bytes) {
  while (!bytes.empty() && !error_.failed()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      flushed_ += static_cast<std::uint64_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_.keep(Error::from_errno("cannot write", path_.native(), errno));
    }
  }
}

Status FileWriter::flush() {
  flush_buffer();
  return error_.status();
}

Status FileWriter::close() {
  if (descriptor_ >= 0) {
    flush_buffer();
    if (::close(std::exchange(descriptor_, -1)) != 0) {
      error_.keep(Error::from_errno("cannot close", path_.native(), errno));
    }
  }
  return error_.status();
}

Status write_file(const std::filesystem::path& path, std::string_view content) {
  NPUPROF_ASSIGN_OR_RETURN(auto writer, FileWriter::create(path, 4096));
  writer.write(content);
  return writer.close();
}

}  // namespace npuprof
