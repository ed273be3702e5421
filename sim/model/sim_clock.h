#pragma once

#include <cstdint>
#include <optional>

namespace npuprof::sim {

struct ClockOptions {
  std::uint64_t seed = 1;
  std::uint32_t node = 0;  // Ranks of a node share the clocks of its host.
  std::uint32_t rank = 0;  // Decides when this process started to collect.
  std::uint32_t device = 0;
  std::uint32_t host_mhz = 100;
  std::uint32_t device_mhz = 50;
  // How much faster than the host's the device counter runs. Readers do not correct for it, so
  // device events drift late. Never negative: a slow device counter would make kernels start before
  // they were launched.
  double device_drift_ppm = 0.05;
  std::int64_t node_wall_skew_ns = 0;                 // Error of the wall clock of this node.
  std::int64_t wall_origin_ns = 1736408883000000000;  // Wall time of virtual time 0.
  // The host's CLOCK_MONOTONIC_RAW at virtual time 0, for programs that run in real time; its
  // counter then starts with this clock.
  std::optional<std::int64_t> monotonic_origin_ns;
};

// What the control files say about the clocks. `..._anchor_...` were read at the same moment.
struct ClockAnchors {
  std::uint32_t host_mhz = 0;
  std::uint32_t device_mhz = 0;
  // start_info: collectionTimeBegin and clockMonotonicRaw.
  std::int64_t wall_begin_us = 0;
  std::int64_t monotonic_begin_ns = 0;
  // host/host_start.log.
  std::int64_t host_anchor_monotonic_ns = 0;
  std::uint64_t host_anchor_ticks = 0;
  // device_N/host_start.log.N and device_N/dev_start.log.N.
  std::int64_t device_anchor_host_monotonic_ns = 0;
  std::uint64_t device_anchor_host_ticks = 0;
  std::int64_t device_anchor_monotonic_ns = 0;
  std::uint64_t device_anchor_ticks = 0;
};

// The clocks of one rank as functions of virtual time: signed ns since the job began to collect,
// common to all ranks. The inverse functions are what a reader of the files computes from ticks, so
// they carry the rounding to ticks and the drift, and are the truth to compare a reader with.
//
// Ticks hold virtual times up to a few hours (the products below stay within 64 bits).
class SimClock {
 public:
  explicit SimClock(const ClockOptions& options);

  const ClockAnchors& anchors() const { return anchors_; }

  // Another collection begins at `time_ns`, when the wall clock shows `wall_now_ns`: anchors are
  // read anew, and no clock but the wall clock jumps.
  void begin_collection(std::int64_t time_ns, std::int64_t wall_now_ns);

  // This rank's start of collection and the first time at which all its anchors are taken. Nothing
  // may happen earlier than first_event_ns().
  std::int64_t begin_ns() const { return begin_ns_; }
  std::int64_t first_event_ns() const { return first_event_ns_; }

  std::uint64_t host_ticks(std::int64_t time_ns) const {
    return host_base_ticks_ +
           static_cast<std::uint64_t>(time_ns * anchors_.host_mhz / kNsPerThousandTicks);
  }
  std::uint64_t device_ticks(std::int64_t time_ns) const {
    return anchors_.device_anchor_ticks +
           static_cast<std::uint64_t>(device_elapsed_ns(time_ns) * anchors_.device_mhz /
                                      kNsPerThousandTicks);
  }
  // CLOCK_MONOTONIC_RAW of the host, of the device, and the host's wall clock.
  std::int64_t monotonic_ns(std::int64_t time_ns) const { return monotonic_base_ns_ + time_ns; }
  std::int64_t device_monotonic_ns(std::int64_t time_ns) const {
    return anchors_.device_anchor_monotonic_ns + device_elapsed_ns(time_ns);
  }
  std::int64_t wall_ns(std::int64_t time_ns) const { return wall_base_ns_ + time_ns; }
  // The stamp of device samples: microseconds since the device's anchor.
  std::int64_t device_sample_us(std::int64_t time_ns) const {
    return device_elapsed_ns(time_ns) / 1000;
  }

  // As a reader computes them.
  std::int64_t wall_ns_of_host_ticks(std::uint64_t ticks) const {
    return host_monotonic_of_ticks(ticks) + wall_offset_ns_;
  }
  std::int64_t wall_ns_of_device_ticks(std::uint64_t ticks) const {
    const auto elapsed = static_cast<std::int64_t>(ticks - anchors_.device_anchor_ticks);
    return anchors_.device_anchor_host_monotonic_ns +
           elapsed * kNsPerThousandTicks / anchors_.device_mhz + wall_offset_ns_;
  }
  std::int64_t wall_ns_of_device_time(std::int64_t time_ns) const {
    return wall_ns_of_device_ticks(device_ticks(time_ns));
  }
  std::int64_t wall_ns_of_host_time(std::int64_t time_ns) const {
    return wall_ns_of_host_ticks(host_ticks(time_ns));
  }

 private:
  // 1 MHz is one tick in 1000 ns.
  static constexpr std::int64_t kNsPerThousandTicks = 1000;
  static constexpr std::int64_t kBillion = 1'000'000'000;

  std::int64_t device_elapsed_ns(std::int64_t time_ns) const {
    const std::int64_t elapsed = time_ns - device_anchor_ns_;
    return elapsed + elapsed * device_drift_ppb_ / kBillion;
  }
  std::int64_t host_monotonic_of_ticks(std::uint64_t ticks) const {
    const auto elapsed = static_cast<std::int64_t>(ticks - anchors_.host_anchor_ticks);
    return anchors_.host_anchor_monotonic_ns + elapsed * kNsPerThousandTicks / anchors_.host_mhz;
  }

  ClockAnchors anchors_;
  std::int64_t begin_ns_ = 0;
  std::int64_t first_event_ns_ = 0;
  std::int64_t device_anchor_ns_ = 0;
  std::int64_t device_drift_ppb_ = 0;
  std::int64_t monotonic_base_ns_ = 0;
  std::int64_t wall_base_ns_ = 0;
  std::int64_t wall_offset_ns_ = 0;  // A reader's wall minus monotonic.
  std::uint64_t host_base_ticks_ = 0;
};

}  // namespace npuprof::sim
