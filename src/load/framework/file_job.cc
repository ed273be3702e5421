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

void translate_rows(trace::AnyTable table, const FilePart& part, std::span<const StringId> ids) {
  trace::translate_texts(table, part.first_row, part.first_row + part.row_count,
                         [&](StringId id) { return ids[to_index(id)]; });
}

void drop_unusable(trace::AnyTable table, std::span<const UnusableRecords> parts,
                   const std::string& path, trace::Losses& losses) {
  UnusableRecords all;
  for (const UnusableRecords& part : parts) {
    if (all.rows.empty()) all.first_offset = part.first_offset;
    all.rows.insert(all.rows.end(), part.rows.begin(), part.rows.end());
  }
  if (all.rows.empty()) return;
  std::vector<std::uint32_t> kept;
  auto unusable = all.rows.begin();
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    if (unusable != all.rows.end() && *unusable == row) {
      ++unusable;
    } else {
      kept.push_back(row);
    }
  }
  reorder_rows(table, kept);
  losses.add(path, all.first_offset, all.rows.size(),
             "records with an impossible time or kind were left out");
}

}  // namespace npuprof::load
