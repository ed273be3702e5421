#include "sim/workload/job.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "sim/npu/communicator.h"
#include "sim/workload/rank_profile.h"
#include "sim/workload/simulated_ranks.h"
#include "sim/workload/toy.h"
#include "sim/workload/worker.h"

namespace npuprof::sim {
namespace {

constexpr std::uint32_t kFirstProcessId = 3096504;
constexpr double kHostBoundSlowdown = 12;
constexpr std::int64_t kGarbageNs = 60'000'000;
// Far below what a link needs to reach its bandwidth.
constexpr std::uint64_t kSmallBucketBytes = 4 << 20;

// A program that a worker runs step by step.
class RankProgram {
 public:
  virtual ~RankProgram() = default;
  virtual Status set_up(World& world) = 0;
  virtual Status run_step(std::uint64_t step) = 0;
  virtual void finish() {}
};

class ToyProgram final : public RankProgram {
 public:
  ToyProgram(const ParallelLayout& layout, std::uint32_t rank, Worker& worker)
      : layout_(layout), rank_(rank), model_(worker) {}
  Status set_up(World& world) override { return model_.set_up(world, layout_, rank_); }
  Status run_step(std::uint64_t step) override { return model_.run_step(step); }

 private:
  ParallelLayout layout_;
  std::uint32_t rank_;
  ToyModel model_;
};

class TransformerProgram final : public RankProgram {
 public:
  TransformerProgram(const JobOptions& options, const ParallelLayout& layout, std::uint32_t rank,
                     Worker& worker)
      : model_(shape_of(options), layout, rank, worker) {}
  Status set_up(World& world) override { return model_.set_up(world); }
  Status run_step(std::uint64_t step) override { return model_.run_step(step); }
  void finish() override { model_.save_checkpoint(); }

 private:
  static TransformerShape shape_of(const JobOptions& options) {
    TransformerShape shape = options.transformer;
    if (options.faults.small_packets) shape.gradient_bucket_bytes = kSmallBucketBytes;
    return shape;
  }

  Transformer model_;
};

class GraphProgram final : public RankProgram {
 public:
  GraphProgram(const JobOptions& options, Worker& worker) : model_(options.graph_mode, worker) {}
  Status set_up(World&) override { return model_.set_up(); }
  Status run_step(std::uint64_t step) override { return model_.run_step(step); }

 private:
  TorchAirModel model_;
};

class InferenceProgram final : public RankProgram {
 public:
  InferenceProgram(const JobOptions& options, const ParallelLayout& layout, std::uint32_t rank,
                   Worker& worker)
      : model_(options.transformer, options.inference, layout, rank, worker) {}
  Status set_up(World& world) override { return model_.set_up(world); }
  Status run_step(std::uint64_t step) override { return model_.run_step(step); }

 private:
  Inference model_;
};

std::unique_ptr<RankProgram> make_program(const JobOptions& options, const ParallelLayout& layout,
                                          std::uint32_t rank, Worker& worker) {
  switch (options.workload) {
    case Workload::kToy:
      return std::make_unique<ToyProgram>(layout, rank, worker);
    case Workload::kTransformer:
      return std::make_unique<TransformerProgram>(options, layout, rank, worker);
    case Workload::kGraphMode:
      return std::make_unique<GraphProgram>(options, worker);
    case Workload::kInference:
      return std::make_unique<InferenceProgram>(options, layout, rank, worker);
  }
  return nullptr;
}

NpuOptions npu_options(const JobOptions& options, std::uint32_t rank) {
  NpuOptions npu{.chip = options.chip,
                 .rank = rank,
                 .device = rank % kDevicesOfNode,
                 .process_id = kFirstProcessId + rank * kProcessIdsPerRank,
                 .seed = options.seed + rank,
                 .collection = options.collection};
  for (const SlowRank& slow : options.faults.slow_ranks) {
    if (slow.rank == rank) npu.compute_slowdown = slow.factor;
  }
  npu.slow_kernels = options.faults.slow_kernels;
  if (options.faults.host_bound) npu.host_slowdown = kHostBoundSlowdown;
  if (options.faults.frequency_drop) {
    // Two thirds of the clock for a while, early enough to be seen in short runs.
    npu.frequency_drops.push_back(
        {.begin_ns = 5'000'000, .duration_ns = 20'000'000, .mhz = options.chip->aic_mhz * 2 / 3});
  }
  npu.dropped_kernel_share = options.faults.drop_share;
  return npu;
}

class RankRun final : public SimulatedRank {
 public:
  RankRun(const JobOptions& options, const ParallelLayout& layout, World& world, std::uint32_t rank)
      : SimulatedRank(world, rank), options_(options), layout_(layout) {}

