#include "sim/prof/device_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/device/memory_samples.h"
#include "format/device/module_names.h"
#include "sim/model/random.h"

namespace npuprof::sim {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kMillionBytes = 1024.0 * 1024.0;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::uint32_t kHbmIds = 4;  // Readers count on this number.
constexpr std::uint32_t kLlcLineBytes = 64;
constexpr double kPacketBytes = 4096;
constexpr std::uint64_t kVariations = 64;  // More than there are in one sample.

// Number of last-level cache slices a chip reports.
std::uint32_t llc_slices(format::device::ChipId chip) {
  if (chip == format::device::ChipId::k910B) return 2;
  return format::device::family_of(chip) == format::device::ChipFamily::kStars ? 1 : 4;
}

std::uint64_t whole(double value) {
  return value <= 0 ? 0 : static_cast<std::uint64_t>(std::llround(value));
}
std::uint32_t whole32(double value) {
  constexpr double kLargest = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(whole(std::min(value, kLargest)));
}

format::device::MinMaxAverage spread(double gb_s, double variation) {
  const double mb_s = gb_s * kGigabyte / kMillionBytes * variation;
  return {whole32(mb_s * 0.8), whole32(mb_s * 1.15), whole32(mb_s)};
}

// Nearly all bytes between dies are data.
format::device::SioBytes sio_bytes(double bytes) {
  return {.request = whole32(bytes * 0.03),
          .response = whole32(bytes * 0.03),
          .snoop = whole32(bytes * 0.01),
          .data = whole32(bytes * 0.93)};
}

format::device::NetworkDirection direction(double gb_s, double total_bytes) {
  return {.packets_per_s = std::round(gb_s * kGigabyte / kPacketBytes),
          .bytes_per_s = std::round(gb_s * kGigabyte),
          .packets = whole(total_bytes / kPacketBytes),
          .bytes = whole(total_bytes)};
}

std::int64_t period_of(std::uint32_t hz) { return hz == 0 ? 0 : kSecondNs / hz; }

}  // namespace

DeviceSamples::DeviceSamples(DeviceSampleWriter& writer, const SimClock& clock,
                             format::device::ChipId chip, std::uint32_t device,
                             std::int64_t begin_ns, DeviceSampleOptions options)
    : writer_(writer), clock_(clock), chip_(chip), device_(device), options_(options) {
  series_[kMemory].period_ns = period_of(options.memory_hz);
  series_[kInterconnection].period_ns = period_of(options.interconnection_hz);
  series_[kIo].period_ns = period_of(options.io_hz);
  for (Series& series : series_) series.next_ns = begin_ns + series.period_ns;
}

std::int64_t DeviceSamples::next_ns() const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const Series& series : series_) {
    if (series.period_ns > 0) next = std::min(next, series.next_ns);
  }
  return next;
}

void DeviceSamples::advance_to(std::int64_t time_ns,
                               const std::function<DeviceLoad(std::int64_t)>& load_at) {
  while (next_ns() <= time_ns) {
    const std::int64_t now = next_ns();
    const DeviceLoad load = load_at(now);
    for (std::size_t name = 0; name < kSeriesCount; ++name) {
      Series& series = series_[name];
      if (series.period_ns == 0 || series.next_ns != now) continue;
      sample(static_cast<SeriesName>(name), series, load);
      series.next_ns += series.period_ns;
      ++series.index;
    }
  }
}

void DeviceSamples::sample(SeriesName name, const Series& series, const DeviceLoad& load) {
  current_ = series.index * kSeriesCount + name;
  const double seconds = static_cast<double>(series.period_ns) / kSecondNs;
  switch (name) {
    case kMemory:
      return sample_memory(series.next_ns, seconds, load);
    case kInterconnection:
      return sample_interconnection(series.next_ns, seconds, load);
    case kIo:
      return sample_network(series.next_ns, seconds, load);
    case kSeriesCount:
      return;
  }
}

void DeviceSamples::sample_memory(std::int64_t time_ns, double seconds, const DeviceLoad& load) {
  const auto time_us = static_cast<std::uint64_t>(clock_.device_sample_us(time_ns));
  const auto short_us = static_cast<std::uint32_t>(time_us);
  const std::uint64_t ticks = clock_.device_ticks(time_ns);
  sample_hbm(time_us, seconds, load);
  sample_llc(time_us, seconds, load);
  const std::uint64_t own = load.app_bytes + load.hccl_bytes + load.runtime_bytes;
  writer_.process_memory(short_us, 0, own);
  writer_.device_memory(short_us, 0, std::max(load.device_bytes, own));
  sample_modules(clock_.host_ticks(time_ns), load);
  // Levels: shares of what fits their bits.
  const double busy = std::clamp(load.ai_core_utilization, 0.0, 1.0);
  writer_.inter_soc(ticks, static_cast<unsigned>(busy * 7), static_cast<unsigned>(busy * 255));
  writer_.accelerator(ticks, 0,
                      {whole(load.hbm_write_gb_s * vary(40)), whole(load.hbm_read_gb_s * vary(41))},
                      {whole(busy * 32), whole(busy * 64)});
}

void DeviceSamples::sample_hbm(std::uint64_t time_us, double seconds, const DeviceLoad& load) {
  constexpr double kShare = kGigabyte / kHbmIds / format::device::HbmSample::kBytesPerCount;
  for (std::uint32_t id = 0; id < kHbmIds; ++id) {
    for (std::uint32_t write = 0; write < 2; ++write) {
      const double gb_s = write != 0 ? load.hbm_write_gb_s : load.hbm_read_gb_s;
      writer_.hbm({.time_us = time_us,
                   .count = whole(gb_s * seconds * kShare * vary(2 * id + write)),
                   .direction = write,
                   .hbm_id = id});
    }
  }
}

