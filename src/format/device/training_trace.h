#pragma once

#include <cstdint>

#include "format/record.h"

namespace npuprof::format::device {

// A record of `training_trace`: a point in a training step, as collectors of 2020 write it. A step
// is the number of its job, forward start, backward end, collectives in pairs, and its end.
//
// | offset | width | field  | meaning                                                          |
// |--------|-------|--------|------------------------------------------------------------------|
// |      0 |     8 | tag    | Tag                                                              |
// |      8 |     2 | task   |                                                                  |
// |     10 |     2 | stream |                                                                  |
// |     12 |     8 | syscnt | ticks                                                            |
struct TrainingTrace {
  static constexpr std::uint64_t kForwardStart = 1;
  static constexpr std::uint64_t kBackwardEnd = 2;
  static constexpr std::uint64_t kFirstCollective = 3;  // Odd ones begin, the next one ends.
  static constexpr std::uint64_t kStepEnd = 255;

  U64 tag;
  U16 task;
  U16 stream;
  U64 syscnt;

  constexpr bool is_job() const { return tag == 0 || tag > kStepEnd; }
  constexpr bool is_collective() const { return tag >= kFirstCollective && tag < kStepEnd; }

  static constexpr void visit(auto& self, auto&& field) {
    field("tag", self.tag);
    field("task", self.task);
    field("stream", self.stream);
    field("syscnt", self.syscnt);
  }
};
static_assert(sizeof(TrainingTrace) == 20);

}  // namespace npuprof::format::device
