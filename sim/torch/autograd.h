#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/torch/framework_writer.h"
#include "sim/torch/op_template.h"

namespace npuprof::sim {

// The two records of one autograd node: the engine's wrapper and the node itself, "MmBackward0".
class BackwardTemplate {
 public:
  BackwardTemplate(std::string_view node, std::vector<TemplateInput> inputs,
                   const FrameworkOptions& options);

  const OpTemplate& wrapper() const { return wrapper_; }
  const OpTemplate& node() const { return node_; }

 private:
  OpTemplate wrapper_;
  OpTemplate node_;
};

// The autograd tape of one forward thread: gives forward operators their sequence numbers, and the
// backward pass its order.
//
//     call.sequence_number = tape.record(mm_backward);     // forward, for each call
//     ...
//     while (!tape.empty()) {                              // backward, on the engine's thread
//       const auto [backward, sequence] = tape.pop();
//       ... the operators of the node, then
//       tape.write(writer, *backward, sequence, engine_thread, outer, inner);
//     }
class AutogradTape {
 public:
  // `forward_thread` is the ordinal of the thread, 1 for the first; `first_sequence` what its
  // counter shows when the profile begins.
  explicit AutogradTape(std::uint64_t forward_thread = 1, std::int64_t first_sequence = 0)
      : forward_thread_(forward_thread), next_sequence_(first_sequence) {}

  // Adds a node and returns the sequence number of the forward operator. The template must outlive
  // the tape.
  std::int64_t record(const BackwardTemplate& backward) {
    nodes_.emplace_back(&backward, next_sequence_);
    return next_sequence_++;
  }

  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }

  struct Node {
    const BackwardTemplate* backward = nullptr;
    std::int64_t sequence_number = -1;
  };
  // The last node: backward runs in reverse order. The tape must not be empty.
  Node pop() {
    const auto [backward, sequence_number] = nodes_.back();
    nodes_.pop_back();
    return {backward, sequence_number};
  }

  // When both calls have ended. The wrapper, which has no sequence number, comes first in the file:
  // that is how a reader knows which node it belongs to. A node without a forward operator
  // (AccumulateGrad) has sequence number -1. `tensors` are what the node reads.
  struct Span {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
  };
  void write(FrameworkWriter& writer, const BackwardTemplate& backward,
             std::int64_t sequence_number, std::uint64_t thread_id, Span wrapper, Span node,
             const OpTensors& tensors = {}) const;

 private:
  std::uint64_t forward_thread_;
  std::int64_t next_sequence_;
  std::vector<std::pair<const BackwardTemplate*, std::int64_t>> nodes_;
};

}  // namespace npuprof::sim
