#pragma once

// Periodic memory samples: hbm.data, llc.data, ddr.data, npu_mem.app, npu_mem.data and
// npu_module_mem.data. Two forms of some exist; `version` of info.json chooses ("2.0" the second).

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "format/record.h"

namespace npuprof::format::device {

// Accesses to one HBM stack since the record of the same id and direction before.
// MB/s = count * 32 / 2^20 / seconds.
//
// | offset | width | field     | meaning                              |
// |--------|-------|-----------|--------------------------------------|
// |      0 |     8 | time_us   | since collection start               |
// |      8 |     8 | count     | accesses of 32 bytes                 |
// |     16 |     4 | direction | 0 read, else write                   |
// |     20 |     4 | hbm_id    |                                      |
struct HbmSample {
  static constexpr std::uint32_t kBytesPerCount = 32;

  U64 time_us;
  U64 count;
  U32 direction;
  U32 hbm_id;

  bool is_read() const { return direction == 0; }

  static constexpr void visit(auto& self, auto&& field) {
    field("time_us", self.time_us);
    field("count", self.count);
    field("direction", self.direction);
    field("hbm_id", self.hbm_id);
  }
};
static_assert(sizeof(HbmSample) == 24);

// The same, collection version 2.0.
//
// | offset | width | field      | meaning                             |
// |--------|-------|------------|-------------------------------------|
// |      0 |     8 | reserved_0 |                                     |
// |      8 |     4 | direction  | 0 read, else write                  |
// |     12 |     4 | hbm_id     |                                     |
// |     16 |     8 | count      |                                     |
// |     24 |     8 | time_ns    | absolute                            |
struct HbmSampleV2 {
  Reserved<8> reserved_0;
  U32 direction;
  U32 hbm_id;
  U64 count;
  U64 time_ns;

  bool is_read() const { return direction == 0; }

  static constexpr void visit(auto& self, auto&& field) {
    field("reserved_0", self.reserved_0);
    field("direction", self.direction);
    field("hbm_id", self.hbm_id);
    field("count", self.count);
    field("time_ns", self.time_ns);
  }
};
static_assert(sizeof(HbmSampleV2) == 32);

// One event counter of one last-level-cache slice. Not chip 0, which writes text.
//
// | offset | width | field    | meaning                                          |
// |--------|-------|----------|--------------------------------------------------|
// |      0 |     8 | time_us  | since collection start                           |
// |      8 |     8 | count    |                                                  |
// |     16 |     4 | event    | one of kLlcReadEvents or kLlcWriteEvents         |
// |     20 |     4 | slice_id |                                                  |
struct LlcSample {
  U64 time_us;
  U64 count;
  U32 event;
  U32 slice_id;

  static constexpr void visit(auto& self, auto&& field) {
    field("time_us", self.time_us);
    field("count", self.count);
    field("event", self.event);
    field("slice_id", self.slice_id);
  }
};
static_assert(sizeof(LlcSample) == 24);

// The same, collection version 2.0.
//
// | offset | width | field      | meaning                                        |
// |--------|-------|------------|------------------------------------------------|
// |      0 |     4 | reserved_0 |                                                |
// |      4 |     4 | count      |                                                |
// |      8 |     4 | event      |                                                |
// |     12 |     4 | slice_id   |                                                |
// |     16 |     8 | time_ns    | absolute                                       |
struct LlcSampleV2 {
  Reserved<4> reserved_0;
  U32 count;
  U32 event;
  U32 slice_id;
  U64 time_ns;

