#include "load/framework/opened_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace npuprof::load {

namespace fs = std::filesystem;

namespace {

std::vector<std::unique_ptr<FileJob>> make_jobs(const std::vector<JobMaker>& makers,
                                                ThreadPool* pool) {
  std::vector<std::unique_ptr<FileJob>> jobs(makers.size());
  const auto make = [&](std::size_t i) { jobs[i] = makers[i](); };
  if (pool != nullptr) {
    pool->parallel_for(makers.size(), make);
  } else {
    for (std::size_t i = 0; i < makers.size(); ++i) make(i);
  }
  return jobs;
}

}  // namespace

OpenedFiles::OpenedFiles(const fs::path& directory, trace::Losses& losses) : losses_(losses) {
  if (directory.empty()) return;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    paths_.push_back(entry->path());
  }
  if (error) losses.add(directory.native(), 0, 0, "cannot list: " + error.message());
  std::sort(paths_.begin(), paths_.end());
}

std::optional<fs::path> OpenedFiles::find(std::string_view prefix) const {
  const auto path = std::find_if(paths_.begin(), paths_.end(), [prefix](const fs::path& each) {
    return each.filename().native().starts_with(prefix);
  });
  return path == paths_.end() ? std::nullopt : std::optional(*path);
}

std::optional<RawFile> OpenedFiles::open(std::string_view prefix) {
  const auto path = find(prefix);
  if (!path) return std::nullopt;
  auto file = MappedFile::open(*path);
  if (!file.ok()) {
    losses_.add(path->native(), 0, 0, file.error().message);
    return std::nullopt;
  }
  // A file is made when there is a first record for it.
  if (file->bytes().empty()) {
    losses_.add(path->native(), 0, 0, "the file is empty: what it was made for is lost");
  }
  files_.push_back(std::make_unique<MappedFile>(std::move(file).value()));
  return RawFile{path->native(), files_.back().get()};
}

void run_file_jobs(const std::vector<JobMaker>& makers, StringPool& strings, trace::Losses& losses,
                   ThreadPool* pool) {
  const std::vector<std::unique_ptr<FileJob>> file_jobs = make_jobs(makers, pool);
  LoadJobs jobs;
  for (const auto& file : file_jobs) add_parts(*file, jobs);
  std::move(jobs).run(strings, losses, pool);
}

}  // namespace npuprof::load
