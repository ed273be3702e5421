#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/sort_order.h"
#include "trace/framework/steps.h"
#include "trace/row.h"

namespace npuprof::analyze {

// Finds the step that the host was in. Steps of the host do not overlap.
class HostSteps {
 public:
  explicit HostSteps(const trace::Steps& steps)
      : steps_(steps), order_(stable_order(steps.host_start_ns)) {}

  // Row in Steps, kNone = outside of all.
  std::uint32_t find(std::int64_t time_ns) const {
    const auto after = std::partition_point(order_.begin(), order_.end(), [&](std::uint32_t row) {
      return steps_.host_start_ns[row] <= time_ns;
    });
    if (after == order_.begin()) return trace::kNone;
    const std::uint32_t row = *(after - 1);
    return time_ns < steps_.host_end_ns[row] ? row : trace::kNone;
  }

 private:
  const trace::Steps& steps_;
  std::vector<std::uint32_t> order_;
};

}  // namespace npuprof::analyze
