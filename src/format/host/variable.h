#pragma once

// Records of any length: `host/data/unaging.variable.capture_op_info.slice_0`, back to back, never
// split into slices. The only kind is capture_op_info, which also exists as a 256-byte record.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/host/additional_node.h"
#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// The operator of a task that was captured into a graph; found by (device, stream, task). Tensors
// of 44 bytes each follow: tensor_count of them in the variable form (payload_length = 64 + 44 *
// tensor_count), up to 3 in the 256-byte form.
//
// | offset | width | field            | unit, meaning                            |
// |--------|-------|------------------|------------------------------------------|
// |     24 |     4 | capture_model_id |                                          |
// |     28 |     4 | device           |                                          |
// |     32 |     4 | stream           |                                          |
// |     36 |     4 | task_id          |                                          |
// |     40 |     4 | task_type        | see ge_task_type_name()                  |
// |     44 |     4 | blocks           | low half block count, high half mix ratio |
// |     48 |     8 | op_name          | hash                                     |
// |     56 |     8 | op_type          | hash                                     |
// |     64 |     8 | attributes       | hash of the attribute text, 0 = none     |
// |     72 |     8 | reserved         | zeros                                    |
// |     80 |     4 | op_flag          | non-zero = HF32 enabled                  |
// |     84 |     4 | tensor_count     |                                          |
struct CaptureOpHead {
  RecordHeader header;
  U32 capture_model_id;
  U32 device;
  U32 stream;
  U32 task_id;
  U32 task_type;
  U32 blocks;
  U64 op_name;
  U64 op_type;
  U64 attributes;
  U64 reserved;
  U32 op_flag;
  U32 tensor_count;

  std::uint32_t block_count() const { return blocks & 0xFFFF; }
  std::uint32_t mix_ratio() const { return blocks >> 16; }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("capture_model_id", self.capture_model_id);
    field("device", self.device);
    field("stream", self.stream);
    field("task_id", self.task_id);
    field("task_type", self.task_type);
    field("blocks", self.blocks);
    field("op_name", self.op_name);
    field("op_type", self.op_type);
    field("attributes", self.attributes);
    field("reserved", self.reserved);
    field("op_flag", self.op_flag);
    field("tensor_count", self.tensor_count);
  }
};
static_assert(sizeof(CaptureOpHead) == 88);

// The 256-byte form, in `<age>.additional.capture_op_info`.
struct CaptureOpInfo {
  static constexpr RecordKind kKind{Module::kAdditional, "capture_op_info", kLevelRuntime, 805};
  static constexpr RecordKind kVariableKind{Module::kVariable, "capture_op_info", kLevelRuntime,
                                            805};
  static constexpr std::uint32_t payload_length(std::uint32_t count) {
    return static_cast<std::uint32_t>(sizeof(CaptureOpHead) - sizeof(RecordHeader) +
                                      sizeof(Tensor) * count);
  }

  CaptureOpHead head;
  std::array<Tensor, 3> tensors;
  Reserved<36> reserved;

  std::span<const Tensor> valid_tensors() const {
    return std::span(tensors).first(std::min<std::size_t>(head.tensor_count, tensors.size()));
  }

  static constexpr void visit(auto& self, auto&& field) {
    CaptureOpHead::visit(self.head, field);
    field("tensors", self.tensors);
    field("trailing_reserved", self.reserved);
  }
};
static_assert(sizeof(CaptureOpInfo) == kAdditionalBytes);

// Appends the variable form of `head` with `tensors`; payload length and count are set here.
void append_capture_op(std::vector<std::byte>& out, CaptureOpHead head,
                       std::span<const Tensor> tensors);

// Walks the variable records of a file. After a damaged record it goes on at the next place that
// looks like a record header.
class CaptureOpReader {
 public:
  explicit CaptureOpReader(Bytes file) : file_(file) {}

  // Advances to the next whole record; false at the end. head() and tensors() then are valid.
  bool next();
  const CaptureOpHead& head() const { return head_; }
  std::span<const Tensor> tensors() const { return tensors_; }
  // All bytes of it.
  Bytes record() const { return record_; }

  std::size_t lost_bytes() const { return lost_bytes_; }  // So far.

 private:
  std::size_t whole_record_bytes() const;

  Bytes file_;
  std::size_t position_ = 0;
  std::size_t lost_bytes_ = 0;
  Bytes record_;
  CaptureOpHead head_{};
  std::span<const Tensor> tensors_;
};

}  // namespace npuprof::format::host
