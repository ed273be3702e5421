#include <algorithm>

#include "format/device/ts_track.h"
#include "format/host/additional_model.h"
#include "format/host/compact_stream.h"
#include "format/host/variable.h"
#include "sim/npu/npu.h"
#include "sim/npu/runtime_calls.h"

// Static graphs, reported once when they are loaded, and captured graphs; both run by being
// replayed.

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

constexpr std::int64_t kGraphStartNs = 1000;  // Device: from the order to the first kernel.

}  // namespace

Result<GraphId> Npu::make_graph(const GraphDesc& desc) {
  Graph graph;
  // 1 is the first id; 0 is what readers take for "no model" in places.
  graph.model_id = static_cast<std::uint32_t>(graphs_.size()) + 1;
  graph.forward_end = std::min(desc.forward_end, desc.kernels.size());
  std::uint32_t stream_count = 1;
  for (const GraphKernel& kernel : desc.kernels) {
    stream_count = std::max(stream_count, kernel.stream + 1);
  }
  for (std::uint32_t i = 0; i < stream_count; ++i) {
    NPUPROF_ASSIGN_OR_RETURN(const StreamId stream, streams_.create());
    graph.streams.push_back(stream);
  }
  graphs_.push_back(std::move(graph));
  return static_cast<GraphId>(graphs_.size() - 1);
}

void Npu::report_model_event(std::uint32_t thread, std::uint32_t type, std::uint32_t model_id,
                             std::uint32_t request_id, std::int64_t begin_ns, std::int64_t end_ns) {
  if (!host_.tasks()) return;
  const Age age = type == host::kTypeModelLoad ? Age::kUnaging : Age::kAging;
  for (const std::int64_t time_ns : {begin_ns, end_ns}) {
    if (!host_.running_at(time_ns)) return;
    host_.reporter()->api(age, {.level = host::kLevelModel,
                                .type = type,
                                .thread_id = thread,
                                .request_id = request_id,
                                .begin = host_.ticks(time_ns),
                                .end = host::ApiEvent::kEventMarker,
                                .item_id = model_id});
  }
}

Result<GraphId> Npu::load_graph(std::uint32_t thread, const GraphDesc& desc, std::int64_t begin_ns,
                                std::int64_t* host_end_ns) {
  NPUPROF_ASSIGN_OR_RETURN(const GraphId id, make_graph(desc));
  Graph& graph = graphs_[id];
  std::int64_t now_ns = begin_ns + costs_.call_head;
  for (const GraphKernel& item : desc.kernels) {
    StreamState& stream = streams_.at(graph.streams[item.stream]);
    const std::int64_t runtime_begin_ns = now_ns + costs_.node_head;
    const std::int64_t runtime_end_ns = runtime_begin_ns + costs_.runtime;
    const std::int64_t end_ns = runtime_end_ns + costs_.node_tail;
    const std::uint32_t task = submit(thread, stream, host_.ticks(runtime_begin_ns) + 1,
                                      item.kernel->track, Age::kUnaging);
    host_.runtime_api(runtime_call::kLaunchKernel, thread, runtime_begin_ns, runtime_end_ns);
    report_node(thread, *item.kernel, now_ns, end_ns, Age::kUnaging);
    graph.tasks.push_back({item.kernel, stream.id, task});
    now_ns = end_ns + costs_.between_launches;
  }
  const std::int64_t end_ns = now_ns + costs_.call_tail;
  if (host_.tasks()) {
    host::GraphIdMap map{};
    map.header = host::header_of<host::GraphIdMap>(thread, host_.ticks(end_ns));
    map.model_name = host_.hash(desc.name);
    map.graph_id = graph.model_id;
    map.model_id = graph.model_id;
    host_.record(Age::kUnaging, map);
    host::LogicStreamInfo streams{};
    streams.header = host::header_of<host::LogicStreamInfo>(thread, host_.ticks(end_ns));
    streams.physical_count =
        static_cast<std::uint32_t>(std::min(graph.streams.size(), streams.physical_streams.size()));
    for (std::size_t i = 0; i < streams.physical_count; ++i) {
      streams.physical_streams[i] = graph.streams[i];
    }
    host_.record(Age::kUnaging, streams);
  }
  report_model_event(thread, host::kTypeModelLoad, graph.model_id, 0, begin_ns, end_ns);
  if (host_end_ns != nullptr) *host_end_ns = end_ns;
  return id;
}

