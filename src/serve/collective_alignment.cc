#include "serve/collective_alignment.h"

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <map>
#include <utility>

#include "analyze/collective_groups.h"
#include "analyze/pipeline_messages.h"
#include "base/median.h"
#include "trace/linked/collective_ops.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kMostShifts = 200;

// Of one group, or of what one rank sends another, in one trace, by start.
struct Meeting {
  std::uint32_t row = 0;  // In CollectiveOps.
  std::int64_t end_ns = 0;
};
using Meetings = std::vector<Meeting>;

// A group, and for transfers who sends to whom: nothing else has the same number on both sides.
struct MeetingKey {
  std::string group;
  std::string channel;

  auto operator<=>(const MeetingKey&) const = default;
};
using MeetingsByKey = std::map<MeetingKey, Meetings>;

std::int64_t median_distance(std::vector<std::int64_t> values) {
  const std::int64_t median = median_of(values);
  for (std::int64_t& value : values) value = std::abs(value - median);
  return median_of(std::move(values));
}

std::vector<std::int64_t> end_differences(const Meetings& base, std::size_t base_skip,
                                          const Meetings& other, std::size_t other_skip) {
  std::vector<std::int64_t> differences;
  const std::size_t count = std::min(base.size() - base_skip, other.size() - other_skip);
  for (std::size_t i = 0; i < count; ++i) {
    differences.push_back(base[base_skip + i].end_ns - other[other_skip + i].end_ns);
  }
  return differences;
}

// How many collectives the longer of two lists has in front of the first of the shorter one: the
// shift with which ends differ most evenly. Positive = the base has more.
std::ptrdiff_t shift_between(const Meetings& base, const Meetings& other) {
  const bool base_is_longer = base.size() >= other.size();
  const std::size_t most = base_is_longer ? base.size() - other.size() : other.size() - base.size();
  std::size_t best = 0;
  std::int64_t best_distance = 0;
  for (std::size_t shift = 0; shift <= std::min(most, kMostShifts); ++shift) {
    const std::int64_t distance = median_distance(
        end_differences(base, base_is_longer ? shift : 0, other, base_is_longer ? 0 : shift));
    if (shift > 0 && distance >= best_distance) continue;
    best = shift;
    best_distance = distance;
  }
  return base_is_longer ? static_cast<std::ptrdiff_t>(best) : -static_cast<std::ptrdiff_t>(best);
}

bool is_transfer(std::string_view type) { return analyze::transfer_sides(type).any(); }

// Sends and receives of groups of more than two, which do not all of them take part in.
std::vector<std::uint32_t> transfers_of(const trace::Trace& trace) {
  const auto& ops = trace.collective_ops();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const std::string_view type = analyze::collective_type(trace, i);
    if (is_transfer(type) && type.starts_with("hcom") && ops.rank_size[i] != 2) rows.push_back(i);
  }
  return rows;
}

MeetingsByKey meetings_of(const trace::Trace& trace, std::size_t number) {
  MeetingsByKey meetings;
  const auto& ops = trace.collective_ops();
  const auto group_of = [&](std::uint32_t row) {
    return std::string(trace.strings.view(ops.group[row]));
  };
  const std::vector<std::uint32_t> transfers = transfers_of(trace);
  std::vector<std::uint8_t> is_told(ops.size());
  for (const analyze::PipelineMessage& message : analyze::pipeline_messages(trace, transfers)) {
    const auto [from, to] = message.is_sent ? std::pair(message.own, message.peer)
                                            : std::pair(message.peer, message.own);
    meetings[{group_of(message.collective), std::to_string(from) + " to " + std::to_string(to)}]
        .push_back({message.collective, message.end_ns});
    is_told[message.collective] = 1;
  }
  // Of a transfer that does not tell its ranks nothing is known: it stands alone.
  for (const std::uint32_t row : transfers) {
    if (is_told[row] == 0)
      meetings[{group_of(row), "of profile " + std::to_string(number)}].push_back(
          {row, ops.end_ns[row]});
    is_told[row] = 1;
  }
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (is_told[i] == 0) meetings[{group_of(i), ""}].push_back({i, ops.end_ns[i]});
  }
  for (auto& [key, list] : meetings) {
    std::stable_sort(list.begin(), list.end(), [&](const Meeting& a, const Meeting& b) {
      return ops.start_ns[a.row] < ops.start_ns[b.row];
    });
  }
  return meetings;
}

