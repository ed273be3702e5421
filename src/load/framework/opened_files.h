#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/string_pool.h"
#include "base/thread_pool.h"
#include "load/framework/file_job.h"
#include "trace/losses.h"

namespace npuprof::load {

// The files of FRAMEWORK/, mapped. They must outlive the jobs that read them.
class OpenedFiles {
 public:
  OpenedFiles(const std::filesystem::path& directory, trace::Losses& losses);

  // The first file whose name begins with `prefix`; nothing if there is none.
  std::optional<RawFile> open(std::string_view prefix);
  // Its path alone.
  std::optional<std::filesystem::path> find(std::string_view prefix) const;

 private:
  trace::Losses& losses_;
  std::vector<std::filesystem::path> paths_;
  std::vector<std::unique_ptr<MappedFile>> files_;
};

using JobMaker = std::function<std::unique_ptr<FileJob>()>;

// To make a job is to look through its file once, so that is done for several at once as well as
// running them. Without a pool everything runs on the calling thread.
void run_file_jobs(const std::vector<JobMaker>& makers, StringPool& strings, trace::Losses& losses,
                   ThreadPool* pool);

}  // namespace npuprof::load
