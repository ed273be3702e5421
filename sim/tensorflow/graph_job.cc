#include "sim/tensorflow/graph_job.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "sim/npu/npu.h"
#include "sim/workload/rank_collection.h"
#include "sim/workload/simulated_ranks.h"

namespace npuprof::sim::tensorflow {
namespace {

constexpr std::uint32_t kFirstProcessId = 4201000;
constexpr std::int64_t kBetweenRunsNs = 250'000;  // What the program does itself.
constexpr std::int64_t kTailNs = 5'000'000;
constexpr std::string_view kGroup = "hccl_world_group";

class GraphRank final : public SimulatedRank {
 public:
  GraphRank(const JobOptions& job, const GraphJobOptions& options, World& world, std::uint32_t rank)
      : SimulatedRank(world, rank),
        job_(job),
        options_(options),
        clock_(clock_of_rank(job, rank)),
        npu_({.chip = job.chip,
              .rank = rank,
              .device = device(),
              .process_id = process_id(),
              .seed = job.seed + rank,
              .collection = job.collection},
             clock_) {}

 private:
  std::uint32_t device() const { return rank_ % kDevicesOfNode; }
  std::uint32_t process_id() const { return kFirstProcessId + rank_ * kProcessIdsPerRank; }

  // The ranks that sum gradients; nothing for a rank alone.
  Result<std::optional<CommunicatorId>> join() {
    if (job_.ranks == 1 || !options_.graph.sums_gradients) return std::optional<CommunicatorId>();
    std::vector<std::uint32_t> all(job_.ranks);
    std::iota(all.begin(), all.end(), 0u);
    NPUPROF_ASSIGN_OR_RETURN(Communicator * communicator, world_.communicator(kGroup, all));
    NPUPROF_ASSIGN_OR_RETURN(
        const CommunicatorId id,
        npu_.collectives().join(process_id(), *communicator, now_ns_, &now_ns_));
    return std::optional(id);
  }

  Result<GraphId> load(std::optional<CommunicatorId> group) {
    const TrainingGraph graph = make_training_graph(options_.graph);
    GraphDesc desc{.name = options_.graph.inference ? "ge_infer_graph" : "ge_train_graph",
                   .points = options_.points,
                   .loops = options_.loops,
                   .reports_steps = true,
                   .queue = "queue_0"};
    for (CompiledNode& made : compile(*job_.chip, graph.ops, graph.outputs)) {
      if (group && made.node.type == "HcomAllReduce" && made.kernel) {
        const std::uint64_t count = element_count(made.kernel->tensors.front().shape);
        made.node.collective = {*group, {.type = ElementType::kFloat32, .count = count}};
      } else if (made.kernel) {
        made.node.kernel = &npu_.kernels().add(std::move(*made.kernel));
      }
      desc.nodes.push_back(std::move(made.node));
    }
    if (options_.loops > 1) add_loop_ends(desc);
    return npu_.graphs().load(process_id(), desc, now_ns_, &now_ns_);
  }

  // Before the output: what counts iterations on the device.
  void add_loop_ends(GraphDesc& desc) {
    GraphOperator output = std::move(desc.nodes.back());
    desc.nodes.pop_back();
    for (const std::string_view name : {kLoopCountOn, kLoopBeginAnew}) {
      KernelDesc kernel;
      kernel.name = name;
      kernel.type = name == kLoopCountOn ? "AssignAdd" : "Assign";
      kernel.tensors = {{.is_output = true, .type = ElementType::kInt64, .shape = {1}}};
      kernel.bytes_written = 8;
      GraphOperator node{.name = kernel.name,
                         .type = kernel.type,
                         .inputs = output.inputs,
                         .kernel = &npu_.kernels().add(std::move(kernel))};
      for (GraphEdge& edge : node.inputs) edge.output = GraphEdge::kControl;
      desc.nodes.push_back(std::move(node));
    }
    desc.nodes.push_back(std::move(output));
  }

