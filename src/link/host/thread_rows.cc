#include "link/host/thread_rows.h"

namespace npuprof::link {
namespace {

// Neighbouring rows mostly come from the same thread, so the last answer is usually the next one.
template <typename Body>
void for_each_thread_number(const ThreadNumbers& threads, std::span<const std::uint32_t> tids,
                            Body&& body) {
  if (tids.empty()) return;
  std::uint32_t tid = tids[0];
  std::uint32_t number = threads.find(tid);
  for (std::size_t row = 0; row < tids.size(); ++row) {
    if (tids[row] != tid) {
      tid = tids[row];
      number = threads.find(tid);
    }
    if (number != ThreadNumbers::kUnknown) body(static_cast<std::uint32_t>(row), number);
  }
}

}  // namespace

void ThreadNumbers::add(std::span<const std::uint32_t> tids) {
  for (std::size_t row = 0; row < tids.size(); ++row) {
    if (row > 0 && tids[row] == tids[row - 1]) continue;
    numbers_.try_emplace(tids[row], static_cast<std::uint32_t>(numbers_.size()));
  }
}

std::uint32_t ThreadNumbers::find(std::uint32_t tid) const {
  const auto found = numbers_.find(tid);
  return found == numbers_.end() ? kUnknown : found->second;
}

ThreadRows::ThreadRows(const ThreadNumbers& threads, std::span<const std::uint32_t> tids) {
  begin_.assign(threads.size() + 1, 0);
  for_each_thread_number(threads, tids,
                         [&](std::uint32_t, std::uint32_t number) { ++begin_[number + 1]; });
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    begin_[thread + 1] += begin_[thread];
  }
  rows_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for_each_thread_number(
      threads, tids, [&](std::uint32_t row, std::uint32_t number) { rows_[next[number]++] = row; });
}

}  // namespace npuprof::link
