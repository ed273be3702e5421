#include "serve/collective_alignment.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "analyze/collective_groups.h"
#include "base/median.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostShifts = 200;

using Rows = std::vector<std::uint32_t>;  // Of one group in one trace, by start.

std::int64_t median_distance(std::vector<std::int64_t> values) {
  const std::int64_t median = median_of(values);
  for (std::int64_t& value : values) value = std::abs(value - median);
  return median_of(std::move(values));
}

std::vector<std::int64_t> end_differences(const trace::Trace& base, const Rows& base_rows,
                                          std::size_t base_skip, const trace::Trace& other,
                                          const Rows& other_rows, std::size_t other_skip) {
  std::vector<std::int64_t> differences;
  const std::size_t count = std::min(base_rows.size() - base_skip, other_rows.size() - other_skip);
  for (std::size_t i = 0; i < count; ++i) {
    differences.push_back(base.collective_ops().end_ns[base_rows[base_skip + i]] -
                          other.collective_ops().end_ns[other_rows[other_skip + i]]);
  }
  return differences;
}

// How many collectives the longer of two lists has in front of the first of the shorter one: the
// shift with which ends differ most evenly. Positive = the base has more.
std::ptrdiff_t shift_between(const trace::Trace& base, const Rows& base_rows,
                             const trace::Trace& other, const Rows& other_rows) {
  const bool base_is_longer = base_rows.size() >= other_rows.size();
  const std::size_t most =
      base_is_longer ? base_rows.size() - other_rows.size() : other_rows.size() - base_rows.size();
  std::size_t best = 0;
  std::int64_t best_distance = 0;
  for (std::size_t shift = 0; shift <= std::min(most, kMostShifts); ++shift) {
    const std::int64_t distance =
        median_distance(end_differences(base, base_rows, base_is_longer ? shift : 0, other,
                                        other_rows, base_is_longer ? 0 : shift));
    if (shift > 0 && distance >= best_distance) continue;
    best = shift;
    best_distance = distance;
  }
  return base_is_longer ? static_cast<std::ptrdiff_t>(best) : -static_cast<std::ptrdiff_t>(best);
}

std::map<std::string, Rows> rows_by_group(const trace::Trace& trace) {
  std::map<std::string, Rows> groups;
  const auto& ops = trace.collective_ops();
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    groups[std::string(trace.strings.view(ops.group[i]))].push_back(i);
  }
  for (auto& [name, rows] : groups) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return ops.start_ns[a] < ops.start_ns[b];
    });
  }
  return groups;
}

bool is_transfer(std::string_view type) { return analyze::transfer_sides(type).any(); }

class Aligner {
 public:
  explicit Aligner(const std::vector<const trace::Trace*>& traces)
      : traces_(traces), differences_(traces.size()) {
    for (const trace::Trace* trace : traces) groups_.push_back(rows_by_group(*trace));
  }

  CollectiveAlignment run() {
    std::map<std::string, std::size_t> base_of_group;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      for (const auto& [group, rows] : groups_[i]) base_of_group.try_emplace(group, i);
    }
    for (const auto& [group, base] : base_of_group) align_group(group, base);
    for (std::size_t i = 0; i < traces_.size(); ++i) result_.clocks.push_back(clock_of(i));
    return std::move(result_);
  }

 private:
  void align_group(const std::string& group, std::size_t base) {
    const Rows& base_rows = groups_[base].at(group);
    const std::size_t first = result_.collectives.size();
    for (std::size_t i = 0; i < base_rows.size(); ++i) {
      AlignedCollective& one = result_.collectives.emplace_back();
      one.group = group;
      one.type = analyze::collective_type(*traces_[base], base_rows[i]);
      one.number = i;
      one.ranks.push_back(at(base, base_rows[i]));
    }
    for (std::size_t other = base + 1; other < traces_.size(); ++other) {
      const auto known = groups_[other].find(group);
      if (known == groups_[other].end()) continue;
      const Rows& rows = known->second;
      const std::ptrdiff_t shift = shift_between(*traces_[base], base_rows, *traces_[other], rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(i) + shift;
        if (place < 0 || place >= static_cast<std::ptrdiff_t>(base_rows.size())) continue;
        const CollectiveAt own = at(other, rows[i]);
        AlignedCollective& one = result_.collectives[first + static_cast<std::size_t>(place)];
        if (base == 0) differences_[other].push_back(one.ranks.front().end_ns - own.end_ns);
        one.ranks.push_back(own);
      }
    }
  }

  CollectiveAt at(std::size_t trace, std::uint32_t row) const {
    const auto& ops = traces_[trace]->collective_ops();
    return {trace, ops.start_ns[row], ops.end_ns[row], row};
  }

  ClockOffset clock_of(std::size_t trace) const {
    if (trace == 0) return {.offset_ns = 0};
    const auto& differences = differences_[trace];
    if (differences.empty()) return {};
    return {.offset_ns = median_of(differences),
            .error_ns = median_distance(differences),
            .collectives = differences.size()};
  }

  const std::vector<const trace::Trace*>& traces_;
  std::vector<std::map<std::string, Rows>> groups_;
  std::vector<std::vector<std::int64_t>> differences_;  // To the first trace.
  CollectiveAlignment result_;
};

}  // namespace

CollectiveAlignment align_collectives(const std::vector<const trace::Trace*>& traces) {
  return Aligner(traces).run();
}

Arrivals arrivals_of(const AlignedCollective& collective, const std::vector<ClockOffset>& clocks) {
  Arrivals arrivals;
  for (const CollectiveAt& at : collective.ranks) {
    arrivals.after_ns.push_back(at.start_ns + clocks[at.profile].offset_ns.value_or(0));
  }
  if (arrivals.after_ns.empty()) return arrivals;
  const auto [first, last] =
      std::minmax_element(arrivals.after_ns.begin(), arrivals.after_ns.end());
  arrivals.last = static_cast<std::size_t>(last - arrivals.after_ns.begin());
  const std::int64_t first_ns = *first;
  for (std::int64_t& after : arrivals.after_ns) after -= first_ns;
  arrivals.spread_ns = arrivals.after_ns[arrivals.last];
  return arrivals;
}

std::vector<Latecomer> latecomers(const CollectiveAlignment& aligned) {
  const bool has_meetings = std::any_of(
      aligned.collectives.begin(), aligned.collectives.end(),
      [](const AlignedCollective& one) { return one.ranks.size() > 1 && !is_transfer(one.type); });
  std::map<std::size_t, Latecomer> sums;
  for (std::size_t i = 0; i < aligned.collectives.size(); ++i) {
    const AlignedCollective& one = aligned.collectives[i];
    if (one.ranks.size() < 2 || (has_meetings && is_transfer(one.type))) continue;
    const Arrivals arrivals = arrivals_of(one, aligned.clocks);
    if (arrivals.spread_ns == 0) continue;
    const std::size_t profile = one.ranks[arrivals.last].profile;
    Latecomer& sum = sums.try_emplace(profile, Latecomer{.profile = profile}).first->second;
    ++sum.times;
    sum.waited_ns += arrivals.spread_ns;
    if (arrivals.spread_ns <= sum.longest_ns) continue;
    sum.longest_ns = arrivals.spread_ns;
    sum.longest = i;
  }
  std::vector<Latecomer> list;
  for (const auto& [profile, sum] : sums) list.push_back(sum);
  std::stable_sort(list.begin(), list.end(), [](const Latecomer& a, const Latecomer& b) {
    return a.waited_ns > b.waited_ns;
  });
  return list;
}

}  // namespace npuprof::serve
