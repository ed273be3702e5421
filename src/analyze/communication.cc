#include "analyze/communication.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/saturated.h"
#include "base/text.h"
#include "format/host/enumerations.h"
#include "link/collectives/payload_runs.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::analyze {
namespace {

using format::host::HcclLink;
using format::host::HcclTransport;
using trace::CollectiveTasks;
using trace::kNone;

constexpr double kMillionBytes = 1e6;
constexpr double kNsPerMs = 1e6;
constexpr double kLargeRdmaMb = 0.5;
constexpr double kLargeMb = 32;

double milliseconds(std::int64_t ns) { return static_cast<double>(ns) / kNsPerMs; }
double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / kMillionBytes; }

// Rounds the decimal expansion of the binary value, ties to even.
double round4(double value) {
  char text[400];
  const auto written =
      std::to_chars(std::begin(text), std::end(text), value, std::chars_format::fixed, 4);
  double rounded = 0;
  std::from_chars(std::begin(text), written.ptr, rounded);
  return rounded;
}

void add_packets(Traffic& traffic, double size_mb, std::uint64_t count, double total_ms) {
  auto place = std::lower_bound(
      traffic.packets.begin(), traffic.packets.end(), size_mb,
      [](const PacketCount& packet, double size) { return packet.size_mb < size; });
  if (place == traffic.packets.end() || place->size_mb != size_mb) {
    place = traffic.packets.insert(place, {.size_mb = size_mb});
  }
  place->count += count;
  place->total_ms += total_ms;
}

void set_ratios(CommunicationTime& time) {
  time.wait_ratio = rounded_ratio(time.wait_ms, time.wait_ms + time.transit_ms);
  time.synchronization_ratio =
      rounded_ratio(time.synchronization_ms, time.synchronization_ms + time.transit_ms);
}

void set_bandwidths(TrafficByTransport& traffic) {
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    Traffic& one = traffic[i];
    if (one.time_ms > 0) one.bandwidth_gb_s = round4((one.size_mb / 1000) / (one.time_ms / 1000));
    const auto transport = static_cast<Transport>(i);
    if (transport == Transport::kSdma || one.packets.empty()) continue;
    const double large_mb = transport == Transport::kRdma ? kLargeRdmaMb : kLargeMb;
    std::uint64_t all = 0;
    std::uint64_t large = 0;
    for (const PacketCount& packet : one.packets) {
      all += packet.count;
      if (packet.size_mb > large_mb) large += packet.count;
    }
    one.large_packet_ratio = round4(static_cast<double>(large) / static_cast<double>(all));
  }
}

// Under which heading data counts that the DMA engine moved over a link of this kind.
Transport dma_transport(std::uint32_t link_type) {
  switch (static_cast<HcclLink>(link_type)) {
    case HcclLink::kHccs:
    case HcclLink::kHccsSwitch:
      return Transport::kHccs;
    case HcclLink::kPcie:
      return Transport::kPcie;
    case HcclLink::kSio:
      return Transport::kSio;
    default:
      return Transport::kSdma;
  }
}

std::string_view link_name(std::uint32_t link_type) {
  switch (static_cast<HcclLink>(link_type)) {
    case HcclLink::kOnChip:
      return "LOCAL";
    case HcclLink::kHccsSwitch:
      return "HCCS";
    default: {
      const std::string_view name = format::host::hccl_link_type_name(link_type);
      return name.empty() ? "INVALID_TYPE" : name;
    }
  }
}

LinkTraffic& link_at(std::vector<LinkTraffic>& links, std::uint32_t source,
                     std::uint32_t destination) {
  auto link = std::find_if(links.begin(), links.end(), [&](const LinkTraffic& known) {
    return known.source_rank == source && known.destination_rank == destination;
  });
  if (link == links.end()) {
    link = links.insert(link, {.source_rank = source, .destination_rank = destination});
  }
  return *link;
}

