#pragma once

#include <cstdint>

#include "base/clock.h"

namespace npuprof::load {

// Relates the clocks that stamp device records to wall time. All results are wall-clock ns and
// exact integers.
struct DeviceClock {
  TickClock device_counter;  // Device system counter (syscnt).
  TickClock host_counter;    // Frequency 0: stamps are the host's monotonic ns already.
  std::int64_t device_monotonic_to_wall_ns = 0;
  std::int64_t host_monotonic_to_wall_ns = 0;
  std::int64_t start_ns = 0;  // Wall time from which "us since start" counts.

  std::int64_t from_syscnt(std::uint64_t syscnt) const { return device_counter.to_ns(syscnt); }
  std::int64_t from_device_monotonic(std::uint64_t ns) const {
    return add(device_monotonic_to_wall_ns, ns);
  }
  std::int64_t from_host_monotonic(std::uint64_t ns) const {
    return add(host_monotonic_to_wall_ns, ns);
  }
  std::int64_t from_start_us(std::uint64_t us) const {
    constexpr std::uint64_t kMaxUs = UINT64_MAX / 1000;
    return add(start_ns, (us < kMaxUs ? us : kMaxUs) * 1000);
  }
  std::int64_t from_host_ticks(std::uint64_t ticks) const {
    return host_counter.frequency_hz == 0 ? from_host_monotonic(ticks) : host_counter.to_ns(ticks);
  }

 private:
  // Stops at the end of the type: stamps of damaged records can have any value.
  static std::int64_t add(std::int64_t base_ns, std::uint64_t ns) {
    std::int64_t sum;
    return __builtin_add_overflow(base_ns, ns, &sum) ? INT64_MAX : sum;
  }
};

}  // namespace npuprof::load
