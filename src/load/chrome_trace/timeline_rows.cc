#include "load/chrome_trace/timeline_rows.h"

#include <utility>
#include <vector>

#include "trace/all_tables.h"
#include "trace/append.h"

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
  trace::for_each_table([&](const trace::TableFacts&, const auto& table) { rows += table.size(); },
                        tables);
  return rows == 0;
}

}  // namespace npuprof::load
