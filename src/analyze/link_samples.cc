#include "trace/device/link_samples.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyze/sample_tables.h"
#include "format/device/chips.h"
#include "trace/device/ccu_channels.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;
using trace::LinkKind;
using trace::LinkValues;
using trace::Trace;

constexpr std::size_t kPcieValues = 21;
constexpr std::size_t kDvppValues = 8;
constexpr std::size_t kSioValues = 8;
constexpr std::size_t kNetdevCounters = 15;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

bool is_v6(const trace::DeviceInfo* device) {
  return device != nullptr &&
         format::device::is_v6(static_cast<format::device::ChipId>(device->chip));
}

std::string sio_label(bool v6, std::uint32_t die) {
  if (!v6) return "die " + std::to_string(die);
  return die == 0 ? "D-DIE0" : "U-DIE" + std::to_string(die - std::min(die, 2u));
}

class LinkTables {
 public:
  LinkTables(const Trace& trace, SampleTables& tables)
      : trace_(trace), rows_(trace.link_samples()), tables_(tables) {}

  void add_all() {
    for (std::size_t i = 0; i < rows_.size(); ++i) add(i);
  }

 private:
  void add(std::size_t i);
  void add_hccs(std::size_t i);
  void add_netdev(std::size_t i);
  void add_network(std::size_t i, SampleKind kind);
  void add_sio(std::size_t i);
  void add_qos(std::size_t i);

  // A row as it is, of the first `width` values.
  void copy(std::size_t i, SampleKind kind, std::uint32_t unit, std::string_view label,
            std::size_t width) {
    tables_.of(kind).add(rows_.time_ns[i], rows_.device[i], unit, label,
                         std::span(rows_.values[i]).first(width));
  }
  // The previous row of the same kind, device and unit; kNone if this is the first.
  std::uint32_t previous(std::size_t i) {
    const auto [last, is_first] =
        last_.try_emplace({rows_.kind[i], rows_.device[i], rows_.unit[i]}, kNone);
    return std::exchange(last->second, static_cast<std::uint32_t>(i));
  }
  double seconds_between(std::uint32_t from, std::size_t to) const {
    return static_cast<double>(interval_ns(rows_.time_ns[from], rows_.time_ns[to])) / kNsPerSecond;
  }

  const Trace& trace_;
  const trace::LinkSamples& rows_;
  SampleTables& tables_;
  std::map<std::tuple<std::uint8_t, std::uint16_t, std::uint32_t>, std::uint32_t> last_;
};

void LinkTables::add(std::size_t i) {
  const LinkValues& values = rows_.values[i];
  const std::uint32_t unit = rows_.unit[i];
  switch (static_cast<LinkKind>(rows_.kind[i])) {
    case LinkKind::kPcie:
      return copy(i, SampleKind::kPcie, kNone, "", kPcieValues);
    case LinkKind::kHccs:
      return add_hccs(i);
    case LinkKind::kNic:
      return add_network(i, SampleKind::kNic);
    case LinkKind::kRoce:
      return add_network(i, SampleKind::kRoce);
    case LinkKind::kNetdev:
      return add_netdev(i);
    case LinkKind::kUb:
      return copy(i, SampleKind::kUb, unit, "", 2);
    case LinkKind::kSio:
      return add_sio(i);
    case LinkKind::kQos:
      return add_qos(i);
    case LinkKind::kAccPmu:
      return copy(i, SampleKind::kAccPmu, unit, "", 4);
    case LinkKind::kPaLink:
      return copy(i, SampleKind::kPaLink, unit, "", 2);
    case LinkKind::kPcieTrans: {
      const bool v6 = is_v6(find_device(trace_, rows_.device[i]));
      tables_.of(SampleKind::kPcieTransfer)
          .add(rows_.time_ns[i], rows_.device[i], unit,
               (v6 ? "U-Die" : "PCIE ID ") + std::to_string(unit), {values[1], values[0]});
      return;
    }
    case LinkKind::kSocLevel:
      return copy(i, SampleKind::kSocLevel, kNone, "", 2);
    case LinkKind::kDvpp:
      return copy(i, SampleKind::kDvpp, unit, "", kDvppValues);
  }
}

// Cumulative bytes; after an overflow there is nothing to say about that interval.
void LinkTables::add_hccs(std::size_t i) {
  const std::uint32_t before = previous(i);
  if (before == kNone) return;
  const double seconds = seconds_between(before, i);
  const double sent = rows_.values[i][0] - rows_.values[before][0];
  const double received = rows_.values[i][1] - rows_.values[before][1];
  if (seconds <= 0 || sent < 0 || received < 0) return;
  tables_.of(SampleKind::kHccs)
      .add(rows_.time_ns[i], rows_.device[i], kNone, "",
           {sent / kBytesPerMegabyte / seconds, received / kBytesPerMegabyte / seconds});
}

