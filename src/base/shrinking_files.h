#pragma once

// Input files that another process shortens while they are mapped, as a second run of a job does
// that writes to the same place. Bytes that are gone cannot be read any more: the system raises
// SIGBUS where that is tried, which ends a process that is not prepared. One that is goes on with
// zeros in their place, and learns which files it happened to.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "base/file.h"

namespace npuprof {

// From now on, bytes of a MappedFile that are gone read as zeros. For programs that are our own:
// the handler of a signal belongs to the whole process.
void survive_shrinking_files();

struct ShrunkFile {
  std::string path;
  std::uint64_t bytes_left = 0;
};

// The files at or below `path` that were seen to be shorter when they were unmapped than when they
// were mapped, or were read behind their end. Each is told once.
std::vector<ShrunkFile> take_shrunk_files(const std::filesystem::path& path);

// Watches one mapped file from its mapping to its unmapping.
class FileWatch {
 public:
  FileWatch(std::filesystem::path path, const struct stat& info, Bytes mapped);
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch();

 private:
  std::filesystem::path path_;
  dev_t device_;
  ino_t inode_;
  Bytes mapped_;
  std::size_t slot_;
};

}  // namespace npuprof
