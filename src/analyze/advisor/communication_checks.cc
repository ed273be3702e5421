// Collectives: sizes and alignment of what they move, and what slows them down.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "analyze/advisor/advised_calls.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "analyze/communication.h"
#include "analyze/kernel_class.h"
#include "base/count_text.h"
#include "base/interval_sweep.h"
#include "base/saturated.h"
#include "format/host/enumerations.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using format::host::HcclLink;
using format::host::HcclTransport;

std::int64_t ms_to_ns(double ms) { return std::llround(std::min(ms, 1e12) * 1e6); }

const Traffic& traffic_of(const CommunicationOp& op, Transport transport) {
  return op.traffic[static_cast<std::size_t>(transport)];
}

// Transfers of one kind, small ones apart.
struct PacketSums {
  std::uint64_t all = 0;
  std::uint64_t small = 0;
  double small_mb = 0;
  double small_ms = 0;
  double best_gb_s = 0;
};

void add_packet_count(PacketSums& sums, const PacketCount& packets, double small_mb) {
  sums.all += packets.count;
  const double mb = packets.size_mb * static_cast<double>(packets.count);
  if (packets.total_ms > 0) sums.best_gb_s = std::max(sums.best_gb_s, mb / packets.total_ms);
  if (packets.size_mb >= small_mb) return;
  sums.small += packets.count;
  sums.small_mb += mb;
  sums.small_ms += packets.total_ms;
}

PacketSums packet_sums(const std::vector<CommunicationOp>& ops,
                       std::span<const Transport> transports, double small_mb) {
  PacketSums sums;
  for (const CommunicationOp& op : ops) {
    for (const Transport transport : transports) {
      for (const PacketCount& packets : traffic_of(op, transport).packets) {
        add_packet_count(sums, packets, small_mb);
      }
    }
  }
  return sums;
}

// SDMA has the sum of sizes and times of the links that the DMA engine uses, while their packets
// are listed under each link.
constexpr std::array kDmaTransports = {Transport::kSdma, Transport::kHccs, Transport::kPcie,
                                       Transport::kSio};
constexpr std::array kNetworkTransports = {Transport::kRdma};

// What collectives of small packets need beside moving data: to begin, to tell each other, to end.
struct CollectiveOverhead {
  std::uint64_t collectives = 0;
  double packets = 0;
  double mb = 0;
  std::int64_t median_ns = 0;  // Of one; those that wait for other ranks are the longer half.

  // With packets as large as they should be there would be fewer collectives.
  std::int64_t gain_ns(double small_mb) const {
    if (packets <= 0) return 0;
    const double needed = std::min(1.0, mb / (small_mb * packets));
    return std::llround(static_cast<double>(collectives) * (1 - needed) *
                        static_cast<double>(median_ns));
  }
};

struct CollectiveTransfers {
  std::vector<Interval> moving;  // Of any data, also inside the device.
  double packets = 0;            // To other ranks.
  double mb = 0;
  double largest_mb = 0;
};

// By row of CollectiveOps.
std::vector<CollectiveTransfers> collective_transfers(const trace::Trace& trace,
                                                      HcclTransport transport) {
  const auto& parts = trace.collective_tasks();
  std::vector<CollectiveTransfers> all(trace.collective_ops().size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.op[i] >= all.size() || parts.size_bytes[i] == 0) continue;
    CollectiveTransfers& op = all[parts.op[i]];
    op.moving.push_back({parts.start_ns[i], parts.end_ns[i]});
    if (parts.transport_type[i] != static_cast<std::uint32_t>(transport) ||
        parts.link_type[i] == static_cast<std::uint32_t>(HcclLink::kOnChip)) {
      continue;
    }
    const double mb = static_cast<double>(parts.size_bytes[i]) / 1e6;
    ++op.packets;
    op.mb += mb;
    op.largest_mb = std::max(op.largest_mb, mb);
  }
  return all;
}

CollectiveOverhead collective_overhead(const trace::Trace& trace, HcclTransport transport,
                                       double small_mb) {
  const auto& ops = trace.collective_ops();
  std::vector<CollectiveTransfers> all = collective_transfers(trace, transport);
  CollectiveOverhead sum;
  std::vector<std::int64_t> overheads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].packets == 0 || all[i].largest_mb >= small_mb) continue;
    sum.packets += all[i].packets;
    sum.mb += all[i].mb;
    const std::int64_t moving_ns = total_length(merge_intervals(std::move(all[i].moving)));
    overheads.push_back(std::max<std::int64_t>(
        0, saturated_difference(saturated_difference(ops.end_ns[i], ops.start_ns[i]), moving_ns)));
  }
  if (overheads.empty()) return sum;
  sum.collectives = overheads.size();
  const auto middle = overheads.begin() + static_cast<std::ptrdiff_t>(overheads.size() / 2);
  std::nth_element(overheads.begin(), middle, overheads.end());
  sum.median_ns = *middle;
  return sum;
}

// Communication that computing hides costs nothing.
std::int64_t uncovered_ns(const SharedResults& results) {
  std::int64_t sum_ns = 0;
  for (const StepTime& step : results.steps()) add_saturated(sum_ns, step.not_overlapped_ns);
  return sum_ns;
}

