#pragma once

// What the graph engine looks for in a graph when it compiles it while profiling is on: where the
// forward pass begins, where the backward pass and the iteration end, what sums gradients and what
// takes the next batch. Tasks that write marks are put there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/collective.h"
#include "sim/npu/kernel_template.h"

namespace npuprof::sim {

inline constexpr std::string_view kNetOutput = "NetOutput";
// The two that end an iteration if iterations are counted on the device: the first counts on, the
// second begins anew.
inline constexpr std::string_view kLoopCountOn = "FlowCtrl_LoopCond_ASSIGNADD";
inline constexpr std::string_view kLoopBeginAnew = "FlowCtrl_LoopCond_ASSIGN";

struct GraphEdge {
  static constexpr std::int32_t kControl = -1;
  std::size_t from = 0;  // A node before this one.
  std::int32_t output = 0;
};

// A collective that runs in a graph, among ranks of a communicator that the device has joined.
struct GraphCollective {
  std::uint32_t communicator = 0;
  CollectiveDesc desc;
};

// A node, in the order of execution; its place is its id.
struct GraphOperator {
  std::string name{};
  std::string type{};
  std::string original_type{};                // Before the compiler changed it; empty: the same.
  std::vector<std::string> original_names{};  // Of operators that were fused into it.
  std::vector<GraphEdge> inputs{};
  std::uint32_t stream = 0;                // Counts the graph's own streams from 0.
  const KernelTemplate* kernel = nullptr;  // Null: it has no task.
  std::optional<GraphCollective> collective{};
  bool is_global_step = false;

  bool has_task() const { return kernel != nullptr || collective.has_value(); }
};

struct GraphPoints {
  std::optional<std::size_t> forward;
  std::optional<std::size_t> backward;
  std::vector<std::size_t> ends;  // Of the iteration: one, or the two of a loop.
  std::vector<std::size_t> all_reduces;
  std::vector<std::size_t> get_nexts;
};

// Names of the user's points; an empty one is searched for.
struct PointNames {
  std::string forward{};
  std::string backward{};
};

GraphPoints find_points(std::span<const GraphOperator> nodes, const PointNames& names);

// A task that writes a mark, before or after a node.
struct GraphMark {
  std::size_t node = 0;
  bool is_after = false;
  std::uint16_t tag = 0;

  bool operator==(const GraphMark&) const = default;
};

// Marks of a graph that is compiled while profiling is on; without `training_trace` only the end of
// the iteration. In the order in which they are written.
std::vector<GraphMark> place_marks(const GraphPoints& points, bool training_trace);

}  // namespace npuprof::sim
