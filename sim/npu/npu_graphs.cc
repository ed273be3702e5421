#include "sim/npu/npu_graphs.h"

#include <algorithm>
#include <tuple>

#include "format/device/ts_track.h"
#include "format/host/additional_memory.h"
#include "format/host/additional_model.h"
#include "format/host/additional_node.h"
#include "format/host/compact_stream.h"
#include "sim/npu/graph_memory.h"
#include "sim/npu/runtime_calls.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

constexpr std::int64_t kGraphStartNs = 1000;  // Device: from the order to the first kernel.
constexpr std::uint32_t kMostStreams = 56;    // What a record of them has room for.
// Collectives of a graph are issued by a thread of the communication library.
constexpr std::uint32_t kCollectiveThread = 7;
constexpr std::uint64_t kWholeGraph = 0xFFFFFFFF;  // In place of operators' numbers.
constexpr std::uint64_t kFirstAddress = 0x12c080000000;
constexpr std::uint64_t kPoolStep = 2 << 20;

}  // namespace

Result<GraphId> NpuGraphs::make(const GraphDesc& desc) {
  Graph graph;
  // 1 is the first id; 0 is what readers take for "no model" in places.
  graph.model_id = static_cast<std::uint32_t>(graphs_.size()) + 1;
  graph.desc = desc;
  std::uint32_t stream_count = 1;
  for (std::size_t i = 0; i < desc.nodes.size(); ++i) {
    stream_count = std::max(stream_count, desc.nodes[i].stream + 1);
    for (const GraphEdge& edge : desc.nodes[i].inputs) {
      if (edge.from < i) continue;
      return Error{ErrorCode::kInvalidArgument,
                   "node " + desc.nodes[i].name + " of a graph comes before one of its inputs"};
    }
  }
  if (stream_count > kMostStreams) {
    return Error{ErrorCode::kInvalidArgument, "a graph has too many streams"};
  }
  for (std::uint32_t i = 0; i < stream_count; ++i) {
    NPUPROF_ASSIGN_OR_RETURN(const StreamNumber stream, npu_.streams.create());
    graph.streams.push_back(stream);
  }
  if (npu_.host_log.on()) {
    graph.marks =
        place_marks(find_points(desc.nodes, desc.points), npu_.options.collection.training_trace);
  }
  graphs_.push_back(std::move(graph));
  return static_cast<GraphId>(graphs_.size() - 1);
}

void NpuGraphs::report_model_event(std::uint32_t thread, std::uint32_t type, std::uint32_t model_id,
                                   std::uint32_t request_id, std::int64_t begin_ns,
                                   std::int64_t end_ns) {
  if (!npu_.host_log.tasks()) return;
  const Age age = type == host::kTypeModelLoad ? Age::kUnaging : Age::kAging;
  for (const std::int64_t time_ns : {begin_ns, end_ns}) {
    if (!npu_.host_log.running_at(time_ns)) return;
    npu_.host_log.reporter()->api(age, {.level = host::kLevelModel,
                                        .type = type,
                                        .thread_id = thread,
                                        .request_id = request_id,
                                        .begin = npu_.host_log.ticks(time_ns),
                                        .end = host::ApiEvent::kEventMarker,
                                        .item_id = model_id});
  }
}

void NpuGraphs::report_name(std::uint32_t thread, const Graph& graph, std::int64_t time_ns,
                            Age age) {
  if (!npu_.host_log.tasks()) return;
  host::GraphIdMap map{};
  map.header = host::header_of<host::GraphIdMap>(thread, npu_.host_log.ticks(time_ns));
  map.model_name = npu_.host_log.hash(graph.desc.name);
  map.graph_id = graph.model_id;
  map.model_id = graph.model_id;
  npu_.host_log.record(age, map);
}

void NpuGraphs::report_streams(std::uint32_t thread, const Graph& graph, std::int64_t time_ns) {
  if (!npu_.host_log.tasks()) return;
  host::LogicStreamInfo streams{};
  streams.header = host::header_of<host::LogicStreamInfo>(thread, npu_.host_log.ticks(time_ns));
  streams.physical_count =
      static_cast<std::uint32_t>(std::min(graph.streams.size(), streams.physical_streams.size()));
  for (std::size_t i = 0; i < streams.physical_count; ++i) {
    streams.physical_streams[i] = graph.streams[i];
  }
  npu_.host_log.record(Age::kUnaging, streams);
}

