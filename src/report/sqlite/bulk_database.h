#pragma once

// Writes an SQLite database in one pass, many times faster than row by row through the library:
// rows are encoded in parallel into finished table pages, which are put into the file one after
// another. Only what a profile needs: ordinary row-id tables filled once. Indexes are made by
// SQLite itself at the end.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/first_error.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "format/results/column.h"
#include "report/sqlite/page_builder.h"

namespace npuprof::report::sqlite {

// Whether a file is a database that this program made. Links are not followed.
bool is_own_database(const std::filesystem::path& path);

using format::results::Affinity;
using format::results::kI;
using format::results::kN;
using format::results::kR;
using format::results::kT;

struct Column {
  std::string_view name;
  Affinity affinity;
  bool primary_key = false;  // INTEGER PRIMARY KEY: the row id itself; store null() in its place.
};

struct TableSchema {
  std::string_view name;
  std::vector<Column> columns;
};

// Receives the rows of one table. Each row: `auto& row = sink.row();`, one value per column,
// `row.end_row()`.
class RowSink {
 public:
  RowSink(PageBuilder& pages, std::int64_t first_row_id) : pages_(pages), next_(first_row_id) {}
  PageBuilder& row() { return row(next_); }
  // For tables with a primary key: ids must ascend over the whole table.
  PageBuilder& row(std::int64_t row_id) {
    if (empty_) first_ = row_id;
    in_order_ = in_order_ && (empty_ || row_id >= next_);
    empty_ = false;
    next_ = row_id + 1;
    pages_.begin_row(row_id);
    return pages_;
  }

  // Whether the ids given so far ascend, and all lie above `previous`; `previous` becomes the last
  // of them.
  bool ascends_from(std::int64_t& previous) const {
    if (empty_) return true;
    const bool above = first_ > previous;
    previous = next_ - 1;
    return above && in_order_;
  }

 private:
  PageBuilder& pages_;
  std::int64_t next_;
  std::int64_t first_ = 0;
  bool empty_ = true;
  bool in_order_ = true;
};

class BulkDatabase {
 public:
  // Writes the rows of items [first, last) to the sink.
  using Fill = std::function<void(RowSink& sink, std::size_t first, std::size_t last)>;

  // Creates or truncates `path`. Nothing can read the file before close() has succeeded.
  static Result<BulkDatabase> create(const std::filesystem::path& path, ThreadPool& pool);

  BulkDatabase(BulkDatabase&& other) noexcept;
  BulkDatabase& operator=(BulkDatabase&&) = delete;
  BulkDatabase(const BulkDatabase&) = delete;
  BulkDatabase& operator=(const BulkDatabase&) = delete;
  ~BulkDatabase();

  // Adds a table of `items` * `rows_per_item` rows. `fill` is called from several threads, each
  // time for a range of items whose size does not depend on the number of threads, so the file does
  // not either. Every item must give exactly `rows_per_item` rows (unless the table has a primary
  // key, whose ids `fill` chooses itself).
  void table(const TableSchema& schema, std::size_t items, const Fill& fill,
             std::size_t rows_per_item = 1);

  // An index that SQLite builds in close(): CREATE INDEX `name` ON `definition`.
  void index(std::string_view name, std::string_view definition);

  // Finishes the file. Reports the first error of all that went before, a full disk for instance.
  Status close();

 private:
  struct Child {
    std::uint32_t page;
    std::int64_t last_row_id;
  };
  struct SchemaRow {
    std::string name;
    std::uint32_t root_page;
    std::string sql;
  };

  BulkDatabase(int descriptor, std::filesystem::path path, ThreadPool& pool);
  std::uint32_t allocate_page();
  void write_page(std::uint32_t number, const std::byte* data);
  void write_built_pages(std::vector<PageBuilder>& builders, std::vector<Child>& leaves);
  std::uint32_t write_interior_pages(std::vector<Child> children);
  void write_schema_page();
  Status make_indexes();

  int descriptor_ = -1;
  std::filesystem::path path_;
  ThreadPool* pool_;
  std::uint32_t page_count_ = 1;  // Page 1 is the schema's.
  std::vector<SchemaRow> schema_;
  std::vector<std::string> index_statements_;
  FirstError error_;
};

}  // namespace npuprof::report::sqlite
