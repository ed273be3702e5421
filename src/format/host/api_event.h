#pragma once

#include <cstdint>

#include "format/record.h"

namespace npuprof::format::host {

inline constexpr std::uint16_t kMagic = 0x5A5A;

// A call interval, or one end of it, in `host/data/<age>.api_event.data.slice_<k>`.
//
// | offset | width | field      | unit, meaning                                                   |
// |--------|-------|------------|-----------------------------------------------------------------|
// |      0 |     2 | magic      | 0x5A5A                                                          |
// |      2 |     2 | level      | layer that reports, see levels.h                                |
// |      4 |     4 | type       | what was called; named by the type dictionary                   |
// |      8 |     4 | thread_id  | OS thread id                                                    |
// |     12 |     4 | request_id | events: iteration, 0xFFFF = single; intervals: 0                |
// |     16 |     8 | begin      | host ticks                                                      |
// |     24 |     8 | end        | host ticks; all ones = an event at time `begin`                 |
// |     32 |     8 | item_id    | hash of a name, or a number (model level, step_info); 0 = none  |
struct ApiEvent {
  static constexpr std::uint64_t kEventMarker = ~std::uint64_t{0};

  U16 magic = kMagic;
  U16 level;
  U32 type;
  U32 thread_id;
  U32 request_id;
  U64 begin;
  U64 end;
  U64 item_id;

  bool is_event() const { return end == kEventMarker; }

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("level", self.level);
    field("type", self.type);
    field("thread_id", self.thread_id);
    field("request_id", self.request_id);
    field("begin", self.begin);
    field("end", self.end);
    field("item_id", self.item_id);
  }
};
static_assert(sizeof(ApiEvent) == 40);

}  // namespace npuprof::format::host
