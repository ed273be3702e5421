#include "sim/npu/npu_graphs.h"

#include <algorithm>

#include "format/device/ts_track.h"
#include "format/host/additional_model.h"
#include "format/host/compact_stream.h"
#include "sim/npu/runtime_calls.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

constexpr std::int64_t kGraphStartNs = 1000;  // Device: from the order to the first kernel.

}  // namespace

Result<GraphId> NpuGraphs::make(const GraphDesc& desc) {
  Graph graph;
  // 1 is the first id; 0 is what readers take for "no model" in places.
  graph.model_id = static_cast<std::uint32_t>(graphs_.size()) + 1;
  graph.forward_end = std::min(desc.forward_end, desc.kernels.size());
  std::uint32_t stream_count = 1;
  for (const GraphKernel& kernel : desc.kernels) {
    stream_count = std::max(stream_count, kernel.stream + 1);
  }
  for (std::uint32_t i = 0; i < stream_count; ++i) {
    NPUPROF_ASSIGN_OR_RETURN(const StreamId stream, npu_.streams.create());
    graph.streams.push_back(stream);
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

void NpuGraphs::report_streams(std::uint32_t thread, const Graph& graph, const std::string& name,
                               std::int64_t time_ns) {
  if (!npu_.host_log.tasks()) return;
  host::GraphIdMap map{};
  map.header = host::header_of<host::GraphIdMap>(thread, npu_.host_log.ticks(time_ns));
  map.model_name = npu_.host_log.hash(name);
  map.graph_id = graph.model_id;
  map.model_id = graph.model_id;
  npu_.host_log.record(Age::kUnaging, map);
  host::LogicStreamInfo streams{};
  streams.header = host::header_of<host::LogicStreamInfo>(thread, npu_.host_log.ticks(time_ns));
  streams.physical_count =
      static_cast<std::uint32_t>(std::min(graph.streams.size(), streams.physical_streams.size()));
  for (std::size_t i = 0; i < streams.physical_count; ++i) {
    streams.physical_streams[i] = graph.streams[i];
  }
  npu_.host_log.record(Age::kUnaging, streams);
}

Result<GraphId> NpuGraphs::load(std::uint32_t thread, const GraphDesc& desc, std::int64_t begin_ns,
                                std::int64_t* host_end_ns) {
  NPUPROF_ASSIGN_OR_RETURN(const GraphId id, make(desc));
  Graph& graph = graphs_[id];
  std::int64_t now_ns = begin_ns + npu_.costs.call_head;
  for (const GraphKernel& item : desc.kernels) {
    StreamState& stream = npu_.streams.at(graph.streams[item.stream]);
    const NpuKernels::Launch launched =
        kernels_.report_launch(thread, stream, *item.kernel, now_ns, Age::kUnaging);
    graph.tasks.push_back({item.kernel, stream.id, launched.task});
    now_ns = launched.end_ns + npu_.costs.between_launches;
  }
  const std::int64_t end_ns = now_ns + npu_.costs.call_tail;
  report_streams(thread, graph, desc.name, end_ns);
  report_model_event(thread, host::kTypeModelLoad, graph.model_id, 0, begin_ns, end_ns);
  if (host_end_ns != nullptr) *host_end_ns = end_ns;
  return id;
}

TaskRun NpuGraphs::execute(std::uint32_t thread, GraphId id, StreamId stream_id,
                           std::int64_t begin_ns) {
  Graph& graph = graphs_.at(id);
  StreamState& caller = npu_.streams.at(stream_id);
  const SimpleCall call =
      issuer_.begin_call("aclmdlExecuteAsync", runtime_call::kModelExecute, begin_ns);
  const auto request = static_cast<std::uint32_t>(++graph.executions);

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

  const auto trace = [&](std::size_t index, std::uint16_t tag, std::int64_t time_ns) {
    if (graph.tasks.empty()) return;
    const Graph::Task& at = graph.tasks[index];
    npu_.device_log.trace({at.stream, at.task}, tag, request, graph.model_id, time_ns);
  };
  trace(0, device::StepTag::kModelStart, start.end);
  std::int64_t end_ns = start.end;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Graph::Task& item = graph.tasks[i];
    const Interval run =
        kernels_.run(npu_.streams.at(item.stream), item.task, *item.kernel, start.end);
    end_ns = std::max(end_ns, run.end);
    const bool training = graph.forward_end > 0;
    if (training && i == 0) trace(i, device::StepTag::kForwardStart, run.begin);
    if (training && i + 1 == graph.tasks.size()) trace(i, device::StepTag::kBackwardEnd, run.end);
  }
  trace(graph.tasks.size() - 1, device::StepTag::kIterationEnd,
        end_ns + npu_.chip().task_gap_ns / 2);
  trace(graph.tasks.size() - 1, device::StepTag::kModelEnd, end_ns + npu_.chip().task_gap_ns);
  for (const StreamId stream : graph.streams) npu_.streams.at(stream).free_ns = end_ns;
  caller.free_ns = end_ns;
  if (npu_.device_log.shows({start.begin, end_ns})) npu_.truth.count(TruthCount::kGraphReplays);
  return {call.end_ns, start.begin, end_ns};
}

}  // namespace npuprof::sim
