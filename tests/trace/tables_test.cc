#include <concepts>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "even_columns.h"
#include "trace/all_tables.h"
#include "trace/append.h"
#include "trace/reorder.h"
#include "trace/row_selection.h"
#include "trace/table_list.h"

namespace npuprof::trace {
namespace {

using ::testing::ElementsAre;

// Every kind of column, a comment and an empty line between them.
struct Samples {
  NPUPROF_TABLE(Samples);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Moment, asked_ns);  // Another time.

  // Stands above its column.
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(RowOf<Kernels>, kernel);
  NPUPROF_COLUMN(double, value);
  NPUPROF_TABLE_END();
};

template <typename Column, typename Index>
concept CanLookUp = requires(Column& column, Index index) {
  column[index];
};

static_assert(CanLookUp<decltype(Kernels::name), Row<Kernels>>);
static_assert(CanLookUp<decltype(Kernels::name), std::uint32_t>);
static_assert(CanLookUp<decltype(Kernels::name), std::size_t>);
static_assert(!CanLookUp<decltype(Kernels::name), Row<Tasks>>, "a row of another table");
static_assert(!std::constructible_from<Row<Kernels>, Row<Tasks>>);
static_assert(!std::assignable_from<Row<Kernels>&, Row<Tasks>>);
static_assert(!CanLookUp<decltype(Enqueues::name), Row<Dequeues>>, "the other end of the queue");
static_assert(CanLookUp<decltype(Dequeues::name), decltype(Enqueues::partner)::value_type>);

TEST(Table, VisitsItsColumnsInTheOrderOfTheirDeclaration) {
  std::vector<std::string> names;
  for (const ColumnFacts& facts : Samples::column_facts()) names.emplace_back(facts.name);
  EXPECT_THAT(names, ElementsAre("start_ns", "asked_ns", "name", "kernel", "value"));
}

TEST(Table, NewRowsHoldZerosAndReferToNothing) {
  Samples samples;
  resize_rows(samples, 2);
  EXPECT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples.start_ns[1], 0);
  EXPECT_EQ(samples.name[1], kEmptyString);
  EXPECT_EQ(samples.kernel[1], kNone);
  EXPECT_EQ(samples.value[1], 0);
}

TEST(Table, ReorderMovesAllColumnsAndMayDropRows) {
  Samples samples;
  resize_rows(samples, 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    samples.start_ns[i] = i * 10;
    samples.kernel[i] = i;
    samples.value[i] = i + 0.5;
  }
  reorder_rows(samples, std::vector<std::uint32_t>{2, 0});
  EXPECT_THAT(samples.start_ns, ElementsAre(20, 0));
  EXPECT_THAT(samples.kernel, ElementsAre(2u, 0u));
  EXPECT_THAT(samples.value, ElementsAre(2.5, 0.5));
}

TEST(Table, OnlyTextsAreTranslatedAndOnlyTimesAreTimes) {
  Samples samples;
  resize_rows(samples, 2);
  samples.name = {StringId{1}, StringId{2}};
  samples.value = {1, 2};
  translate_texts(samples, 1, 2, [](StringId id) { return StringId{to_index(id) + 10}; });
  EXPECT_THAT(samples.name, ElementsAre(StringId{1}, StringId{12}));
  EXPECT_THAT(samples.value, ElementsAre(1, 2));
  int columns = 0;
  for_each_time(samples, [&](auto& column) {
    ++columns;
    EXPECT_EQ(&column, &samples.start_ns);
  });
  EXPECT_EQ(columns, 1);
}

TEST(Table, TellsTheMemoryOfItsColumns) {
  Samples samples;
  EXPECT_EQ(memory_bytes(samples), 0u);
  reserve_rows(samples, 100);
  EXPECT_GE(memory_bytes(samples), 100 * (8 + 8 + 4 + 4 + 8));
}

TEST(TraceTables, EachHasItsOwnNameNumberAndMemory) {
  const Trace trace;
  std::set<std::string_view> names;
  std::set<std::size_t> numbers;
  std::set<const void*> places;
  const auto tables = tables_of(trace);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    names.insert(table_facts(i).name);
    numbers.insert(table_number(tables[i].mark()));
    places.insert(tables[i].column(tables[i].columns().front()));
  }
  EXPECT_EQ(names.size(), kTableCount);
  EXPECT_EQ(numbers.size(), kTableCount);
  EXPECT_EQ(places.size(), kTableCount);
  EXPECT_TRUE(names.contains("framework_ops"));
  EXPECT_EQ(table_number(&kTableMark<Tasks>), kTableNumber<Tasks>);
  EXPECT_EQ(table_number(&kTableMark<Samples>), kTableCount) << "no table of a trace";
}

