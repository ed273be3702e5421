#include "link/framework/mindspore_links.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/sort_order.h"
#include "format/mindspore/op_range.h"
#include "link/framework/op_tree.h"
#include "trace/framework/allocations.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/memory_labels.h"
#include "trace/framework/mindspore_ops.h"

namespace npuprof::link {
namespace {

using trace::kNone;

// The row that has a value, or kSeveral.
class OnlyRows {
 public:
  static constexpr std::uint32_t kSeveral = kNone - 1;

  void add(std::uint64_t value, std::uint32_t row) {
    const auto [place, is_new] = rows_.try_emplace(value, row);
    if (!is_new) place->second = kSeveral;
  }
  // kNone if there is none, or more than one.
  std::uint32_t find(std::uint64_t value) const {
    const auto found = rows_.find(value);
    return found == rows_.end() || found->second == kSeveral ? kNone : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> rows_;
};

using RowsByName = std::unordered_map<StringId, std::vector<std::uint32_t>>;

// Launches in order of time, by brief name.
RowsByName launches_by_name(const trace::Trace& trace) {
  const trace::FrameworkOps& ops = trace.framework_ops();
  const trace::MindSporeOps& details = trace.mindspore_ops();
  RowsByName launches;
  for (const std::uint32_t row : stable_order(ops.start_ns)) {
    const std::uint32_t parent = ops.parent[row];
    const auto is_launch = [&](std::uint32_t op) {
      return format::mindspore::is_launch_name(trace.strings.view(ops.name[op]));
    };
    // What is launched inside of a launch is the same one.
    if (!is_launch(row) || (parent != kNone && is_launch(parent))) continue;
    launches[details.brief_name[row]].push_back(row);
  }
  return launches;
}

}  // namespace

void link_flows(trace::Trace& trace, const ThreadOrder& op_rows) {
  trace::FlowMarks& marks = trace.flow_marks();
  if (marks.size() == 0) return;
  const trace::MindSporeOps& details = trace.mindspore_ops();
  OnlyRows targets;
  for (std::uint32_t row = 0; row < details.size(); ++row) {
    if (details.flow[row] != format::mindspore::kNoFlow) {
      targets.add(details.flow[row], details.op[row].number());
    }
  }
  OnlyRows sources;
  for (std::uint32_t row = 0; row < marks.size(); ++row) sources.add(marks.flow[row], row);
  OpFinder ops(trace.framework_ops(), op_rows);
  for (std::uint32_t row = 0; row < marks.size(); ++row) {
    marks.from[row] = ops.innermost(marks.tid[row], marks.start_ns[row], marks.end_ns[row]);
    marks.to[row] = sources.find(marks.flow[row]) == row ? targets.find(marks.flow[row]) : kNone;
  }
}

void link_launch_shapes(trace::Trace& trace) {
  trace::LaunchShapes& shapes = trace.launch_shapes();
  if (shapes.size() == 0) return;
  const RowsByName launches = launches_by_name(trace);
  RowsByName records;
  for (std::uint32_t row = 0; row < shapes.size(); ++row) records[shapes.name[row]].push_back(row);
  trace::FrameworkOps& ops = trace.framework_ops();
  for (const auto& [name, rows] : records) {
    const auto found = launches.find(name);
    if (found == launches.end() || found->second.size() != rows.size()) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t op = found->second[i];
      shapes.op[rows[i]] = op;
      ops.input_shapes[op] = shapes.shapes[rows[i]];
      ops.input_dtypes[op] = shapes.types[rows[i]];
      ops.has_inputs[op] = 1;
    }
  }
}

void link_memory_labels(trace::Trace& trace) {
  const trace::MemoryLabels& labels = trace.memory_labels();
  if (labels.size() == 0) return;
  std::vector<std::uint32_t> label_of(trace.memory_events().size(), kNone);
  for (std::uint32_t row = 0; row < labels.size(); ++row) label_of[labels.event[row]] = row;
  trace::Allocations& blocks = trace.allocations();
  for (std::uint32_t block = 0; block < blocks.size(); ++block) {
    const std::uint32_t label = label_of[blocks.malloc_event[block]];
    if (label != kNone) blocks.owner_name[block] = labels.owner[label];
  }
}

}  // namespace npuprof::link
