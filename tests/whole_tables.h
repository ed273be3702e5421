#pragma once

#include <gtest/gtest.h>

#include "trace/table_list.h"

namespace npuprof::testing {

// Loaders fill tables row by row: no column may be left behind.
inline void expect_whole_tables(const trace::Trace& trace) {
  const auto tables = trace::tables_of(trace);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (const trace::ColumnFacts& facts : tables[i].columns()) {
      EXPECT_EQ(facts.values->size(tables[i].column(facts)), tables[i].size())
          << trace::table_facts(i).name << "." << facts.name;
    }
  }
}

}  // namespace npuprof::testing
