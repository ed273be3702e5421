#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "format/record.h"

namespace npuprof::format::device {

// One change of a clock or a voltage.
//
// | offset | width | field      | meaning                             |
// |--------|-------|------------|-------------------------------------|
// |      0 |     8 | syscnt     | ticks                               |
// |      8 |     4 | value      | MHz or mV                           |
// |     12 |     4 | reserved_12 |                                    |
struct FrequencyChange {
  U64 syscnt;
  U32 value;
  Reserved<4> reserved_12;

  static constexpr void visit(auto& self, auto&& field) {
    field("syscnt", self.syscnt);
    field("value", self.value);
    field("reserved_12", self.reserved_12);
  }
};
static_assert(sizeof(FrequencyChange) == 16);

enum class FrequencyKind : std::uint32_t {
  kAiCoreMhz = 0,
  kAiCoreMillivolt = 1,
  kBusMillivolt = 2,
};

// A batch of changes in `lpmFreqConv.data` or `lpmInfoConv.data`. In lpmFreqConv all values are AI
// core MHz and `kind` is reserved. Current collectors write lpmInfoConv on chip 5, which the
// vendor's C++ reader does not open.
//
// | offset | width | field   | meaning                                        |
// |--------|-------|---------|------------------------------------------------|
// |      0 |     4 | count   | changes in use, at most 55                     |
// |      4 |     4 | kind    | FrequencyKind                                  |
// |      8 |   880 | changes | 55 changes                                     |
struct FrequencyRecord {
  static constexpr std::size_t kMaxChanges = 55;
  // Voltages start from here until the first change tells.
  static constexpr std::uint32_t kInitialMillivolt = 900;

  U32 count;
  U32 kind;
  std::array<FrequencyChange, kMaxChanges> changes;

  // The changes in use; a damaged count never leads outside the record.
  std::span<const FrequencyChange> used() const {
    return {changes.data(), std::min<std::size_t>(count, kMaxChanges)};
  }
  bool has_valid_count() const { return count <= kMaxChanges; }

  static constexpr void visit(auto& self, auto&& field) {
    field("count", self.count);
    field("kind", self.kind);
    field("changes", self.changes);
  }
};
static_assert(sizeof(FrequencyRecord) == 888);

}  // namespace npuprof::format::device