// Analyses one collective after the other.
class OpAnalysis {
 public:
  explicit OpAnalysis(const trace::Trace& trace)
      : trace_(trace),
        tasks_(trace.collective_tasks()),
        copy_(trace.strings.find("Memcpy")),
        reduce_(trace.strings.find("Reduce_Inline")),
        wait_(trace.strings.find("Notify_Wait")) {}

  // `begin` to `end` are the rows of the op's tasks.
  CommunicationOp analyze(std::uint32_t begin, std::uint32_t end) {
    const auto op = tasks_.op[begin];
    CommunicationOp result{
        .name = std::string(trace_.strings.view(trace_.collective_ops().name[op])),
        .group = trace_.strings.view(trace_.collective_ops().group[op])};
    closing_tasks_ = link::closing_task_count(result.name);
    split_planes(begin, end);
    result.time = time_of(begin, end);
    for (const auto& rows : planes_) add_traffic(rows, result);
    combine_dma(result.traffic);
    set_bandwidths(result.traffic);
    for (LinkTraffic& link : result.links)
      link.bandwidth_gb_s = rounded_ratio(link.size_mb, link.time_ms);
    return result;
  }

 private:
  using Rows = std::vector<std::uint32_t>;

  std::int64_t duration_ns(std::uint32_t row) const {
    return saturated_difference(tasks_.end_ns[row], tasks_.start_ns[row]);
  }
  bool is_dma(std::uint32_t row) const {
    return (tasks_.name[row] == copy_ || tasks_.name[row] == reduce_) &&
           tasks_.transport_type[row] == static_cast<std::uint32_t>(HcclTransport::kSdma);
  }
  // Copies within the device move nothing to another rank.
  bool is_remote_dma(std::uint32_t row) const {
    return is_dma(row) && tasks_.link_type[row] != static_cast<std::uint32_t>(HcclLink::kOnChip);
  }

  // Rows by plane, planes in order of their first task.
  void split_planes(std::uint32_t begin, std::uint32_t end) {
    planes_.clear();
    plane_ids_.clear();
    for (std::uint32_t row = begin; row < end; ++row) {
      const auto known = std::find(plane_ids_.begin(), plane_ids_.end(), tasks_.plane[row]);
      const auto index = static_cast<std::size_t>(known - plane_ids_.begin());
      if (known == plane_ids_.end()) {
        plane_ids_.push_back(tasks_.plane[row]);
        planes_.emplace_back();
      }
      planes_[index].push_back(row);
    }
  }

  // The plane of the first task that the host marked as leading, else the first by number.
  std::size_t leading_plane(std::uint32_t begin, std::uint32_t end) const {
    std::uint32_t first = begin;
    while (first < end && tasks_.is_master[first] == 0) ++first;
    const auto place = first == end
                           ? std::min_element(plane_ids_.begin(), plane_ids_.end())
                           : std::find(plane_ids_.begin(), plane_ids_.end(), tasks_.plane[first]);
    return static_cast<std::size_t>(place - plane_ids_.begin());
  }