 private:
  Status simulate() override {
    const SimClock clock = clock_of_rank(options_, rank_);
    NpuOptions npu_settings = npu_options(options_, rank_);
    const std::uint32_t process_id = npu_settings.process_id;
    NPUPROF_ASSIGN_OR_RETURN(auto profile,
                             RankProfile::create(options_, layout_, rank_, process_id, clock));
    summary_ = {.rank = rank_, .directory = profile->directory()};
    Npu npu(std::move(npu_settings), clock);
    profile->attach(npu);
    if (options_.faults.kill_at_ms) {
      npu.stop_at(clock.first_event_ns() + std::llround(*options_.faults.kill_at_ms * 1e6));
      profile->framework().stop_at(npu.stop_ns());
    }
    Worker worker({.process_id = process_id,
                   .host_slowdown = options_.faults.host_bound ? kHostBoundSlowdown : 1,
                   .module_ranges = options_.collection.mstx,
                   .begin_ns = clock.first_event_ns(),
                   .loading_stall_ns = std::llround(options_.faults.slow_loader_ms * 1e6)},
                  npu, profile->framework());
    NPUPROF_RETURN_IF_ERROR(worker.set_up());
    const auto program = make_program(options_, layout_, rank_, worker);
    NPUPROF_RETURN_IF_ERROR(program->set_up(world_));

    const auto killed = [&] { return worker.now_ns() > npu.stop_ns(); };
    for (std::uint32_t i = 0; i < options_.steps; ++i) {
      NPUPROF_RETURN_IF_ERROR(program->run_step(options_.skipped_steps + i));
      if (options_.faults.garbage) worker.collect_garbage(kGarbageNs);
      profile->step_done(npu, worker);
      // A rank that was killed leaves no more records, but others may still need its part in
      // collectives: their time comes a little later.
      if (killed() && options_.ranks == 1) break;
    }
    if (!killed()) program->finish();
    if (!killed()) worker.finish();
    const std::int64_t end_ns = std::min(worker.now_ns(), npu.stop_ns());
    summary_.kernels = npu.truth().counted(TruthCount::kKernels);
    summary_.duration_ns = end_ns - clock.first_event_ns();
    NPUPROF_RETURN_IF_ERROR(profile->finish(npu, end_ns, killed()));
    JsonWriter json(manifest_, 1);
    profile->write_manifest(npu, json);
    return ok_status();
  }

