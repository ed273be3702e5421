#include "report/sqlite/bulk_database.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/file.h"

namespace npuprof::report::sqlite {
namespace {

// Items given to one call of `fill`: fixed, so that page boundaries are the same for any thread
// count.
constexpr std::size_t kRowsPerChunk = 64 * 1024;
// SQLite keeps its locks at the byte offset 2^30; the page there is never used.
constexpr std::uint32_t kLockPage = 0x40000000 / kPageBytes + 1;
constexpr std::size_t kFileHeaderBytes = 100;
// "npup": SQLite leaves a number in the header to the program that made a database.
constexpr std::uint32_t kApplicationId = 0x6e707570;
constexpr std::size_t kApplicationIdAt = 68;
constexpr std::size_t kInteriorHeaderBytes = 12;

std::string_view affinity_name(Affinity affinity) {
  switch (affinity) {
    case Affinity::kInteger:
      return "INTEGER";
    case Affinity::kNumeric:
      return "NUMERIC";
    case Affinity::kReal:
      return "REAL";
    case Affinity::kText:
      return "TEXT";
  }
  return "";
}

std::string create_statement(const TableSchema& schema) {
  std::string sql = "CREATE TABLE ";
  sql.append(schema.name).append(" (");
  bool first = true;
  for (const Column& column : schema.columns) {
    if (!std::exchange(first, false)) sql += ", ";
    sql.append(column.name).append(" ").append(affinity_name(column.affinity));
    if (column.primary_key) sql += " PRIMARY KEY";
  }
  sql += ")";
  return sql;
}

// The first 100 bytes of the file.
void put_file_header(std::byte* out, std::uint32_t page_count) {
  std::memset(out, 0, kFileHeaderBytes);
  std::memcpy(out, "SQLite format 3", 16);
  put_be16(out + 16, 1);   // Page size 65536.
  out[18] = std::byte{1};  // File format: rollback journal.
  out[19] = std::byte{1};
  out[21] = std::byte{64};  // Payload fractions, fixed by the format.
  out[22] = std::byte{32};
  out[23] = std::byte{32};
  put_be32(out + 24, 1);  // Change counter.
  put_be32(out + 28, page_count);
  put_be32(out + 40, 1);  // Schema cookie.
  put_be32(out + 44, 4);  // Schema format.
  put_be32(out + 56, 1);  // Text is UTF-8.
  put_be32(out + kApplicationIdAt, kApplicationId);
  put_be32(out + 92, 1);  // Change counter for which the next number is valid.
  put_be32(out + 96, SQLITE_VERSION_NUMBER);
}

}  // namespace

bool is_own_database(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  std::byte header[kFileHeaderBytes];
  const ssize_t size = ::pread(file, header, sizeof(header), 0);
  ::close(file);
  std::byte expected[kFileHeaderBytes];
  put_file_header(expected, 0);
  return size == static_cast<ssize_t>(sizeof(header)) && std::memcmp(header, expected, 16) == 0 &&
         std::memcmp(header + kApplicationIdAt, expected + kApplicationIdAt, 4) == 0;
}

Result<BulkDatabase> BulkDatabase::create(const std::filesystem::path& path, ThreadPool& pool) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode);
  if (descriptor < 0) return Error::from_errno("cannot create", path.native(), errno);
  return BulkDatabase(descriptor, path, pool);
}

BulkDatabase::BulkDatabase(int descriptor, std::filesystem::path path, ThreadPool& pool)
    : descriptor_(descriptor), path_(std::move(path)), pool_(&pool) {}

