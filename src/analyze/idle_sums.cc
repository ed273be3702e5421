#include "analyze/idle_sums.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

template <typename Sum, typename Key>
void sort_idle_sums(std::vector<Sum>& sums, const Key& key) {
  std::sort(sums.begin(), sums.end(), [&](const Sum& a, const Sum& b) {
    if (a.sum.total_ns != b.sum.total_ns) return a.sum.total_ns > b.sum.total_ns;
    return key(a) < key(b);
  });
}

// name_of(row) is empty for rows that are left out.
template <typename NameOf>
std::vector<IdleNameSum> sum_idle_by_name(std::span<const IdleRow> rows, const NameOf& name_of) {
  std::vector<IdleNameSum> sums;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const IdleRow& row : rows) {
    const std::string_view name = name_of(row);
    if (name.empty()) continue;
    const auto [place, is_new] = places.try_emplace(name, sums.size());
    if (is_new) sums.push_back({name, {}});
    sums[place->second].sum.add(row);
  }
  sort_idle_sums(sums, [](const IdleNameSum& sum) { return sum.name; });
  return sums;
}

const trace::FrameworkOps* ops_of_idle_row(const trace::Trace& trace, const IdleRow& row) {
  return row.op < trace.framework_ops().size() ? &trace.framework_ops() : nullptr;
}

}  // namespace

void IdleSum::add(const IdleRow& row) {
  const std::int64_t length_ns = saturated_difference(row.end_ns, row.start_ns);
  add_saturated(total_ns, length_ns);
  ++count;
  if (length_ns <= longest_ns) return;
  longest_ns = length_ns;
  longest_at_ns = row.start_ns;
}

std::vector<IdleCauseSum> idle_by_cause(std::span<const IdleRow> rows) {
  std::array<IdleSum, kIdleCauseCount> by_cause{};
  for (const IdleRow& row : rows) by_cause[static_cast<std::size_t>(row.cause)].add(row);
  std::vector<IdleCauseSum> sums;
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    if (by_cause[i].count > 0) sums.push_back({static_cast<IdleCause>(i), by_cause[i]});
  }
  sort_idle_sums(sums, [](const IdleCauseSum& sum) { return sum.cause; });
  return sums;
}

std::string_view idle_detail(const trace::Trace& trace, const IdleRow& row) {
  const std::string_view text = trace.strings.view(row.detail);
  if (!text.starts_with("<built-in ")) return text;
  const std::size_t address = text.find(" object at 0x");
  return address == std::string_view::npos ? text : text.substr(0, address);
}

std::vector<IdleDetailSum> idle_by_detail(const trace::Trace& trace,
                                          std::span<const IdleRow> rows) {
  std::vector<IdleDetailSum> sums;
  std::array<std::unordered_map<std::string_view, std::size_t>, kIdleCauseCount> places;
  for (const IdleRow& row : rows) {
    const std::string_view detail = idle_detail(trace, row);
    const auto [place, is_new] =
        places[static_cast<std::size_t>(row.cause)].try_emplace(detail, sums.size());
    if (is_new) sums.push_back({row.cause, detail, {}});
    sums[place->second].sum.add(row);
  }
  sort_idle_sums(sums, [](const IdleDetailSum& sum) { return std::pair(sum.cause, sum.detail); });
  return sums;
}

std::vector<IdleNameSum> idle_by_operator(const trace::Trace& trace,
                                          std::span<const IdleRow> rows) {
  return sum_idle_by_name(rows, [&](const IdleRow& row) {
    const auto* ops = is_of_host(row.cause) ? ops_of_idle_row(trace, row) : nullptr;
    return ops == nullptr ? std::string_view{} : trace.strings.view(ops->name[row.op]);
  });
}

std::vector<IdleNameSum> idle_by_python_line(const trace::Trace& trace,
                                             std::span<const IdleRow> rows) {
  return sum_idle_by_name(rows, [&](const IdleRow& row) {
    if (!is_of_host(row.cause)) return std::string_view{};
    if (row.python_call < trace.python_calls().size()) {
      return trace.strings.view(trace.python_calls().name[row.python_call]);
    }
    const auto* ops = ops_of_idle_row(trace, row);
    if (ops == nullptr) return std::string_view{};
    const std::string_view stack = trace.strings.view(ops->stack[row.op]);
    return stack.substr(0, stack.find(';'));
  });
}

std::vector<IdleNameSum> idle_by_module(const trace::Trace& trace, std::span<const IdleRow> rows) {
  return sum_idle_by_name(rows, [&](const IdleRow& row) {
    if (!is_of_host(row.cause)) return std::string_view{};
    if (row.module != kEmptyString) return trace.strings.view(row.module);
    const auto* ops = ops_of_idle_row(trace, row);
    return ops == nullptr ? std::string_view{} : trace.strings.view(ops->module_hierarchy[row.op]);
  });
}

IdleCause IdleStepSum::largest() const {
  return static_cast<IdleCause>(std::max_element(by_cause_ns.begin(), by_cause_ns.end()) -
                                by_cause_ns.begin());
}

std::vector<IdleStepSum> idle_by_step(const trace::Trace& trace, std::span<const IdleRow> rows) {
  std::map<std::pair<std::uint16_t, std::uint32_t>, IdleStepSum> by_step;
  for (const IdleRow& row : rows) {
    IdleStepSum& sum = by_step[{row.device, row.step}];
    const std::int64_t length_ns = saturated_difference(row.end_ns, row.start_ns);
    add_saturated(sum.total_ns, length_ns);
    add_saturated(sum.by_cause_ns[static_cast<std::size_t>(row.cause)], length_ns);
  }
  std::vector<IdleStepSum> sums;
  for (auto& [key, sum] : by_step) {
    sum.device = key.first;
    if (key.second < trace.steps().size()) sum.step = trace.steps().id[key.second];
    sums.push_back(sum);
  }
  std::stable_sort(sums.begin(), sums.end(), [](const IdleStepSum& a, const IdleStepSum& b) {
    return std::pair(a.device, a.step) < std::pair(b.device, b.step);
  });
  return sums;
}

std::vector<IdleGapSum> longest_idle_gaps(std::span<const IdleRow> rows, std::size_t count) {
  std::vector<IdleGapSum> gaps;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].gap != rows[i - 1].gap) {
      gaps.push_back({.start_ns = rows[i].start_ns, .first_row = i});
    }
    gaps.back().end_ns = rows[i].end_ns;
    gaps.back().end_row = i + 1;
  }
  const auto is_longer = [](const IdleGapSum& a, const IdleGapSum& b) {
    const std::int64_t a_ns = saturated_difference(a.end_ns, a.start_ns);
    const std::int64_t b_ns = saturated_difference(b.end_ns, b.start_ns);
    return a_ns != b_ns ? a_ns > b_ns : a.first_row < b.first_row;
  };
  count = std::min(count, gaps.size());
  std::partial_sort(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(count), gaps.end(),
                    is_longer);
  gaps.resize(count);
  return gaps;
}

}  // namespace npuprof::analyze