// Operators that the compiler made of several.
void NpuGraphs::report_fusion(std::uint32_t thread, const GraphOperator& node,
                              std::int64_t time_ns) {
  if (!npu_.host_log.operator_details() || node.original_names.size() < 2) return;
  host::FusionOpInfo info{};
  constexpr std::size_t kMostNames = std::tuple_size_v<decltype(info.fused_op_names)>;
  for (std::size_t done = 0; done < node.original_names.size(); done += kMostNames) {
    info.header = host::header_of<host::FusionOpInfo>(thread, npu_.host_log.ticks(time_ns));
    info.op_name = node.kernel->name_hash;
    info.fused_count =
        static_cast<std::uint32_t>(std::min(node.original_names.size() - done, kMostNames));
    for (std::uint32_t i = 0; i < info.fused_count; ++i) {
      info.fused_op_names[i] = npu_.host_log.hash(node.original_names[done + i]);
    }
    info.input_bytes = static_cast<std::uint64_t>(node.kernel->desc().bytes_read);
    info.output_bytes = static_cast<std::uint64_t>(node.kernel->desc().bytes_written);
    info.total_bytes = info.input_bytes + info.output_bytes;
    npu_.host_log.record(Age::kUnaging, info);
  }
}

// What the compiler planned for each operator, the sum of it, and that the graph takes it.
void NpuGraphs::report_memory(std::uint32_t thread, Graph& graph, std::int64_t time_ns) {
  if (!npu_.host_log.operator_memory()) return;
  const MemoryPlan plan = plan_memory(graph.desc.nodes);
  const std::uint64_t ticks = npu_.host_log.ticks(time_ns);
  host::StaticOpMem planned{};
  planned.header = host::header_of<host::StaticOpMem>(thread, ticks);
  planned.graph_id = graph.model_id;
  planned.total_allocated = plan.peak_bytes;
  for (const PlannedBlock& block : plan.blocks) {
    planned.op_name = graph.desc.nodes[block.node].kernel->name_hash;
    planned.size = static_cast<std::int64_t>(block.bytes);
    planned.life_start = block.node;
    planned.life_end = block.last_use;
    npu_.host_log.record(Age::kUnaging, planned);
  }
  planned.op_name = 0;
  planned.size = static_cast<std::int64_t>(plan.peak_bytes);
  planned.life_start = kWholeGraph;
  planned.life_end = kWholeGraph;
  npu_.host_log.record(Age::kUnaging, planned);
  if (graph.address != 0) return;
  graph.address = kFirstAddress + memory_bytes_;
  memory_bytes_ += plan.peak_bytes;
  host::TaskMemoryInfo taken{};
  taken.header = host::header_of<host::TaskMemoryInfo>(thread, ticks);
  taken.address = graph.address;
  taken.size = static_cast<std::int64_t>(plan.peak_bytes);
  taken.op_name = npu_.host_log.hash(graph.desc.name);
  taken.total_allocated = memory_bytes_;
  taken.total_reserved = (memory_bytes_ + kPoolStep - 1) / kPoolStep * kPoolStep;
  taken.device = npu_.options.device;
  npu_.host_log.record(Age::kAging, taken);
}

std::int64_t NpuGraphs::report_load(std::uint32_t thread, Graph& graph, std::int64_t begin_ns) {
  graph.collection = collection_;
  graph.tasks.clear();
  std::int64_t now_ns = begin_ns + npu_.costs.call_head;
  for (const GraphOperator& node : graph.desc.nodes) {
    if (node.kernel == nullptr) {
      graph.tasks.push_back(0);
      continue;
    }
    StreamState& stream = npu_.streams.at(graph.streams[node.stream]);
    const NpuKernels::Launch launched =
        kernels_.report_launch(thread, stream, *node.kernel, now_ns, Age::kUnaging);
    // Inside the launch, as readers find the graph it belongs to by that.
    report_fusion(thread, node, launched.end_ns);
    graph.tasks.push_back(launched.task);
    now_ns = launched.end_ns + npu_.costs.between_launches;
  }
  const std::int64_t end_ns = now_ns + npu_.costs.call_tail;
  report_name(thread, graph, end_ns, Age::kUnaging);
  report_streams(thread, graph, end_ns);
  report_memory(thread, graph, end_ns);
  report_model_event(thread, host::kTypeModelLoad, graph.model_id, 0, begin_ns, end_ns);
  return end_ns;
}

