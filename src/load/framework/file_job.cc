#include "load/framework/file_job.h"

namespace npuprof::load {

void add_parts(FileJob& file, LoadJobs& jobs) {
  const std::size_t parts = file.part_count();
  for (std::size_t part = 0; part < parts; ++part) {
    LoadJob job;
    job.read = [&file, part](StringPool& strings, trace::Losses&) { file.decode(part, strings); };
    job.translate = [&file, part](std::span<const StringId> ids) { file.translate(part, ids); };
    if (part + 1 == parts) job.finish = [&file](trace::Losses& losses) { file.finish(losses); };
    jobs.add(std::move(job));
  }
  if (parts == 0) {
    jobs.add({.read = [](StringPool&, trace::Losses&) {},
              .translate = {},
              .finish = [&file](trace::Losses& losses) { file.finish(losses); }});
  }
}

}  // namespace npuprof::load
