#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/interval_sweep.h"

namespace npuprof::sim {

// What a device moves and does over time, for the samplers: amounts in buckets of virtual time.
class LoadMeter {
 public:
  enum Quantity : std::uint8_t {
    kHbmRead,  // Bytes, like all but the next.
    kHbmWrite,
    kCoreBusy,  // Nanoseconds.
    kPcieSent,
    kPcieReceived,
    kHccsSent,
    kHccsReceived,
    kRdmaSent,
    kRdmaReceived,
    kSioSent,
    kSioReceived,
    kQuantityCount,
  };

  // Spreads `amount` evenly over `run`.
  void add(Quantity quantity, Interval run, double amount);

  // The amount per ns over the `window_ns` that end at `end_ns`. Bytes per ns are GB/s.
  double rate(Quantity quantity, std::int64_t end_ns, std::int64_t window_ns) const;

  // Nothing before `time_ns` will be asked for any more.
  void forget_before(std::int64_t time_ns);

 private:
  static constexpr std::int64_t kBucketNs = 1'000'000;
  using Bucket = std::array<double, kQuantityCount>;

  Bucket& bucket(std::int64_t index);

  std::int64_t first_ = 0;  // Index of the first bucket kept.
  std::vector<Bucket> buckets_;
};

}  // namespace npuprof::sim
