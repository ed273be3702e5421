#pragma once

// How collectives spent their time and what they moved over which links.
//
// Sizes are decimal (1 MB = 10^6 bytes), bandwidths MB/ms = GB/s. Sums are made in double precision
// in order of time, and rounded where the vendor's tools round, so that equal profiles give equal
// numbers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// In the order of the result files. What went over HCCS, PCIe and SIO is counted under kSdma again,
// and so is what was moved over a link of another kind.
enum class Transport : std::uint8_t { kRdma, kHccs, kPcie, kSdma, kSio };
inline constexpr std::size_t kTransportCount = 5;
std::string_view transport_name(Transport transport);

struct PacketCount {
  double size_mb = 0;
  std::uint64_t count = 0;
  double total_ms = 0;
};

struct Traffic {
  double size_mb = 0;
  double time_ms = 0;
  double bandwidth_gb_s = 0;         // 4 decimals.
  double large_packet_ratio = 0;     // Packets above 0.5 MB for RDMA, 32 MB for others; 4 decimals.
  std::vector<PacketCount> packets;  // By size.
};
using TrafficByTransport = std::array<Traffic, kTransportCount>;

// Start and elapse are those of the plane that leads the collective. Transit and wait are of that
// plane too if it moves data to other ranks, otherwise of the first one that does.
struct CommunicationTime {
  std::int64_t start_ns = 0;
  double elapse_ms = 0;
  double transit_ms = 0;          // Moving data to or from other ranks.
  double wait_ms = 0;             // Waiting for notifications ...
  double synchronization_ms = 0;  // ... of these, before the first data was moved.
  double idle_ms = 0;             // The rest.
  double wait_ratio = 0;          // wait / (wait + transit), 4 decimals.
  double synchronization_ratio = 0;

  // The double nearest to the start in microseconds.
  double start_us() const;
};

struct LinkTraffic {
  std::uint32_t source_rank = 0;
  std::uint32_t destination_rank = 0;
  std::string_view transport;  // HCCS, PCIE, RDMA, LOCAL, ...
  double size_mb = 0;
  double time_ms = 0;
  double bandwidth_gb_s = 0;  // 4 decimals.
};

struct CommunicationOp {
  std::string name;        // Unique within its group.
  std::string_view group;  // Decimal hash of the group's name.
  CommunicationTime time;
  TrafficByTransport traffic;
  std::vector<LinkTraffic> links;  // In order of first use.
};

// part / whole with 4 decimals, 0 if the whole is.
double rounded_ratio(double part, double whole);

// One row per collective, in order of start. None if only whole collectives were recorded (level
// 0). Views point into the trace.
std::vector<CommunicationOp> communication_ops(const trace::Trace& trace);

// Sums of all but names, start and links; ratios and bandwidths of the sums.
CommunicationOp total_of(std::span<const CommunicationOp* const> ops);

// Sums over all ops by link, in order of first use.
std::vector<LinkTraffic> total_links(std::span<const CommunicationOp> ops);

// The same of one communication group; ranks of links are counted within it.
struct GroupLinks {
  std::string_view group;
  std::vector<LinkTraffic> links;
};
// Groups in order of first use.
std::vector<GroupLinks> links_by_group(std::span<const CommunicationOp* const> ops);

// Collectives of one step. Without steps there is one, named "step" ("step0" for MindSpore, also if
// the program has no schedule), with all of them; if the
// profile has exactly one step, that has all of them. Otherwise an op belongs to the step in which
// it starts, and ops outside of all steps are left out.
struct CommunicationStep {
  std::string name;                         // "step5"
  std::vector<const CommunicationOp*> p2p;  // Send, receive and batches of both.
  std::vector<const CommunicationOp*> collective;
};
std::vector<CommunicationStep> communication_steps(const trace::Trace& trace,
                                                   std::span<const CommunicationOp> ops);

// A few typical ops for each kind of collective, group and link: the one with the best bandwidth
// (top1), the median (middle), the last three (bottom1 is the worst), and the sum of all (total,
// which has no op name). Of fewer than three ops, PyTorch leaves out what is not there; MindSpore
// repeats the best one, and has the sum last.
struct LinkSummary {
  std::string name;  // "allreduce-top1"
  std::string_view group;
  LinkTraffic link;
  std::string_view op_name;
};
// In groups of equal name and group.
std::vector<LinkSummary> link_summaries(std::span<const CommunicationOp* const> ops,
                                        trace::Framework framework);

}  // namespace npuprof::analyze