struct PacketKind {
  Transport transport;
  HcclTransport tasks;
  std::span<const Transport> links;
  double small_mb;
};
constexpr std::array kPacketKinds = {
    PacketKind{Transport::kSdma, HcclTransport::kSdma, kDmaTransports, advice::kSmallSdmaMb},
    PacketKind{Transport::kRdma, HcclTransport::kRdma, kNetworkTransports, advice::kSmallRdmaMb}};

std::vector<Interval> matmul_times(const trace::Trace& trace) {
  std::map<StringId, bool> is_matmul;
  std::vector<Interval> times;
  const auto& kernels = trace.kernels();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto [found, is_new] = is_matmul.try_emplace(kernels.op_type[i], false);
    if (is_new) {
      found->second =
          kernel_class(trace.strings.view(kernels.op_type[i]), "") == KernelClass::kMatmul;
    }
    const auto task = kernels.task[i];
    if (found->second) times.push_back({trace.tasks().start_ns[task], trace.tasks().end_ns[task]});
  }
  return merge_intervals(std::move(times));
}

}  // namespace

Findings check_packet(const SharedResults& results) {
  const std::vector<CommunicationOp>& ops = results.communication();
  Finding finding{.name = "packet"};
  finding.evidence.columns = {{"transport", "Transport"},
                              {"transfers", "Transfers", EvidenceKind::kCount},
                              {"small", "Small ones", EvidenceKind::kCount},
                              {"share", "Share", EvidenceKind::kShare},
                              {"small_below", "Small below", EvidenceKind::kReal, "MB"},
                              {"small_time", "Time of small ones", EvidenceKind::kTime},
                              {"collectives", "Collectives of them", EvidenceKind::kCount},
                              {"overhead", "Overhead of one", EvidenceKind::kTime}};
  std::string worst;
  for (const auto& [transport, tasks, links, limit_mb] : kPacketKinds) {
    const PacketSums sums = packet_sums(ops, links, limit_mb);
    if (sums.all == 0) continue;
    const double share = static_cast<double>(sums.small) / static_cast<double>(sums.all);
    if (share <= advice::kSmallPacketShare) continue;
    const CollectiveOverhead overhead = collective_overhead(results.trace(), tasks, limit_mb);
    finding.evidence.rows.push_back(
        {std::string(transport_name(transport)), static_cast<std::int64_t>(sums.all),
         static_cast<std::int64_t>(sums.small), share, limit_mb, ms_to_ns(sums.small_ms),
         static_cast<std::int64_t>(overhead.collectives), overhead.median_ns});
    add_saturated(finding.gain_ns, overhead.gain_ns(limit_mb));
    // At the best bandwidth that was seen.
    if (sums.best_gb_s > 0) {
      add_saturated(
          finding.gain_ns,
          std::max<std::int64_t>(0, ms_to_ns(sums.small_ms - sums.small_mb / sums.best_gb_s)));
    }
    if (!worst.empty()) worst += " and ";
    worst += fmt::format("{:.0f} % of {} transfers are below {} MB", 100 * share,
                         transport_name(transport), limit_mb);
  }
  if (finding.evidence.rows.empty()) return {};
  if (!results.steps().empty()) {
    finding.gain_ns = std::min(finding.gain_ns, uncovered_ns(results));
  }
  finding.sentence = worst + ".";
  finding.action =
      "Communicate less often and more at a time: larger buckets of gradients, larger batches, "
      "fewer parallel groups.";
  return {std::move(finding)};
}

Findings check_bandwidth_contention(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  constexpr double kLimit = advice::kContentionShare * advice::kSdmaBandwidth;
  const std::vector<Interval> products = matmul_times(trace);
  Finding finding{.name = "bandwidth_contention"};
  finding.evidence.columns = {{"collective", "Collective"},
                              {"start", "Start", EvidenceKind::kMoment},
                              {"elapsed", "Elapsed", EvidenceKind::kTime},
                              {"bandwidth", "SDMA bandwidth", EvidenceKind::kReal, "GB/s"}};
  std::size_t count = 0;
  for (const CommunicationOp& op : results.communication()) {
    const Traffic& traffic = traffic_of(op, Transport::kSdma);
    if (traffic.time_ms <= 0 || traffic.bandwidth_gb_s <= 0 || traffic.bandwidth_gb_s >= kLimit) {
      continue;
    }
    const std::int64_t elapsed_ns = ms_to_ns(op.time.elapse_ms);
    const Interval time{op.time.start_ns, saturated_sum(op.time.start_ns, elapsed_ns)};
    if (!overlaps_any(products, time)) continue;
    ++count;
    add_saturated(finding.gain_ns,
                  ms_to_ns(op.time.transit_ms * (1 - traffic.bandwidth_gb_s / kLimit)));
    if (finding.evidence.rows.size() == advice::kEvidenceRows) continue;
    finding.evidence.rows.push_back(
        {op.name, op.time.start_ns, elapsed_ns, traffic.bandwidth_gb_s});
  }
  if (count == 0) return {};
  finding.sentence =
      fmt::format("{} {} less than {:.1f} GB/s while matrix products run beside.",
                  count_text(count, "collective"), for_count(count, "moves", "move"), kLimit);
  finding.action =
      "Both compete for memory bandwidth: communicate while something else computes, or use fused "
      "operators of matrix product and communication.";
  return {std::move(finding)};
}