BulkDatabase::BulkDatabase(BulkDatabase&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      pool_(other.pool_),
      page_count_(other.page_count_),
      schema_(std::move(other.schema_)),
      index_statements_(std::move(other.index_statements_)),
      error_(std::move(other.error_)) {}

BulkDatabase::~BulkDatabase() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint32_t BulkDatabase::allocate_page() {
  ++page_count_;
  if (page_count_ == kLockPage) ++page_count_;
  return page_count_;
}

void BulkDatabase::write_page(std::uint32_t number, const std::byte* data) {
  auto offset = static_cast<off_t>(number - 1) * static_cast<off_t>(kPageBytes);
  std::size_t left = kPageBytes;
  while (left > 0) {
    const ssize_t written = ::pwrite(descriptor_, data, left, offset);
    if (written < 0) {
      if (errno == EINTR) continue;
      static std::mutex mutex;  // Pages are written by several threads.
      const std::lock_guard lock(mutex);
      error_.keep(Error::from_errno("cannot write", path_.native(), errno));
      return;
    }
    data += written;
    offset += written;
    left -= static_cast<std::size_t>(written);
  }
}

void BulkDatabase::table(const TableSchema& schema, std::size_t items, const Fill& fill,
                         std::size_t rows_per_item) {
  if (error_.failed()) return;
  const std::size_t chunk_items = std::max<std::size_t>(kRowsPerChunk / rows_per_item, 1);
  const std::size_t chunks = (items + chunk_items - 1) / chunk_items;
  const std::size_t wave = std::max<std::size_t>(2 * pool_->worker_count(), 1);
  std::vector<Child> leaves;
  auto last_row_id = std::numeric_limits<std::int64_t>::min();
  for (std::size_t begin = 0; begin < chunks && !error_.failed(); begin += wave) {
    const std::size_t count = std::min(wave, chunks - begin);
    std::vector<PageBuilder> builders;
    builders.reserve(count);
    for (std::size_t i = 0; i < count; ++i) builders.emplace_back(schema.columns.size());
    std::vector<RowSink> sinks;
    sinks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first_row = (begin + i) * chunk_items * rows_per_item;
      sinks.emplace_back(builders[i], static_cast<std::int64_t>(first_row) + 1);
    }
    pool_->parallel_for(count, [&](std::size_t i) {
      const std::size_t first = (begin + i) * chunk_items;
      fill(sinks[i], first, std::min(first + chunk_items, items));
      builders[i].finish();
    });
    write_built_pages(builders, leaves);
    for (const RowSink& sink : sinks) {
      if (sink.ascends_from(last_row_id)) continue;
      error_.keep(Error{ErrorCode::kInvalidArgument,
                        "row ids of table " + std::string(schema.name) + " do not ascend"});
    }
  }
  if (leaves.empty()) {  // A table without rows is an empty leaf.
    std::vector<std::byte> page(kPageBytes);
    page[0] = std::byte{0x0D};
    leaves.push_back({allocate_page(), 0});
    write_page(leaves.back().page, page.data());
  }
  schema_.push_back({std::string(schema.name), write_interior_pages(std::move(leaves)),
                     create_statement(schema)});
}

// Numbers the pages of a wave in order, then writes them side by side.
void BulkDatabase::write_built_pages(std::vector<PageBuilder>& builders,
                                     std::vector<Child>& leaves) {
  std::vector<std::pair<std::uint32_t, const std::byte*>> pages;
  for (PageBuilder& builder : builders) {
    std::vector<std::uint32_t> overflow_numbers(builder.overflow_page_count());
    for (std::uint32_t& number : overflow_numbers) number = allocate_page();
    for (std::size_t i = 0; i < overflow_numbers.size(); ++i) {
      if (!builder.ends_chain(i)) put_be32(builder.overflow_page(i), overflow_numbers[i + 1]);
      pages.emplace_back(overflow_numbers[i], builder.overflow_page(i));
    }
    for (const OverflowFixup& fixup : builder.fixups()) {
      put_be32(builder.page(fixup.page) + fixup.offset, overflow_numbers[fixup.first_overflow]);
    }
    for (std::size_t i = 0; i < builder.page_count(); ++i) {
      leaves.push_back({allocate_page(), builder.last_row_id(i)});
      pages.emplace_back(leaves.back().page, builder.page(i));
    }
  }
  pool_->parallel_for(pages.size(),
                      [&](std::size_t i) { write_page(pages[i].first, pages[i].second); });
}

