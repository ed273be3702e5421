#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// Finds when the device began what a host range launched.
class GraphFirstTasks {
 public:
  explicit GraphFirstTasks(const trace::Trace& trace);

  struct Found {
    std::int64_t start_ns = 0;
    bool is_guess = false;
  };
  // The first task that the thread launched in [begin_ns, end_ns]: one that computes or copies, if
  // there is any. Without such a launch, the first task of a model from begin_ns on: a guess.
  std::optional<Found> find(std::uint32_t tid, std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Launched {
    std::uint32_t tid;
    bool does_work;
    std::int64_t launch_ns;
    std::int64_t start_ns;
  };
  std::vector<Launched> launched_;             // By thread and time of launch.
  std::vector<std::int64_t> model_starts_ns_;  // Tasks of models, in order.
};

}  // namespace npuprof::analyze
