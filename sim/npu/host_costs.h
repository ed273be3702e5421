#pragma once

#include <cmath>
#include <cstdint>

namespace npuprof::sim {

// Host time of the parts of a call, ns.
struct HostCosts {
  // On a host that takes `slowdown` times as long.
  explicit HostCosts(double slowdown)
      : call_head(scaled(400, slowdown)),
        call_tail(scaled(300, slowdown)),
        node_head(scaled(900, slowdown)),
        runtime(scaled(1100, slowdown)),
        node_tail(scaled(800, slowdown)),
        between_launches(scaled(500, slowdown)),
        collective_task(scaled(600, slowdown)),
        synchronize(scaled(2500, slowdown)) {}

  std::int64_t call_head;  // ACL begin to the first thing inside; likewise `call_tail`.
  std::int64_t call_tail;
  std::int64_t node_head;  // Node begin to the runtime call.
  std::int64_t runtime;
  std::int64_t node_tail;
  std::int64_t between_launches;
  std::int64_t collective_task;  // One task of a collective.
  std::int64_t synchronize;      // Shortest wait, and from the device's end to the return.

 private:
  static std::int64_t scaled(double duration_ns, double factor) {
    return std::llround(duration_ns * factor);
  }
};

}  // namespace npuprof::sim