// Builds the levels above the leaves until one page is left; returns its number.
//
// | offset | width | content                                                        |
// |--------|-------|----------------------------------------------------------------|
// |      0 |     1 | 0x05, interior page of a table                                 |
// |      1 |     7 | as on a leaf                                                   |
// |      8 |     4 | right-most child                                               |
// |     12 |   2 n | offsets of the cells; a cell is a child (4 bytes) and the      |
// |        |       | greatest row id below it (varint)                              |
std::uint32_t BulkDatabase::write_interior_pages(std::vector<Child> children) {
  constexpr std::size_t kMaxCellBytes = 4 + 9;
  constexpr std::size_t kChildrenPerPage =
      (kPageBytes - kInteriorHeaderBytes) / (kMaxCellBytes + 2);
  std::vector<std::byte> page(kPageBytes);
  while (children.size() > 1) {
    std::vector<Child> parents;
    for (std::size_t first = 0; first < children.size();) {
      // Never leave a single child for the last page: an interior page needs at least one cell.
      std::size_t count = std::min(kChildrenPerPage, children.size() - first);
      if (children.size() - first - count == 1) --count;
      std::memset(page.data(), 0, kPageBytes);
      page[0] = std::byte{0x05};
      std::size_t content = kPageBytes;
      for (std::size_t i = 0; i + 1 < count; ++i) {
        const Child& child = children[first + i];
        const auto key = static_cast<std::uint64_t>(child.last_row_id);
        content -= 4 + varint_size(key);
        put_be32(page.data() + content, child.page);
        put_varint(page.data() + content + 4, key);
        put_be16(page.data() + kInteriorHeaderBytes + 2 * i, static_cast<std::uint32_t>(content));
      }
      put_be16(page.data() + 3, static_cast<std::uint32_t>(count - 1));
      put_be16(page.data() + 5, static_cast<std::uint32_t>(content & 0xFFFF));
      const Child& last = children[first + count - 1];
      put_be32(page.data() + 8, last.page);
      parents.push_back({allocate_page(), last.last_row_id});
      write_page(parents.back().page, page.data());
      first += count;
    }
    children = std::move(parents);
  }
  return children.front().page;
}

void BulkDatabase::index(std::string_view name, std::string_view definition) {
  index_statements_.push_back("CREATE INDEX " + std::string(name) + " ON " +
                              std::string(definition));
}

// Page 1: the file header, then the leaf of the table of tables.
void BulkDatabase::write_schema_page() {
  PageBuilder builder(5);
  std::int64_t row_id = 0;
  for (const SchemaRow& row : schema_) {
    builder.begin_row(++row_id);
    builder.text("table");
    builder.text(row.name);
    builder.text(row.name);
    builder.integer(row.root_page);
    builder.text(row.sql);
    builder.end_row();
  }
  builder.finish();
  std::vector<std::byte> page(kPageBytes);
  page[kFileHeaderBytes] = std::byte{0x0D};
  if (builder.page_count() == 1) {
    // Cell offsets count from the begin of the page, so only the header and the offsets move down.
    const std::size_t head = 8 + 2 * schema_.size();
    std::memcpy(page.data(), builder.page(0), kPageBytes);
    std::memmove(page.data() + kFileHeaderBytes, builder.page(0), head);
  }
  if (builder.page_count() > 1) {
    error_.keep(Error{ErrorCode::kUnsupported, "too many tables for one schema page"});
    return;
  }
  put_file_header(page.data(), page_count_);
  write_page(1, page.data());
}

Status BulkDatabase::make_indexes() {
  if (index_statements_.empty()) return ok_status();
  sqlite3* database = nullptr;
  const auto failure = [&](const char* reason) {
    Error error{ErrorCode::kIo, "cannot index '" + path_.native() + "': " + reason};
    sqlite3_close(database);
    return error;
  };
  if (sqlite3_open_v2(path_.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) {
    return failure(database != nullptr ? sqlite3_errmsg(database) : "out of memory");
  }
  std::string sql =
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;";
  for (const std::string& statement : index_statements_) sql += statement + ";";
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure(sqlite3_errmsg(database));
  }
  sqlite3_close(database);
  return ok_status();
}

Status BulkDatabase::close() {
  if (!error_.failed()) write_schema_page();
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0) {
    error_.keep(Error::from_errno("cannot close", path_.native(), errno));
  }
  if (error_.failed()) return error_.status();
  return make_indexes();
}

}  // namespace npuprof::report::sqlite
