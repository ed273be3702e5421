#include "load/chrome_trace/timeline_rows.h"

#include <utility>
#include <vector>

#include "trace/append.h"
#include "trace/table_list.h"

namespace npuprof::load {

void TimelineRows::append(TimelineRows&& part) {
  const std::vector<StringId> ids = trace::append(tables, std::move(part.tables));
  for_each_own_table(
      [&](auto& own, auto& added) {
        trace::translate_texts(added, ids);
        trace::take_rows(own, added);
      },
      *this, part);
  unusable_events += part.unusable_events;
  far_events += part.far_events;
  odd_values += part.odd_values;
  for (const auto& [what, events] : part.passed_over) passed_over[what] += events;
}

bool TimelineRows::empty() const {
  std::size_t rows = 0;
  for_each_own_table([&](const auto& table) { rows += table.size(); }, *this);
  for (const trace::AnyConstTable& table : trace::tables_of(tables)) rows += table.size();
  return rows == 0;
}

}  // namespace npuprof::load
