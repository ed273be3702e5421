#include "link/framework/mindspore_links.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
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

// Marks of a flow, and the operators that took work up under its number.
struct FlowEnds {
  std::vector<std::uint32_t> marks;
  std::vector<std::uint32_t> ops;
};

// Joins marks with operators. The queues of MindSpore number their work each for itself, so a
// number may come several times. Threads take work up in the order in which it was handed to them:
// that tells such flows apart, where the flows around them are known.
class FlowJoiner {
 public:
  explicit FlowJoiner(trace::Trace& trace)
      : ops_(trace.framework_ops()), marks_(trace.flow_marks()), joined_(ops_.size()) {
    const trace::MindSporeOps& details = trace.mindspore_ops();
    for (std::uint32_t row = 0; row < marks_.size(); ++row) {
      marks_.to[row] = kNone;
      flows_[marks_.flow[row]].marks.push_back(row);
    }
    for (std::uint32_t row = 0; row < details.size(); ++row) {
      if (details.flow[row] == format::mindspore::kNoFlow) continue;
      const auto flow = flows_.find(details.flow[row]);
      if (flow != flows_.end()) flow->second.ops.push_back(details.op[row]);
    }
  }

  void join() {
    std::vector<const FlowEnds*> repeated;
    for (const auto& [number, ends] : flows_) {
      if (ends.marks.size() != ends.ops.size()) continue;
      if (ends.marks.size() == 1) {
        add(ends.marks[0], ends.ops[0]);
      } else if (ends.marks.size() <= kMostOfOneNumber) {
        repeated.push_back(&ends);
      }
    }
    // Each flow that becomes known may tell others apart.
    bool is_any = true;
    for (int pass = 0; is_any && pass < kMostPasses; ++pass) {
      is_any = false;
      for (const FlowEnds* ends : repeated) {
        for (const std::uint32_t op : ends->ops) is_any |= join_repeated(ends->marks, op);
      }
    }
  }

 private:
  // Bounds for damaged files: there are but a few queues.
  static constexpr std::size_t kMostOfOneNumber = 16;
  static constexpr int kMostPasses = 16;

  // Begins of operators that took work up, with when it was handed on.
  using Handovers = std::map<std::int64_t, std::int64_t>;

  void add(std::uint32_t mark, std::uint32_t op) {
    marks_.to[mark] = op;
    joined_[op] = 1;
    known_[ops_.tid[op]].emplace(ops_.start_ns[op], marks_.start_ns[mark]);
  }

  // Whether just one of the marks can be that of the operator.
  bool join_repeated(const std::vector<std::uint32_t>& marks, std::uint32_t op) {
    if (joined_[op] != 0) return false;
    const Handovers& handovers = known_[ops_.tid[op]];
    const auto next = handovers.lower_bound(ops_.start_ns[op]);
    const std::int64_t earliest_ns = next == handovers.begin()
                                         ? std::numeric_limits<std::int64_t>::min()
                                         : std::prev(next)->second;
    const std::int64_t latest_ns = next == handovers.end()
                                       ? ops_.start_ns[op]
                                       : std::min(next->second, std::int64_t{ops_.start_ns[op]});
    std::uint32_t only = kNone;
    for (const std::uint32_t mark : marks) {
      const std::int64_t time_ns = marks_.start_ns[mark];
      if (marks_.to[mark] != kNone || time_ns < earliest_ns || time_ns > latest_ns) continue;
      if (only != kNone) return false;
      only = mark;
    }
    if (only == kNone) return false;
    add(only, op);
    return true;
  }

  const trace::FrameworkOps& ops_;
  trace::FlowMarks& marks_;
  std::vector<std::uint8_t> joined_;                    // By operator.
  std::map<std::uint64_t, FlowEnds> flows_;             // By number, whose order decides.
  std::unordered_map<std::uint32_t, Handovers> known_;  // By thread that took work up.
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
  FlowJoiner(trace).join();
  OpFinder ops(trace.framework_ops(), op_rows);
  for (std::uint32_t row = 0; row < marks.size(); ++row) {
    marks.from[row] = ops.innermost(marks.tid[row], marks.start_ns[row], marks.end_ns[row]);
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
