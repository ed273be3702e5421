#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "analyze/sample_tables.h"
#include "format/device/chips.h"
#include "format/device/module_names.h"
#include "trace/device/device_memory.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"

namespace npuprof::analyze {
namespace {

using trace::MemoryBandwidthKind;
using trace::Trace;

constexpr double kHbmBytesPerCount = 32;
constexpr double kLlcBytesPerCount = 64;

// Bytes of one count: the width of the bus.
double ddr_bytes_per_count(const trace::DeviceInfo* device) {
  const format::device::Chip* chip =
      device == nullptr ? nullptr : format::device::find_chip(device->chip);
  return chip != nullptr && chip->family == format::device::ChipFamily::kHwts ? 32 : 16;
}

// The time of the previous sample of each counter.
class Intervals {
 public:
  // MB/s since the previous sample; NaN if this is the first.
  double rate(std::uint16_t device, std::uint32_t unit, std::uint32_t event, std::int64_t time_ns,
              double bytes) {
    const auto [last, is_first] = last_ns_.try_emplace({device, unit, event}, time_ns);
    const std::int64_t passed_ns = interval_ns(std::exchange(last->second, time_ns), time_ns);
    if (is_first) return kNoRate;
    if (passed_ns <= 0) return 0;
    return bytes / kBytesPerMegabyte * kNsPerSecond / static_cast<double>(passed_ns);
  }

 private:
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>, std::int64_t> last_ns_;
};

void add_hbm(const trace::MemoryBandwidth& rows, SampleTables& tables) {
  Intervals intervals;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.kind[i] != static_cast<std::uint8_t>(MemoryBandwidthKind::kHbm)) continue;
    const double rate = intervals.rate(rows.device[i], rows.unit[i], rows.event[i], rows.time_ns[i],
                                       static_cast<double>(rows.count[i]) * kHbmBytesPerCount);
    tables.of(SampleKind::kHbm)
        .add(rows.time_ns[i], rows.device[i], rows.unit[i], rows.event[i] == 0 ? "Read" : "Write",
             {rate});
  }
}

// Which of the eight counters of a cache slice an event is: the order in which the events of both
// modes are set up. 8 = none of them.
std::size_t llc_counter(std::uint32_t event) {
  switch (event) {
    case 0x00:
    case 0x01:
      return event;
    case 0x02:
    case 0x03:
      return 2;
    case 0x13:
    case 0x14:
      return 3;
    case 0x20:
    case 0x21:
      return 4;
    case 0x22:
    case 0x23:
      return 5;
    case 0x34:
    case 0x35:
      return 6;
    case 0x36:
    case 0x37:
      return 7;
    default:
      return 8;
  }
}

void add_llc(const Trace& trace, SampleTables& tables) {
  const auto& rows = trace.memory_bandwidth();
  // The counters of one slice are read together, each in a record of its own.
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::int64_t>, std::array<double, 8>> counts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.kind[i] != static_cast<std::uint8_t>(MemoryBandwidthKind::kLlc)) continue;
    const std::size_t counter = llc_counter(rows.event[i]);
    if (counter >= 8) continue;
    counts[{rows.device[i], rows.unit[i], rows.time_ns[i]}][counter] +=
        static_cast<double>(rows.count[i]);
  }
  Intervals intervals;
  for (const auto& [key, events] : counts) {
    const auto [device, slice, time_ns] = key;
    const trace::DeviceInfo* info = find_device(trace, device);
    const bool is_write = info != nullptr && info->llc_mode == "write";
    const double requests = events[4] + events[6];
    const double hits = events[2] + events[3] + events[5] + events[7];
    const double rate =
        intervals.rate(device, slice, 0, time_ns, (events[0] + events[1]) * kLlcBytesPerCount);
    tables.of(SampleKind::kLlc)
        .add(time_ns, device, slice, is_write ? "Write" : "Read",
             {requests > 0 ? hits / requests : 0, rate});
  }
}

void add_ddr(const Trace& trace, SampleTables& tables) {
  const auto& rows = trace.memory_bandwidth();
  // All channels together.
  std::map<std::pair<std::uint16_t, std::int64_t>, std::array<double, 2>> counts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.kind[i] != static_cast<std::uint8_t>(MemoryBandwidthKind::kDdr)) continue;
    counts[{rows.device[i], rows.time_ns[i]}][rows.event[i] == 0 ? 0 : 1] +=
        static_cast<double>(rows.count[i]);
  }
  Intervals intervals;
  for (const auto& [key, count] : counts) {
    const auto [device, time_ns] = key;
    const double width = ddr_bytes_per_count(find_device(trace, device));
    tables.of(SampleKind::kDdr)
        .add(time_ns, device, trace::kNone, "",
             {intervals.rate(device, 0, 0, time_ns, count[0] * width),
              intervals.rate(device, 0, 1, time_ns, count[1] * width)});
  }
}

void add_device_memory(const trace::DeviceMemory& rows, SampleTables& tables) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto ddr = static_cast<double>(rows.ddr_bytes[i]);
    const auto hbm = static_cast<double>(rows.hbm_bytes[i]);
    tables.of(SampleKind::kDeviceMemory)
        .add(rows.time_ns[i], rows.device[i], trace::kNone, rows.event[i] == 0 ? "APP" : "Device",
             {ddr, hbm, ddr + hbm});
  }
}

std::string_view component_name(const trace::Session& session, std::uint32_t module) {
  const auto found = session.module_names.find(module);
  if (found != session.module_names.end()) return found->second;
  const std::string_view name = format::device::module_name(module);
  return name.empty() ? "Unknown" : name;
}

void add_module_memory(const Trace& trace, SampleTables& tables) {
  const trace::ModuleMemory& rows = trace.module_memory();
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(rows.device[a], rows.module[a], rows.time_ns[a]) <
           std::tuple(rows.device[b], rows.module[b], rows.time_ns[b]);
  });
  for (const std::uint32_t i : order) {
    tables.of(SampleKind::kModuleMemory)
        .add(rows.time_ns[i], rows.device[i], rows.module[i],
             component_name(trace.session, rows.module[i]),
             {static_cast<double>(rows.reserved_bytes[i])});
  }
}

}  // namespace

void add_memory_samples(const Trace& trace, SampleTables& tables) {
  add_hbm(trace.memory_bandwidth(), tables);
  add_llc(trace, tables);
  add_ddr(trace, tables);
  add_device_memory(trace.device_memory(), tables);
  add_module_memory(trace, tables);
}

}  // namespace npuprof::analyze
