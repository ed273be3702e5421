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
}

}  // namespace npuprof::load
