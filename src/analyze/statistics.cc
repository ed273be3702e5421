#include "analyze/statistics.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/saturated.h"
#include "format/host/levels.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

// Gathers rows by a 64-bit key, in order of first appearance.
class Groups {
 public:
  StatisticRow& at(std::uint64_t key) {
    const auto [place, is_new] = index_.try_emplace(key, rows_.size());
    if (is_new) rows_.emplace_back();
    return rows_[place->second];
  }
  std::vector<StatisticRow> take() { return std::move(rows_); }

 private:
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<StatisticRow> rows_;
};

void count(StatisticRow& row, std::int64_t duration_ns) {
  row.min_ns = row.count == 0 ? duration_ns : std::min(row.min_ns, duration_ns);
  row.max_ns = row.count == 0 ? duration_ns : std::max(row.max_ns, duration_ns);
  add_saturated(row.total_ns, duration_ns);
  ++row.count;
}

// Shares of each device's total; then by device and falling total. Ties are broken by name so that
// the order does not depend on where a type appeared first.
void finish(std::vector<StatisticRow>& rows, const StringPool& strings) {
  std::unordered_map<std::uint16_t, std::int64_t> totals;
  for (const StatisticRow& row : rows) add_saturated(totals[row.device], row.total_ns);
  for (StatisticRow& row : rows) {
    const auto total = static_cast<double>(totals[row.device]);
    row.ratio = total > 0 ? static_cast<double>(row.total_ns) / total : 0;
  }
  std::sort(rows.begin(), rows.end(), [&](const StatisticRow& a, const StatisticRow& b) {
    return std::forward_as_tuple(a.device, b.total_ns, strings.view(a.type),
                                 strings.view(a.core_type)) <
           std::forward_as_tuple(b.device, a.total_ns, strings.view(b.type),
                                 strings.view(b.core_type));
  });
}

}  // namespace

std::vector<StatisticRow> operator_statistic(const trace::Trace& trace, const OperatorRows& rows) {
  // Types and core types are few; one small table per device keeps the key within 64 bits.
  std::vector<StatisticRow> result;
  std::size_t begin = 0;
  while (begin < rows.size()) {
    const std::uint16_t device = rows.device[begin];
    Groups groups;
    std::size_t i = begin;
    for (; i < rows.size() && rows.device[i] == device; ++i) {
      if (rows.is_collective[i] != 0) continue;
      const std::uint32_t kernel = rows.row[i];
      const StringId type = trace.kernels().op_type[kernel];
      const StringId core = trace.kernels().task_type[kernel];
      if (type == kEmptyString) continue;
      StatisticRow& group = groups.at(std::uint64_t{to_index(type)} << 32 | to_index(core));
      group.device = device;
      group.type = type;
      group.core_type = core;
      count(group, rows.duration_ns[i]);
    }
    begin = i;
    for (StatisticRow& row : groups.take()) result.push_back(row);
  }
  finish(result, trace.strings);
  return result;
}

std::vector<StatisticRow> collective_statistic(const trace::Trace& trace) {
  Groups groups;
  const auto& ops = trace.collective_ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    StatisticRow& group = groups.at(std::uint64_t{ops.device[i]} << 32 | to_index(ops.type[i]));
    group.device = ops.device[i];
    group.type = ops.type[i];
    count(group, saturated_difference(ops.end_ns[i], ops.start_ns[i]));
  }
  std::vector<StatisticRow> rows = groups.take();
  finish(rows, trace.strings);
  return rows;
}

std::vector<StatisticRow> api_statistic(const trace::Trace& trace) {
  const auto& calls = trace.api_calls();
  std::unordered_map<std::uint64_t, std::uint32_t> index;
  std::vector<StatisticRow> rows;
  std::vector<std::uint32_t> group_of(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    // Calls of the communication layer all have the type "master" or "slave"; the item tells them
    // apart.
    const bool by_item = calls.level[i] == format::host::kLevelHccl;
    const StringId name = by_item ? calls.item_name[i] : calls.name[i];
    const std::uint64_t key = std::uint64_t{calls.level[i]} << 32 | to_index(name);
    const auto [place, is_new] = index.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
    if (is_new) rows.push_back({.type = name, .level = calls.level[i]});
    group_of[i] = place->second;
    count(rows[place->second], saturated_difference(calls.end_ns[i], calls.start_ns[i]));
  }
  // A second pass, as the difference of two large sums would lose the digits of a small variance.
  for (std::size_t i = 0; i < calls.size(); ++i) {
    StatisticRow& row = rows[group_of[i]];
    const double off_us =
        (static_cast<double>(saturated_difference(calls.end_ns[i], calls.start_ns[i])) -
         row.average_ns()) /
        1000;
    row.variance_us2 += off_us * off_us / static_cast<double>(row.count);
  }
  std::sort(rows.begin(), rows.end(), [&](const StatisticRow& a, const StatisticRow& b) {
    return std::forward_as_tuple(trace.strings.view(a.type), a.level) <
           std::forward_as_tuple(trace.strings.view(b.type), b.level);
  });
  return rows;
}

}  // namespace npuprof::analyze
