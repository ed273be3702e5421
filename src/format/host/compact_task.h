#pragma once

// Tasks put on streams: 64-byte records of `host/data/<age>.compact.*`.

#include <array>
#include <bit>
#include <cstdint>

#include "format/host/levels.h"
#include "format/host/record_header.h"

namespace npuprof::format::host {

// A device number in 12 bits with the device class above it.
struct DeviceField {
  static constexpr std::uint16_t kNpu = 0;
  static constexpr std::uint16_t kDpu = 1;

  std::uint16_t raw;

  constexpr std::uint16_t device_class() const { return raw >> 12; }
  constexpr std::uint16_t id() const { return raw & 0x0FFF; }
  static constexpr std::uint16_t encode(std::uint16_t device_class, std::uint16_t id) {
    return static_cast<std::uint16_t>(device_class << 12 | (id & 0x0FFF));
  }
};

// The last 16 bytes of a task_track record, in one of three shapes; only present when the payload
// length is 40.
//
// Kernels: block count, argument bytes, and bits 0..2 mix ratio (slave cores per block), bits 3..4
// schedule mode.
struct KernelExtension {
  U16 block_count;
  U16 argument_bytes;
  U8 ratio_and_schedule;
  Reserved<11> reserved;

  std::uint32_t mix_ratio() const { return ratio_and_schedule & 0x07; }
  std::uint32_t schedule_mode() const { return ratio_and_schedule >> 3 & 0x03; }
  static constexpr std::uint8_t encode(std::uint8_t mix_ratio, std::uint8_t schedule_mode) {
    return static_cast<std::uint8_t>((mix_ratio & 0x07) | (schedule_mode & 0x03) << 3);
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("block_count", self.block_count);
    field("argument_bytes", self.argument_bytes);
    field("ratio_and_schedule", self.ratio_and_schedule);
    field("reserved", self.reserved);
  }
};

// SIMT kernels (task type 600): grid and block dimensions, argument bytes, bits 0..1 schedule mode.
struct SimtExtension {
  std::array<U16, 3> grid;
  std::array<U16, 3> block;
  U16 argument_bytes;
  U8 schedule;
  U8 reserved;

  std::uint32_t schedule_mode() const { return schedule & 0x03; }

  static constexpr void visit(auto& self, auto&& field) {
    field("grid", self.grid);
    field("block", self.block);
    field("argument_bytes", self.argument_bytes);
    field("schedule", self.schedule);
    field("reserved", self.reserved);
  }
};

// Model execution and waiting for it (task types 13 and 601).
struct ModelExtension {
  U32 model_id;
  Reserved<12> reserved;

  static constexpr void visit(auto& self, auto&& field) {
    field("model_id", self.model_id);
    field("reserved", self.reserved);
  }
};

using TaskExtension = std::array<U8, 16>;
static_assert(sizeof(KernelExtension) == sizeof(TaskExtension));
static_assert(sizeof(SimtExtension) == sizeof(TaskExtension));
static_assert(sizeof(ModelExtension) == sizeof(TaskExtension));

// Reads or makes the untyped extension bytes of a record.
template <Record Extension>
Extension extension_as(const TaskExtension& bytes) {
  return std::bit_cast<Extension>(bytes);
}
template <Record Extension>
TaskExtension make_extension(const Extension& extension) {
  return std::bit_cast<TaskExtension>(extension);
}

// A task was put on a stream. Its time is the begin of the enclosing runtime call plus one tick,
// which is how it is joined with memcpy_info. Two task types are not tasks: 98 marks that the task
// ids of the stream wrapped, 6 is to be dropped.
//
// | offset | width | field       | unit, meaning                                                |
// |--------|-------|-------------|--------------------------------------------------------------|
// |     24 |     2 | device      | bits 0..11 id, bits 12..15 class (0 NPU, 1 DPU)              |
// |     26 |     2 | stream      |                                                              |
// |     28 |     4 | task_id     | low half task, high half flip count; chips 15 and 16: 32-bit |
// |        |       |             | serial number                                                |
// |     32 |     8 | task_type   | see task_type_name()                                         |
// |     40 |     8 | kernel_name | hash, 0 = none                                               |
// |     48 |    16 | extension   | see KernelExtension, SimtExtension, ModelExtension           |
struct TaskTrack {
  static constexpr RecordKind kKind{Module::kCompact, "task_track", kLevelRuntime, 802};
  static constexpr std::uint32_t kPayloadLength = 40;
  static constexpr std::uint32_t kShortPayloadLength = 24;       // Older releases: no extension.
  static constexpr std::uint32_t kStreamDestroyed = 0xFFFFFFFF;  // Task id of the last flip.