void LinkTables::add_netdev(std::size_t i) {
  const std::uint32_t before = previous(i);
  if (before == kNone || seconds_between(before, i) <= 0) return;
  std::array<double, kNetdevCounters + 4> row{};
  std::size_t used = 0;
  for (std::size_t counter = 0; counter < kNetdevCounters; ++counter) {
    const double increase = std::max(0.0, rows_.values[i][counter] - rows_.values[before][counter]);
    row[used++] = increase;
    const bool is_traffic = counter == 2 || counter == 3 || counter == 13 || counter == 14;
    if (is_traffic) row[used++] = increase / seconds_between(before, i);
  }
  tables_.of(SampleKind::kNetdev).add(rows_.time_ns[i], rows_.device[i], kNone, "", row);
}

void LinkTables::add_network(std::size_t i, SampleKind kind) {
  constexpr double kBitsPerByte = 8;
  std::array<double, kNetworkValues> row{};
  std::copy_n(rows_.values[i].begin(), kTxDropped + 1, row.begin());
  const double bandwidth = row[kBandwidth] * kBytesPerMegabyte;
  row[kRxDroppedRate] = ratio(row[kRxDropped], row[kRxPackets]);
  row[kRxErrorRate] = ratio(row[kRxErrors], row[kRxPackets]);
  row[kRxEfficiency] = ratio(row[kRxByteRate] * kBitsPerByte, bandwidth);
  row[kTxDroppedRate] = ratio(row[kTxDropped], row[kTxPackets]);
  row[kTxErrorRate] = ratio(row[kTxErrors], row[kTxPackets]);
  row[kTxEfficiency] = ratio(row[kTxByteRate] * kBitsPerByte, bandwidth);
  tables_.of(kind).add(rows_.time_ns[i], rows_.device[i], rows_.unit[i], "", row);
}

// Bytes since the previous sample of the die.
void LinkTables::add_sio(std::size_t i) {
  const std::uint32_t before = previous(i);
  if (before == kNone || seconds_between(before, i) <= 0) return;
  std::array<double, kSioValues> row{};
  for (std::size_t value = 0; value < row.size(); ++value) {
    row[value] = rows_.values[i][value] / kBytesPerMegabyte / seconds_between(before, i);
  }
  const bool v6 = is_v6(find_device(trace_, rows_.device[i]));
  tables_.of(SampleKind::kSio)
      .add(rows_.time_ns[i], rows_.device[i], rows_.unit[i], sio_label(v6, rows_.unit[i]), row);
}

void LinkTables::add_qos(std::size_t i) {
  const trace::DeviceInfo* device = find_device(trace_, rows_.device[i]);
  if (device == nullptr) return;
  const std::uint32_t die = is_v6(device) ? rows_.unit[i] : kNone;
  const std::size_t streams = std::min(device->qos_streams.size(), rows_.values[i].size());
  for (std::size_t stream = 0; stream < streams; ++stream) {
    tables_.of(SampleKind::kQos)
        .add(rows_.time_ns[i], rows_.device[i], die, "QoS " + device->qos_streams[stream],
             {rows_.values[i][stream]});
  }
}

// The delay is that of a packet, in ticks of the device's clock.
double channel_mb_s(std::uint32_t delay_ticks, double counter_mhz) {
  constexpr double kPacketBytes = 4096;
  constexpr double kMicroseconds = 1e6;
  if (delay_ticks == 0) return 0;
  return kPacketBytes * counter_mhz / delay_ticks * kMicroseconds / kBytesPerMegabyte;
}

void add_ccu_channels(const Trace& trace, SampleTables& tables) {
  const auto& rows = trace.ccu_channels();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const trace::DeviceInfo* device = find_device(trace, rows.device[i]);
    const double mhz = device == nullptr ? 0 : device->counter_mhz;
    tables.of(SampleKind::kCcuChannel)
        .add(rows.time_ns[i], rows.device[i], rows.channel[i], "",
             {channel_mb_s(rows.min_delay[i], mhz), channel_mb_s(rows.max_delay[i], mhz),
              channel_mb_s(rows.average_delay[i], mhz)});
  }
}

}  // namespace

void add_link_samples(const Trace& trace, SampleTables& tables) {
  LinkTables(trace, tables).add_all();
  add_ccu_channels(trace, tables);
}

}  // namespace npuprof::analyze
