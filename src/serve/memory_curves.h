#pragma once

// How much memory there was over time: of each pool, and by what it was for.

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace npuprof::serve {

struct MemoryCurve {
  std::string component;  // "PTA", "PTA+GE", "APP"; "category" for those by what memory is for.
  std::string value;      // "allocated", "reserved", "active", or the category.
  int device = 0;
  std::vector<std::int64_t> time_ns;  // Of the wall clock, ascending.
  std::vector<std::int64_t> bytes;    // From then on.

  std::int64_t peak_bytes() const;
  std::int64_t peak_at_ns() const;
};

std::vector<MemoryCurve> memory_curves(const trace::Trace& trace);
// Without those by what memory is for, which take longer.
std::vector<MemoryCurve> allocator_curves(const trace::Trace& trace);

// A point for each part of a span in which the curve changes, and where it stood before.
struct CurvePoint {
  std::int64_t time_ns = 0;  // Of the first change in the part.
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t last = 0;
};
std::vector<CurvePoint> curve_points(const MemoryCurve& curve, std::int64_t begin_ns,
                                     std::int64_t end_ns, std::size_t parts);

}  // namespace npuprof::serve
