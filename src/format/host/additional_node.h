#pragma once

// What is known of an operator beside its name: 256-byte records of `host/data/<age>.additional.*`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// One input or output of an operator, inside tensor_info and capture_op_info.
//
// | offset | width | field     | unit, meaning                    |
// |--------|-------|-----------|----------------------------------|
// |      0 |     4 | direction | 0 input, 1 output                |
// |      4 |     4 | format    | see append_tensor_format()       |
// |      8 |     4 | data_type | see tensor_data_type_name()      |
// |     12 |    32 | shape     | up to 8 dimensions, a 0 ends it  |
struct Tensor {
  static constexpr std::uint32_t kInput = 0;
  static constexpr std::uint32_t kOutput = 1;

  U32 direction;
  U32 format;
  U32 data_type;
  std::array<U32, 8> shape;

  std::span<const U32> dimensions() const {
    const auto end = std::find_if(shape.begin(), shape.end(), [](U32 size) { return size == 0; });
    return {shape.data(), static_cast<std::size_t>(end - shape.begin())};
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("direction", self.direction);
    field("format", self.format);
    field("data_type", self.data_type);
    field("shape", self.shape);
  }
};
static_assert(sizeof(Tensor) == 44);

// Shapes of an operator, inputs first. An operator with more than 5 tensors has several records
// with the same op_name, time and thread, to be joined in file order.
//
// | offset | width | field        | unit, meaning |
// |--------|-------|--------------|---------------|
// |     24 |     8 | op_name      | hash          |
// |     32 |     4 | tensor_count | 0..5          |
// |     36 |   220 | tensors      |               |
struct TensorInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "tensor_info", kLevelNode, 1};
  static constexpr std::size_t kMaxTensors = 5;

  RecordHeader header;
  U64 op_name;
  U32 tensor_count;
  std::array<Tensor, 5> tensors;

  // The valid ones; a count that does not fit is cut.
  std::span<const Tensor> valid_tensors() const {
    return std::span(tensors).first(std::min<std::size_t>(tensor_count, tensors.size()));
  }
  static constexpr std::uint32_t payload_length(std::uint32_t count) {
    return static_cast<std::uint32_t>(12 + sizeof(Tensor) * count);
  }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("op_name", self.op_name);
    field("tensor_count", self.tensor_count);
    field("tensors", self.tensors);
  }
};
static_assert(sizeof(TensorInfo) == kAdditionalBytes);

// Sub-task ids of an FFTS+ operator. At the node level the list names every context (id 0 for a mix
// kernel); at the HCCL level there are two ids, the first and the last of a range.
//
// | offset | width | field         | unit, meaning |
// |--------|-------|---------------|---------------|
// |     24 |     8 | op_name       | hash          |
// |     32 |     4 | context_count | 0..55         |
// |     36 |   220 | context_ids   |               |
struct ContextIdInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "context_id_info", kLevelNode, 4};
  static constexpr std::uint32_t kPayloadLength = 232;
  // The same layout reported by the communication library.
  static constexpr RecordKind kHcclKind{Module::kAdditional, "context_id_info", kLevelHccl, 4};

  RecordHeader header;
  U64 op_name;
  U32 context_count;
  std::array<U32, 55> context_ids;

  // The valid ones; a count that does not fit is cut.
  std::span<const U32> valid_context_ids() const {
    return std::span(context_ids).first(std::min<std::size_t>(context_count, context_ids.size()));
  }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("op_name", self.op_name);
    field("context_count", self.context_count);
    field("context_ids", self.context_ids);
  }
};
static_assert(sizeof(ContextIdInfo) == kAdditionalBytes);

// The operators that were fused into one, and the memory it needs. More than 8 names take several
// records.
//
// | offset | width | field           | unit, meaning |
// |--------|-------|-----------------|---------------|
// |     24 |     8 | op_name         | hash          |
// |     32 |     4 | fused_count     | 0..8          |
// |     36 |     8 | input_bytes     |               |
// |     44 |     8 | output_bytes    |               |
// |     52 |     8 | weight_bytes    |               |
// |     60 |     8 | workspace_bytes |               |
// |     68 |     8 | total_bytes     |               |
// |     76 |    64 | fused_op_names  | hashes        |
// |    140 |   116 | reserved        | zeros         |
struct FusionOpInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "fusion_op_info", kLevelNode, 2};
  static constexpr std::uint32_t kPayloadLength = 116;

  RecordHeader header;
  U64 op_name;
  U32 fused_count;
  U64 input_bytes;
  U64 output_bytes;
  U64 weight_bytes;
  U64 workspace_bytes;
  U64 total_bytes;
  std::array<U64, 8> fused_op_names;
  Reserved<116> reserved;

  // The valid ones; a count that does not fit is cut.
  std::span<const U64> valid_fused_op_names() const {
    return std::span(fused_op_names)
        .first(std::min<std::size_t>(fused_count, fused_op_names.size()));
  }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("op_name", self.op_name);
    field("fused_count", self.fused_count);
    field("input_bytes", self.input_bytes);
    field("output_bytes", self.output_bytes);
    field("weight_bytes", self.weight_bytes);
    field("workspace_bytes", self.workspace_bytes);
    field("total_bytes", self.total_bytes);
    field("fused_op_names", self.fused_op_names);
    field("reserved", self.reserved);
  }
};
static_assert(sizeof(FusionOpInfo) == kAdditionalBytes);

}  // namespace npuprof::format::host
