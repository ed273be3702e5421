#pragma once

#include <cstddef>
#include <cstdint>

#include "format/host/api_event.h"
#include "format/host/record_kind.h"
#include "format/record.h"

namespace npuprof::format::host {

// The first 24 bytes of every compact (64 bytes), additional (256 bytes) and variable record.
//
// | offset | width | field          | unit, meaning                                             |
// |--------|-------|----------------|-----------------------------------------------------------|
// |      0 |     2 | magic          | 0x5A5A                                                    |
// |      2 |     2 | level          | layer that reports, see levels.h                          |
// |      4 |     4 | type           | kind of record within the level                           |
// |      8 |     4 | thread_id      | OS thread id                                              |
// |     12 |     4 | payload_length | valid bytes after the header                              |
// |     16 |     8 | timestamp      | host ticks                                                |
struct RecordHeader {
  U16 magic = kMagic;
  U16 level;
  U32 type;
  U32 thread_id;
  U32 payload_length;
  U64 timestamp;

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("level", self.level);
    field("type", self.type);
    field("thread_id", self.thread_id);
    field("payload_length", self.payload_length);
    field("timestamp", self.timestamp);
  }
};
static_assert(sizeof(RecordHeader) == 24);

// The header of a new record of `kind`.
constexpr RecordHeader make_header(const RecordKind& kind, std::uint32_t payload_length,
                                   std::uint32_t thread_id, std::uint64_t timestamp) {
  return {.level = kind.level,
          .type = kind.type,
          .thread_id = thread_id,
          .payload_length = payload_length,
          .timestamp = timestamp};
}

// The same for a layout that names its kind and usual payload length, such as TaskTrack.
template <typename Layout>
constexpr RecordHeader header_of(std::uint32_t thread_id, std::uint64_t timestamp) {
  return make_header(Layout::kKind, Layout::kPayloadLength, thread_id, timestamp);
}

inline constexpr std::size_t kCompactBytes = 64;
inline constexpr std::size_t kAdditionalBytes = 256;

}  // namespace npuprof::format::host
