#pragma once

// Where a rank stands in the parallel layout of its job, as the names of its process groups tell.

#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace npuprof::serve {

// The rank's place in its group of each kind; 0 where there is no such group.
struct ParallelPlace {
  std::int64_t tensor = 0;
  std::int64_t context = 0;
  std::int64_t data = 0;
  std::int64_t pipeline = 0;

  friend bool operator==(const ParallelPlace&, const ParallelPlace&) = default;
};

// Nothing if the profile names no group "tp", "cp", "dp" or "pp".
std::optional<ParallelPlace> parallel_place(const trace::Trace& trace);

}  // namespace npuprof::serve