// A reference whose target is not a table of the trace could not follow its rows.
TEST(TraceTables, AllReferencesLeadToTablesOfTheTrace) {
  const Trace trace;
  std::size_t references = 0;
  for (const AnyConstTable& table : tables_of(trace)) {
    for (const ColumnFacts& facts : table.columns()) {
      if (facts.target == nullptr) continue;
      ++references;
      EXPECT_LT(table_number(facts.target), kTableCount)
          << table_facts(table_number(table.mark())).name << "." << facts.name;
    }
  }
  EXPECT_GT(references, 30u);
}

// Tasks 0..2, of which 0 and 2 have kernels; kernels have metrics and counters of caches.
Trace small_trace() {
  Trace trace;
  resize_rows(trace.tasks(), 3);
  trace.tasks().start_ns = {10, 20, 30};
  trace.tasks().kernel = {0u, kNone, 1u};
  resize_rows(trace.kernels(), 2);
  trace.kernels().task = {0u, 2u};
  trace.kernels().name = {trace.strings.intern("a"), trace.strings.intern("b")};
  trace.result_metrics.columns.push_back({trace.strings.intern("ratio"), {0.25, 0.75}});
  resize_rows(trace.cache_counters(), 2);
  trace.cache_counters().kernel = {1u, 0u};
  trace.cache_counters().task = {100, 101};
  return trace;
}

TEST(TraceTables, AColumnThatIsLeftOutIsNamed) {
  Trace trace;
  resize_rows(trace.marks(), 2);
  EXPECT_EQ(npuprof::testing::uneven_columns(trace), "");
  trace.marks().tid.pop_back();
  EXPECT_EQ(npuprof::testing::uneven_columns(trace), "marks.tid: 1 of 2 rows\n");
}

TEST(Append, TranslatesTextsAndMovesReferencesBehindTheRowsThatAreThere) {
  Trace trace;
  trace.strings.intern("something else");
  append(trace, small_trace());
  append(trace, small_trace());
  EXPECT_THAT(trace.tasks().start_ns, ElementsAre(10, 20, 30, 10, 20, 30));
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(0u, kNone, 1u, 2u, kNone, 3u));
  EXPECT_THAT(trace.kernels().task, ElementsAre(0u, 2u, 3u, 5u));
  EXPECT_THAT(trace.cache_counters().kernel, ElementsAre(1u, 0u, 3u, 2u));
  for (const std::size_t kernel : {1, 3}) {
    EXPECT_EQ(trace.strings.view(trace.kernels().name[kernel]), "b");
  }
}

TEST(Reorder, ReferencesAndMetricsFollowTheRows) {
  Trace trace = small_trace();
  reorder<Kernels>(trace, std::vector<std::uint32_t>{1, 0});
  EXPECT_THAT(trace.kernels().task, ElementsAre(2u, 0u));
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(1u, kNone, 0u));
  EXPECT_THAT(trace.cache_counters().kernel, ElementsAre(0u, 1u));
  EXPECT_THAT(trace.result_metrics.columns[0].values, ElementsAre(0.75, 0.25));
  reorder<Kernels>(trace, std::vector<std::uint32_t>{1});
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(0u, kNone, kNone));
}

TEST(RowSelection, PartsGoWithTheirRowsAndReferencesToRowsThatAreGoneEnd) {
  Trace trace = small_trace();
  RowSelection selection;
  selection.keep<Tasks>({0, 1, 1});
  std::move(selection).apply(trace);
  EXPECT_THAT(trace.tasks().start_ns, ElementsAre(20, 30));
  EXPECT_THAT(trace.kernels().task, ElementsAre(1u)) << "the other was part of the first task";
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(kNone, 0u));
  EXPECT_THAT(trace.cache_counters().task, ElementsAre(100)) << "a part of a part";
  EXPECT_THAT(trace.result_metrics.columns[0].values, ElementsAre(0.75));
}

TEST(RowSelection, TablesThatNothingIsSaidOfStay) {
  Trace trace = small_trace();
  RowSelection selection;
  selection.keep<Tasks>({1, 1, 1});
  std::move(selection).apply(trace);
  EXPECT_EQ(trace.kernels().size(), 2u);
  EXPECT_THAT(trace.cache_counters().kernel, ElementsAre(1u, 0u));
}

}  // namespace
}  // namespace npuprof::trace