Result<GraphId> NpuGraphs::load(std::uint32_t thread, const GraphDesc& desc, std::int64_t begin_ns,
                                std::int64_t* host_end_ns) {
  NPUPROF_ASSIGN_OR_RETURN(const GraphId id, make(desc));
  const std::int64_t end_ns = report_load(thread, graphs_[id], begin_ns);
  if (host_end_ns != nullptr) *host_end_ns = end_ns;
  return id;
}

void NpuGraphs::trace(const Graph& graph, std::size_t node, std::uint16_t tag, std::uint64_t step,
                      std::int64_t time_ns) {
  // A node without a task has its marks at the one before, or else at the first.
  const auto& nodes = graph.desc.nodes;
  std::size_t at = node;
  while (at > 0 && nodes[at].kernel == nullptr) --at;
  while (at + 1 < nodes.size() && nodes[at].kernel == nullptr) ++at;
  const StreamNumber stream = graph.streams[nodes[at].stream];
  npu_.device_log.trace({stream, graph.tasks[at]}, tag, step, graph.model_id, time_ns);
  if (!npu_.device_log.shows({time_ns, time_ns})) return;
  npu_.truth.add_graph_mark({.model = graph.model_id,
                             .step = step,
                             .tag = tag,
                             .wall_ns = npu_.wall_of({time_ns, time_ns}).begin});
}

void NpuGraphs::write_marks(const Graph& graph, std::size_t node, bool is_after,
                            std::int64_t time_ns, const Execution& execution) {
  for (const GraphMark& mark : graph.marks) {
    if (mark.node != node || mark.is_after != is_after) continue;
    // The end of an iteration waits for all streams.
    const bool is_end = mark.tag == device::StepTag::kIterationEnd;
    const std::int64_t at_ns = is_end ? execution.end_ns + npu_.chip().task_gap_ns / 2 : time_ns;
    trace(graph, node, mark.tag, execution.step, at_ns);
  }
}

Result<Interval> NpuGraphs::run_node(Graph& graph, std::size_t index, std::int64_t ready_ns,
                                     Execution& execution) {
  const GraphOperator& node = graph.desc.nodes[index];
  if (node.collective) {
    const StreamNumber main = collectives_.main_stream(node.collective->communicator);
    StreamState& stream = npu_.streams.at(main);
    stream.free_ns = std::max(stream.free_ns, ready_ns);
    NPUPROF_ASSIGN_OR_RETURN(const TaskRun run,
                             collectives_.run(execution.thread, node.collective->communicator,
                                              node.collective->desc, execution.issue_ns));
    execution.issue_ns = run.host_end_ns;
    return Interval{run.device_begin_ns, run.device_end_ns};
  }
  if (node.kernel == nullptr) return Interval{ready_ns, ready_ns};
  StreamState& stream = npu_.streams.at(graph.streams[node.stream]);
  const Interval run = kernels_.run(stream, graph.tasks[index], *node.kernel, ready_ns);
  if (!graph.desc.queue.empty() && node.kernel->desc().kind == KernelCore::kAicpu &&
      node.original_type.ends_with("GetNext")) {
    npu_.device_log.dequeue(graph.desc.queue, ++graph.batches, run);
  }
  return run;
}

Status NpuGraphs::run_iteration(Graph& graph, std::uint32_t loop, Execution& execution) {
  const bool is_last = loop + 1 == graph.desc.loops;
  const std::int64_t begin_ns = execution.end_ns;
  execution.runs.assign(graph.desc.nodes.size(), {begin_ns, begin_ns});
  for (std::size_t i = 0; i < graph.desc.nodes.size(); ++i) {
    const GraphOperator& node = graph.desc.nodes[i];
    if ((node.name == kLoopCountOn && is_last) || (node.name == kLoopBeginAnew && !is_last)) {
      continue;
    }
    std::int64_t ready_ns = begin_ns;
    for (const GraphEdge& edge : node.inputs) {
      ready_ns = std::max(ready_ns, execution.runs[edge.from].end);
    }
    NPUPROF_ASSIGN_OR_RETURN(execution.runs[i], run_node(graph, i, ready_ns, execution));
    execution.end_ns = std::max(execution.end_ns, execution.runs[i].end);
    write_marks(graph, i, false, execution.runs[i].begin, execution);
    write_marks(graph, i, true, execution.runs[i].end, execution);
  }
  return ok_status();
}

