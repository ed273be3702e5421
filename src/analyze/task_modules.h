#pragma once

// Which module of the model each device task was launched for, as module_calls.h says it of
// operators.

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

struct TaskModules {
  // Class names from the outermost module inwards, joined by '/'; work of the backward pass has the
  // path of the operator whose gradient it computes with " (backward)" behind it.
  std::vector<std::string> paths;
  std::vector<std::uint32_t> of_task;  // By row of Tasks: place in `paths`, kNone = no module.

  bool empty() const { return paths.empty(); }
};

TaskModules task_modules(const trace::Trace& trace);

}  // namespace npuprof::analyze