class Aligner {
 public:
  explicit Aligner(const std::vector<const trace::Trace*>& traces) : traces_(traces) {
    for (std::size_t i = 0; i < traces.size(); ++i) meetings_.push_back(meetings_of(*traces[i], i));
  }

  CollectiveAlignment run() {
    std::map<MeetingKey, std::size_t> base_of;
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      for (const auto& [key, list] : meetings_[i]) base_of.try_emplace(key, i);
    }
    for (const auto& [key, base] : base_of) align(key, base);
    find_clocks();
    return std::move(result_);
  }

 private:
  // The clock of `to` less that of `from`, to be added to times of `to`.
  struct Comparison {
    std::size_t from = 0;
    std::size_t to = 0;
    std::vector<std::int64_t> differences;
  };

  void align(const MeetingKey& key, std::size_t base) {
    const Meetings& base_list = meetings_[base].at(key);
    const std::size_t first = result_.collectives.size();
    for (std::size_t i = 0; i < base_list.size(); ++i) {
      AlignedCollective& one = result_.collectives.emplace_back();
      one.group = key.channel.empty() ? key.group : key.group + ", " + key.channel;
      one.type = analyze::collective_type(*traces_[base], base_list[i].row);
      one.number = i;
      one.ranks.push_back(at(base, base_list[i].row));
    }
    for (std::size_t other = base + 1; other < traces_.size(); ++other) {
      const auto known = meetings_[other].find(key);
      if (known == meetings_[other].end()) continue;
      const Meetings& list = known->second;
      const std::ptrdiff_t shift = shift_between(base_list, list);
      auto& differences = compared_[{base, other}];
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(i) + shift;
        if (place < 0 || place >= static_cast<std::ptrdiff_t>(base_list.size())) continue;
        differences.push_back(base_list[static_cast<std::size_t>(place)].end_ns - list[i].end_ns);
        result_.collectives[first + static_cast<std::size_t>(place)].ranks.push_back(
            at(other, list[i].row));
      }
    }
  }

  CollectiveAt at(std::size_t trace, std::uint32_t row) const {
    const auto& ops = traces_[trace]->collective_ops();
    return {trace, ops.start_ns[row], ops.end_ns[row], row};
  }

  // From the first trace on to all that collectives lead to, each time over those whose ends differ
  // most evenly: ranks of other groups share none with the first.
  void find_clocks() {
    std::vector<Comparison> comparisons;
    for (auto& [pair, differences] : compared_) {
      if (differences.empty()) continue;
      std::vector<std::int64_t> turned = differences;
      for (std::int64_t& difference : turned) difference = -difference;
      comparisons.push_back({pair.first, pair.second, std::move(differences)});
      comparisons.push_back({pair.second, pair.first, std::move(turned)});
    }
    std::vector<std::int64_t> distances;
    for (const Comparison& one : comparisons) distances.push_back(median_distance(one.differences));
    auto& clocks = result_.clocks;
    clocks.resize(traces_.size());
    if (!clocks.empty()) clocks[0].offset_ns = 0;
    while (true) {
      const Comparison* best = nullptr;
      std::int64_t least_ns = 0;
      for (std::size_t i = 0; i < comparisons.size(); ++i) {
        const Comparison& one = comparisons[i];
        if (!clocks[one.from].offset_ns || clocks[one.to].offset_ns) continue;
        const std::int64_t error_ns = clocks[one.from].error_ns + distances[i];
        if (best != nullptr && error_ns >= least_ns) continue;
        best = &one;
        least_ns = error_ns;
      }
      if (best == nullptr) return;
      clocks[best->to] = {.offset_ns = *clocks[best->from].offset_ns + median_of(best->differences),
                          .error_ns = least_ns,
                          .collectives = best->differences.size()};
    }
  }

  const std::vector<const trace::Trace*>& traces_;
  std::vector<MeetingsByKey> meetings_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> compared_;
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
