#include "load/chrome_trace/timeline_rows.h"

#include <type_traits>

namespace npuprof::load {

void TimelineRows::append(TimelineRows&& part) {
  const std::vector<StringId> ids = strings.merge(part.strings);
  tables(*this, part, [&](auto& own, auto& added) {
    using Table = std::remove_reference_t<decltype(added)>;
    Table::columns(added, [&](const char*, auto& column) {
      using Value = typename std::decay_t<decltype(column)>::value_type;
      if constexpr (std::is_same_v<Value, StringId>) {
        for (StringId& id : column) id = ids[to_index(id)];
      }
    });
    trace::append_rows(own, added);
    added = Table{};
  });
  unusable_events += part.unusable_events;
  far_events += part.far_events;
  odd_values += part.odd_values;
  for (const auto& [what, events] : part.passed_over) passed_over[what] += events;
}

bool TimelineRows::empty() const {
  bool empty = true;
  tables(*this, *this,
         [&](const auto& table, const auto&) { empty = empty && trace::row_count(table) == 0; });
  return empty;
}

}  // namespace npuprof::load
