#pragma once

// Loaded models: 256-byte records of `host/data/<age>.additional.*`.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// Names a loaded model.
//
// | offset | width | field      | unit, meaning        |
// |--------|-------|------------|----------------------|
// |     24 |     8 | model_name | hash, 0 shows as "0" |
// |     32 |     4 | graph_id   |                      |
// |     36 |     4 | model_id   |                      |
// |     40 |   216 | reserved   | zeros                |
struct GraphIdMap {
  static constexpr RecordKind kKind{Module::kAdditional, "graph_id_map", kLevelModel, 0};
  static constexpr std::uint32_t kPayloadLength = 16;

  RecordHeader header;
  U64 model_name;
  U32 graph_id;
  U32 model_id;
  Reserved<216> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("model_name", self.model_name);
    field("graph_id", self.graph_id);
    field("model_id", self.model_id);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(GraphIdMap) == kAdditionalBytes);

// The physical streams that make up a logical stream of a model.
//
// | offset | width | field            | unit, meaning |
// |--------|-------|------------------|---------------|
// |     24 |     4 | logical_stream   |               |
// |     28 |     4 | physical_count   | 0..56         |
// |     32 |   224 | physical_streams |               |
struct LogicStreamInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "logic_stream_info", kLevelModel, 7};
  static constexpr std::uint32_t kPayloadLength = 232;

  RecordHeader header;
  U32 logical_stream;
  U32 physical_count;
  std::array<U32, 56> physical_streams;

  // The valid ones; a count that does not fit is cut.
  std::span<const U32> valid_physical_streams() const {
    return std::span(physical_streams)
        .first(std::min<std::size_t>(physical_count, physical_streams.size()));
  }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("logical_stream", self.logical_stream);
    field("physical_count", self.physical_count);
    field("physical_streams", self.physical_streams);
  }
};
static_assert(sizeof(LogicStreamInfo) == kAdditionalBytes);

// A model loaded on a nano chip. Always in unaging files.
//
// | offset | width | field      | unit, meaning |
// |--------|-------|------------|---------------|
// |     24 |     4 | model_id   |               |
// |     28 |     4 | reserved   | zeros         |
// |     32 |     8 | model_name | hash          |
// |     40 |   216 | reserved_2 | zeros         |
struct ModelExeom {
  static constexpr RecordKind kKind{Module::kAdditional, "model_exeom", kLevelModel, 8};
  static constexpr std::uint32_t kPayloadLength = 16;

  RecordHeader header;
  U32 model_id;
  U32 reserved;
  U64 model_name;
  Reserved<216> reserved_2;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("model_id", self.model_id);
    field("reserved", self.reserved);
    field("model_name", self.model_name);
    field("reserved_2", self.reserved_2);
  }
};
static_assert(sizeof(ModelExeom) == kAdditionalBytes);

}  // namespace npuprof::format::host
