#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// Finds the step that a time on the device lies in. Steps do not overlap on the host, but the
// device may still work for one when the next begins: the first one that fits wins. Steps that
// asked the device for nothing are left out.
class StepFinder {
 public:
  // Whether a time equal to the end of a step belongs to it.
  enum class End : std::uint8_t { kExcluded, kIncluded };

  StepFinder(const trace::Steps& steps, End end);

  bool empty() const { return rows_.empty(); }
  // Rows in Steps that can be found, in their order.
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  // Row in Steps, kNone = outside of all.
  std::uint32_t find(std::int64_t time_ns) const;

 private:
  const trace::Steps& steps_;
  End end_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::int64_t> latest_end_ns_;      // Of this row and all before it.
  std::vector<std::int64_t> earliest_start_ns_;  // Of this row and all behind it.
};

}  // namespace npuprof::analyze
