#include "load/load_jobs.h"

#include <cstddef>
#include <utility>

namespace npuprof::load {

void LoadJobs::run(StringPool& strings, trace::Losses& losses, ThreadPool* pool) && {
  const auto for_each_job = [&](const auto& body) {
    if (pool != nullptr) {
      pool->parallel_for(jobs_.size(), body);
    } else {
      for (std::size_t i = 0; i < jobs_.size(); ++i) body(i);
    }
  };
  struct Output {
    StringPool strings;
    trace::Losses losses;
  };
  std::vector<Output> outputs(jobs_.size());
  for_each_job([&](std::size_t i) { jobs_[i].read(outputs[i].strings, outputs[i].losses); });

  std::vector<std::vector<StringId>> ids;
  ids.reserve(jobs_.size());
  for (Output& output : outputs) {
    ids.push_back(strings.merge(output.strings));
    output.strings = StringPool();
    losses.append(std::move(output.losses));
  }
  for_each_job([&](std::size_t i) {
    // The empty text is always there.
    if (jobs_[i].translate && ids[i].size() > 1) jobs_[i].translate(ids[i]);
  });
  for (const LoadJob& job : jobs_) {
    if (job.finish) job.finish(losses);
  }
}

}  // namespace npuprof::load
