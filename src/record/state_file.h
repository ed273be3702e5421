#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "format/framework/file_names.h"
#include "format/framework/profiler_info.h"

namespace npuprof::record {

// What a recording has to say about itself if its process is killed: kRecorderStateFile, see there.
// Nothing depends on it, so failures are ignored. Used by one thread at a time.
class StateFile {
 public:
  explicit StateFile(const std::filesystem::path& directory)
      : path_(directory / format::framework::kRecorderStateFile) {}
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;
  ~StateFile() { close(); }

  // One system call, if something has changed. The first time the file is made, and locked.
  void write(const format::framework::ProfilerInfo::Recorder& recorder);
  // It is not needed any more.
  void remove();
  // Leaves the file to its process: a forked child shares the lock until it does so.
  void close();
  // Around a fork: the file is either open for both processes, or not yet. Were it opened
  // meanwhile, the child would have it without knowing.
  void before_fork() { opening_.lock(); }
  void after_fork() { opening_.unlock(); }

 private:
  void open();

  std::filesystem::path path_;
  std::mutex opening_;
  int descriptor_ = -1;
  bool was_opened_ = false;
  std::string written_;
};

}  // namespace npuprof::record