Result<TaskRun> NpuGraphs::execute(std::uint32_t thread, GraphId id, StreamNumber stream_id,
                                   std::int64_t begin_ns) {
  Graph& graph = graphs_.at(id);
  if (npu_.host_log.on() && graph.collection != collection_) {
    begin_ns = report_load(thread, graph, begin_ns) + npu_.costs.call_tail;
  }
  const auto request = static_cast<std::uint32_t>(++graph.executions);
  if (graph.desc.reports_steps) {
    const std::int64_t copied_ns = begin_ns + npu_.costs.call_head;
    npu_.host_log.api(host::kLevelModel, host::kTypeModelInputCopy, thread, begin_ns, copied_ns,
                      graph.model_id);
    begin_ns = copied_ns + npu_.costs.call_tail;
  }
  StreamState& caller = npu_.streams.at(stream_id);
  SimpleCall call = issuer_.begin_call("aclmdlExecuteAsync", runtime_call::kModelExecute, begin_ns);

  host::TaskTrack track{};
  track.header = host::header_of<host::TaskTrack>(thread, 0);
  track.task_type = static_cast<std::uint64_t>(host::TaskType::kModelExecute);
  host::ModelExtension extension{};
  extension.model_id = graph.model_id;
  track.extension = host::make_extension(extension);
  const std::uint32_t task = issuer_.submit(
      thread, caller, npu_.host_log.ticks(call.runtime_begin_ns) + 1, track, Age::kAging);
  const Interval start =
      issuer_.run(caller, task, device::SqeKind::kPlaceHolder,
                  call.runtime_end_ns + npu_.chip().launch_latency_ns, kGraphStartNs);
  report_model_event(thread, host::kTypeModelExecute, graph.model_id, request,
                     call.runtime_begin_ns, call.runtime_end_ns);
  issuer_.report_call(thread, call);

  if (!graph.desc.nodes.empty()) {
    trace(graph, 0, device::StepTag::kModelStart, request, start.end);
  }
  Execution execution{.thread = thread + kCollectiveThread,
                      .issue_ns = std::max(call.end_ns, collectives_issued_ns_),
                      .step = request,
                      .runs = {},
                      .end_ns = start.end};
  for (std::uint32_t loop = 0; loop < graph.desc.loops; ++loop) {
    NPUPROF_RETURN_IF_ERROR(run_iteration(graph, loop, execution));
  }
  collectives_issued_ns_ = execution.issue_ns;
  const std::int64_t end_ns = execution.end_ns;
  if (!graph.desc.nodes.empty()) {
    trace(graph, graph.desc.nodes.size() - 1, device::StepTag::kModelEnd, request,
          end_ns + npu_.chip().task_gap_ns);
  }
  for (const StreamNumber stream : graph.streams) npu_.streams.at(stream).free_ns = end_ns;
  caller.free_ns = end_ns;
  if (npu_.device_log.shows({start.begin, end_ns})) npu_.truth.count(TruthCount::kGraphReplays);
  if (graph.desc.reports_steps) call.end_ns = report_step(thread, graph, call.end_ns);
  return TaskRun{call.end_ns, start.begin, end_ns};
}

// What the host says of a step beside the execution itself; when it is done with that.
std::int64_t NpuGraphs::report_step(std::uint32_t thread, const Graph& graph,
                                    std::int64_t begin_ns) {
  std::int64_t now_ns = begin_ns + npu_.costs.call_tail;
  for (const std::uint16_t tag : {device::StepTag::kModelStart, device::StepTag::kModelEnd}) {
    npu_.host_log.api(host::kLevelNode, host::kTypeNodeStepInfo, thread, now_ns,
                      now_ns + npu_.costs.runtime, tag);
    now_ns += npu_.costs.runtime + npu_.costs.call_tail;
  }
  npu_.host_log.api(host::kLevelModel, host::kTypeModelOutputCopy, thread, now_ns,
                    now_ns + npu_.costs.call_head, graph.model_id);
  now_ns += npu_.costs.call_head;
  report_name(thread, graph, now_ns, Age::kAging);
  return now_ns + npu_.costs.call_tail;
}

}  // namespace npuprof::sim