  RecordHeader header;
  U16 device;
  U16 stream;
  U32 task_id;
  U64 task_type;
  U64 kernel_name;
  TaskExtension extension;

  bool has_extension() const { return header.payload_length == kPayloadLength; }
  DeviceField device_field() const { return {device}; }
  // Chips before 15: the task id is 16 bits wide, the flip count of the stream above it.
  std::uint16_t short_task_id() const { return static_cast<std::uint16_t>(task_id & 0xFFFF); }
  std::uint16_t flip_count() const { return static_cast<std::uint16_t>(task_id >> 16); }
  static constexpr std::uint32_t encode_task_id(std::uint16_t task, std::uint16_t flip) {
    return static_cast<std::uint32_t>(flip) << 16 | task;
  }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("device", self.device);
    field("stream", self.stream);
    field("task_id", self.task_id);
    field("task_type", self.task_type);
    field("kernel_name", self.kernel_name);
    field("extension", self.extension);
  }
};
static_assert(sizeof(TaskTrack) == kCompactBytes);

// Written for captured tasks in addition to task_track, with a stream id of 32 bits.
//
// | offset | width | field       | unit, meaning        |
// |--------|-------|-------------|----------------------|
// |     24 |     2 | device      |                      |
// |     26 |     2 | reserved    | zeros                |
// |     28 |     4 | stream      |                      |
// |     32 |     4 | task_id     |                      |
// |     36 |     4 | task_type   | see task_type_name() |
// |     40 |     8 | kernel_name | hash, 0 = none       |
// |     48 |    16 | extension   | as in TaskTrack      |
struct TaskTrackV2 {
  static constexpr RecordKind kKind{Module::kCompact, "task_track_v2", kLevelRuntime, 808};
  static constexpr std::uint32_t kPayloadLength = 40;

  RecordHeader header;
  U16 device;
  U16 reserved;
  U32 stream;
  U32 task_id;
  U32 task_type;
  U64 kernel_name;
  TaskExtension extension;

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("device", self.device);
    field("reserved", self.reserved);
    field("stream", self.stream);
    field("task_id", self.task_id);
    field("task_type", self.task_type);
    field("kernel_name", self.kernel_name);
    field("extension", self.extension);
  }
};
static_assert(sizeof(TaskTrackV2) == kCompactBytes);

// A task that ran on a data processing unit; it ended at the header's time.
//
// | offset | width | field      | unit, meaning                    |
// |--------|-------|------------|----------------------------------|
// |     24 |     2 | device     | bits 0..11 id, bits 12..15 class |
// |     26 |     2 | stream     |                                  |
// |     28 |     4 | task_id    |                                  |
// |     32 |     4 | task_type  |                                  |
// |     36 |     4 | reserved   | zeros                            |
// |     40 |     8 | start      | host ticks                       |
// |     48 |    16 | reserved_2 | zeros                            |
struct DpuTrack {
  static constexpr RecordKind kKind{Module::kCompact, "dpu_track", kLevelRuntime, 806};
  static constexpr std::uint32_t kPayloadLength = 24;

  RecordHeader header;
  U16 device;
  U16 stream;
  U32 task_id;
  U32 task_type;
  U32 reserved;
  U64 start;
  Reserved<16> reserved_2;

  DeviceField device_field() const { return {device}; }

  static constexpr void visit(auto& self, auto&& field) {
    RecordHeader::visit(self.header, field);
    field("device", self.device);
    field("stream", self.stream);
    field("task_id", self.task_id);
    field("task_type", self.task_type);
    field("reserved", self.reserved);
    field("start", self.start);
    field("reserved_2", self.reserved_2);
  }
};
static_assert(sizeof(DpuTrack) == kCompactBytes);

}  // namespace npuprof::format::host
