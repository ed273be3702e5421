#pragma once

#include <array>
#include <cstdint>

#include "format/record.h"

namespace npuprof::format::device {

// What a socpmu.data record counts.
enum class SocPmuKind : std::uint16_t {
  kL2Cache = 1,  // As l2_cache.data.
  kSmmu = 2,     // Address translation.
  kPageFault = 4,
};

// Counters of one kernel in `socpmu.data`, chip 5.
//
// | offset | width | field      | meaning                                         |
// |--------|-------|------------|-------------------------------------------------|
// |      0 |     8 | reserved_0 |                                                 |
// |      8 |     2 | task_type  |                                                 |
// |     10 |     2 | raw_stream |                                                 |
// |     12 |     2 | raw_task   |                                                 |
// |     14 |     2 | kind       | SocPmuKind                                      |
// |     16 |    64 | counters   | 8 counters                                      |
struct SocPmuRecord {
  Reserved<8> reserved_0;
  U16 task_type;
  U16 raw_stream;
  U16 raw_task;
  U16 kind;
  std::array<U64, 8> counters;

  constexpr SocPmuKind soc_pmu_kind() const { return static_cast<SocPmuKind>(kind.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    field("reserved_0", self.reserved_0);
    field("task_type", self.task_type);
    field("raw_stream", self.raw_stream);
    field("raw_task", self.raw_task);
    field("kind", self.kind);
    field("counters", self.counters);
  }
};
static_assert(sizeof(SocPmuRecord) == 80);

// The same on chips 15 and 16.
//
// | offset | width | field      | meaning                                         |
// |--------|-------|------------|-------------------------------------------------|
// |      0 |     6 | reserved_0 |                                                 |
// |      6 |     2 | kind       | SocPmuKind                                      |
// |      8 |     2 | task_type  |                                                 |
// |     10 |     2 | stream_id  |                                                 |
// |     12 |     4 | task_id    |                                                 |
// |     16 |    64 | counters   | 8 counters                                      |
struct SocPmuRecordV6 {
  Reserved<6> reserved_0;
  U16 kind;
  U16 task_type;
  U16 stream_id;
  U32 task_id;
  std::array<U64, 8> counters;

  constexpr SocPmuKind soc_pmu_kind() const { return static_cast<SocPmuKind>(kind.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    field("reserved_0", self.reserved_0);
    field("kind", self.kind);
    field("task_type", self.task_type);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
    field("counters", self.counters);
  }
};
static_assert(sizeof(SocPmuRecordV6) == 80);

}  // namespace npuprof::format::device
