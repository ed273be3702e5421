#pragma once

// What is known of each kernel beside its time: who launched it, for which module, how near it came
// to the peak. Made when somebody looks at a slice first.

#include <cstdint>
#include <vector>

#include "analyze/operator_mfu.h"
#include "analyze/operator_work.h"
#include "analyze/task_modules.h"
#include "answers/mode.h"

namespace npuprof::serve {

struct WorkFacts {
  explicit WorkFacts(const answers::Request& request);

  std::vector<std::uint32_t> op_of_task;
  analyze::TaskModules modules;
  analyze::OperatorWork work;
  analyze::WorkFlops flops;
  std::vector<std::uint32_t> work_of_kernel;  // By row of Kernels; kNone = none.
  std::vector<std::uint32_t> tasks_by_start;
};

}  // namespace npuprof::serve
