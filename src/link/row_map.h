#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::link {

// A number read from a file together with the process (or other scope) in which it is unique.
struct RowKey {
  std::uint64_t number = 0;
  std::uint64_t scope = 0;

  bool operator==(const RowKey&) const = default;
};

// Row numbers by key: open addressing in one block of memory.
class RowMap {
 public:
  // Room for `keys` keys; more make it grow.
  explicit RowMap(std::size_t keys = 0) : slots_(std::bit_ceil(keys + keys / 2 + 8)) {}

  // The row of `key`, kNone if it is new. It must then be set (to anything but kNone) through the
  // reference, which holds until the next call.
  std::uint32_t& operator[](RowKey key) {
    if (used_ > slots_.size() / 3 * 2) grow();
    Slot& slot = slots_[find_slot(key)];
    if (slot.row == trace::kNone) {
      slot.key = key;
      ++used_;
    }
    return slot.row;
  }

  // kNone if the key has no row.
  std::uint32_t find(RowKey key) const { return slots_[find_slot(key)].row; }

 private:
  struct Slot {
    RowKey key;
    std::uint32_t row = trace::kNone;
  };

  std::size_t find_slot(RowKey key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(key) & mask;
    while (slots_[at].row != trace::kNone && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.row != trace::kNone) slots_[find_slot(slot.key)] = slot;
    }
  }

  // Counters, addresses and hashes alike must spread over the low bits.
  static std::uint64_t hash(RowKey key) {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    std::uint64_t mixed = (key.number ^ std::rotl(key.scope, 32)) * kGoldenRatio;
    mixed ^= mixed >> 32;
    return (mixed * kGoldenRatio) >> 20;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace npuprof::link