  const JobOptions& options_;
  const ParallelLayout& layout_;
};

std::string_view workload_name(Workload workload) {
  switch (workload) {
    case Workload::kToy:
      return "toy";
    case Workload::kTransformer:
      return "transformer";
    case Workload::kGraphMode:
      return "graph-mode";
    case Workload::kInference:
      return "inference";
  }
  return "";
}

void write_slow_kernels(JsonWriter& json, const std::vector<SlowKernel>& slow_kernels) {
  json.key("slow_kernels").begin_array();
  for (const SlowKernel& slow : slow_kernels) {
    json.begin_object().member("type", slow.type).member("factor", slow.factor).end_object();
  }
  json.end_array();
}

void write_faults(JsonWriter& json, const Faults& faults) {
  json.key("faults").begin_object();
  json.key("slow_ranks").begin_array();
  for (const SlowRank& slow : faults.slow_ranks) {
    json.begin_object().member("rank", slow.rank).member("factor", slow.factor).end_object();
  }
  json.end_array();
  json.key("slow_links").begin_array();
  for (const SlowLink& slow : faults.slow_links) {
    json.begin_object()
        .member("a", slow.a)
        .member("b", slow.b)
        .member("factor", slow.factor)
        .end_object();
  }
  json.end_array();
  json.member("host_bound", faults.host_bound).member("gc", faults.garbage);
  json.member("freq_drop", faults.frequency_drop).member("truncate", faults.truncate);
  json.member("drop", faults.drop_share).member("kill_at_ms", faults.kill_at_ms);
  if (faults.slow_loader_ms > 0) json.member("slow_dataloader_ms", faults.slow_loader_ms);
  if (faults.small_packets) json.member("small_packets", true);
  if (!faults.slow_kernels.empty()) write_slow_kernels(json, faults.slow_kernels);
  json.end_object();
}

Status write_job_manifest(const JobOptions& options, const SimulatedRanks& ranks) {
  std::string text;
  JsonWriter json(text, 1);
  json.begin_object().member("simulated", true).member("workload", workload_name(options.workload));
  json.member("seed", options.seed).member("chip", options.chip->name);
  json.member("steps", options.steps).member("first_step", options.skipped_steps);
  json.key("parallel").begin_object();
  json.member("tp", options.parallel.tensor).member("pp", options.parallel.pipeline);
  json.member("dp", options.parallel.data).member("ep", options.parallel.expert).end_object();
  write_faults(json, options.faults);
  return write_manifest(json, text, ranks, options);
}

}  // namespace

Status check_job(const JobOptions& options) {
  const auto fault_rank = [&](std::uint32_t rank, const char* option) -> Status {
    if (rank < options.ranks) return ok_status();
    return Error{ErrorCode::kInvalidArgument, std::string(option) + ": there is no rank " +
                                                  std::to_string(rank) + " among " +
                                                  std::to_string(options.ranks)};
  };
  for (const SlowRank& slow : options.faults.slow_ranks) {
    NPUPROF_RETURN_IF_ERROR(fault_rank(slow.rank, "--slow-rank"));
  }
  for (const SlowLink& slow : options.faults.slow_links) {
    NPUPROF_RETURN_IF_ERROR(fault_rank(slow.a, "--slow-link"));
    NPUPROF_RETURN_IF_ERROR(fault_rank(slow.b, "--slow-link"));
  }
  if (options.faults.slow_loader_ms > 0 && options.workload != Workload::kTransformer) {
    return Error{ErrorCode::kUnsupported, "--slow-dataloader: only the transformer loads data"};
  }
  if (options.faults.small_packets &&
      (options.workload != Workload::kTransformer || options.parallel.data < 2)) {
    return Error{ErrorCode::kUnsupported,
                 "--small-packets: only a transformer with several data parallel ranks sums "
                 "gradients in pieces; give it --dp 2"};
  }
  NPUPROF_ASSIGN_OR_RETURN(const auto layout,
                           ParallelLayout::make(options.parallel, options.ranks));
  if (options.workload == Workload::kTransformer || options.workload == Workload::kInference) {
    NPUPROF_RETURN_IF_ERROR(Transformer::check(options.transformer, layout));
  }
  if (options.workload == Workload::kInference && options.parallel.pipeline > 1) {
    return Error{ErrorCode::kUnsupported, "--pp: inference is simulated without pipeline stages"};
  }
  return ok_status();
}

Result<JobSummary> run_job(const JobOptions& options) {
  NPUPROF_RETURN_IF_ERROR(check_job(options));
  NPUPROF_ASSIGN_OR_RETURN(const auto layout,
                           ParallelLayout::make(options.parallel, options.ranks));
  NPUPROF_RETURN_IF_ERROR(make_directories(options.output));
  Network network(*options.chip,
                  {.ranks_per_node = kDevicesOfNode, .slow_links = options.faults.slow_links});
  World world(std::move(network), options.ranks);

  SimulatedRanks ranks;
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    ranks.push_back(std::make_unique<RankRun>(options, layout, world, rank));
  }
  NPUPROF_RETURN_IF_ERROR(run_all_ranks(ranks));
  NPUPROF_RETURN_IF_ERROR(write_job_manifest(options, ranks));
  return summary_of(ranks, options);
}

}  // namespace npuprof::sim
