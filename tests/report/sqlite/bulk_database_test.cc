#include "report/sqlite/bulk_database.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "report/sqlite/sqlite_query.h"
#include "temporary_directory.h"

namespace npuprof::report::sqlite {
namespace {

using npuprof::testing::query;
using npuprof::testing::TemporaryDirectory;

const TableSchema kNumbers{
    "NUMBERS", {{"a", Affinity::kInteger}, {"b", Affinity::kNumeric}, {"c", Affinity::kText}}};

TEST(BulkDatabase, StoresEveryKindOfValue) {
  const TemporaryDirectory directory;
  ThreadPool pool(2);
  const std::vector<std::int64_t> integers{0,
                                           1,
                                           -1,
                                           127,
                                           128,
                                           -128,
                                           -129,
                                           32767,
                                           32768,
                                           -32769,
                                           8388607,
                                           8388608,
                                           -8388609,
                                           2147483647,
                                           2147483648,
                                           -2147483649,
                                           140737488355327,
                                           140737488355328,
                                           -140737488355329,
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min()};
  auto database = BulkDatabase::create(directory / "t.db", pool).value();
  database.table(kNumbers, integers.size(),
                 [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     row.integer(integers[i]);
                     row.numeric(static_cast<double>(i) / 2);
                     if (i % 2 == 0) {
                       row.null();
                     } else {
                       row.text("t" + std::to_string(i));
                     }
                     row.end_row();
                   }
                 });
  ASSERT_TRUE(database.close().ok());
  EXPECT_EQ(query(directory / "t.db", "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  const auto rows =
      query(directory / "t.db", "SELECT a, b, typeof(b), c FROM NUMBERS ORDER BY rowid");
  ASSERT_EQ(rows.size(), integers.size());
  for (std::size_t i = 0; i < integers.size(); ++i) {
    const std::string half = std::to_string(i / 2) + (i % 2 == 0 ? "|integer" : ".5|real");
    const std::string text = i % 2 == 0 ? "NULL" : "t" + std::to_string(i);
    EXPECT_EQ(rows[i], std::to_string(integers[i]) + "|" + half + "|" + text);
  }
}

TEST(BulkDatabase, ManyRowsNeedSeveralLevelsAndAreTheSameForAnyThreadCount) {
  const TemporaryDirectory directory;
  constexpr std::size_t kItems = 300000;
  std::string first_bytes;
  for (const std::size_t threads : {1, 3}) {
    ThreadPool pool(threads);
    const auto path = directory / ("n" + std::to_string(threads));
    auto database = BulkDatabase::create(path, pool).value();
    database.table(
        kNumbers, kItems,
        [](RowSink& sink, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            for (int k = 0; k < 2; ++k) {
              auto& row = sink.row();
              row.integer(static_cast<std::int64_t>(i));
              row.numeric(k);
              row.text("some text that fills the page");
              row.end_row();
            }
          }
        },
        2);
    database.table({"EMPTY", {{"x", Affinity::kInteger}}}, 0,
                   [](RowSink&, std::size_t, std::size_t) {});
    database.index("NumbersIndex", "NUMBERS(a, b)");
    ASSERT_TRUE(database.close().ok());
    EXPECT_EQ(query(path, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
    EXPECT_EQ(query(path, "SELECT COUNT(*), SUM(a), SUM(b), MAX(rowid) FROM NUMBERS"),
              std::vector<std::string>{"600000|89999700000|300000|600000"});
    EXPECT_EQ(query(path, "SELECT rowid, b FROM NUMBERS WHERE a = 250000 ORDER BY b"),
              (std::vector<std::string>{"500001|0", "500002|1"}));
    EXPECT_EQ(query(path, "SELECT COUNT(*) FROM EMPTY"), std::vector<std::string>{"0"});
    const std::string bytes = read_file(path).value();
    if (first_bytes.empty()) first_bytes = bytes;
    EXPECT_TRUE(bytes == first_bytes) << "the file depends on the number of threads";
  }
}

TEST(BulkDatabase, KeysAndValuesLargerThanAPage) {
  const TemporaryDirectory directory;
  ThreadPool pool(2);
  auto database = BulkDatabase::create(directory / "s.db", pool).value();
  const std::vector<std::size_t> lengths{0,     1,     65400, 65497,  65498,
                                         65499, 65500, 70000, 131000, 400000};
  const auto content = [](std::size_t length) {
    std::string text(length, 'x');
    for (std::size_t i = 0; i < length; i += 97) text[i] = static_cast<char>('a' + i % 26);
    return text;
  };
  database.table({"STRING_IDS", {{"id", Affinity::kInteger, true}, {"value", Affinity::kText}}},
                 lengths.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row(static_cast<std::int64_t>(10 * i));
                     row.null();
                     row.text(content(lengths[i]));
                     row.end_row();
                   }
                 });
  ASSERT_TRUE(database.close().ok());
  EXPECT_EQ(query(directory / "s.db", "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  const auto rows = query(directory / "s.db", "SELECT id, value FROM STRING_IDS ORDER BY id");
  ASSERT_EQ(rows.size(), lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_TRUE(rows[i] == std::to_string(10 * i) + "|" + content(lengths[i])) << lengths[i];
  }
}

TEST(BulkDatabase, LeavesTheLockPageAlone) {
#ifndef NDEBUG
  GTEST_SKIP() << "writes more than 1 GiB: release builds only";
#endif
  const TemporaryDirectory directory;
  ThreadPool pool(2);
  auto database = BulkDatabase::create(directory / "big.db", pool).value();
  // A little more than 1 GiB of rows of one page each.
  const std::string filler(60000, 'f');
  database.table({"BIG", {{"x", Affinity::kText}}}, 16500,
                 [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     row.text(filler);
                     row.end_row();
                   }
                 });
  ASSERT_TRUE(database.close().ok());
  EXPECT_EQ(query(directory / "big.db", "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  EXPECT_EQ(query(directory / "big.db", "SELECT COUNT(*), SUM(LENGTH(x)) FROM BIG"),
            std::vector<std::string>{"16500|990000000"});
}

TEST(BulkDatabase, RefusesRowIdsThatDoNotAscend) {
  const TemporaryDirectory directory;
  ThreadPool pool(1);
  auto database = BulkDatabase::create(directory / "o.db", pool).value();
  database.table({"KEYS", {{"id", Affinity::kInteger, true}}}, 2,
                 [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row(static_cast<std::int64_t>(9 - i));
                     row.null();
                     row.end_row();
                   }
                 });
  EXPECT_FALSE(database.close().ok());
}

}  // namespace
}  // namespace npuprof::report::sqlite
