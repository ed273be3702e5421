#pragma once

#include <gtest/gtest.h>

#include "trace/all_tables.h"

namespace npuprof::testing {

// Loaders fill tables row by row: no column may be left behind.
inline void expect_whole_tables(const trace::Trace& trace) {
  trace::for_each_table(
      []<typename Table>(const trace::TableFacts& facts, const Table& table) {
        Table::columns(table, [&](const char* name, const auto& column) {
          EXPECT_EQ(column.size(), table.size()) << facts.name << "." << name;
        });
      },
      trace);
}

}  // namespace npuprof::testing
