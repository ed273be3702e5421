#include <array>
#include <map>
#include <utility>
#include <vector>

#include "format/device/chips.h"
#include "report/csv/sample_summary.h"
#include "report/csv/value_range.h"
#include "report/tables/text_table.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using analyze::Samples;

constexpr double kBytesPerMegabyte = 1024.0 * 1024.0;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// A port over the whole run. Counts are cumulative, since long before the run.
class PortSummary {
 public:
  PortSummary(const Samples& samples, std::size_t first)
      : samples_(samples), first_(first), last_(first) {}

  void add(std::size_t i) {
    rx_packets_.add(samples_.row(i)[analyze::kRxPacketRate]);
    tx_packets_.add(samples_.row(i)[analyze::kTxPacketRate]);
    last_ = i;
  }

  std::uint16_t device() const { return samples_.device[first_]; }
  std::uint32_t port() const { return samples_.unit[first_]; }
  std::int64_t time_ns() const { return samples_.time_ns[first_]; }
  double bandwidth() const { return samples_.row(first_)[analyze::kBandwidth]; }
  double rx_efficiency() const { return efficiency(analyze::kRxBytes); }
  double rx_packets() const { return rx_packets_.mean(); }
  double rx_errors() const { return rate(analyze::kRxErrors, analyze::kRxPackets); }
  double rx_dropped() const { return rate(analyze::kRxDropped, analyze::kRxPackets); }
  double tx_efficiency() const { return efficiency(analyze::kTxBytes); }
  double tx_packets() const { return tx_packets_.mean(); }
  double tx_errors() const { return rate(analyze::kTxErrors, analyze::kTxPackets); }
  double tx_dropped() const { return rate(analyze::kTxDropped, analyze::kTxPackets); }

 private:
  double increase(std::size_t value) const {
    return samples_.row(last_)[value] - samples_.row(first_)[value];
  }
  // Used part of the bandwidth.
  double efficiency(std::size_t bytes) const {
    constexpr double kBitsPerByte = 8;
    const double seconds = (static_cast<double>(samples_.time_ns[last_]) -
                            static_cast<double>(samples_.time_ns[first_])) /
                           1e9;
    return share(increase(bytes) * kBitsPerByte, seconds * bandwidth() * kBytesPerMegabyte);
  }
  // Part of the packets of the run; of all packets so far if there is but one sample.
  double rate(std::size_t count, std::size_t packets) const {
    if (first_ == last_) return share(samples_.row(first_)[count], samples_.row(first_)[packets]);
    return share(increase(count), increase(packets));
  }

  const Samples& samples_;
  std::size_t first_;
  std::size_t last_;
  Range rx_packets_;
  Range tx_packets_;
};

constexpr auto kNic =
    text_table("nic",  //
               column(TextColumn{"Device_id"}, &PortSummary::device),
               column(TextColumn{"Timestamp(us)", Print::kTimeUs}, &PortSummary::time_ns),
               column(number_column("Bandwidth(MB/s)"), &PortSummary::bandwidth),
               column(number_column("Rx Bandwidth efficiency(%)"), &PortSummary::rx_efficiency),
               column(number_column("rxPacket/s"), &PortSummary::rx_packets),
               column(number_column("rxError rate(%)"), &PortSummary::rx_errors),
               column(number_column("rxDropped rate(%)"), &PortSummary::rx_dropped),
               column(number_column("Tx Bandwidth efficiency(%)"), &PortSummary::tx_efficiency),
               column(number_column("txPacket/s"), &PortSummary::tx_packets),
               column(number_column("txError rate(%)"), &PortSummary::tx_errors),
               column(number_column("txDropped rate(%)"), &PortSummary::tx_dropped),
               column(TextColumn{"funcId"}, &PortSummary::port));
constexpr auto kRoce = kNic.in_file("roce");

std::vector<PortSummary> port_rows(const Samples& samples) {
  std::map<std::pair<std::uint16_t, std::uint32_t>, PortSummary> ports;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ports.try_emplace({samples.device[i], samples.unit[i]}, samples, i).first->second.add(i);
  }
  std::vector<PortSummary> rows;
  for (const auto& [key, port] : ports) rows.push_back(port);
  return rows;
}