  Status simulate() override {
    const RankCollection::Rank rank{
        .number = rank_, .device = device(), .process_id = process_id()};
    NPUPROF_ASSIGN_OR_RETURN(collection_, RankCollection::create(job_, job_.output, rank, clock_));
    summary_ = {.rank = rank_, .directory = collection_->path()};
    now_ns_ = clock_.first_event_ns();
    if (!options_.built_before_start) collection_->attach(npu_, now_ns_);
    NPUPROF_ASSIGN_OR_RETURN(const StreamNumber stream,
                             npu_.streams().create(process_id(), now_ns_, &now_ns_));
    NPUPROF_ASSIGN_OR_RETURN(const auto group, join());
    NPUPROF_ASSIGN_OR_RETURN(const GraphId graph, load(group));
    if (options_.built_before_start) collection_->attach(npu_, now_ns_);
    npu_.samples().set_memory(kMemoryBytes, group ? kMemoryBytes / 4 : 0);
    for (std::uint32_t i = 0; i < job_.steps; ++i) {
      NPUPROF_ASSIGN_OR_RETURN(const TaskRun run,
                               npu_.graphs().execute(process_id(), graph, stream, now_ns_));
      now_ns_ =
          npu_.streams().synchronize_stream(process_id(), stream, run.host_end_ns) + kBetweenRunsNs;
      collection_->sample(npu_, now_ns_);
    }
    return finish();
  }

  Status finish() {
    const std::int64_t stop_ns = std::max(now_ns_, npu_.streams().latest_free_ns()) + kTailNs;
    summary_.kernels = npu_.truth().counted(TruthCount::kKernels);
    summary_.duration_ns = now_ns_ - clock_.first_event_ns();
    npu_.detach(stop_ns);
    NPUPROF_RETURN_IF_ERROR(collection_->close());
    NPUPROF_RETURN_IF_ERROR(collection_->finish(stop_ns));
    JsonWriter json(manifest_, 1);
    json.begin_object()
        .member("rank", rank_)
        .member("path", collection_->path().filename().native());
    json.member("device", device()).member("pid", process_id()).key("truth");
    npu_.truth().write_json(json);
    json.end_object();
    return ok_status();
  }

  static constexpr std::uint64_t kMemoryBytes = 4ull << 30;

  const JobOptions& job_;
  const GraphJobOptions& options_;
  SimClock clock_;
  Npu npu_;
  std::unique_ptr<RankCollection> collection_;
  std::int64_t now_ns_ = 0;
};

Status write_graph_manifest(const JobOptions& job, const GraphJobOptions& options,
                            const SimulatedRanks& ranks) {
  std::string text;
  JsonWriter json(text, 1);
  json.begin_object().member("simulated", true).member("framework", "tensorflow");
  json.member("seed", job.seed).member("chip", job.chip->name).member("steps", job.steps);
  json.key("graph").begin_object();
  json.member("inference", options.graph.inference).member("loops", options.loops);
  json.member("sums_gradients", options.graph.sums_gradients);
  json.member("reduces_on_own_stream", options.graph.reduces_on_own_stream);
  json.member("gets_next_last", options.graph.gets_next_last);
  json.member("built_before_start", options.built_before_start).end_object();
  return write_manifest(json, text, ranks, job);
}

}  // namespace

Result<JobSummary> run_graph_job(const JobOptions& job, const GraphJobOptions& options) {
  NPUPROF_RETURN_IF_ERROR(make_directories(job.output));
  World world(Network(*job.chip, {.ranks_per_node = kDevicesOfNode, .slow_links = {}}), job.ranks);
  SimulatedRanks ranks;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    ranks.push_back(std::make_unique<GraphRank>(job, options, world, rank));
  }
  NPUPROF_RETURN_IF_ERROR(run_all_ranks(ranks));
  NPUPROF_RETURN_IF_ERROR(write_graph_manifest(job, options, ranks));
  return summary_of(ranks, job);
}

}  // namespace npuprof::sim::tensorflow
