#include "sim/npu/graph_points.h"

#include <algorithm>
#include <tuple>

#include "format/device/ts_track.h"

namespace npuprof::sim {
namespace {

using format::device::StepTag;

bool is_of_type(const GraphOperator& node, std::string_view type) {
  return node.type == type || node.original_type == type;
}

bool is_all_reduce(const GraphOperator& node) {
  return is_of_type(node, "HcomAllReduce") || is_of_type(node, "HorovodAllreduce");
}

bool is_get_next(const GraphOperator& node) {
  for (const std::string_view type :
       {"GetNext", "DynamicGetNext", "DynamicGetNextV2", "IteratorV2", "IteratorGetNext"}) {
    if (is_of_type(node, type)) return true;
  }
  return false;
}

bool is_data(const GraphOperator& node) {
  return is_of_type(node, "Data") || is_of_type(node, "AippData") || is_get_next(node);
}

bool is_called(const GraphOperator& node, std::string_view name) {
  return node.name == name || std::find(node.original_names.begin(), node.original_names.end(),
                                        name) != node.original_names.end();
}

// Number 0 stands for "not found".
std::optional<std::size_t> found(std::size_t place) {
  return place == 0 ? std::nullopt : std::optional(place);
}

// The first to use what the first node with data hands out; other nodes with data do not count.
std::optional<std::size_t> search_forward(std::span<const GraphOperator> nodes) {
  const auto first = std::find_if(nodes.begin(), nodes.end(), is_data);
  if (first == nodes.end()) return std::nullopt;
  const auto source = static_cast<std::size_t>(first - nodes.begin());
  for (std::size_t i = source + 1; i < nodes.size(); ++i) {
    const auto uses_it = [&](const GraphEdge& edge) {
      return edge.from == source && edge.output == 0;
    };
    const auto& inputs = nodes[i].inputs;
    if (nodes[i].has_task() && std::any_of(inputs.begin(), inputs.end(), uses_it)) return found(i);
  }
  return std::nullopt;
}

// The last input, on the same stream, of the last all-reduce or else of the graph's output.
std::optional<std::size_t> search_backward(std::span<const GraphOperator> nodes,
                                           const GraphPoints& points) {
  std::size_t target = nodes.size();
  if (!points.all_reduces.empty()) {
    target = points.all_reduces.back();
  } else {
    const auto output = std::find_if(nodes.begin(), nodes.end(), [](const GraphOperator& node) {
      return is_of_type(node, kNetOutput);
    });
    target = static_cast<std::size_t>(output - nodes.begin());
  }
  if (target == nodes.size()) return std::nullopt;
  std::size_t last = 0;
  for (const GraphEdge& edge : nodes[target].inputs) {
    const GraphOperator& from = nodes[edge.from];
    const bool counts =
        from.has_task() && !from.is_global_step && from.stream == nodes[target].stream;
    if (counts) last = std::max(last, edge.from);
  }
  return found(last);
}

std::vector<std::size_t> search_ends(std::span<const GraphOperator> nodes, bool backward_is_named) {
  std::vector<std::size_t> loop;
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == kLoopCountOn || nodes[i].name == kLoopBeginAnew) loop.push_back(i);
    const bool is_output =
        backward_is_named ? nodes[i].name == "Node_Output" : is_of_type(nodes[i], kNetOutput);
    if (is_output && outputs.empty()) outputs.push_back(i);
  }
  return loop.empty() ? outputs : loop;
}

}  // namespace

GraphPoints find_points(std::span<const GraphOperator> nodes, const PointNames& names) {
  GraphPoints points;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_all_reduce(nodes[i])) points.all_reduces.push_back(i);
    if (is_get_next(nodes[i])) points.get_nexts.push_back(i);
  }
  std::size_t named_forward = 0;
  std::size_t named_backward = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (named_forward == 0 && is_called(nodes[i], names.forward)) named_forward = i;
    if (is_called(nodes[i], names.backward)) named_backward = i;
  }
  points.forward = names.forward.empty() ? search_forward(nodes) : found(named_forward);
  points.backward = names.backward.empty() ? search_backward(nodes, points) : found(named_backward);
  points.ends = search_ends(nodes, !names.backward.empty());
  return points;
}

std::vector<GraphMark> place_marks(const GraphPoints& points, bool training_trace) {
  std::vector<GraphMark> marks;
  const auto put = [&](std::size_t node, bool is_after, std::uint16_t tag) {
    marks.push_back({node, is_after, tag});
  };
  for (const std::size_t end : points.ends) put(end, true, StepTag::kIterationEnd);
  if (training_trace) {
    if (points.forward && points.backward && !points.ends.empty()) {
      put(*points.forward, false, StepTag::kForwardStart);
    }
    if (points.backward && !points.ends.empty()) {
      put(*points.backward, true, StepTag::kBackwardEnd);
    }
    const auto put_pairs = [&](const std::vector<std::size_t>& nodes, std::uint16_t first) {
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const auto tag = static_cast<std::uint16_t>(first + 2 * k);
        if (points.backward) put(nodes[k], false, tag);
        put(nodes[k], true, static_cast<std::uint16_t>(tag + 1));
      }
    };
    put_pairs(points.all_reduces, StepTag::kReduceFirst);
    put_pairs(points.get_nexts, StepTag::kGetNextFirst);
  }
  // Of marks at one place the iteration's end comes last.
  std::sort(marks.begin(), marks.end(), [](const GraphMark& a, const GraphMark& b) {
    const auto key = [](const GraphMark& mark) {
      return std::make_tuple(mark.node, mark.is_after, mark.tag == StepTag::kIterationEnd,
                             mark.tag);
    };
    return key(a) < key(b);
  });
  return marks;
}

}  // namespace npuprof::sim
