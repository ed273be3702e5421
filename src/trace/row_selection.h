#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trace/all_tables.h"

namespace npuprof::trace {

// By row of a table: 1 = it stays.
using RowMask = std::vector<std::uint8_t>;

// Which rows of a Trace stay. Tables that nothing is said of stay as they are, but for rows that
// are parts of rows that go.
class RowSelection {
 public:
  template <Columnar Table>
  void keep(RowMask mask) {
    masks_[kTableNumber<Table>] = std::move(mask);
  }

  // Removes the other rows and those that are parts of them (PartOf). References follow their
  // rows; those to rows that are gone become kNone.
  void apply(Trace& trace) &&;

 private:
  // True if there was something to do.
  template <Columnar Table>
  bool drop_parts(const Table& table);

  std::array<std::optional<RowMask>, kTableCount> masks_;
};

}  // namespace npuprof::trace
