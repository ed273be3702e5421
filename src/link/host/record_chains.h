#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::link {

// Rows of a table that belong to calls: for each call of a level the chain of its rows, in the
// order in which they were added. Two numbers per call and one per row.
class RecordChains {
 public:
  RecordChains() = default;
  RecordChains(std::size_t calls, std::size_t rows)
      : first_(calls, trace::kNone), last_(calls, trace::kNone), next_(rows, trace::kNone) {}

  // A row can be in one chain only.
  void add(std::uint32_t call, std::uint32_t row) {
    if (first_[call] == trace::kNone) {
      first_[call] = row;
    } else {
      next_[last_[call]] = row;
    }
    last_[call] = row;
  }

  // kNone if the call has no row.
  std::uint32_t first(std::uint32_t call) const { return first_[call]; }
  std::uint32_t last(std::uint32_t call) const { return last_[call]; }
  std::uint32_t next(std::uint32_t row) const { return next_[row]; }

  template <typename Body>
  void for_each(std::uint32_t call, Body&& body) const {
    for (std::uint32_t row = first_[call]; row != trace::kNone; row = next_[row]) body(row);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
  std::vector<std::uint32_t> next_;
};

}  // namespace npuprof::link
