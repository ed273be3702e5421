#include "analyze/graph_events.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::array<std::pair<std::string_view, GraphEvent>, 20> kGraphEventNames = {{
    {"CompiledFunction", GraphEvent::kRegion},
    {"cache_compiler inference", GraphEvent::kCacheInference},
    {"npu_fx_compiler inference", GraphEvent::kInference},
    {"TorchDynamo Cache Lookup", GraphEvent::kLookup},
    {"TorchNpuGraphBase::Load", GraphEvent::kCompile},
    {"TorchNpuGraphBase::SetHintShape", GraphEvent::kCompile},
    {"TorchNpuGraphBase::Compile", GraphEvent::kCompile},
    {"TorchNpuGraphBase::AutoTune", GraphEvent::kCompile},
    {"TorchNpuGraphBase::Run", GraphEvent::kRun},
    {"AssembleInputs", GraphEvent::kAssembleInputs},
    {"AssembleOutputs", GraphEvent::kAssembleOutputs},
    {"LoadGraph", GraphEvent::kLoadGraph},
    {"ExecuteGraph", GraphEvent::kExecute},
    {"RunGraph", GraphEvent::kExecute},
    {"RefreshAtTensorFromGeTensor", GraphEvent::kRefresh},
    {"RefreshAtTensorFromGearsGeTensor", GraphEvent::kRefresh},
    {"acl_graph_warm_up", GraphEvent::kWarmUp},
    {"acl_graph_capture", GraphEvent::kCapture},
    {"acl_graph_replay", GraphEvent::kReplay},
    {"fx_run_eagerly", GraphEvent::kRunEagerly},
}};
constexpr std::string_view kRegionName = "Torch-Compiled Region";

bool is_same_event_name(std::string_view name, std::string_view known) {
  return std::equal(name.begin(), name.end(), known.begin(), known.end(),
                    [](char a, char b) { return (a == '_' ? ' ' : a) == (b == '_' ? ' ' : b); });
}

// One of these makes a profile one of graph mode.
bool is_of_torchair(GraphEvent event) {
  return event == GraphEvent::kInference || event == GraphEvent::kCacheInference ||
         event == GraphEvent::kRun;
}

std::uint64_t graph_thread_key(const trace::FrameworkOps& ops, std::uint32_t row) {
  return std::uint64_t{ops.pid[row]} << 32 | ops.tid[row];
}

// Equal ranges: only the layers say which one is the outer.
void order_equal_ranges(GraphThread& thread, const trace::FrameworkOps& ops,
                        const std::vector<GraphEvent>& event_of_name) {
  const auto span_of = [&](std::uint32_t row) {
    return std::pair(ops.start_ns[row], std::max(ops.start_ns[row], ops.end_ns[row]));
  };
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= thread.rows.size(); ++end) {
    if (end < thread.rows.size() && span_of(thread.rows[end]) == span_of(thread.rows[begin])) {
      continue;
    }
    if (end - begin > 1) {
      std::stable_sort(thread.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                       thread.rows.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](std::uint32_t a, std::uint32_t b) {
                         const GraphEvent first = event_of_name[to_index(ops.name[a])];
                         const GraphEvent second = event_of_name[to_index(ops.name[b])];
                         // Ranges of no layer stay where they are, before all others.
                         return first < second;
                       });
    }
    begin = end;
  }
}

void nest_graph_thread(GraphThread& thread) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t place = 0; place < thread.size(); ++place) {
    while (!open.empty() && thread.ends[open.back()] < thread.ends[place]) open.pop_back();
    thread.parent.push_back(open.empty() ? kNone : open.back());
    open.push_back(place);
  }
}

}  // namespace

GraphEvent graph_event_of(std::string_view name) {
  if (name.size() >= kRegionName.size() &&
      is_same_event_name(name.substr(0, kRegionName.size()), kRegionName)) {
    return GraphEvent::kRegion;
  }
  for (const auto& [known, event] : kGraphEventNames) {
    if (is_same_event_name(name, known)) return event;
  }
  return GraphEvent::kOther;
}

std::string_view region_id(std::string_view name) {
  if (graph_event_of(name) != GraphEvent::kRegion || name.size() <= kRegionName.size()) return {};
  name.remove_prefix(std::min(name.size(), kRegionName.size()));
  while (!name.empty() && (name.front() < '0' || name.front() > '9')) name.remove_prefix(1);
  return name;
}

std::size_t GraphThread::first_from(std::int64_t time_ns) const {
  return static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), time_ns) -
                                  starts.begin());
}

std::vector<GraphThread> graph_threads(const trace::Trace& trace) {
  const trace::FrameworkOps& ops = trace.framework_ops();
  std::vector<GraphEvent> event_of_name(trace.strings.size());
  std::vector<bool> is_known(trace.strings.size());
  std::unordered_map<std::uint64_t, std::size_t> thread_of_key;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    const std::uint32_t name = to_index(ops.name[row]);
    if (!is_known[name]) {
      is_known[name] = true;
      event_of_name[name] = graph_event_of(trace.strings.view(ops.name[row]));
    }
    if (is_of_torchair(event_of_name[name])) thread_of_key.emplace(graph_thread_key(ops, row), 0);
  }
  std::vector<GraphThread> threads;
  if (thread_of_key.empty()) return threads;
  for (auto& [key, thread] : thread_of_key) thread = SIZE_MAX;
  for (const std::uint32_t row : link::ops_in_nesting_order(ops)) {
    const auto found = thread_of_key.find(graph_thread_key(ops, row));
    if (found == thread_of_key.end()) continue;
    if (found->second == SIZE_MAX) {
      found->second = threads.size();
      threads.push_back({.pid = ops.pid[row], .tid = ops.tid[row]});
    }
    threads[found->second].rows.push_back(row);
  }
  for (GraphThread& thread : threads) {
    order_equal_ranges(thread, ops, event_of_name);
    for (const std::uint32_t row : thread.rows) {
      thread.events.push_back(event_of_name[to_index(ops.name[row])]);
      thread.starts.push_back(ops.start_ns[row]);
      thread.ends.push_back(std::max(ops.start_ns[row], ops.end_ns[row]));
      thread.is_damaged.push_back(ops.end_ns[row] < ops.start_ns[row]);
    }
    nest_graph_thread(thread);
  }
  return threads;
}

}  // namespace npuprof::analyze
