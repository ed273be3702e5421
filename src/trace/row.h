#pragma once

#include <cstdint>

namespace npuprof::trace {

// Absent references and ids. A row number or an id of 32 bits is enough: a profile with four
// thousand million events of one kind would not fit into memory.
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

// The number of a row of Table, kNone = no row. Columns of other tables do not take it, and it
// does not become the number of a row of another table.
template <typename Table>
class Row {
 public:
  constexpr Row() = default;
  constexpr Row(std::uint32_t number) : number_(number) {}
  template <typename Other>
  Row(Row<Other>) = delete;

  constexpr std::uint32_t number() const { return number_; }
  constexpr operator std::uint32_t() const { return number_; }

 private:
  std::uint32_t number_ = kNone;
};

}  // namespace npuprof::trace
