#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

struct KeyAverageOptions {
  bool by_input_shape = false;
  std::uint32_t stack_frames = 0;  // Calls from different places are told apart by these frames.
};

// Calls of one operator added up. "Self" is without what nested operators did.
struct KeyAverage {
  std::string_view name;    // Steps are all called "ProfilerStep*".
  std::string_view shapes;  // Dimensions joined by ',', inputs by ';'; empty if they do not matter.
  std::string_view stack;   // Frames, innermost first, joined by ';'; empty if they do not matter.
  std::uint64_t count = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t npu_ns = 0;
  std::int64_t self_npu_ns = 0;
  std::int64_t cpu_bytes = 0;  // Allocated minus freed.
  std::int64_t self_cpu_bytes = 0;
  std::int64_t npu_bytes = 0;
  std::int64_t self_npu_bytes = 0;
  double flops = 0;
  std::uint8_t scope = 0;  // Of the first call.
  bool is_async = false;   // All of them.
  bool has_shapes = false;
};

// In order of the first call. An operator that does nothing but call one of the same name counts
// once, as in PyTorch. What was allocated and freed outside of operators comes last, as "[memory]".
// Texts are views into the trace.
std::vector<KeyAverage> key_averages(const trace::Trace& trace, const KeyAverageOptions& options);

// One call, or one allocation or release outside of operators.
struct OperatorEvent {
  KeyAverage numbers;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t sequence = -1;
  std::uint32_t tid = 0;
  std::uint32_t forward_thread = 0;
  std::uint32_t parent = trace::kNone;  // The place of the operator around it.
};

// Operators by row, then memory outside of them by time of recording.
std::vector<OperatorEvent> operator_events(const trace::Trace& trace);

}  // namespace npuprof::analyze
