#include "load/backward_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/framework/steps.h"
#include "trace/table_list.h"

namespace npuprof::load {
namespace {

using Times = std::vector<std::int64_t>;

std::size_t mend_ends(const Times& starts, Times& ends) {
  std::size_t backward = 0;
  for (std::size_t row = 0; row < ends.size(); ++row) {
    if (ends[row] >= starts[row]) continue;
    ends[row] = starts[row];
    ++backward;
  }
  return backward;
}

Times* times_named(trace::AnyTable& table, std::string_view name) {
  for (const trace::ColumnFacts& facts : table.columns()) {
    if (facts.kind == trace::ColumnKind::kTime && facts.name == name) {
      return &trace::Values<std::int64_t>::of(table.column(facts));
    }
  }
  return nullptr;
}

const std::string& source_of_room(trace::Room room, const TraceSources& sources) {
  switch (room) {
    case trace::Room::kFramework:
      return sources.framework;
    case trace::Room::kHost:
    case trace::Room::kMachine:
    case trace::Room::kLaunched:
      return sources.host;
    case trace::Room::kDevice:
    case trace::Room::kLinked:
      break;
  }
  return sources.device;
}

// `python_calls`: "Python calls" would need a second list of all tables.
std::string plain_name(std::string_view table) {
  std::string name(table);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// Steps have an interval on either side.
std::size_t mend_steps(trace::Steps& steps) {
  mend_ends(steps.device_start_ns, steps.device_end_ns);  // They say the same.
  return mend_ends(steps.host_start_ns, steps.host_end_ns);
}

}  // namespace

void mend_backward_rows(trace::Trace& trace, const TraceSources& sources, trace::Losses& losses) {
  auto tables = trace::tables_of(trace);
  for (std::size_t number = 0; number < tables.size(); ++number) {
    const trace::TableFacts& facts = trace::table_facts(number);
    const Times* starts = times_named(tables[number], "start_ns");
    Times* ends = times_named(tables[number], "end_ns");
    std::size_t backward = 0;
    if (starts != nullptr && ends != nullptr) {
      backward = mend_ends(*starts, *ends);
    } else if (number == trace::kTableNumber<trace::Steps>) {
      backward = mend_steps(trace.steps());
    }
    // Parts say what the rows say that they belong to.
    if (backward == 0 || facts.kind == trace::TableKind::kParts) continue;
    losses.add(source_of_room(facts.room, sources), 0, backward,
               std::to_string(backward) + " " + plain_name(facts.name) +
                   " end before they begin: they are shown without a duration");
  }
}

}  // namespace npuprof::load
