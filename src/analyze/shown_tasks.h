#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// Rows of Tasks that timelines and task_time show: a task that was split into FFTS+ contexts is
// represented by its contexts, all others by themselves.
std::vector<std::uint32_t> shown_tasks(const trace::Trace& trace);

// Of these, what task_time lists: of a split task only context 0.
std::vector<std::uint32_t> tasks_of_task_time(const trace::Trace& trace);

}  // namespace npuprof::analyze
