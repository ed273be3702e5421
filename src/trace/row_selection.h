#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trace/table_list.h"

namespace npuprof::trace {

// By row of a table: 1 = it stays.
using RowMask = std::vector<std::uint8_t>;

// Which rows of a Trace stay. Tables that nothing is said of stay as they are, but for rows that
// are parts of rows that go.
class RowSelection {
 public:
  void keep(std::size_t table_number, RowMask mask) { masks_[table_number] = std::move(mask); }
  template <typename Table>
  void keep(RowMask mask) {
    keep(kTableNumber<Table>, std::move(mask));
  }

  // Removes the other rows and those that are parts of them (PartOf). References follow their
  // rows; those to rows that are gone become kNone.
  void apply(Trace& trace) &&;

 private:
  // True if there was something to do.
  bool drop_parts(std::size_t table_number, AnyConstTable table);

  std::array<std::optional<RowMask>, kTableCount> masks_;
};

}  // namespace npuprof::trace
