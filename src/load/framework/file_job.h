#pragma once

// The files of FRAMEWORK/ are decoded in parts, on as many threads as there are. A job stands for
// one file; its parts write to disjoint rows of one table.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/file.h"
#include "base/string_pool.h"
#include "load/load_jobs.h"
#include "trace/losses.h"
#include "trace/table.h"

namespace npuprof::load {

// A mapped file, which must live as long as jobs read it, and the name to report losses under.
struct RawFile {
  std::string path;
  const MappedFile* mapped = nullptr;

  Bytes bytes() const { return mapped->bytes(); }
};

class FileJob {
 public:
  FileJob() = default;
  FileJob(const FileJob&) = delete;
  FileJob& operator=(const FileJob&) = delete;
  virtual ~FileJob() = default;

  virtual std::size_t part_count() const = 0;
  // Fills the part's rows; string ids are those of `strings`.
  virtual void decode(std::size_t part, StringPool& strings) = 0;
  // Replaces each string id of the part's rows by ids[id].
  virtual void translate(std::size_t part, std::span<const StringId> ids) = 0;
  // Called once at the end: removes rows that turned out to be unusable, reports what was lost.
  virtual void finish(trace::Losses& losses) = 0;
};

// One job for each part. `file` must outlive `jobs`.
void add_parts(FileJob& file, LoadJobs& jobs);

// A part of a file and the rows that its records fill.
struct FilePart {
  std::size_t begin = 0;  // Byte offsets.
  std::size_t end = 0;
  std::size_t first_row = 0;
  std::size_t row_count = 0;
};

// Records that were whole but made no sense.
struct UnusableRecords {
  std::vector<std::uint32_t> rows;  // Ascending.
  std::uint64_t first_offset = 0;

  void add(std::size_t row, std::size_t offset) {
    if (rows.empty()) first_offset = offset;
    rows.push_back(static_cast<std::uint32_t>(row));
  }
};

template <trace::Columnar Table>
void translate_rows(Table& table, const FilePart& part, std::span<const StringId> ids) {
  trace::translate_texts(table, part.first_row, part.first_row + part.row_count,
                         [&](StringId id) { return ids[to_index(id)]; });
}

// Removes the unusable records of all parts (in order) from the table and reports them.
template <trace::Columnar Table>
void drop_unusable(Table& table, std::span<const UnusableRecords> parts, const std::string& path,
                   trace::Losses& losses) {
  UnusableRecords all;
  for (const UnusableRecords& part : parts) {
    if (all.rows.empty()) all.first_offset = part.first_offset;
    all.rows.insert(all.rows.end(), part.rows.begin(), part.rows.end());
  }
  if (all.rows.empty()) return;
  std::vector<std::uint32_t> kept;
  auto unusable = all.rows.begin();
  for (std::uint32_t row = 0; row < trace::row_count(table); ++row) {
    if (unusable != all.rows.end() && *unusable == row) {
      ++unusable;
    } else {
      kept.push_back(row);
    }
  }
  trace::reorder_rows(table, kept);
  losses.add(path, all.first_offset, all.rows.size(),
             "records with an impossible time or kind were left out");
}

}  // namespace npuprof::load
