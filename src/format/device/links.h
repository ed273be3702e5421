#pragma once

// Binary samples of links: pcie.data, ub.data and qos.data. Links sampled as text are in
// link_text.h.

#include <array>
#include <cstdint>
#include <string_view>

#include "format/host/api_event.h"
#include "format/record.h"

namespace npuprof::format::device {

// Least, greatest and mean value over a sampling interval.
struct MinMaxAverage {
  static constexpr std::uint32_t kNone = 0xFFFFF;  // Of `minimum`: nothing was measured.

  U32 minimum;
  U32 maximum;
  U32 average;

  constexpr bool is_measured() const { return minimum != kNone; }

  static constexpr void visit(auto& self, auto&& field) {
    field("minimum", self.minimum);
    field("maximum", self.maximum);
    field("average", self.average);
  }
};
static_assert(sizeof(MinMaxAverage) == 12);

// PCIe load in `pcie.data`. Bandwidths are MB/s; posted are writes, non-posted reads, completions
// the answers to reads.
//
// | offset | width | field                    | meaning                                  |
// |--------|-------|--------------------------|------------------------------------------|
// |      0 |     8 | time_ns                  | device monotonic                         |
// |      8 |     4 | device_id                |                                          |
// |     12 |    12 | sent_posted              | MinMaxAverage, like all that follow      |
// |     24 |    12 | sent_non_posted          |                                          |
// |     36 |    12 | sent_completion          |                                          |
// |     48 |    12 | sent_non_posted_latency  | ns                                       |
// |     60 |    12 | received_posted          |                                          |
// |     72 |    12 | received_non_posted      |                                          |
// |     84 |    12 | received_completion      |                                          |
struct PcieSample {
  U64 time_ns;
  U32 device_id;
  MinMaxAverage sent_posted;
  MinMaxAverage sent_non_posted;
  MinMaxAverage sent_completion;
  MinMaxAverage sent_non_posted_latency;
  MinMaxAverage received_posted;
  MinMaxAverage received_non_posted;
  MinMaxAverage received_completion;

  // Readers drop samples whose extremes contradict each other.
  constexpr bool is_valid() const { return sent_posted.maximum >= sent_posted.minimum; }

  static constexpr void visit(auto& self, auto&& field) {
    field("time_ns", self.time_ns);
    field("device_id", self.device_id);
    field("sent_posted", self.sent_posted);
    field("sent_non_posted", self.sent_non_posted);
    field("sent_completion", self.sent_completion);
    field("sent_non_posted_latency", self.sent_non_posted_latency);
    field("received_posted", self.received_posted);
    field("received_non_posted", self.received_non_posted);
    field("received_completion", self.received_completion);
  }
};
static_assert(sizeof(PcieSample) == 96);

// What result databases call the values of a PcieSample, in its order.
inline constexpr std::array<std::string_view, 21> kPcieValueNames = {"txPostMin",
                                                                     "txPostMax",
                                                                     "txPostAvg",
                                                                     "txNonpostMin",
                                                                     "txNonpostMax",
                                                                     "txNonpostAvg",
                                                                     "txCplMin",
                                                                     "txCplMax",
                                                                     "txCplAvg",
                                                                     "txNonpostLatencyMin",
                                                                     "txNonpostLatencyMax",
                                                                     "txNonpostLatencyAvg",
                                                                     "rxPostMin",
                                                                     "rxPostMax",
                                                                     "rxPostAvg",
                                                                     "rxNonpostMin",
                                                                     "rxNonpostMax",
                                                                     "rxNonpostAvg",
                                                                     "rxCplMin",
                                                                     "rxCplMax",
                                                                     "rxCplAvg"};

// One direction of a unified-bus port.
struct UbDirection {
  U64 bandwidth;
  U64 packet_rate;
  U64 bytes;
  U64 packets;
  U64 errors;
  U64 dropped;

  static constexpr void visit(auto& self, auto&& field) {
    field("bandwidth", self.bandwidth);
    field("packet_rate", self.packet_rate);
    field("bytes", self.bytes);
    field("packets", self.packets);
    field("errors", self.errors);
    field("dropped", self.dropped);
  }
};
static_assert(sizeof(UbDirection) == 48);

// Load of a unified-bus port in `ub.data` (chips 15 and 16).
//
// | offset | width | field         | meaning                                          |
// |--------|-------|---------------|--------------------------------------------------|
// |      0 |     2 | magic         | 0x5A5A                                           |
// |      2 |     2 | reserved_2    |                                                  |
// |      4 |     2 | port          |                                                  |
// |      6 |     2 | reserved_6    |                                                  |
// |      8 |     8 | time_us       | since collection start                           |
// |     16 |     8 | udma_received |                                                  |
// |     24 |     8 | udma_sent     |                                                  |
// |     32 |    48 | received      | bandwidth, packet rate, bytes, packets, errors,  |
// |        |       |               | dropped                                          |
// |     80 |    48 | sent          | the same                                         |
struct UbSample {
  U16 magic = host::kMagic;
  Reserved<2> reserved_2;
  U16 port;
  Reserved<2> reserved_6;
  U64 time_us;
  U64 udma_received;
  U64 udma_sent;
  UbDirection received;
  UbDirection sent;

  constexpr bool has_magic() const { return magic == host::kMagic; }

  static constexpr void visit(auto& self, auto&& field) {
    field("magic", self.magic);
    field("reserved_2", self.reserved_2);
    field("port", self.port);
    field("reserved_6", self.reserved_6);
    field("time_us", self.time_us);
    field("udma_received", self.udma_received);
    field("udma_sent", self.udma_sent);
    field("received", self.received);
    field("sent", self.sent);
  }
};
static_assert(sizeof(UbSample) == 128);

// Bandwidth per quality-of-service stream in `qos.data` (chip 5), named by `qosEvents`.
//
// | offset | width | field      | meaning                                          |
// |--------|-------|------------|--------------------------------------------------|
// |      0 |    16 | reserved_0 |                                                  |
// |     16 |     8 | syscnt     | ticks                                            |
// |     24 |    40 | bandwidth  | 10 values                                        |
struct QosSample {
  Reserved<16> reserved_0;
  U64 syscnt;
  std::array<U32, 10> bandwidth;

  static constexpr void visit(auto& self, auto&& field) {
    field("reserved_0", self.reserved_0);
    field("syscnt", self.syscnt);
    field("bandwidth", self.bandwidth);
  }
};
static_assert(sizeof(QosSample) == 64);

}  // namespace npuprof::format::device
