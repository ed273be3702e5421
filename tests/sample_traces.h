#pragma once

// Small traces with samples, made by hand.

#include <array>
#include <cstdint>
#include <initializer_list>

#include "trace/device/device_memory.h"
#include "trace/device/link_samples.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/host/host_usage.h"
#include "trace/trace.h"

namespace npuprof::testing {

inline constexpr std::int64_t kBegin = 1'000'000'000;  // ns; samples count from here.
inline constexpr std::int64_t kMillisecond = 1'000'000;

// One device, a 910B unless told otherwise.
inline trace::Trace device_trace(std::uint32_t chip = 5) {
  trace::Trace trace;
  trace.session.begin_ns = kBegin;
  trace.session.end_ns = kBegin + 1000 * kMillisecond;
  trace.session.pid = 77;
  trace::DeviceInfo device;
  device.id = 1;
  device.chip = chip;
  device.aic_mhz = 1800;
  trace.devices.push_back(device);
  return trace;
}

inline void add_link(trace::Trace& trace, trace::LinkKind kind, std::int64_t after_ms,
                     std::uint32_t unit, std::initializer_list<double> values) {
  auto& rows = trace.link_samples();
  rows.time_ns.push_back(kBegin + after_ms * kMillisecond);
  rows.device.push_back(1);
  rows.kind.push_back(static_cast<std::uint8_t>(kind));
  rows.unit.push_back(unit);
  trace::LinkValues& row = rows.values.emplace_back();
  std::size_t i = 0;
  for (const double value : values) row[i++] = value;
}

inline void add_bandwidth(trace::Trace& trace, trace::MemoryBandwidthKind kind,
                          std::int64_t after_ms, std::uint32_t unit, std::uint32_t event,
                          std::uint64_t count) {
  auto& rows = trace.memory_bandwidth();
  rows.time_ns.push_back(kBegin + after_ms * kMillisecond);
  rows.device.push_back(1);
  rows.kind.push_back(static_cast<std::uint8_t>(kind));
  rows.unit.push_back(unit);
  rows.event.push_back(event);
  rows.count.push_back(count);
}

inline void add_device_memory(trace::Trace& trace, std::int64_t after_ms, std::uint8_t event,
                              std::uint64_t hbm_bytes) {
  auto& rows = trace.device_memory();
  rows.time_ns.push_back(kBegin + after_ms * kMillisecond);
  rows.device.push_back(1);
  rows.event.push_back(event);
  rows.ddr_bytes.push_back(2048);
  rows.hbm_bytes.push_back(hbm_bytes);
}

inline void add_host_usage(trace::Trace& trace, trace::HostUsageKind kind, std::int64_t after_ms,
                           std::uint32_t unit, double percent, double first = 0,
                           double second = 0) {
  auto& rows = trace.host_usage();
  rows.time_ns.push_back(kBegin + after_ms * kMillisecond);
  rows.kind.push_back(static_cast<std::uint8_t>(kind));
  rows.unit.push_back(unit);
  rows.usage_percent.push_back(percent);
  rows.first_rate.push_back(first);
  rows.second_rate.push_back(second);
}

}  // namespace npuprof::testing
