#include "load/framework/file_job.h"

#include <utility>

namespace npuprof::load {
namespace {

struct PartOfJob {
  FileJob* job;
  std::size_t part;
};

std::vector<PartOfJob> all_parts(std::span<const std::unique_ptr<FileJob>> jobs) {
  std::vector<PartOfJob> parts;
  for (const auto& job : jobs) {
    for (std::size_t part = 0; part < job->part_count(); ++part) parts.push_back({job.get(), part});
  }
  return parts;
}

// Each part interns into a pool of its own; merging the pools in the order of the parts numbers
// the strings as one pass over all of them would.
void run_parallel(std::span<const PartOfJob> parts, StringPool& strings, ThreadPool& pool) {
  std::vector<StringPool> part_strings(parts.size());
  pool.parallel_for(parts.size(),
                    [&](std::size_t i) { parts[i].job->decode(parts[i].part, part_strings[i]); });
  std::vector<std::vector<StringId>> ids;
  ids.reserve(parts.size());
  for (StringPool& own : part_strings) {
    ids.push_back(strings.merge(own));
    own = StringPool();
  }
  pool.parallel_for(parts.size(),
                    [&](std::size_t i) { parts[i].job->translate(parts[i].part, ids[i]); });
}

}  // namespace

void run_jobs(std::span<const std::unique_ptr<FileJob>> jobs, StringPool& strings,
              trace::Losses& losses, ThreadPool* pool) {
  const std::vector<PartOfJob> parts = all_parts(jobs);
  if (pool != nullptr) {
    run_parallel(parts, strings, *pool);
  } else {
    for (const auto& [job, part] : parts) job->decode(part, strings);
  }
  for (const auto& job : jobs) job->finish(losses);
}

}  // namespace npuprof::load
