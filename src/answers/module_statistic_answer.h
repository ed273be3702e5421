#pragma once

#include <string>

#include "analyze/module_statistic.h"
#include "answers/mode.h"

namespace npuprof::answers {

// Tables: `modules`, a tree for people, and `ModuleStatistic`, which other tools know. The latter
// has the rank as its last column (rankID), so that tables of several ranks are put together with
// Table::append(); workbooks, which are of one rank each, leave it out.
extern const Mode kModuleStatisticMode;

// Names and titles of the columns of a table by module, which two of them share.
struct ModuleColumnNames {
  std::string_view parent_module;
  std::string_view module;
  std::string_view op_name;
  std::string_view kernel_list;
  std::string_view total;
  std::string_view average;
  std::string_view count;
  std::string_view utilization;
};
// From the module's parents to the number of calls, and what was reached of the peak if any row has
// a value. Merged and as wide as other tools have them.
void declare_module_columns(Table& table, const ModuleColumnNames& names, bool has_utilization);
void add_module_cells(Table& table, const trace::Trace& trace,
                      const analyze::ModuleStatistic& statistic,
                      const analyze::ModuleStatisticRow& row, bool has_utilization);
bool has_utilization(const analyze::ModuleStatistic& statistic);

}  // namespace npuprof::answers
