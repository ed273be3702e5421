#pragma once

// The last-level cache of the 310, over the whole time.

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

struct CacheTraffic310 {
  double mb_s = 0;
  double hit_percent = 0;
  double hit_mb_s = 0;
};
struct CacheBandwidth310 {
  std::uint16_t device = 0;
  CacheTraffic310 read;
  CacheTraffic310 write;
};
// By device; those where accesses were counted.
std::vector<CacheBandwidth310> cache_bandwidth_310(const trace::Trace& trace);

struct CacheCapacity310 {
  std::uint16_t device = 0;
  std::vector<double> ai_cpu_kb;  // Lines that each CPU took, in order of the device's list.
  std::vector<double> control_cpu_kb;
};
// By device; those where lines of CPUs were counted.
std::vector<CacheCapacity310> cache_capacity_310(const trace::Trace& trace);

}  // namespace npuprof::analyze
