#include "analyze/samples.h"

#include <algorithm>

#include "analyze/sample_tables.h"
#include "format/device/chips.h"
#include "trace/device/frequencies.h"
#include "trace/host/host_usage.h"

namespace npuprof::analyze {
namespace {

using trace::HostUsageKind;
using trace::kNone;
using trace::Trace;

constexpr std::uint8_t kClock = 0;  // Frequencies::kind.

bool logs_clock_changes(const trace::DeviceInfo& device) {
  return format::device::logs_clock_changes(static_cast<format::device::ChipId>(device.chip));
}

// Changes of the AI core clock since the collection began, with the value then and at the end, so
// that a graph has both ends. Without changes it ran at its nominal frequency.
void add_clock(const Trace& trace, const trace::DeviceInfo& device, Samples& table) {
  const auto& changes = trace.frequencies();
  const std::int64_t begin_ns = trace.session.begin_ns;
  double mhz = device.aic_mhz;
  std::vector<std::uint32_t> shown;
  for (std::uint32_t i = 0; i < changes.size(); ++i) {
    if (changes.device[i] != device.id || changes.kind[i] != kClock) continue;
    if (changes.time_ns[i] < begin_ns) {
      mhz = changes.value[i];
    } else {
      shown.push_back(i);
    }
  }
  if (mhz > 0 && begin_ns != 0) table.add(begin_ns, device.id, kNone, "", {mhz});
  for (const std::uint32_t i : shown) {
    mhz = changes.value[i];
    table.add(changes.time_ns[i], device.id, kNone, "", {mhz});
  }
  const std::int64_t end_ns = trace.session.end_ns;
  if (mhz > 0 && end_ns > begin_ns && (shown.empty() || changes.time_ns[shown.back()] < end_ns)) {
    table.add(end_ns, device.id, kNone, "", {mhz});
  }
}

void add_frequencies(const Trace& trace, SampleTables& tables) {
  // Results list both ends already.
  const bool is_complete = trace.session.origin == trace::Origin::kResults;
  for (const trace::DeviceInfo& device : trace.devices) {
    if (is_complete || !logs_clock_changes(device)) continue;
    add_clock(trace, device, tables.of(SampleKind::kFrequency));
  }
  const auto& rows = trace.frequencies();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double value = rows.value[i];
    if (rows.kind[i] != kClock) {
      tables.of(SampleKind::kVoltage)
          .add(rows.time_ns[i], rows.device[i], kNone,
               rows.kind[i] == 1 ? "Aicore Voltage" : "Bus Voltage", {value});
      continue;
    }
    const trace::DeviceInfo* device = find_device(trace, rows.device[i]);
    if (device != nullptr && logs_clock_changes(*device)) {
      if (!is_complete) continue;
      tables.of(SampleKind::kFrequency).add(rows.time_ns[i], rows.device[i], kNone, "", {value});
      continue;
    }
    // Other chips have a clock on each die and report it from time to time.
    tables.of(SampleKind::kFrequency)
        .add(rows.time_ns[i], rows.device[i], rows.die[i], " Die " + std::to_string(rows.die[i]),
             {value});
  }
}

void add_host_usage(const Trace& trace, SampleTables& tables) {
  const auto& rows = trace.host_usage();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t time_ns = rows.time_ns[i];
    const double percent = rows.usage_percent[i];
    switch (static_cast<HostUsageKind>(rows.kind[i])) {
      case HostUsageKind::kCpu:
        tables.of(rows.unit[i] == kNone ? SampleKind::kCpuAverage : SampleKind::kCpu)
            .add(time_ns, 0, rows.unit[i], "", {percent});
        break;
      case HostUsageKind::kMemory:
        tables.of(SampleKind::kHostMemory).add(time_ns, 0, kNone, "", {percent});
        break;
      case HostUsageKind::kDisk:
        tables.of(SampleKind::kDisk)
            .add(time_ns, 0, kNone, "", {percent, rows.first_rate[i], rows.second_rate[i]});
        break;
      case HostUsageKind::kNetwork:
        tables.of(SampleKind::kNetwork).add(time_ns, 0, kNone, "", {percent, rows.first_rate[i]});
        break;
    }
  }
}

void drop_before(std::int64_t begin_ns, Samples& table) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.time_ns[i] < begin_ns) continue;
    table.time_ns[kept] = table.time_ns[i];
    table.device[kept] = table.device[i];
    table.unit[kept] = table.unit[i];
    table.label[kept] = table.label[i];
    const auto row = table.row(i);
    std::copy(row.begin(), row.end(),
              table.values.begin() + static_cast<std::ptrdiff_t>(kept * table.width));
    ++kept;
  }
  table.time_ns.resize(kept);
  table.device.resize(kept);
  table.unit.resize(kept);
  table.label.resize(kept);
  table.values.resize(kept * table.width);
}

}  // namespace

void Samples::add(std::int64_t time, std::uint16_t of_device, std::uint32_t of_unit,
                  std::string_view with_label, std::span<const double> row_values) {
  width = row_values.size();
  // Few labels, and mostly the same again.
  auto found = std::find(labels.begin(), labels.end(), with_label);
  if (found == labels.end()) found = labels.emplace(labels.end(), with_label);
  time_ns.push_back(time);
  device.push_back(of_device);
  unit.push_back(of_unit);
  label.push_back(static_cast<std::uint32_t>(found - labels.begin()));
  values.insert(values.end(), row_values.begin(), row_values.end());
}

std::vector<Samples> SampleTables::take() {
  std::vector<Samples> taken;
  for (Samples& table : tables_) {
    if (table.size() > 0) taken.push_back(std::move(table));
    table = {};
  }
  return taken;
}

const trace::DeviceInfo* find_device(const Trace& trace, std::uint16_t device) {
  for (const trace::DeviceInfo& info : trace.devices) {
    if (info.id == device) return &info;
  }
  return nullptr;
}

std::vector<Samples> samples(const Trace& trace) {
  SampleTables tables;
  add_frequencies(trace, tables);
  add_memory_samples(trace, tables);
  add_link_samples(trace, tables);
  add_rate_samples(trace, tables);
  add_core_samples(trace, tables);
  add_host_usage(trace, tables);
  std::vector<Samples> all = tables.take();
  for (Samples& table : all) drop_before(trace.session.begin_ns, table);
  std::erase_if(all, [](const Samples& table) { return table.size() == 0; });
  return all;
}

const Samples* find_samples(std::span<const Samples> all, SampleKind kind) {
  for (const Samples& table : all) {
    if (table.kind == kind) return &table;
  }
  return nullptr;
}

}  // namespace npuprof::analyze
