#pragma once

// Where a single file goes, as the user names it: "-" is standard output. A link to a file stays,
// its target is replaced. What is no regular file (a pipe, /dev/null) is written to as it is.

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace npuprof::report {

class OutputFile {
 public:
  // Fails if nothing can be written there: a directory, a link to nothing, a disk.
  static Result<OutputFile> find(const std::string& given);

  // As given, without its folder; empty for "-". Endings choose the form of what is written.
  const std::string& name() const { return name_; }
  // Pipes and devices are streams. They have no place in the file system that could be in the way.
  bool is_stream() const { return is_standard_output_ || is_device_; }
  // The file itself, behind all links.
  const std::filesystem::path& path() const { return path_; }

  // Lets `make` write a file, which appears when it is complete. If the name ends with ".gz" it is
  // compressed.
  Status write(const std::function<Status(const std::filesystem::path& file)>& make) const;

 private:
  Status copy_from(const std::filesystem::path& file) const;

  std::string name_;
  std::filesystem::path path_;
  bool is_standard_output_ = false;
  bool is_device_ = false;
};

}  // namespace npuprof::report
