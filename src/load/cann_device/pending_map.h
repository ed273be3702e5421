#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace npuprof::load {

// Rows that wait for their end, by a 64-bit key. Open addressing with linear probing; removing
// moves later entries back, so the table stays as small as the number of tasks in flight.
class PendingMap {
 public:
  PendingMap() : slots_(kInitialSlots) {}

  // Remembers `row` for `key`; returns the row it replaces, if any.
  std::optional<std::uint32_t> put(std::uint64_t key, std::uint32_t row) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    std::size_t place = find(key);
    if (slots_[place].row != kFree) return std::exchange(slots_[place].row, row);
    slots_[place] = {key, row};
    ++used_;
    return std::nullopt;
  }

  // Takes out the row of `key`.
  std::optional<std::uint32_t> take(std::uint64_t key) {
    std::size_t hole = find(key);
    if (slots_[hole].row == kFree) return std::nullopt;
    const std::uint32_t row = slots_[hole].row;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t next = (hole + 1) & mask; slots_[next].row != kFree;
         next = (next + 1) & mask) {
      // An entry may move into the hole unless that lies before its home.
      const std::size_t home = home_of(slots_[next].key);
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      slots_[hole] = slots_[next];
      hole = next;
    }
    slots_[hole].row = kFree;
    --used_;
    return row;
  }

  std::size_t size() const { return used_; }

  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.row != kFree) visit(slot.key, slot.row);
    }
  }

 private:
  static constexpr std::size_t kInitialSlots = 256;
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t row = kFree;
  };

  std::size_t home_of(std::uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15ull >> 32) & (slots_.size() - 1);
  }
  // The slot of `key`, or the free one where it would go.
  std::size_t find(std::uint64_t key) const {
    std::size_t place = home_of(key);
    while (slots_[place].row != kFree && slots_[place].key != key) {
      place = (place + 1) & (slots_.size() - 1);
    }
    return place;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.row != kFree) slots_[find(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace npuprof::load