// One direction or one kind of transfer of a link.
struct LinkRow {
  std::uint16_t device;
  std::string_view mode;
  double least;
  double greatest;
  double mean;
};
constexpr auto kLinkDevice = column(TextColumn{"Device_id"}, &LinkRow::device);
constexpr auto kLinkMode = column(TextColumn{"Mode"}, &LinkRow::mode);

constexpr auto kHccs =
    text_table("hccs", kLinkDevice, kLinkMode, column(number_column("Max"), &LinkRow::greatest),
               column(number_column("Min"), &LinkRow::least),
               column(number_column("Average"), &LinkRow::mean));
constexpr auto kPcie = text_table(
    "pcie", kLinkDevice, kLinkMode, column(number_column("Min"), &LinkRow::least),
    column(number_column("Max"), &LinkRow::greatest), column(number_column("Avg"), &LinkRow::mean));

std::vector<LinkRow> hccs_rows(const Samples& samples) {
  std::map<std::uint16_t, std::array<Range, 2>> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t value = 0; value < 2; ++value) {
      devices[samples.device[i]][value].add(samples.row(i)[value]);
    }
  }
  std::vector<LinkRow> rows;
  for (const auto& [device, ranges] : devices) {
    for (std::size_t value = 0; value < 2; ++value) {
      const Range& range = ranges[value];
      rows.push_back({device, value == 0 ? "Tx (MB/s)" : "Rx (MB/s)", range.least(),
                      range.greatest(), range.mean()});
    }
  }
  return rows;
}

bool last_record_counts(const trace::Trace& trace, std::uint16_t device) {
  for (const trace::DeviceInfo& info : trace.devices) {
    if (info.id == device) {
      return format::device::adds_up_pcie_counters(static_cast<format::device::ChipId>(info.chip));
    }
  }
  return false;
}

// Each sample has the least, the greatest and the mean of a kind of transfer.
std::vector<LinkRow> pcie_rows(const trace::Trace& trace, const Samples& samples) {
  constexpr std::size_t kValues = 21;
  static constexpr std::string_view kModes[] = {
      "Tx_p_avg(MB/s)", "Tx_np_avg(MB/s)", "Tx_cpl_avg(MB/s)", "Tx_latency_avg(us)",
      "Rx_p_avg(MB/s)", "Rx_np_avg(MB/s)", "Rx_cpl_avg(MB/s)"};
  constexpr std::size_t kLatency = 3;
  constexpr double kToMegabytesPerSecond = 1e6 / kBytesPerMegabyte;  // Of bytes per microsecond.
  constexpr double kToMicroseconds = 0.001;

  std::map<std::uint16_t, std::array<Range, kValues>> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& ranges = devices[samples.device[i]];
    if (last_record_counts(trace, samples.device[i])) ranges = {};
    for (std::size_t value = 0; value < kValues; ++value) ranges[value].add(samples.row(i)[value]);
  }
  std::vector<LinkRow> rows;
  for (const auto& [device, ranges] : devices) {
    for (std::size_t mode = 0; mode < std::size(kModes); ++mode) {
      const double scale = mode == kLatency ? kToMicroseconds : kToMegabytesPerSecond;
      rows.push_back({device, kModes[mode], ranges[mode * 3].mean() * scale,
                      ranges[mode * 3 + 1].mean() * scale, ranges[mode * 3 + 2].mean() * scale});
    }
  }
  return rows;
}

}  // namespace

Status write_link_summaries(const trace::Trace& trace, std::span<const Samples> samples,
                            const CsvTarget& target, ThreadPool& pool) {
  for (const Samples& table : samples) {
    switch (table.kind) {
      case SampleKind::kHccs:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kHccs>(hccs_rows(table), target, pool));
        break;
      case SampleKind::kPcie:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kPcie>(pcie_rows(trace, table), target, pool));
        break;
      case SampleKind::kNic:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kNic>(port_rows(table), target, pool));
        break;
      case SampleKind::kRoce:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kRoce>(port_rows(table), target, pool));
        break;
      default:
        break;
    }
  }
  return ok_status();
}

}  // namespace npuprof::report