Result<GraphId> Npu::capture_graph(std::uint32_t thread, StreamId original, const GraphDesc& desc,
                                   std::int64_t begin_ns, std::int64_t* host_end_ns) {
  NPUPROF_ASSIGN_OR_RETURN(const GraphId id, make_graph(desc));
  Graph& graph = graphs_[id];
  graph.captured = true;
  graph.original = original;
  if (host_.tasks()) {
    for (const StreamId stream : graph.streams) {
      host::CaptureStreamInfo info{};
      info.header = host::header_of<host::CaptureStreamInfo>(thread, host_.ticks(begin_ns));
      info.status = host::CaptureStreamInfo::kBound;
      info.captured_stream = stream;
      info.original_stream = original;
      info.model_id = static_cast<std::uint16_t>(graph.model_id);
      info.device = static_cast<std::uint16_t>(options_.device);
      host_.record(Age::kUnaging, info);
    }
  }
  std::int64_t now_ns = begin_ns + costs_.call_head;
  for (const GraphKernel& item : desc.kernels) {
    const KernelTemplate& kernel = *item.kernel;
    StreamState& stream = streams_.at(graph.streams[item.stream]);
    const std::uint32_t task =
        submit(thread, stream, host_.ticks(now_ns) + 1, kernel.track, Age::kUnaging);
    graph.tasks.push_back({&kernel, stream.id, task});
    now_ns += costs_.runtime + costs_.between_launches;
    if (!host_.operator_details() || !host_.running_at(now_ns)) continue;
    if (kernel.collection != collection_) register_strings(kernel);
    host::CaptureOpHead head{};
    head.header =
        host::make_header(host::CaptureOpInfo::kVariableKind, 0, thread, host_.ticks(now_ns));
    head.capture_model_id = graph.model_id;
    head.device = options_.device;
    head.stream = stream.id;
    head.task_id = task;
    head.task_type = kernel.node.task_type;
    head.blocks = kernel.node.blocks;
    head.op_name = kernel.node.op_name;
    head.op_type = kernel.node.op_type;
    head.attributes = kernel.attributes.attributes;
    head.op_flag = kernel.node.op_flag;
    host_.reporter()->capture_op(head, tensor_records(kernel.desc()));
  }
  const std::int64_t end_ns = now_ns + costs_.call_tail;
  acl_api(thread, acl_call("aclmdlRICaptureEnd"), begin_ns, end_ns);
  if (host_end_ns != nullptr) *host_end_ns = end_ns;
  return id;
}

TaskRun Npu::execute_graph(std::uint32_t thread, GraphId id, StreamId stream_id,
                           std::int64_t begin_ns) {
  Graph& graph = graphs_.at(id);
  StreamState& caller = streams_.at(stream_id);
  const SimpleCall call =
      begin_simple(acl_call(graph.captured ? "aclmdlRIExecuteAsync" : "aclmdlExecuteAsync"),
                   runtime_call::kModelExecute, begin_ns);
  const auto request = static_cast<std::uint32_t>(++graph.executions);

  host::TaskTrack track{};
  track.header = host::header_of<host::TaskTrack>(thread, 0);
  track.task_type = static_cast<std::uint64_t>(host::TaskType::kModelExecute);
  host::ModelExtension extension{};
  extension.model_id = graph.model_id;
  track.extension = host::make_extension(extension);
  const std::uint32_t task =
      submit(thread, caller, host_.ticks(call.runtime_begin_ns) + 1, track, Age::kAging);
  const Interval start = run_simple(caller, task, device::SqeKind::kPlaceHolder,
                                    call.runtime_end_ns + chip().launch_latency_ns, kGraphStartNs);
  if (!graph.captured) {
    report_model_event(thread, host::kTypeModelExecute, graph.model_id, request,
                       call.runtime_begin_ns, call.runtime_end_ns);
  }
  report_simple(thread, call);

  const bool traced = !graph.captured && !graph.tasks.empty();
  const auto trace = [&](std::size_t index, std::uint16_t tag, std::int64_t time_ns) {
    if (!traced) return;
    const Graph::Task& at = graph.tasks[index];
    device_.trace({at.stream, at.task}, tag, request, graph.model_id, time_ns);
  };
  trace(0, device::StepTag::kModelStart, start.end);
  std::int64_t end_ns = start.end;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Graph::Task& item = graph.tasks[i];
    const Interval run = run_kernel(streams_.at(item.stream), item.task, *item.kernel, start.end);
    end_ns = std::max(end_ns, run.end);
    const bool training = graph.forward_end > 0;
    if (training && i == 0) trace(i, device::StepTag::kForwardStart, run.begin);
    if (training && i + 1 == graph.tasks.size()) trace(i, device::StepTag::kBackwardEnd, run.end);
  }
  trace(graph.tasks.size() - 1, device::StepTag::kIterationEnd, end_ns + chip().task_gap_ns / 2);
  trace(graph.tasks.size() - 1, device::StepTag::kModelEnd, end_ns + chip().task_gap_ns);
  for (const StreamId stream : graph.streams) streams_.at(stream).free_ns = end_ns;
  caller.free_ns = end_ns;
  if (device_.shows({start.begin, end_ns})) truth_.count(TruthCount::kGraphReplays);
  return {call.end_ns, start.begin, end_ns};
}

std::int64_t Npu::destroy_graph(std::uint32_t thread, GraphId id, std::int64_t begin_ns) {
  Graph& graph = graphs_.at(id);
  const std::int64_t end_ns = begin_ns + costs_.call_head + costs_.call_tail;
  if (graph.captured && host_.tasks()) {
    for (const StreamId stream : graph.streams) {
      host::CaptureStreamInfo info{};
      info.header = host::header_of<host::CaptureStreamInfo>(thread, host_.ticks(begin_ns) + 1);
      info.status = host::CaptureStreamInfo::kDestroyed;
      info.captured_stream = stream;
      info.original_stream = graph.original;
      info.model_id = static_cast<std::uint16_t>(graph.model_id);
      info.device = static_cast<std::uint16_t>(options_.device);
      host_.record(Age::kUnaging, info);
    }
  }
  acl_api(thread, acl_call(graph.captured ? "aclmdlRIDestroy" : "aclmdlUnload"), begin_ns, end_ns);
  for (const StreamId stream : graph.streams) streams_.destroy(stream);
  graph.tasks.clear();
  graph.streams.clear();
  return end_ns;
}

}  // namespace npuprof::sim
