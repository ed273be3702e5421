#pragma once

// `ts_track.data` of chip 0 (310): records of different sizes one after the other. Each begins with
// mode, type and its own size; step traces and copies are those of ts_track.h.

#include <array>
#include <cstdint>

#include "format/device/ts_track.h"
#include "format/record.h"

namespace npuprof::format::device {

// | offset | width | field | meaning                                              |
// |--------|-------|-------|------------------------------------------------------|
// |      0 |     1 | mode  |                                                      |
// |      1 |     1 | type  | TrackType                                            |
// |      2 |     2 | size  | bytes of the whole record; the next one follows      |
struct VariableHead {
  U8 mode;
  U8 type;
  U16 size;

  constexpr TrackType track_type() const { return static_cast<TrackType>(type.get()); }

  static constexpr void visit(auto& self, auto&& field) {
    field("mode", self.mode);
    field("type", self.type);
    field("size", self.size);
  }
};
static_assert(sizeof(VariableHead) == 4);

// A state change of a task (kTimeline).
//
// | offset | width | field      | meaning                                                 |
// |--------|-------|------------|---------------------------------------------------------|
// |      0 |     4 | head       | size 32                                                 |
// |      4 |     4 | reserved_4 |                                                         |
// |      8 |     2 | task_type  | TS task type                                            |
// |     10 |     2 | state      | 2 start, 3 end, 7 AI core start, 8 AI core end          |
// |     12 |     2 | stream_id  |                                                         |
// |     14 |     2 | task_id    |                                                         |
// |     16 |     8 | syscnt     | ticks                                                   |
// |     24 |     4 | thread_id  |                                                         |
// |     28 |     4 | device_id  |                                                         |
struct TimelineRecord {
  static constexpr std::uint16_t kTaskStart = 2;
  static constexpr std::uint16_t kTaskEnd = 3;
  static constexpr std::uint16_t kAiCoreStart = 7;
  static constexpr std::uint16_t kAiCoreEnd = 8;

  VariableHead head;
  Reserved<4> reserved_4;
  U16 task_type;
  U16 state;
  U16 stream_id;
  U16 task_id;
  U64 syscnt;
  U32 thread_id;
  U32 device_id;

  static constexpr void visit(auto& self, auto&& field) {
    VariableHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("task_type", self.task_type);
    field("state", self.state);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
    field("syscnt", self.syscnt);
    field("thread_id", self.thread_id);
    field("device_id", self.device_id);
  }
};
static_assert(sizeof(TimelineRecord) == 32);

// AI core counters of a task (kEventCount).
//
// | offset | width | field           | meaning                                            |
// |--------|-------|-----------------|----------------------------------------------------|
// |      0 |     4 | head            | size 112                                           |
// |      4 |     4 | reserved_4      |                                                    |
// |      8 |     2 | task_type       |                                                    |
// |     10 |     2 | stream_id       |                                                    |
// |     12 |     2 | task_id         |                                                    |
// |     14 |     2 | overflow        | not 0: a counter overflowed                        |
// |     16 |     8 | overflow_cycles | all ones when there was no overflow                |
// |     24 |    64 | counters        | 8 counters                                         |
// |     88 |     8 | total_cycles    |                                                    |
// |     96 |     8 | syscnt          | ticks                                              |
// |    104 |     2 | block_count     |                                                    |
// |    106 |     6 | reserved_106    |                                                    |
struct EventCountRecord {
  VariableHead head;
  Reserved<4> reserved_4;
  U16 task_type;
  U16 stream_id;
  U16 task_id;
  U16 overflow;
  U64 overflow_cycles;
  std::array<U64, 8> counters;
  U64 total_cycles;
  U64 syscnt;
  U16 block_count;
  Reserved<6> reserved_106;

  static constexpr void visit(auto& self, auto&& field) {
    VariableHead::visit(self.head, field);
    field("reserved_4", self.reserved_4);
    field("task_type", self.task_type);
    field("stream_id", self.stream_id);
    field("task_id", self.task_id);
    field("overflow", self.overflow);
    field("overflow_cycles", self.overflow_cycles);
    field("counters", self.counters);
    field("total_cycles", self.total_cycles);
    field("syscnt", self.syscnt);
    field("block_count", self.block_count);
    field("reserved_106", self.reserved_106);
  }
};
static_assert(sizeof(EventCountRecord) == 112);

// Calls `visit(VariableHead, Bytes record)` for each whole record; `data` is the slices joined.
// Returns the bytes that are left: a record cut short, or all that follows an impossible size,
// since nothing tells where the next record would begin. A record may be shorter than the layout of
// its type; the visitor must compare.
template <std::invocable<VariableHead, Bytes> Visit>
std::size_t for_each_variable_record(Bytes data, Visit&& visit) {
  while (data.size() >= sizeof(VariableHead)) {
    const auto head = load<VariableHead>(data.data());
    const std::size_t size = head.size;
    if (size < sizeof(VariableHead) || size > data.size()) break;
    visit(head, data.first(size));
    data = data.subspan(size);
  }
  return data.size();
}

}  // namespace npuprof::format::device
