#pragma once

// Streams and their capture into graphs: 64-byte records of `host/data/<age>.compact.*`.

#include <cstdint>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// Binds a stream that is being captured into a graph to the stream the program used, or ends that.
// Always in unaging files.
//
// | offset | width | field           | unit, meaning                  |
// |--------|-------|-----------------|--------------------------------|
// |     24 |     2 | status          | 0 bound, 1 destroyed           |
// |     26 |     2 | captured_stream | 0xFFFF possible when destroyed |
// |     28 |     2 | original_stream | 0xFFFF possible when destroyed |
// |     30 |     2 | model_id        | capture model                  |
// |     32 |     2 | device          |                                |
// |     34 |    30 | reserved        | zeros                          |
struct CaptureStreamInfo {
  static constexpr RecordKind kKind{Module::kCompact, "capture_stream_info", kLevelRuntime, 803};
  static constexpr std::uint32_t kPayloadLength = 10;
  static constexpr std::uint16_t kBound = 0;
  static constexpr std::uint16_t kDestroyed = 1;

  RecordHeader header;
  U16 status;
  U16 captured_stream;
  U16 original_stream;
  U16 model_id;
  U16 device;
  Reserved<30> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("status", self.status);
    field("captured_stream", self.captured_stream);
    field("original_stream", self.original_stream);
    field("model_id", self.model_id);
    field("device", self.device);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(CaptureStreamInfo) == kCompactBytes);

// The same with 32-bit stream ids.
//
// | offset | width | field           | unit, meaning        |
// |--------|-------|-----------------|----------------------|
// |     24 |     2 | device          |                      |
// |     26 |     1 | status          | 0 bound, 1 destroyed |
// |     27 |     1 | reserved        | zeros                |
// |     28 |     4 | captured_stream |                      |
// |     32 |     4 | original_stream |                      |
// |     36 |     4 | model_id        | capture model        |
// |     40 |    24 | reserved_2      | zeros                |
struct CaptureStreamInfoV2 {
  static constexpr RecordKind kKind{Module::kCompact, "capture_stream_info_v2", kLevelRuntime, 809};
  static constexpr std::uint32_t kPayloadLength = 16;

  RecordHeader header;
  U16 device;
  U8 status;
  U8 reserved;
  U32 captured_stream;
  U32 original_stream;
  U32 model_id;
  Reserved<24> reserved_2;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("device", self.device);
    field("status", self.status);
    field("reserved", self.reserved);
    field("captured_stream", self.captured_stream);
    field("original_stream", self.original_stream);
    field("model_id", self.model_id);
    field("reserved_2", self.reserved_2);
  }
};
static_assert(sizeof(CaptureStreamInfoV2) == kCompactBytes);

// Says how wide the stream ids of device records are. Only the first record counts.
//
// | offset | width | field         | unit, meaning |
// |--------|-------|---------------|---------------|
// |     24 |     1 | expand_status | 1 = 15 bits   |
// |     25 |    39 | reserved      | zeros         |
struct ExpandStreamSpec {
  static constexpr RecordKind kKind{Module::kCompact, "expand_stream_spec", kLevelRuntime, 804};
  static constexpr std::uint32_t kPayloadLength = 4;

  RecordHeader header;
  U8 expand_status;
  Reserved<39> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("expand_status", self.expand_status);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(ExpandStreamSpec) == kCompactBytes);

// Which submission queue serves a stream.
//
// | offset | width | field         | unit, meaning |
// |--------|-------|---------------|---------------|
// |     24 |     2 | status        |               |
// |     26 |     2 | reserved      | zeros         |
// |     28 |     4 | stream        |               |
// |     32 |     2 | runtime_queue |               |
// |     34 |     2 | device        |               |
// |     36 |     2 | scheduler     |               |
// |     38 |    26 | reserved_2    | zeros         |
struct StreamSqInfo {
  static constexpr RecordKind kKind{Module::kCompact, "stream_sq_info", kLevelRuntime, 807};
  static constexpr std::uint32_t kPayloadLength = 14;

  RecordHeader header;
  U16 status;
  U16 reserved;
  U32 stream;
  U16 runtime_queue;
  U16 device;
  U16 scheduler;
  Reserved<26> reserved_2;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("status", self.status);
    field("reserved", self.reserved);
    field("stream", self.stream);
    field("runtime_queue", self.runtime_queue);
    field("device", self.device);
    field("scheduler", self.scheduler);
    field("reserved_2", self.reserved_2);
  }
};
static_assert(sizeof(StreamSqInfo) == kCompactBytes);

}  // namespace npuprof::format::host
