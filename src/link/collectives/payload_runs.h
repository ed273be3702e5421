#pragma once

// RDMA sends of a collective's plane. Data goes out in a run of payload tasks; the run is over when
// a fixed number of tasks behind it, the last of them a wait for the other side, have ended.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trace/linked/collective_tasks.h"

namespace npuprof::link {

// Places in a plane's list of tasks.
struct PayloadRun {
  std::size_t end = 0;    // One past the last payload.
  std::size_t close = 0;  // The task that closes the run.
  bool is_closed = false;
  std::uint64_t bytes = 0;

  // Where to go on after the run.
  std::size_t next() const { return is_closed ? close + 1 : end; }
};

// How many tasks lie from the last payload of a run to the one that closes it, both included.
std::size_t closing_task_count(std::string_view op_name);

bool is_payload(const trace::CollectiveTasks& tasks, std::uint32_t row);

// The run that begins at rows[first], a payload. `rows` are the tasks of one plane of one op by
// time.
PayloadRun payload_run(const trace::CollectiveTasks& tasks, std::span<const std::uint32_t> rows,
                       std::size_t first, std::size_t closing_tasks);

}  // namespace npuprof::link
