#include "serve/arrow_index.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace npuprof::serve {

ArrowIndex::ArrowIndex(const report::LaneTimeline& timeline)
    : arrows_(&timeline.arrows()), by_target_(arrows_->size()) {
  std::iota(by_target_.begin(), by_target_.end(), 0U);
  std::stable_sort(by_target_.begin(), by_target_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return (*arrows_)[a].to < (*arrows_)[b].to;
  });
  const auto& firsts = timeline.first_slices();
  const auto start_of = [&](std::uint32_t number) {
    const auto after = std::upper_bound(firsts.begin(), firsts.end(), number);
    const auto lane = static_cast<std::size_t>(after - firsts.begin() - 1);
    return timeline.lanes()[lane].start_ns[number - firsts[lane]];
  };
  timed_.reserve(arrows_->size());
  for (std::uint32_t i = 0; i < arrows_->size(); ++i) {
    const auto [first, last] =
        std::minmax({start_of((*arrows_)[i].from), start_of((*arrows_)[i].to)});
    timed_.push_back({first, last, i});
  }
  std::stable_sort(timed_.begin(), timed_.end(), [](const TimedArrow& a, const TimedArrow& b) {
    return a.first_ns < b.first_ns;
  });
  for (std::size_t i = 0; i < timed_.size(); ++i) {
    if (i % kBlock == 0) block_last_ns_.push_back(std::numeric_limits<std::int64_t>::min());
    block_last_ns_.back() = std::max(block_last_ns_.back(), timed_[i].last_ns);
  }
}

std::span<const report::LaneArrow> ArrowIndex::from(std::uint32_t slice) const {
  if (arrows_ == nullptr) return {};
  const auto first = std::lower_bound(
      arrows_->begin(), arrows_->end(), slice,
      [](const report::LaneArrow& arrow, std::uint32_t value) { return arrow.from < value; });
  auto last = first;
  while (last != arrows_->end() && last->from == slice) ++last;
  return {first, last};
}

std::size_t ArrowIndex::first_to(std::uint32_t slice) const {
  const auto first = std::lower_bound(
      by_target_.begin(), by_target_.end(), slice,
      [&](std::uint32_t arrow, std::uint32_t value) { return (*arrows_)[arrow].to < value; });
  return static_cast<std::size_t>(first - by_target_.begin());
}

}  // namespace npuprof::serve
