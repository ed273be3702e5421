#include "load/chrome_trace/launch_points.h"

#include <unordered_map>

#include "base/sort_order.h"
#include "trace/host/api_calls.h"

namespace npuprof::load {

LaunchPointCalls::LaunchPointCalls(const LaunchPoints& points, const trace::ApiCalls& calls)
    : points_(points.connection), call_(points.size(), trace::kNone) {
  // Calls of a thread that have begun, the innermost last, those that have ended among them.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> open;
  const auto close = [&](std::vector<std::uint32_t>& stack, std::int64_t time_ns) {
    while (!stack.empty() && calls.end_ns[stack.back()] < time_ns) stack.pop_back();
  };
  std::uint32_t next = 0;
  for (const std::uint32_t point : stable_order(points.time_ns)) {
    const std::int64_t time_ns = points.time_ns[point];
    for (; next < calls.size() && calls.start_ns[next] <= time_ns; ++next) {
      auto& stack = open[calls.tid[next]];
      close(stack, calls.start_ns[next]);
      stack.push_back(next);
    }
    auto& stack = open[points.tid[point]];
    close(stack, time_ns);
    if (!stack.empty()) call_[point] = stack.back();
  }
}

}  // namespace npuprof::load