  // The leading plane if it moves data to other ranks, else the first by number that does. Of a
  // collective with a plane for each peer the leading one only copies within the device.
  std::size_t moving_plane(std::size_t leading) const {
    if (moves_data(planes_[leading])) return leading;
    std::size_t first = planes_.size();
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      if (first < planes_.size() && plane_ids_[i] > plane_ids_[first]) continue;
      if (moves_data(planes_[i])) first = i;
    }
    return first == planes_.size() ? leading : first;
  }
  bool moves_data(const Rows& rows) const {
    return std::any_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
      return is_remote_dma(row) || link::is_payload(tasks_, row);
    });
  }

  CommunicationTime time_of(std::uint32_t begin, std::uint32_t end) const {
    const std::size_t leading = leading_plane(begin, end);
    CommunicationTime time;
    std::int64_t last_end_ns = 0;
    for (const std::uint32_t row : planes_[leading]) {
      last_end_ns = std::max(last_end_ns, tasks_.end_ns[row]);
    }
    // Tasks are in order of start.
    time.start_ns = tasks_.start_ns[planes_[leading].front()];
    time.elapse_ms = milliseconds(saturated_difference(last_end_ns, time.start_ns));
    add_parts(planes_[moving_plane(leading)], time);
    time.idle_ms = time.elapse_ms - time.transit_ms - time.wait_ms;
    set_ratios(time);
    return time;
  }

  // Transit and wait of one plane.
  void add_parts(const Rows& rows, CommunicationTime& time) const {
    bool has_moved = false;
    for (std::size_t i = 0; i < rows.size();) {
      const std::uint32_t row = rows[i];
      if (link::is_payload(tasks_, row)) {
        const link::PayloadRun run = link::payload_run(tasks_, rows, i, closing_tasks_);
        if (run.is_closed) time.transit_ms += run_ms(rows, i, run);
        has_moved = has_moved || run.is_closed;
        i = run.next();
        continue;
      }
      if (is_remote_dma(row)) {
        time.transit_ms += milliseconds(duration_ns(row));
        has_moved = true;
      } else if (tasks_.name[row] == wait_) {
        time.wait_ms += milliseconds(duration_ns(row));
        if (!has_moved) time.synchronization_ms += milliseconds(duration_ns(row));
      }
      ++i;
    }
  }

  double run_ms(const Rows& rows, std::size_t first, const link::PayloadRun& run) const {
    return milliseconds(tasks_.end_ns[rows[run.close]] - tasks_.start_ns[rows[first]]);
  }

  void add_traffic(const Rows& rows, CommunicationOp& op) const {
    for (std::size_t i = 0; i < rows.size();) {
      const std::uint32_t row = rows[i];
      if (link::is_payload(tasks_, row)) {
        const link::PayloadRun run = link::payload_run(tasks_, rows, i, closing_tasks_);
        if (run.is_closed) {
          const double size_mb = megabytes(run.bytes);
          const double time_ms = run_ms(rows, i, run);
          add(op.traffic[static_cast<std::size_t>(Transport::kRdma)], size_mb, time_ms);
          add_link(op.links, row, "RDMA", size_mb, time_ms);
        }
        i = run.next();
        continue;
      }
      if (is_dma(row)) {
        const double size_mb = megabytes(tasks_.size_bytes[row]);
        const double time_ms = milliseconds(duration_ns(row));
        if (is_remote_dma(row)) {
          const Transport transport = dma_transport(tasks_.link_type[row]);
          add(op.traffic[static_cast<std::size_t>(transport)], size_mb, time_ms);
        }
        add_link(op.links, row, link_name(tasks_.link_type[row]), size_mb, time_ms);
      }
      ++i;
    }
  }

  static void add(Traffic& traffic, double size_mb, double time_ms) {
    traffic.size_mb += size_mb;
    traffic.time_ms += time_ms;
    add_packets(traffic, size_mb, 1, time_ms);
  }

  void add_link(std::vector<LinkTraffic>& links, std::uint32_t row, std::string_view transport,
                double size_mb, double time_ms) const {
    const std::uint32_t source = tasks_.source_rank[row];
    if (source == kNone) return;
    std::uint32_t destination = tasks_.destination_rank[row];
    if (destination == kNone) destination = source;
    LinkTraffic& link = link_at(links, source, destination);
    link.transport = transport;
    link.size_mb += size_mb;
    link.time_ms += time_ms;
  }

  static void combine_dma(TrafficByTransport& traffic) {
    const auto at = [&](Transport transport) -> Traffic& {
      return traffic[static_cast<std::size_t>(transport)];
    };
    const Traffic& hccs = at(Transport::kHccs);
    const Traffic& pcie = at(Transport::kPcie);
    const Traffic& sio = at(Transport::kSio);
    at(Transport::kSdma).size_mb += hccs.size_mb + pcie.size_mb + sio.size_mb;
    at(Transport::kSdma).time_ms += hccs.time_ms + pcie.time_ms + sio.time_ms;
  }

  const trace::Trace& trace_;
  const CollectiveTasks& tasks_;
  std::optional<StringId> copy_;
  std::optional<StringId> reduce_;
  std::optional<StringId> wait_;
  std::size_t closing_tasks_ = 0;
  std::vector<std::uint32_t> plane_ids_;
  std::vector<Rows> planes_;
};

}  // namespace

