#include "sim/model/sim_clock.h"

#include <algorithm>
#include <cmath>

#include "sim/model/random.h"

namespace npuprof::sim {
namespace {

// Parts of the seed. Hosts, ranks and devices draw from different streams.
constexpr std::uint64_t kHostPart = 0x686F7374;
constexpr std::uint64_t kRankPart = 0x72616E6B;
constexpr std::uint64_t kDevicePart = 0x64657669;

constexpr std::int64_t kMillisecond = 1'000'000;

}  // namespace

SimClock::SimClock(const ClockOptions& options) {
  Random host(derive_seed(options.seed ^ kHostPart, options.node));
  Random rank(derive_seed(options.seed ^ kRankPart, options.rank));
  Random device(
      derive_seed(options.seed ^ kDevicePart, std::uint64_t{options.node} << 32 | options.device));
  anchors_.host_mhz = options.host_mhz;
  anchors_.device_mhz = options.device_mhz;

  // A host that has been up for one to ten days. Its counter need not have started with its clock.
  monotonic_base_ns_ = host.between(86'400, 864'000) * kBillion + host.between(0, kBillion - 1);
  host_base_ticks_ =
      static_cast<std::uint64_t>(monotonic_base_ns_ / kNsPerThousandTicks) * options.host_mhz +
      host.below(kBillion);
  if (options.monotonic_origin_ns) {
    monotonic_base_ns_ = *options.monotonic_origin_ns;
    host_base_ticks_ =
        static_cast<std::uint64_t>(monotonic_base_ns_ * options.host_mhz / kNsPerThousandTicks);
  }
  wall_base_ns_ = options.wall_origin_ns + options.node_wall_skew_ns;

  // Processes of a job do not start to collect at the same moment. start_info rounds the wall clock
  // down to 1 us, which makes wall times of ranks of a node differ by as much.
  begin_ns_ = rank.between(0, kMillisecond);
  anchors_.wall_begin_us = wall_ns(begin_ns_) / 1000;
  anchors_.monotonic_begin_ns = monotonic_ns(begin_ns_);
  wall_offset_ns_ = anchors_.wall_begin_us * 1000 - anchors_.monotonic_begin_ns;

  // The anchor pairs follow a millisecond or two later, at whole host ticks.
  const std::int64_t host_anchor_ns =
      (begin_ns_ / 1000 + rank.between(1000, 1500)) * std::int64_t{1000};
  anchors_.host_anchor_monotonic_ns = monotonic_ns(host_anchor_ns);
  anchors_.host_anchor_ticks = host_ticks(host_anchor_ns);
  device_anchor_ns_ = host_anchor_ns + rank.between(200, 600) * 1000;
  anchors_.device_anchor_host_monotonic_ns = monotonic_ns(device_anchor_ns_);
  anchors_.device_anchor_host_ticks = host_ticks(device_anchor_ns_);

  anchors_.device_anchor_monotonic_ns =
      device.between(3'600, 864'000) * kBillion + device.between(0, kBillion - 1);
  anchors_.device_anchor_ticks =
      static_cast<std::uint64_t>(anchors_.device_anchor_monotonic_ns / kNsPerThousandTicks) *
          options.device_mhz +
      device.below(kBillion);
  // Devices drift alike but not equally: half to one and a half of what was asked for.
  const double drift_ppm = std::max(options.device_drift_ppm, 0.0) * (0.5 + device.unit());
  device_drift_ppb_ = static_cast<std::int64_t>(std::llround(drift_ppm * 1000.0));
  first_event_ns_ = device_anchor_ns_ + kMillisecond;
}

void SimClock::begin_collection(std::int64_t time_ns, std::int64_t wall_now_ns) {
  constexpr std::int64_t kMicrosecond = 1000;
  wall_base_ns_ = wall_now_ns - time_ns;
  begin_ns_ = time_ns;
  anchors_.wall_begin_us = wall_ns(begin_ns_) / kMicrosecond;
  anchors_.monotonic_begin_ns = monotonic_ns(begin_ns_);
  wall_offset_ns_ = anchors_.wall_begin_us * kMicrosecond - anchors_.monotonic_begin_ns;

  // At whole ticks, like the first anchors.
  const std::int64_t anchor_ns = (time_ns / kMicrosecond + 1) * kMicrosecond;
  anchors_.host_anchor_monotonic_ns = monotonic_ns(anchor_ns);
  anchors_.host_anchor_ticks = host_ticks(anchor_ns);
  anchors_.device_anchor_host_monotonic_ns = monotonic_ns(anchor_ns);
  anchors_.device_anchor_host_ticks = host_ticks(anchor_ns);
  const std::uint64_t device_anchor_ticks = device_ticks(anchor_ns);
  anchors_.device_anchor_monotonic_ns = device_monotonic_ns(anchor_ns);
  anchors_.device_anchor_ticks = device_anchor_ticks;
  device_anchor_ns_ = anchor_ns;
  first_event_ns_ = anchor_ns + kMicrosecond;
}

}  // namespace npuprof::sim
