#include "query/trace_module.h"

#include <array>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "query/sql_profile.h"
#include "query/sql_session.h"
#include "typed_tables.h"

namespace npuprof::query {
namespace {

constexpr std::size_t kRows = 23;

template <typename Element>
void fill_value(Element& value, std::uint32_t number, StringPool&) {
  value = static_cast<Element>(number);
}
void fill_value(StringId& value, std::uint32_t number, StringPool& strings) {
  value = strings.intern(fmt::format("text {}", number));
}
template <typename Target>
void fill_value(trace::Row<Target>& value, std::uint32_t number, StringPool&) {
  value = number % 5 == 0 ? trace::kNone : number;
}
template <typename Element, std::size_t kLength>
void fill_value(std::array<Element, kLength>& values, std::uint32_t number, StringPool& strings) {
  for (std::size_t i = 0; i < kLength; ++i) {
    fill_value(values[i], number + static_cast<std::uint32_t>(i), strings);
  }
}

// Every column of every table, with other values in each.
void fill_all(trace::Trace& trace) {
  std::uint32_t number = 0;
  npuprof::testing::for_each_table(
      [&]<typename Table>(const trace::TableFacts&, Table& table) {
        trace::resize_rows(table, kRows);
        Table::columns(table, [&](const char*, auto& column) {
          for (auto& value : column) fill_value(value, ++number % 251, trace.strings);
        });
      },
      trace);
}

template <typename Value>
std::string expected_cell(const Value& value, const StringPool&) {
  if constexpr (std::floating_point<Value>) {
    return fmt::format("{}", static_cast<std::int64_t>(value));  // fill_value puts whole numbers.
  } else {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
}
std::string expected_cell(const StringId& value, const StringPool& strings) {
  return std::string(strings.view(value));
}
template <typename Target>
std::string expected_cell(const trace::Row<Target>& value, const StringPool&) {
  return value == trace::kNone ? "" : fmt::format("{}", value.number());
}

std::string shown_cell(const answers::Table& table, std::size_t column, std::size_t row) {
  if (table.is_absent(column, row)) return "";
  const answers::Column& values = table.column(column);
  if (values.kind == answers::Kind::kText) return std::string(table.text_at(column, row));
  if (answers::is_real(values.kind)) return fmt::format("{}", std::int64_t(values.reals[row]));
  return fmt::format("{}", values.numbers[row]);
}

template <typename Value>
void expect_column(const answers::Table& shown, std::size_t& place, const std::string& name,
                   const std::vector<Value>& column, const StringPool& strings) {
  ASSERT_LT(place, shown.columns().size());
  EXPECT_EQ(shown.column(place).key, name);
  for (std::size_t row = 0; row < column.size(); ++row) {
    EXPECT_EQ(shown_cell(shown, place, row), expected_cell(column[row], strings)) << name;
  }
  ++place;
}
template <typename Element, std::size_t kLength>
void expect_column(const answers::Table& shown, std::size_t& place, const std::string& name,
                   const std::vector<std::array<Element, kLength>>& column,
                   const StringPool& strings) {
  for (std::size_t i = 0; i < kLength; ++i) {
    std::vector<Element> elements;
    for (const auto& values : column) elements.push_back(values[i]);
    expect_column(shown, place, fmt::format("{}_{}", name, i), elements, strings);
  }
}

class TraceModule : public ::testing::Test {
 protected:
  TraceModule() : results_(trace_) {}

  SqlSession& session() {
    if (!session_) {
      auto opened = SqlSession::open({.trace = trace_, .results = results_});
      session_.emplace(std::move(opened).value());
    }
    return *session_;
  }
  answers::Table run(const std::string& sql) {
    auto result = session().run(sql);
    if (result.ok()) return std::move(*result);
    ADD_FAILURE() << sql << ": " << result.error().message;
    return {"", ""};
  }
  // All cells as one text.
  std::string rows(const std::string& sql) {
    const answers::Table table = run(sql);
    std::string text;
    for (std::size_t row = 0; row < table.size(); ++row) {
      for (std::size_t i = 0; i < table.columns().size(); ++i) {
        text += shown_cell(table, i, row) + (i + 1 < table.columns().size() ? " " : ";");
      }
    }
    return text;
  }

  trace::Trace trace_;
  analyze::SharedResults results_;
  std::optional<SqlSession> session_;
};

TEST_F(TraceModule, EveryTableHasTheColumnsAndCellsOfTheModel) {
  fill_all(trace_);
  npuprof::testing::for_each_table(
      [&]<typename Table>(const trace::TableFacts& facts, const Table& table) {
        SCOPED_TRACE(facts.name);
        const answers::Table shown = run(fmt::format("SELECT * FROM {}", facts.name));
        EXPECT_EQ(shown.size(), kRows);
        std::size_t place = 0;
        Table::columns(table, [&]<typename Column>(const char* name, const Column& column) {
          const typename Column::Values& values = column;
          expect_column(shown, place, name, values, trace_.strings);
        });
        EXPECT_EQ(place, shown.columns().size());
      },
      trace_);
}

TEST_F(TraceModule, RowsAreNumberedFromZero) {
  fill_all(trace_);
  EXPECT_EQ(rows("SELECT min(rowid), max(rowid), count(*) FROM tasks"), "0 22 23;");
}

TEST_F(TraceModule, ConstraintsGiveTheSameRowsAsAFullScan) {
  auto& tasks = trace_.tasks();
  trace::resize_rows(tasks, kRows);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    tasks.start_ns[row] = 100 + row / 3 * 10;  // Ascends, with equal ones.
    tasks.end_ns[row] = (row * 7) % 11;        // Does not.
    tasks.kernel[row] = row % 4 == 0 ? trace::kNone : (row * 5) % 7;
  }
  // SQLite hands no constraint to a table that it copies first.
  const std::string copied =
      "WITH copy AS MATERIALIZED (SELECT rowid AS rowid, start_ns, end_ns, kernel FROM tasks) "
      "SELECT rowid, start_ns FROM copy WHERE ";
  const std::string select = "SELECT rowid, start_ns FROM tasks WHERE ";
  for (const char* column : {"rowid", "start_ns", "end_ns", "kernel"}) {
    for (const char* test : {"= 5",
                             "= 110",
                             "> 5",
                             ">= 110",
                             "< 120",
                             "<= 120",
                             "> 105.5",
                             "< 119.5",
                             "= 110.0",
                             "= 110.5",
                             "= NULL",
                             "> NULL",
                             "= '110'",
                             "> '110'",
                             "< 'x'",
                             "> 'x'",
                             "> 1e300",
                             "< -1e300",
                             "> -1e300",
                             "= 4294967295",
                             "IS NULL",
                             "IS NOT NULL",
                             "IN (3, 110, 5, NULL)",
                             "BETWEEN 3 AND 115",
                             "BETWEEN 115 AND 3",
                             "> -9223372036854775808",
                             "<= 9223372036854775807",
                             "> 9223372036854775807",
                             "= x'31'"}) {
      const std::string where = fmt::format("{} {} ORDER BY rowid", column, test);
      EXPECT_EQ(rows(select + where), rows(copied + where)) << where;
    }
  }
}

TEST_F(TraceModule, JoinsByReferencesFindEveryRow) {
  fill_all(trace_);
  EXPECT_EQ(rows("SELECT count(*) FROM tasks t JOIN kernels k ON k.task = t.rowid"),
            rows("SELECT count(*) FROM tasks t JOIN kernels k ON +k.task = +t.rowid"));
  EXPECT_EQ(rows("SELECT t.rowid, k.rowid FROM kernels k JOIN tasks t ON t.kernel = k.rowid "
                 "ORDER BY 1, 2"),
            rows("SELECT t.rowid, k.rowid FROM kernels k JOIN tasks t ON +t.kernel = +k.rowid "
                 "ORDER BY 1, 2"));
}

TEST_F(TraceModule, LooksUpRowsOfColumnsThatAscend) {
  trace::resize_rows(trace_.tasks(), 1000);
  for (std::uint32_t row = 0; row < 1000; ++row) trace_.tasks().start_ns[row] = row;
  session().set_limits({.instructions = 20'000});
  // Both would be stopped if they read all rows for each of 1000.
  EXPECT_EQ(rows("SELECT count(*) FROM tasks a JOIN tasks b ON b.start_ns = a.start_ns"), "1000;");
  EXPECT_EQ(rows("SELECT count(*) FROM tasks a JOIN tasks b ON b.rowid = a.rowid"), "1000;");
  EXPECT_FALSE(
      session().run("SELECT count(*) FROM tasks a JOIN tasks b ON +b.rowid = +a.rowid").ok());
}

TEST_F(TraceModule, OrderIsKeptWhereItIsThereAlready) {
  trace::resize_rows(trace_.tasks(), 4);
  trace_.tasks().start_ns = {1, 2, 2, 9};
  trace_.tasks().kernel = {0, 1, trace::kNone, trace::kNone};
  EXPECT_EQ(rows("SELECT start_ns FROM tasks ORDER BY start_ns"), "1;2;2;9;");
  EXPECT_EQ(rows("SELECT start_ns FROM tasks ORDER BY start_ns DESC"), "9;2;2;1;");
  EXPECT_EQ(rows("SELECT rowid FROM tasks ORDER BY kernel, rowid"), "2;3;0;1;");
  EXPECT_EQ(rows("SELECT kernel FROM tasks ORDER BY kernel"), ";;0;1;");
}

TEST_F(TraceModule, ColumnsThatWereNotFilledAreNull) {
  trace_.tasks().start_ns = {1, 2};
  EXPECT_EQ(rows("SELECT start_ns, end_ns, kernel_name FROM tasks WHERE end_ns IS NULL"),
            "1  ;2  ;");
}

TEST_F(TraceModule, ExtremeNumbersKeepTheirBits) {
  trace::resize_rows(trace_.api_calls(), 2);
  trace_.api_calls().item = {std::numeric_limits<std::uint64_t>::max(), 1};
  EXPECT_EQ(rows("SELECT item FROM api_calls"), "-1;1;");
  EXPECT_EQ(rows("SELECT rowid FROM api_calls WHERE item = -1"), "0;");
}

}  // namespace
}  // namespace npuprof::query