void DeviceSamples::sample_llc(std::uint64_t time_us, double seconds, const DeviceLoad& load) {
  const auto& events =
      options_.llc_write ? format::device::kLlcWriteEvents : format::device::kLlcReadEvents;
  const std::uint32_t slices = llc_slices(chip_);
  const double gb_s = options_.llc_write ? load.hbm_write_gb_s : load.hbm_read_gb_s;
  const double hit_rate = std::clamp(load.l2_hit_rate, 0.0, 1.0);
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    // Lines moved (events 0 and 1), then lookups (4 and 6) and hits (2, 3, 5 and 7) among them.
    const double lines = gb_s * kGigabyte * seconds / slices / kLlcLineBytes * vary(10 + slice);
    const double lookups = lines / 2;
    const double hits = lookups * 2 * hit_rate / 4;
    const std::array<double, 8> counts = {lines / 2, lines / 2, hits,    hits,
                                          lookups,   hits,      lookups, hits};
    for (std::size_t i = 0; i < events.size(); ++i) {
      writer_.llc(
          {.time_us = time_us, .count = whole(counts[i]), .event = events[i], .slice_id = slice});
    }
  }
}

void DeviceSamples::sample_modules(std::uint64_t host_ticks, const DeviceLoad& load) {
  writer_.module_memory(format::device::kModuleHccl, host_ticks, load.hccl_bytes);
  writer_.module_memory(format::device::kModuleRuntime, host_ticks, load.runtime_bytes);
  writer_.module_memory(format::device::kModuleApp, host_ticks, load.app_bytes);
}

void DeviceSamples::sample_interconnection(std::int64_t time_ns, double seconds,
                                           const DeviceLoad& load) {
  const auto monotonic_ns = static_cast<std::uint64_t>(clock_.device_monotonic_ns(time_ns));
  const std::uint64_t ticks = clock_.device_ticks(time_ns);
  sample_pcie(monotonic_ns, load);
  hccs_.sent += load.hccs.sent_gb_s * kGigabyte * seconds * vary(20);
  hccs_.received += load.hccs.received_gb_s * kGigabyte * seconds * vary(21);
  writer_.hccs({monotonic_ns, whole(hccs_.sent), whole(hccs_.received)});
  writer_.chip_pcie(ticks, 0, whole(load.pcie.received_gb_s * kGigabyte * seconds * vary(22)),
                    whole(load.pcie.sent_gb_s * kGigabyte * seconds * vary(23)));
  writer_.chip_link(ticks, 0, whole(load.hccs.received_gb_s * kGigabyte * seconds * vary(21)),
                    whole(load.hccs.sent_gb_s * kGigabyte * seconds * vary(20)));
  if (options_.dual_die) sample_sio(ticks, seconds, load);
}

void DeviceSamples::sample_pcie(std::uint64_t monotonic_ns, const DeviceLoad& load) {
  // What is sent to the host are posted writes; what is received from it answers reads.
  format::device::PcieSample sample{.time_ns = monotonic_ns, .device_id = device_};
  sample.sent_posted = spread(load.pcie.sent_gb_s, vary(30));
  sample.sent_non_posted = spread(load.pcie.received_gb_s * 0.02, vary(31));
  sample.sent_completion = spread(load.pcie.sent_gb_s * 0.01, vary(32));
  if (load.pcie.received_gb_s > 0) sample.sent_non_posted_latency = {700, 2400, 1100};
  sample.received_posted = spread(load.pcie.received_gb_s * 0.05, vary(33));
  sample.received_non_posted = spread(load.pcie.sent_gb_s * 0.01, vary(34));
  sample.received_completion = spread(load.pcie.received_gb_s * 0.95, vary(35));
  writer_.pcie(sample);
}

void DeviceSamples::sample_sio(std::uint64_t ticks, double seconds, const DeviceLoad& load) {
  const double sent = load.sio.sent_gb_s * kGigabyte * seconds * vary(24);
  const double received = load.sio.received_gb_s * kGigabyte * seconds * vary(25);
  // What one die sends the other receives.
  writer_.die_to_die(ticks, 0, sio_bytes(received), sio_bytes(sent));
  writer_.die_to_die(ticks, format::device::is_v6(chip_) ? 2 : 1, sio_bytes(sent),
                     sio_bytes(received));
}

void DeviceSamples::sample_network(std::int64_t time_ns, double seconds, const DeviceLoad& load) {
  const auto monotonic_ns = static_cast<std::uint64_t>(clock_.device_monotonic_ns(time_ns));
  const auto sample_of = [&](const LinkLoad& link, LinkBytes& total, std::uint64_t what) {
    const double sent_gb_s = link.sent_gb_s * vary(what);
    const double received_gb_s = link.received_gb_s * vary(what + 1);
    total.sent += sent_gb_s * kGigabyte * seconds;
    total.received += received_gb_s * kGigabyte * seconds;
    return format::device::NetworkSample{.time_ns = monotonic_ns,
                                         .bandwidth_mb_s = options_.network_port_mb_s,
                                         .received = direction(received_gb_s, total.received),
                                         .sent = direction(sent_gb_s, total.sent),
                                         .function_id = 0};
  };
  writer_.nic(sample_of(load.nic, nic_, 50));
  writer_.roce(sample_of(load.roce, roce_, 52));
}

double DeviceSamples::vary(std::uint64_t what) const {
  constexpr double kDeviation = 0.03;
  const std::uint64_t seed = derive_seed(options_.seed, device_);
  const std::uint64_t bits = derive_seed(seed, current_ * kVariations + what);
  const double unit = static_cast<double>(bits >> 11) * 0x1.0p-53;
  return 1 + kDeviation * (2 * unit - 1);
}

}  // namespace npuprof::sim
