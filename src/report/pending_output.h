#pragma once

// Results appear whole or not at all. They are made in a directory beside their place, which they
// take in one step when they are complete; a process that dies leaves what was there before, and a
// directory that the next one removes.

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace npuprof::report {

class PendingOutput {
 public:
  // `final_path` is where the results will be: a directory, or a file. Removes what dead processes
  // left beside it.
  static Result<PendingOutput> create(const std::filesystem::path& final_path);

  PendingOutput(PendingOutput&& other) noexcept;
  PendingOutput& operator=(PendingOutput&&) = delete;
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  ~PendingOutput();  // Removes everything that was not published.

  // The directory to write into.
  const std::filesystem::path& path() const { return path_; }

  // Each may be called once: the directory, or one file of it, takes the place of what is there.
  Status publish();
  Status publish_file(std::string_view name);

 private:
  PendingOutput(std::filesystem::path final_path, std::filesystem::path path)
      : final_(std::move(final_path)), path_(std::move(path)) {}
  Status replace_directory();

  std::filesystem::path final_;
  std::filesystem::path path_;
  int lock_ = -1;  // Says that this process lives.
};

}  // namespace npuprof::report