std::string_view transport_name(Transport transport) {
  constexpr std::array<std::string_view, kTransportCount> kNames{"RDMA", "HCCS", "PCIE", "SDMA",
                                                                 "SIO"};
  return kNames[static_cast<std::size_t>(transport)];
}

double CommunicationTime::start_us() const {
  // Not a quotient of doubles: that would be rounded twice.
  char text[kMaxIntegerChars];
  const char* end = write_scaled<3>(text, start_ns);
  return parse_number<double>({text, static_cast<std::size_t>(end - text)}).value_or(0);
}

double rounded_ratio(double part, double whole) { return whole > 1e-15 ? round4(part / whole) : 0; }

std::vector<CommunicationOp> communication_ops(const trace::Trace& trace) {
  std::vector<CommunicationOp> ops;
  if (trace.session.level == trace::Level::kLevel0) return ops;
  const CollectiveTasks& tasks = trace.collective_tasks();
  OpAnalysis analysis(trace);
  const auto row_count = static_cast<std::uint32_t>(tasks.size());
  for (std::uint32_t begin = 0; begin < row_count;) {
    std::uint32_t end = begin;
    while (end < row_count && tasks.op[end] == tasks.op[begin]) ++end;
    ops.push_back(analysis.analyze(begin, end));
    // Every device counts its collectives from 0, so their names repeat.
    const std::uint16_t device = trace.collective_ops().device[tasks.op[begin]];
    if (device != trace.collective_ops().device.front()) {
      ops.back().name += "_device" + std::to_string(device);
    }
    begin = end;
  }
  return ops;
}

CommunicationOp total_of(std::span<const CommunicationOp* const> ops) {
  CommunicationOp total;
  for (const CommunicationOp* op : ops) {
    total.time.elapse_ms += op->time.elapse_ms;
    total.time.transit_ms += op->time.transit_ms;
    total.time.wait_ms += op->time.wait_ms;
    total.time.synchronization_ms += op->time.synchronization_ms;
    total.time.idle_ms += op->time.idle_ms;
    for (std::size_t i = 0; i < kTransportCount; ++i) {
      total.traffic[i].size_mb += op->traffic[i].size_mb;
      total.traffic[i].time_ms += op->traffic[i].time_ms;
      for (const PacketCount& packet : op->traffic[i].packets) {
        add_packets(total.traffic[i], packet.size_mb, packet.count, packet.total_ms);
      }
    }
  }
  set_ratios(total.time);
  set_bandwidths(total.traffic);
  return total;
}

namespace {

void add_links(std::vector<LinkTraffic>& totals, const CommunicationOp& op) {
  for (const LinkTraffic& link : op.links) {
    LinkTraffic& total = link_at(totals, link.source_rank, link.destination_rank);
    total.transport = link.transport;
    total.size_mb += link.size_mb;
    total.time_ms += link.time_ms;
  }
}

void find_bandwidths(std::vector<LinkTraffic>& totals) {
  for (LinkTraffic& total : totals) {
    total.bandwidth_gb_s = rounded_ratio(total.size_mb, total.time_ms);
  }
}

}  // namespace

std::vector<LinkTraffic> total_links(std::span<const CommunicationOp> ops) {
  std::vector<LinkTraffic> totals;
  for (const CommunicationOp& op : ops) add_links(totals, op);
  find_bandwidths(totals);
  return totals;
}

std::vector<GroupLinks> links_by_group(std::span<const CommunicationOp* const> ops) {
  std::vector<GroupLinks> groups;
  for (const CommunicationOp* op : ops) {
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const GroupLinks& one) { return one.group == op->group; });
    if (known == groups.end()) known = groups.insert(groups.end(), GroupLinks{op->group, {}});
    add_links(known->links, *op);
  }
  for (GroupLinks& group : groups) find_bandwidths(group.links);
  return groups;
}

}  // namespace npuprof::analyze
