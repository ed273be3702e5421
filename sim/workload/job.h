#pragma once

// A simulated job: all its ranks run one program, each writes a profile directory as the profiler
// of PyTorch, or that of MindSpore, leaves it, and a manifest says what is in them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/model/chip.h"
#include "sim/model/network.h"
#include "sim/npu/npu_options.h"
#include "sim/prof/collection_settings.h"
#include "sim/torch/framework_options.h"
#include "sim/workload/graph_mode.h"
#include "sim/workload/inference.h"
#include "sim/workload/parallel.h"
#include "sim/workload/transformer.h"

namespace npuprof::sim {

// Whose profiler recorded the program.
enum class ProgramFramework : std::uint8_t { kPyTorch, kMindSpore };

enum class Workload : std::uint8_t { kToy, kTransformer, kGraphMode, kInference };

struct SlowRank {
  std::uint32_t rank = 0;
  double factor = 1;  // Its kernels take so many times as long.
};

// What goes wrong, on purpose.
struct Faults {
  std::vector<SlowRank> slow_ranks;
  std::vector<SlowLink> slow_links;
  std::vector<SlowKernel> slow_kernels;
  bool small_packets = false;        // Gradients are summed in many small pieces.
  bool host_bound = false;           // The host is too slow to keep the device busy.
  bool garbage = false;              // Long garbage collections.
  bool frequency_drop = false;       // The AI core clock falls for a while.
  bool truncate = false;             // The last raw slices end inside a record.
  double drop_share = 0;             // Part of the kernels whose end is never logged.
  std::optional<double> kill_at_ms;  // The process dies: no end files.
  double slow_loader_ms = 0;         // The data loader takes so much longer in each step.
};

struct JobOptions {
  Workload workload = Workload::kToy;
  std::filesystem::path output;
  const ChipSpec* chip = nullptr;
  std::uint32_t ranks = 1;
  ParallelSizes parallel;
  std::uint64_t seed = 1;
  // Schedule: steps before the recorded ones leave no trace.
  std::uint32_t skipped_steps = 2;
  std::uint32_t steps = 10;
  CollectionSettings collection;
  ProgramFramework program = ProgramFramework::kPyTorch;
  FrameworkOptions framework;
  bool data_process = false;  // MindSpore: a data pipeline.
  TransformerShape transformer;
  GraphModeOptions graph_mode;
  InferenceOptions inference;
  Faults faults;
};

struct RankSummary {
  std::uint32_t rank = 0;
  std::filesystem::path directory;
  std::uint64_t kernels = 0;
  std::int64_t duration_ns = 0;
};

struct JobSummary {
  std::vector<RankSummary> ranks;
  std::uint64_t kernels = 0;
  std::uint64_t bytes = 0;
};

// Checks what can be known to be wrong before anything is written.
Status check_job(const JobOptions& options);

// Runs the job and writes `<output>/<rank directories>` and `<output>/manifest.json`.
Result<JobSummary> run_job(const JobOptions& options);

}  // namespace npuprof::sim
