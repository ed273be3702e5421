#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace npuprof::link {

// Numbers the host threads of a profile from 0, in the order in which they were added.
class ThreadNumbers {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

  void add(std::span<const std::uint32_t> tids);
  std::uint32_t find(std::uint32_t tid) const;
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
};

// The rows of a table by host thread; the rows of one thread keep their order.
class ThreadRows {
 public:
  ThreadRows() = default;
  // Rows of threads that `threads` does not know are left out.
  ThreadRows(const ThreadNumbers& threads, std::span<const std::uint32_t> tids);

  std::span<const std::uint32_t> of(std::size_t thread) const {
    return std::span(rows_).subspan(begin_[thread], begin_[thread + 1] - begin_[thread]);
  }
  // Where the rows of `thread` begin if the rows of all threads are put one after the other.
  std::size_t begin(std::size_t thread) const { return begin_[thread]; }
  std::size_t size() const { return rows_.size(); }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> begin_;  // One more than threads.
};

}  // namespace npuprof::link
