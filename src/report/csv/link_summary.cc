#include <array>
#include <map>
#include <utility>

#include "format/device/chips.h"
#include "report/csv/sample_summary.h"
#include "report/csv/summary_text.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using analyze::Samples;

constexpr double kBytesPerMegabyte = 1024.0 * 1024.0;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// A port over the whole run. Counts are cumulative, since long before the run.
class PortSummary {
 public:
  PortSummary(const Samples& samples, std::size_t first, std::size_t last)
      : samples_(samples), first_(first), last_(last) {}

  void add(std::size_t i) {
    rx_packets_.add(samples_.row(i)[analyze::kRxPacketRate]);
    tx_packets_.add(samples_.row(i)[analyze::kTxPacketRate]);
    last_ = i;
  }

  std::string line(std::uint16_t device, std::uint32_t port) const {
    using namespace analyze;  // NOLINT(google-build-using-namespace): the names of the values.
    SummaryLine line(std::uint64_t{device});
    line.time(samples_.time_ns[first_]).number(samples_.row(first_)[kBandwidth]);
    line.number(efficiency(kRxBytes)).number(rx_packets_.mean());
    line.number(rate(kRxErrors, kRxPackets)).number(rate(kRxDropped, kRxPackets));
    line.number(efficiency(kTxBytes)).number(tx_packets_.mean());
    line.number(rate(kTxErrors, kTxPackets)).number(rate(kTxDropped, kTxPackets));
    return line.integer(port).take();
  }

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
    const double bandwidth = samples_.row(first_)[analyze::kBandwidth] * kBytesPerMegabyte;
    return share(increase(bytes) * kBitsPerByte, seconds * bandwidth);
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

SummaryTable network_summary(const Samples& samples, std::string_view stem) {
  SummaryTable table{stem,
                     "Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%),"
                     "rxPacket/s,rxError rate(%),rxDropped rate(%),Tx Bandwidth efficiency(%),"
                     "txPacket/s,txError rate(%),txDropped rate(%),funcId",
                     {}};
  std::map<std::pair<std::uint16_t, std::uint32_t>, PortSummary> ports;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ports.try_emplace({samples.device[i], samples.unit[i]}, samples, i, i).first->second.add(i);
  }
  for (const auto& [key, port] : ports) table.rows.push_back(port.line(key.first, key.second));
  return table;
}

SummaryTable hccs(const Samples& samples) {
  SummaryTable table{"hccs", "Device_id,Mode,Max,Min,Average", {}};
  std::map<std::uint16_t, std::array<Range, 2>> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t value = 0; value < 2; ++value) {
      devices[samples.device[i]][value].add(samples.row(i)[value]);
    }
  }
  for (const auto& [device, ranges] : devices) {
    for (std::size_t value = 0; value < 2; ++value) {
      const Range& range = ranges[value];
      SummaryLine line(std::uint64_t{device});
      line.text(value == 0 ? "Tx (MB/s)" : "Rx (MB/s)");
      line.number(range.greatest()).number(range.least()).number(range.mean());
      table.rows.push_back(line.take());
    }
  }
  return table;
}

// The counters of the 910B run on, so that its last record tells about the whole run.
bool last_record_counts(const trace::Trace& trace, std::uint16_t device) {
  for (const trace::DeviceInfo& info : trace.devices) {
    if (info.id == device) {
      return static_cast<format::device::ChipId>(info.chip) == format::device::ChipId::k910B;
    }
  }
  return false;
}

SummaryTable pcie(const trace::Trace& trace, const Samples& samples) {
  constexpr std::size_t kValues = 21;
  static constexpr std::string_view kModes[] = {
      "Tx_p_avg(MB/s)", "Tx_np_avg(MB/s)", "Tx_cpl_avg(MB/s)", "Tx_latency_avg(us)",
      "Rx_p_avg(MB/s)", "Rx_np_avg(MB/s)", "Rx_cpl_avg(MB/s)"};
  constexpr std::size_t kLatency = 3;
  constexpr double kToMegabytesPerSecond = 1e6 / kBytesPerMegabyte;  // Of bytes per microsecond.
  constexpr double kToMicroseconds = 0.001;

  SummaryTable table{"pcie", "Device_id,Mode,Min,Max,Avg", {}};
  std::map<std::uint16_t, std::array<Range, kValues>> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& ranges = devices[samples.device[i]];
    if (last_record_counts(trace, samples.device[i])) ranges = {};
    for (std::size_t value = 0; value < kValues; ++value) ranges[value].add(samples.row(i)[value]);
  }
  for (const auto& [device, ranges] : devices) {
    for (std::size_t mode = 0; mode < std::size(kModes); ++mode) {
      const double scale = mode == kLatency ? kToMicroseconds : kToMegabytesPerSecond;
      SummaryLine line(std::uint64_t{device});
      line.text(kModes[mode]);
      for (std::size_t part = 0; part < 3; ++part) {
        line.number(ranges[mode * 3 + part].mean() * scale);
      }
      table.rows.push_back(line.take());
    }
  }
  return table;
}

}  // namespace

std::vector<SummaryTable> link_summaries(const trace::Trace& trace,
                                         std::span<const Samples> samples) {
  std::vector<SummaryTable> tables;
  for (const Samples& table : samples) {
    switch (table.kind) {
      case SampleKind::kHccs:
        tables.push_back(hccs(table));
        break;
      case SampleKind::kPcie:
        tables.push_back(pcie(trace, table));
        break;
      case SampleKind::kNic:
        tables.push_back(network_summary(table, "nic"));
        break;
      case SampleKind::kRoce:
        tables.push_back(network_summary(table, "roce"));
        break;
      default:
        break;
    }
  }
  return tables;
}

}  // namespace npuprof::report