  static constexpr void visit(auto& self, auto&& field) {
    field("reserved_0", self.reserved_0);
    field("count", self.count);
    field("event", self.event);
    field("slice_id", self.slice_id);
    field("time_ns", self.time_ns);
  }
};
static_assert(sizeof(LlcSampleV2) == 24);

// Events e0..e7 of the two values of `llc_profiling`. Hit rate = (e2+e3+e5+e7)/(e4+e6); bytes moved
// = (e0+e1) * 64.
inline constexpr std::array<std::uint32_t, 8> kLlcReadEvents = {0x00, 0x01, 0x02, 0x13,
                                                                0x20, 0x22, 0x34, 0x36};
inline constexpr std::array<std::uint32_t, 8> kLlcWriteEvents = {0x00, 0x01, 0x03, 0x14,
                                                                 0x21, 0x23, 0x35, 0x37};

// Accesses to one DDR channel.
// MB/s = count * width / 8 / 2^20 / seconds; width = 256 bits on chips 1 to 4, else 128.
//
// | offset | width | field     | meaning                              |
// |--------|-------|-----------|--------------------------------------|
// |      0 |     4 | time_us   | since collection start               |
// |      4 |     4 | count     |                                      |
// |      8 |     4 | direction | 0 read, else write                   |
// |     12 |     4 | channel   |                                      |
// |     16 |     4 | master_id | 0xFFFFFFFF none                      |
struct DdrSample {
  static constexpr std::uint32_t kNoMaster = 0xFFFFFFFF;

  U32 time_us;
  U32 count;
  U32 direction;
  U32 channel;
  U32 master_id;

  bool is_read() const { return direction == 0; }

  static constexpr void visit(auto& self, auto&& field) {
    field("time_us", self.time_us);
    field("count", self.count);
    field("direction", self.direction);
    field("channel", self.channel);
    field("master_id", self.master_id);
  }
};
static_assert(sizeof(DdrSample) == 20);

// Memory in use by this process (npu_mem.app) or by all (npu_mem.data). Collection version 2.0 has
// its time in time_v2 and leaves time_us unused.
//
// | offset | width | field     | meaning                              |
// |--------|-------|-----------|--------------------------------------|
// |      0 |     4 | time_us   | since collection start               |
// |      4 |     4 | scope     | 0 process, 1 device                  |
// |      8 |     8 | time_v2   | version 2.0 only                     |
// |     16 |     8 | ddr_bytes |                                      |
// |     24 |     8 | hbm_bytes |                                      |
struct NpuMemorySample {
  static constexpr std::uint32_t kProcess = 0;
  static constexpr std::uint32_t kDevice = 1;

  U32 time_us;
  U32 scope;
  U64 time_v2;
  U64 ddr_bytes;
  U64 hbm_bytes;

  constexpr bool is_sound() const { return scope <= kDevice; }

  static constexpr void visit(auto& self, auto&& field) {
    field("time_us", self.time_us);
    field("scope", self.scope);
    field("time_v2", self.time_v2);
    field("ddr_bytes", self.ddr_bytes);
    field("hbm_bytes", self.hbm_bytes);
  }
};
static_assert(sizeof(NpuMemorySample) == 32);

// Device memory reserved by one CANN component (npu_module_mem.data).
//
// | offset | width | field          | meaning                                         |
// |--------|-------|----------------|-------------------------------------------------|
// |      0 |     4 | module_id      | module_names.h                                  |
// |      4 |     4 | reserved_4     |                                                 |
// |      8 |     8 | host_ticks     | host counter, not the device's                  |
// |     16 |     8 | reserved_bytes | top bit set = not known                         |
struct ModuleMemorySample {
  U32 module_id;
  Reserved<4> reserved_4;
  U64 host_ticks;
  U64 reserved_bytes;

  std::optional<std::uint64_t> known_bytes() const {
    if (reserved_bytes >> 63 != 0) return std::nullopt;
    return reserved_bytes.get();
  }

  static constexpr void visit(auto& self, auto&& field) {
    field("module_id", self.module_id);
    field("reserved_4", self.reserved_4);
    field("host_ticks", self.host_ticks);
    field("reserved_bytes", self.reserved_bytes);
  }
};
static_assert(sizeof(ModuleMemorySample) == 24);

}  // namespace npuprof::format::device
