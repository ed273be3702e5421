#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// A Python function, or an instance of a module, with all its calls. Times in ns; "self" is without
// the frames that it calls.
struct FrameTotals {
  std::string_view name;
  bool is_module = false;
  std::uint64_t calls = 0;      // 0 = calls were not recorded, only stacks of operators.
  std::uint64_t operators = 0;  // Started in the frame itself.
  std::int64_t self_ns = 0;
  std::int64_t total_ns = 0;        // A frame below itself (recursion) counts once.
  std::int64_t device_self_ns = 0;  // Of kernels that operators of the frame launch.
  std::int64_t device_total_ns = 0;
};

struct PythonFrames {
  std::vector<FrameTotals> frames;  // Longest self time first. Names are views into the trace.
  bool from_stacks = false;         // Times are then those of operators alone.
  // Of the device time of all operators, what no frame launched: backward passes have a thread of
  // their own.
  std::int64_t device_outside_ns = 0;
  std::int64_t device_ns = 0;
};

// From calls of Python functions, or, where there are none, from the stacks of operators.
PythonFrames python_frames(const trace::Trace& trace);

}  // namespace npuprof::analyze
