#include "link/time_order.h"

#include <numeric>

#include "base/nearby_search.h"
#include "base/sort_order.h"

namespace npuprof::link {

void sort_by_time(std::span<std::uint32_t> rows, std::span<const std::int64_t> times) {
  std::vector<std::int64_t> keys(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) keys[i] = times[rows[i]];
  const std::vector<std::uint32_t> order = stable_order(keys);
  if (is_identity(order)) return;
  const std::vector<std::uint32_t> old(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = old[order[i]];
}

ThreadOrder::ThreadOrder(std::span<const std::uint32_t> tids,
                         std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> thread_of_row(tids.size());
  std::vector<std::size_t> counts;
  for (std::size_t row = 0; row < tids.size(); ++row) {
    // Neighbours are mostly of one thread.
    if (row > 0 && tids[row] == tids[row - 1]) {
      thread_of_row[row] = thread_of_row[row - 1];
    } else {
      const auto [place, is_new] = thread_of_tid_.try_emplace(tids[row], tids_.size());
      if (is_new) {
        tids_.push_back(tids[row]);
        counts.push_back(0);
      }
      thread_of_row[row] = static_cast<std::uint32_t>(place->second);
    }
    ++counts[thread_of_row[row]];
  }
  begins_.assign(tids_.size() + 1, 0);
  std::inclusive_scan(counts.begin(), counts.end(), begins_.begin() + 1);
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  rows_.resize(tids.size());
  for (std::size_t i = 0; i < tids.size(); ++i) {
    const std::uint32_t row = order.empty() ? static_cast<std::uint32_t>(i) : order[i];
    rows_[next[thread_of_row[row]]++] = row;
  }
}

ThreadOrder ThreadOrder::of_events(std::span<const std::uint32_t> tids,
                                   std::span<const std::int64_t> times) {
  ThreadOrder grouped(tids);
  for (std::size_t thread = 0; thread < grouped.thread_count(); ++thread) {
    sort_by_time(grouped.mutable_rows(thread), times);
  }
  return grouped;
}

ThreadOrder ThreadOrder::of_ranges(std::span<const std::uint32_t> tids,
                                   std::span<const std::int64_t> starts,
                                   std::span<const std::int64_t> ends) {
  return ThreadOrder(tids, nesting_order(starts, ends, EqualIntervals::kLastIsOuter));
}

std::size_t ThreadOrder::find(std::uint32_t tid) const {
  const auto place = thread_of_tid_.find(tid);
  return place == thread_of_tid_.end() ? kNoThread : place->second;
}

std::uint32_t LastStarted::find(std::uint32_t tid, std::int64_t time_ns) {
  if (tid != last_tid_) {
    last_tid_ = tid;
    last_thread_ = rows_->find(tid);
  }
  if (last_thread_ == ThreadOrder::kNoThread) return trace::kNone;
  return find_in_thread(last_thread_, time_ns);
}

std::uint32_t LastStarted::find_in_thread(std::size_t thread, std::int64_t time_ns) {
  const auto rows = rows_->rows(thread);
  const auto has_started = [&](std::size_t i) { return starts_[rows[i]] <= time_ns; };
  std::size_t& place = places_[thread];
  place = count_started(rows.size(), place, has_started);
  return place == 0 ? trace::kNone : rows[place - 1];
}

}  // namespace npuprof::link
