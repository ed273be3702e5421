// npusim: runs programs on a simulated NPU and leaves raw profiles with a known content.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cann/profiling_options.h"
#include "cann/switches.h"
#include "sim/prof/cann_switches.h"
#include "sim/tensorflow/graph_job.h"
#include "sim/workload/job.h"

namespace npuprof::sim {
namespace {

// Exit status: 0 all well, 2 usage, 3 the output cannot be written.
constexpr int kUsageError = 2;
constexpr int kOutputError = 3;

// A number greater than 0, else 0.
double positive(std::string_view text) {
  const double value = parse_number<double>(text).value_or(0);
  return value > 0 ? value : 0;
}

constexpr std::uint32_t kNoRank = 0xFFFFFFFF;
std::uint32_t rank_of(std::string_view text) {
  return parse_number<std::uint32_t>(text).value_or(kNoRank);
}

// "R:F" and "A-B:F".
SlowRank parse_slow_rank(const std::string& text) {
  const auto parts = split(text, ':');
  SlowRank slow{.rank = kNoRank, .factor = 0};
  if (parts.size() == 2) slow = {rank_of(parts[0]), positive(parts[1])};
  if (slow.rank != kNoRank && slow.factor != 0) return slow;
  throw CLI::ValidationError("--slow-rank", "'" + text + "' is not RANK:FACTOR, such as 3:1.5");
}

// "TYPE:F".
SlowKernel parse_slow_kernel(const std::string& text) {
  const auto parts = split(text, ':');
  SlowKernel slow{.type = {}, .factor = 0};
  if (parts.size() == 2) slow = {std::string(parts[0]), positive(parts[1])};
  if (!slow.type.empty() && slow.factor != 0) return slow;
  throw CLI::ValidationError("--slow-kernel",
                             "'" + text + "' is not TYPE:FACTOR, such as MatMulV3:2");
}

SlowLink parse_slow_link(const std::string& text) {
  const auto parts = split(text, ':');
  SlowLink slow{.a = kNoRank, .b = kNoRank, .factor = 0};
  if (parts.size() == 2) {
    const auto ends = split(parts[0], '-');
    if (ends.size() == 2) slow = {rank_of(ends[0]), rank_of(ends[1]), positive(parts[1])};
  }
  const bool known = slow.a != kNoRank && slow.b != kNoRank && slow.a != slow.b;
  if (known && slow.factor != 0) return slow;
  throw CLI::ValidationError("--slow-link", "'" + text + "' is not A-B:FACTOR, such as 0-1:4");
}

MetricSelection parse_metrics(const std::string& text) {
  static constexpr std::pair<const char*, MetricGroup> kGroups[] = {
      {"none", MetricGroup::kNone},
      {"ArithmeticUtilization", MetricGroup::kArithmeticUtilization},
      {"PipeUtilization", MetricGroup::kPipeUtilization},
      {"Memory", MetricGroup::kMemory},
      {"MemoryL0", MetricGroup::kMemoryL0},
      {"MemoryUB", MetricGroup::kMemoryUb},
      {"ResourceConflictRatio", MetricGroup::kResourceConflictRatio},
      {"L2Cache", MetricGroup::kL2Cache},
      {"MemoryAccess", MetricGroup::kMemoryAccess}};
  std::string names;
  for (const auto& [name, group] : kGroups) {
    if (text == name) return {group, {}};
    names += std::string(names.empty() ? "" : ", ") + name;
  }
  throw CLI::ValidationError("--metrics", "'" + text + "' is none of " + names);
}

CollectionLevel parse_level(const std::string& text) {
  if (text == "none") return CollectionLevel::kNone;
  if (text == "0") return CollectionLevel::kLevel0;
  if (text == "1") return CollectionLevel::kLevel1;
  if (text == "2") return CollectionLevel::kLevel2;
  throw CLI::ValidationError("--level", "'" + text + "' is none of none, 0, 1, 2");
}

HostSystem parse_host_system(const std::string& text) {
  HostSystem host;
  for (const std::string_view item : split(text, ',')) {
    if (item == "cpu") {
      host.cpu = true;
    } else if (item == "mem") {
      host.memory = true;
    } else if (item == "disk") {
      host.disk = true;
    } else if (item == "network") {
      host.network = true;
    } else {
      throw CLI::ValidationError("--host-sys",
                                 "'" + std::string(item) + "' is none of cpu, mem, disk, network");
    }
  }
  return host;
}

// What the command line says, before it is checked.
struct Arguments {
  JobOptions job;
  std::string chip = "Ascend910B3";
  std::string level = "1";
  std::string metrics = "PipeUtilization";
  std::string host_sys;
  std::vector<std::string> slow_ranks;
  std::vector<std::string> slow_links;
  std::vector<std::string> slow_kernels;
  std::optional<double> gc_threshold_ms;
  bool no_memory = false;
  std::string framework = "pytorch";
  tensorflow::GraphJobOptions graph;
  std::string profiling_options{npuprof::cann::kAdapterDefaultOptions};
};

void add_common_options(CLI::App& app, Arguments& arguments) {
  JobOptions& job = arguments.job;
  app.add_option("-o,--out", job.output, "Directory to write the profiles into")->required();
  app.add_option("--ranks", job.ranks, "Number of ranks (one profile each)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--steps", job.steps, "Recorded steps")->check(CLI::Range(1, 1000000));
  app.add_option("--seed", job.seed, "The same seed gives the same bytes");
  app.add_option("--chip", arguments.chip, "Ascend910B1 to B4, Ascend910_93, Ascend910_95");
  app.add_option("--tp", job.parallel.tensor, "Tensor parallel size");
  app.add_option("--pp", job.parallel.pipeline, "Pipeline parallel size");
  app.add_option("--dp", job.parallel.data,
                 "Data parallel size (default: what is left of the ranks)");
  app.add_option("--ep", job.parallel.expert, "Expert parallel size");

  const char* collect = "What is collected";
  app.add_option("--level", arguments.level, "Profiler level: none, 0, 1, 2")->group(collect);
  app.add_option("--metrics", arguments.metrics, "AI core metrics, such as PipeUtilization or none")
      ->group(collect);
  app.add_flag("--l2-cache", job.collection.l2_cache, "L2 cache counters")->group(collect);
  app.add_flag("--mstx", job.collection.mstx, "Marks, with a range for each module call")
      ->group(collect);
  app.add_flag("--op-attr", job.collection.op_attr, "Attributes of operators")->group(collect);
  app.add_flag("--task-block", job.collection.task_block, "Counters of each block of a kernel")
      ->group(collect);
  app.add_flag("--sys-io", job.collection.sys_io, "Network samples")->group(collect);
  app.add_flag("--sys-interconnection", job.collection.sys_interconnection, "PCIe and HCCS samples")
      ->group(collect);
  app.add_option("--host-sys", arguments.host_sys,
                 "Samples of this host: cpu,mem,disk,network (these depend on the machine)")
      ->group(collect);
  app.add_flag("--no-memory", arguments.no_memory, "No memory events and samples")->group(collect);
  app.add_flag("--with-stack", job.framework.with_stack, "Python calls and call stacks")
      ->group(collect);
  app.add_flag("--with-modules", job.framework.with_modules, "Python calls with modules")
      ->group(collect);

  app.add_flag("--data-process", job.data_process, "A data pipeline (--framework mindspore)")
      ->group(collect);

  const char* faults = "Faults";
  app.add_option("--slow-rank", arguments.slow_ranks, "R:F: kernels of rank R take F times as long")
      ->group(faults);
  app.add_option("--slow-link", arguments.slow_links,
                 "A-B:F: transfers between A and B take F times as long")
      ->group(faults);
  app.add_option("--slow-kernel", arguments.slow_kernels,
                 "TYPE:F: kernels of this type take F times as long, such as MatMulV3:2")
      ->group(faults);
  app.add_flag("--small-packets", job.faults.small_packets,
               "Gradients are summed in many small pieces (transformer, --dp)")
      ->group(faults);
  app.add_flag("--host-bound", job.faults.host_bound, "A host too slow for the device")
      ->group(faults);
  app.add_flag("--gc", job.faults.garbage, "A long garbage collection after each step")
      ->group(faults);
  app.add_option("--slow-dataloader", job.faults.slow_loader_ms,
                 "Milliseconds that the data loader takes longer in each step (transformer)")
      ->check(CLI::Range(0.0, 1e6))
      ->group(faults);
  app.add_flag("--freq-drop", job.faults.frequency_drop, "The AI core clock falls for a while")
      ->group(faults);
  app.add_flag("--truncate", job.faults.truncate, "Raw files end inside a record")->group(faults);
  app.add_option("--drop", job.faults.drop_share, "Share of kernels whose end is never logged")
      ->check(CLI::Range(0.0, 1.0))
      ->group(faults);
  app.add_option("--kill-at", job.faults.kill_at_ms,
                 "Milliseconds of simulated time after which the process is killed: operators stay "
                 "open, files end inside a record, and there are no end files")
      ->check(CLI::NonNegativeNumber)
      ->group(faults);
}

// Of programs that run whole graphs.
void add_tensorflow_options(CLI::App& app, Arguments& arguments) {
  const char* group = "With --framework tensorflow";
  tensorflow::GraphJobOptions& graph = arguments.graph;
  app.add_option("--profiling-options", arguments.profiling_options,
                 "What is collected, as the JSON text of the graph engine; output is not used")
      ->group(group);
  app.add_option("--loops", graph.loops, "Iterations of one execution, counted on the device")
      ->check(CLI::Range(1, 10000))
      ->group(group);
  app.add_flag("--forward-only", graph.graph.inference, "A graph without a backward pass")
      ->group(group);
  app.add_flag("--all-reduce", graph.graph.sums_gradients, "Gradients are summed")->group(group);
  app.add_flag("--reduce-stream", graph.graph.reduces_on_own_stream,
               "All-reduces have a stream of their own, so the end of the backward pass is not "
               "found")
      ->group(group);
  app.add_flag("--get-next-last", graph.graph.gets_next_last,
               "The next batch is taken after gradients were summed")
      ->group(group);
  app.add_flag("--built-before", graph.built_before_start,
               "The graph was built before profiling began, so it has no marks")
      ->group(group);
}

void add_transformer_options(CLI::App& app, TransformerShape& shape) {
  const char* model = "Model";
  app.add_option("--layers", shape.layers, "Layers")->group(model);
  app.add_option("--hidden", shape.hidden, "Width of the model")->group(model);
  app.add_option("--heads", shape.heads, "Attention heads")->group(model);
  app.add_option("--sequence", shape.sequence, "Tokens of a sequence")->group(model);
  app.add_option("--vocabulary", shape.vocabulary, "Size of the vocabulary")->group(model);
  app.add_option("--micro-batch", shape.micro_batch, "Sequences of a micro-batch")->group(model);
  app.add_option("--micro-batches", shape.micro_batches, "Micro-batches of a step")->group(model);
  app.add_option("--experts", shape.experts, "Experts of each layer; 0 = dense")->group(model);
  app.add_option("--experts-per-token", shape.experts_per_token, "Experts chosen for a token")
      ->group(model);
}

// Puts the texts into the options. Throws CLI::ValidationError, which names the option.
void resolve(Arguments& arguments, bool data_size_given) {
  JobOptions& job = arguments.job;
  auto chip = find_chip(arguments.chip);
  if (!chip.ok()) throw CLI::ValidationError("--chip", chip.error().message);
  job.chip = *chip;
  if (arguments.framework == "mindspore") job.program = ProgramFramework::kMindSpore;
  job.collection.level = parse_level(arguments.level);
  job.collection.aic_metrics = parse_metrics(arguments.metrics);
  if (!job.collection.operator_details()) job.collection.aic_metrics = {};
  if (!arguments.host_sys.empty()) job.collection.host_sys = parse_host_system(arguments.host_sys);
  job.collection.memory = !arguments.no_memory;
  job.framework.profile_memory = !arguments.no_memory;
  if (job.faults.garbage) job.framework.gc_detect_threshold_ms = 1;
  for (const std::string& text : arguments.slow_ranks)
    job.faults.slow_ranks.push_back(parse_slow_rank(text));
  for (const std::string& text : arguments.slow_links)
    job.faults.slow_links.push_back(parse_slow_link(text));
  for (const std::string& text : arguments.slow_kernels)
    job.faults.slow_kernels.push_back(parse_slow_kernel(text));
  const std::uint32_t others = job.parallel.tensor * job.parallel.pipeline;
  if (!data_size_given && others != 0 && job.ranks % others == 0)
    job.parallel.data = job.ranks / others;
}

// The collection that options of the graph engine ask for. Throws as resolve() does.
CollectionSettings graph_collection(const std::string& text, const ChipSpec& chip,
                                    tensorflow::GraphJobOptions& graph) {
  const auto options =
      npuprof::cann::parse_profiling_options(text, {.is_newest = chip.is_v6(), .work_path = "."});
  if (!options.ok()) throw CLI::ValidationError("--profiling-options", options.error().message);
  if (text != npuprof::cann::kAdapterDefaultOptions) {
    for (const std::string& note : options->notes) fmt::print(stderr, "npusim: {}\n", note);
  }
  graph.points = {.forward = options->fp_point, .backward = options->bp_point};
  std::vector<std::string> left_out;
  const npuprof::cann::Switches switches = npuprof::cann::make_switches(*options, left_out);
  for (std::string& key : npuprof::cann::not_simulated(switches, options->host_sys)) {
    left_out.push_back(std::move(key));
  }
  if (!left_out.empty()) {
    fmt::print(stderr, "npusim: nothing is recorded of {}: it is not simulated\n",
               fmt::join(left_out, ", "));
  }
  CannSwitches words{.bits = switches.bits, .metrics = switches.metrics, .settings = {}};
  for (const auto& [type, value] : switches.settings) words.settings[type] = value;
  CollectionSettings settings = settings_of(words);
  std::vector<std::string> host_sys = options->host_sys;
  std::erase_if(host_sys, [](const std::string& item) { return item == "osrt" || item == "numa"; });
  if (!host_sys.empty()) {
    settings.host_sys = host_system(fmt::format("{}", fmt::join(host_sys, ","))).value();
  }
  return settings;
}

void print_summary(const JobSummary& summary, const JobOptions& job) {
  fmt::print("{} kernels, {:.1f} MB in {}\n", summary.kernels,
             static_cast<double>(summary.bytes) / 1e6, job.output.native());
  for (const RankSummary& rank : summary.ranks) {
    fmt::print("  rank {:>3}  {:>9} kernels  {:>10.3f} ms  {}\n", rank.rank, rank.kernels,
               static_cast<double>(rank.duration_ns) / 1e6, rank.directory.filename().native());
  }
}

// The graph of a TensorFlow program; only the small one is known.
int run_tensorflow(Arguments& arguments) {
  arguments.job.collection =
      graph_collection(arguments.profiling_options, *arguments.job.chip, arguments.graph);
  auto summary = tensorflow::run_graph_job(arguments.job, arguments.graph);
  if (!summary.ok()) {
    fmt::print(stderr, "npusim: {}\n", summary.error().message);
    return kOutputError;
  }
  print_summary(*summary, arguments.job);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Runs a program on a simulated Ascend NPU and writes raw profiles as the profiler of its "
      "framework leaves them, with a manifest.json that says what is in them.");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Arguments arguments;
  const std::pair<CLI::App*, Workload> workloads[] = {
      {app.add_subcommand("toy", "Linear, three clamps, Linear, RMSNorm, MSE loss, SGD"),
       Workload::kToy},
      {app.add_subcommand("transformer", "Training of a decoder, dense or with experts"),
       Workload::kTransformer},
      {app.add_subcommand("graph-mode", "Compiled graphs in the manner of TorchAir"),
       Workload::kGraphMode},
      {app.add_subcommand("inference", "Prefill and decode on child threads"),
       Workload::kInference}};
  for (const auto& [command, workload] : workloads) {
    add_common_options(*command, arguments);
    std::vector<std::string> frameworks{"pytorch", "mindspore"};
    if (workload == Workload::kToy) {
      frameworks.emplace_back("tensorflow");
      add_tensorflow_options(*command, arguments);
    }
    command
        ->add_option("--framework", arguments.framework,
                     fmt::format("Whose profiler recorded: {}", fmt::join(frameworks, ", ")))
        ->check(CLI::IsMember(frameworks));
    if (workload == Workload::kTransformer || workload == Workload::kInference) {
      add_transformer_options(*command, arguments.job.transformer);
    }
    if (workload == Workload::kGraphMode) {
      command->add_option("--graphs", arguments.job.graph_mode.graphs, "Graphs of a step");
      command->add_option("--kernels", arguments.job.graph_mode.kernels_per_graph,
                          "Operators of a graph");
      command->add_option("--recompile-every", arguments.job.graph_mode.recompile_every,
                          "Every n-th step misses the cache");
    }
    if (workload == Workload::kInference) {
      command->add_option("--requests", arguments.job.inference.requests, "Requests of a batch");
      command->add_option("--prompt", arguments.job.inference.prompt, "Tokens of a prompt");
      command->add_option("--decode", arguments.job.inference.decode, "Tokens decoded in a step");
    }
  }
  try {
    app.parse(argc, argv);
    for (const auto& [command, workload] : workloads) {
      if (!command->parsed()) continue;
      arguments.job.workload = workload;
      resolve(arguments, command->count("--dp") > 0);
    }
    if (arguments.framework == "tensorflow") return run_tensorflow(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  if (const Status status = check_job(arguments.job); !status.ok()) {
    fmt::print(stderr, "npusim: {}\nRun with --help for more information.\n",
               status.error().message);
    return kUsageError;
  }
  auto summary = run_job(arguments.job);
  if (!summary.ok()) {
    fmt::print(stderr, "npusim: {}\n", summary.error().message);
    return summary.error().code == ErrorCode::kInvalidArgument ? kUsageError : kOutputError;
  }
  print_summary(*summary, arguments.job);
  return 0;
}

}  // namespace
}  // namespace npuprof::sim

int main(int argc, char** argv) {
  // Profiles hold local times: the same seed must give the same bytes everywhere.
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  try {
    return npuprof::sim::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "npusim: %s\n", error.what());
    return 3;
  }
}
