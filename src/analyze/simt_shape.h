#pragma once

#include <cstdint>

#include "trace/host/task_tracks.h"
#include "trace/launched/launches.h"
#include "trace/linked/tasks.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// How a SIMT kernel was launched: "x,y,z", empty for other tasks.
struct SimtShape {
  StringId grid = kEmptyString;
  StringId block = kEmptyString;
};
inline SimtShape simt_shape(const trace::Trace& trace, std::uint32_t task) {
  const auto launch = trace.tasks().launch[task];
  if (launch >= trace.launches().size()) return {};  // Unknown, or loaded from results.
  const auto track = trace.launches().track[launch];
  if (track >= trace.task_tracks().size()) return {};
  return {trace.task_tracks().grid_dim[track], trace.task_tracks().block_dim[track]};
}

}  // namespace npuprof::analyze
