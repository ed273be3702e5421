#pragma once

#include <cstdint>
#include <vector>

#include "analyze/serving.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Iterations with the tasks that belong to them, phases not yet decided where names do not say.
struct FoundIterations {
  std::vector<ServingIteration> iterations;      // In order of start, without numbers.
  std::vector<std::uint32_t> iteration_of_task;  // By row of Tasks; kNone = of none.
  std::vector<std::uint32_t> iteration_of_op;    // By row of FrameworkOps; may be empty.
};

// Each is empty if the profile has none of the kind.
FoundIterations iterations_of_ranges(const trace::Trace& trace);
FoundIterations iterations_of_marks(const trace::Trace& trace);
FoundIterations iterations_of_steps(const trace::Trace& trace);
FoundIterations iterations_of_replays(const trace::Trace& trace);

}  // namespace npuprof::analyze