Findings check_retransmission(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const auto& parts = trace.collective_tasks();
  const auto& ops = trace.collective_ops();
  std::vector<std::int64_t> longest_ns(ops.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.op[i] >= ops.size() ||
        parts.transport_type[i] != static_cast<std::uint32_t>(HcclTransport::kRdma)) {
      continue;
    }
    std::int64_t& longest = longest_ns[parts.op[i]];
    longest = std::max(longest, saturated_difference(parts.end_ns[i], parts.start_ns[i]));
  }
  constexpr auto kLimitNs = static_cast<std::int64_t>(advice::kRetransmissionMs * 1e6);
  Finding finding{.name = "retransmission"};
  finding.evidence.columns = {{"collective", "Collective"},
                              {"start", "Start", EvidenceKind::kMoment},
                              {"elapsed", "Elapsed", EvidenceKind::kTime},
                              {"longest", "Longest RDMA transfer", EvidenceKind::kTime}};
  std::size_t count = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::int64_t elapsed_ns = saturated_difference(ops.end_ns[i], ops.start_ns[i]);
    if (elapsed_ns <= kLimitNs || longest_ns[i] <= kLimitNs) continue;
    ++count;
    add_saturated(finding.gain_ns, longest_ns[i]);
    if (finding.evidence.rows.size() == advice::kEvidenceRows) continue;
    finding.evidence.rows.push_back(
        {std::string(trace.strings.view(ops.name[i])), ops.start_ns[i], elapsed_ns, longest_ns[i]});
  }
  if (count == 0) return {};
  finding.sentence = fmt::format(
      "{} took more than {:.0f} s in one RDMA transfer: packets were lost and sent again.",
      count_text(count, "collective"), advice::kRetransmissionMs / 1000);
  finding.action =
      "Check the network: cables, switches, flow control, and the settings HCCL_RDMA_TC and "
      "HCCL_RDMA_SL.";
  return {std::move(finding)};
}

Findings check_byte_alignment(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const auto& parts = trace.collective_tasks();
  const auto copy = trace.strings.find("Memcpy");
  const auto reduce = trace.strings.find("Reduce_Inline");
  const auto& ops = trace.collective_ops();
  struct Sums {
    std::int64_t transfers = 0;
    std::int64_t odd = 0;
    std::int64_t odd_ns = 0;
    std::int64_t example_bytes = 0;
  };
  std::map<StringId, Sums> by_type;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool moves = (copy && parts.name[i] == *copy) || (reduce && parts.name[i] == *reduce);
    if (!moves || parts.op[i] >= ops.size() || parts.size_bytes[i] <= advice::kAlignedBytes ||
        parts.transport_type[i] != static_cast<std::uint32_t>(HcclTransport::kSdma) ||
        parts.link_type[i] == static_cast<std::uint32_t>(HcclLink::kOnChip)) {
      continue;
    }
    Sums& sums = by_type[ops.type[parts.op[i]]];
    ++sums.transfers;
    if (parts.size_bytes[i] % advice::kAlignedBytes == 0) continue;
    ++sums.odd;
    sums.example_bytes = static_cast<std::int64_t>(
        std::min<std::uint64_t>(parts.size_bytes[i], static_cast<std::uint64_t>(INT64_MAX)));
    add_saturated(sums.odd_ns, saturated_difference(parts.end_ns[i], parts.start_ns[i]));
  }
  Finding finding{.name = "byte_alignment"};
  finding.evidence.columns = {{"collective", "Collective"},
                              {"transfers", "Transfers", EvidenceKind::kCount},
                              {"odd", "Not aligned", EvidenceKind::kCount},
                              {"odd_time", "Their time", EvidenceKind::kTime},
                              {"example", "Example", EvidenceKind::kBytes}};
  std::int64_t odd = 0;
  for (const auto& [type, sums] : by_type) {
    if (sums.odd == 0) continue;
    odd += sums.odd;
    // Bandwidth of such transfers is roughly halved.
    add_saturated(finding.gain_ns, sums.odd_ns / 2);
    finding.evidence.rows.push_back({std::string(trace.strings.view(type)), sums.transfers,
                                     sums.odd, sums.odd_ns, sums.example_bytes});
  }
  if (odd == 0) return {};
  finding.sentence =
      fmt::format("{} between devices {} that {} of {} bytes.",
                  count_text(static_cast<std::uint64_t>(odd), "transfer"),
                  for_count(static_cast<std::uint64_t>(odd), "has a size", "have sizes"),
                  for_count(static_cast<std::uint64_t>(odd), "is no multiple", "are no multiples"),
                  advice::kAlignedBytes);
  finding.action = "Pad what is communicated so that each rank's part is a multiple of 512 bytes.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
