#pragma once

// Rows in order of time: the first step of every join. Files are in no order that can be relied on
// across threads, but close to one, and profiles have millions of rows.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/table.h"

namespace npuprof::link {

// Sorts `rows` by times[row]; rows of equal time keep their order.
void sort_by_time(std::span<std::uint32_t> rows, std::span<const std::int64_t> times);

// The rows of a table thread by thread, each thread's in order of time. Threads are numbered in
// order of their first row.
class ThreadOrder {
 public:
  static constexpr std::size_t kNoThread = ~std::size_t{0};

  // For events: equal times stay in file order.
  static ThreadOrder of_events(std::span<const std::uint32_t> tids,
                               std::span<const std::int64_t> times);

  // For nested intervals, in order of recording: outer ones come before those they contain, in the
  // order of nesting_order().
  static ThreadOrder of_ranges(std::span<const std::uint32_t> tids,
                               std::span<const std::int64_t> starts,
                               std::span<const std::int64_t> ends);

  std::size_t thread_count() const { return tids_.size(); }
  std::uint32_t tid(std::size_t thread) const { return tids_[thread]; }
  std::span<const std::uint32_t> rows(std::size_t thread) const {
    return std::span(rows_).subspan(begins_[thread], begins_[thread + 1] - begins_[thread]);
  }
  // kNoThread if the thread has no rows.
  std::size_t find(std::uint32_t tid) const;

 private:
  // Groups the rows, each thread's as they stand in `order`, all rows in ascending order if that is
  // empty.
  explicit ThreadOrder(std::span<const std::uint32_t> tids,
                       std::span<const std::uint32_t> order = {});
  std::span<std::uint32_t> mutable_rows(std::size_t thread) {
    return std::span(rows_).subspan(begins_[thread], begins_[thread + 1] - begins_[thread]);
  }

  std::vector<std::uint32_t> tids_;
  std::unordered_map<std::uint32_t, std::size_t> thread_of_tid_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> rows_;
};

// Finds which row of a thread started last at or before a time. Remembers where it was, so that
// questions in roughly ascending order cost next to nothing. Keeps references to its arguments.
class LastStarted {
 public:
  LastStarted(const ThreadOrder& rows, std::span<const std::int64_t> starts)
      : rows_(&rows), starts_(starts), places_(rows.thread_count(), 0) {}

  // A row, or kNone if none of the thread's had started (or the thread is unknown).
  std::uint32_t find(std::uint32_t tid, std::int64_t time_ns);
  std::uint32_t find_in_thread(std::size_t thread, std::int64_t time_ns);

  const ThreadOrder& rows() const { return *rows_; }

 private:
  const ThreadOrder* rows_;
  std::span<const std::int64_t> starts_;
  std::vector<std::size_t> places_;  // Per thread: how many rows had started at the last question.
  std::uint32_t last_tid_ = trace::kNone;
  std::size_t last_thread_ = ThreadOrder::kNoThread;
};

}  // namespace npuprof::link
