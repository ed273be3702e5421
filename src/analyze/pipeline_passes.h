#pragma once

// The passes of the model through one rank of a pipeline: from when to when its device worked for
// the forward or the backward pass of which micro-batch.
//
// Ranges that the program marked on a stream tell it, if forward and backward ones are told apart
// by the words "forward", "backward" and "WeightGradStore_pop" in their messages. Otherwise
// operators do: those that autograd came back to are of the forward pass, what they have in
// autograd is of the backward pass, and what they launched is theirs. In the order in which the
// host launched it, work of one side is one pass, until work of the other side comes or something
// is sent to or received from another stage.

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

enum class PassKind : std::uint8_t { kForward, kBackward, kWeight };
inline constexpr std::size_t kPassKinds = 3;
std::string_view pass_kind_name(PassKind kind);

struct PipelinePass {
  PassKind kind = PassKind::kForward;
  std::uint16_t device = 0;
  std::uint32_t step = trace::kNone;  // Row of Steps; kNone = outside of all.
  // Passes forward are counted from 1 in their step; the other kinds have the number of the forward
  // pass whose gradients they compute. 0 = not known.
  std::uint32_t number = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t computing_ns = 0;  // Of that time the device computed.
};

struct PipelinePasses {
  bool are_marked = false;
  std::vector<PipelinePass> passes;      // By device and start.
  std::vector<std::uint32_t> transfers;  // Rows of CollectiveOps: between the stages, in order.
};

PipelinePasses pipeline_passes(const trace::Trace& trace);

}  // namespace npuprof::analyze
