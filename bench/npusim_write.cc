// bench_npusim: how fast the simulated NPU writes profiles, beside how fast the same disk takes the
// same number of bytes in the same run.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/result.h"
#include "measure.h"
#include "sim/workload/job.h"
#include "transformer_job.h"

namespace npuprof::sim {
namespace {

using bench::kBytesPerMb;
using bench::Stopwatch;
using bench::WorkDirectory;

struct Arguments {
  std::vector<std::uint64_t> kernels = {100'000, 1'000'000};
  std::filesystem::path output = std::filesystem::temp_directory_path();
  JobOptions job;
};

struct Measurement {
  std::uint64_t kernels = 0;
  std::uint64_t bytes = 0;
  double wall_s = 0;
  double cpu_s = 0;
  double disk_s = 0;  // The better of two samples.

  double megabytes() const { return static_cast<double>(bytes) / kBytesPerMb; }
};

Result<JobSummary> run_in(const std::filesystem::path& parent, JobOptions job, Measurement& time) {
  NPUPROF_ASSIGN_OR_RETURN(const WorkDirectory directory,
                           WorkDirectory::create(parent, "bench-npusim"));
  job.output = directory.path();
  bench::settle(directory.path());
  const Stopwatch watch;
  NPUPROF_ASSIGN_OR_RETURN(JobSummary summary, run_job(job));
  time.wall_s = watch.wall_s();
  time.cpu_s = watch.cpu_s();
  return summary;
}

Result<Measurement> measure(const Arguments& arguments, std::uint64_t kernels_per_step,
                            std::uint64_t kernels) {
  JobOptions job = arguments.job;
  job.steps = bench::steps_for(kernels, kernels_per_step);
  Measurement result;
  NPUPROF_ASSIGN_OR_RETURN(const JobSummary summary, run_in(arguments.output, job, result));
  result.kernels = summary.kernels;
  result.bytes = summary.bytes;
  NPUPROF_ASSIGN_OR_RETURN(const bench::WriteTime first,
                           bench::write_time(arguments.output, result.bytes));
  NPUPROF_ASSIGN_OR_RETURN(const bench::WriteTime second,
                           bench::write_time(arguments.output, result.bytes));
  result.disk_s = bench::better(first, second).wall_s;
  return result;
}

void print_row(const Measurement& m) {
  const auto kernels = static_cast<double>(m.kernels);
  const double speed = m.megabytes() / m.wall_s;
  const double disk_speed = m.megabytes() / m.disk_s;
  fmt::print("{:>9} {:>8.2f} {:>8.2f} {:>12.0f} {:>12.0f} {:>9.1f} {:>8.1f} {:>10.1f} {:>7.3f}\n",
             m.kernels, m.wall_s, m.cpu_s, kernels / m.wall_s, kernels / m.cpu_s, m.megabytes(),
             speed, disk_speed, speed / disk_speed);
  std::fflush(stdout);
}

Status measure_all(const Arguments& arguments) {
  // One step tells how many kernels a step has, and warms up.
  JobOptions one_step = arguments.job;
  one_step.steps = 1;
  Measurement ignored;
  NPUPROF_ASSIGN_OR_RETURN(const JobSummary step, run_in(arguments.output, one_step, ignored));
  if (step.kernels == 0) return Error{ErrorCode::kInternal, "a step without kernels"};

  fmt::print("{:>9} {:>8} {:>8} {:>12} {:>12} {:>9} {:>8} {:>10} {:>7}\n", "kernels", "wall s",
             "CPU s", "kernels/s", "kernels/CPUs", "MB", "MB/s", "disk MB/s", "ratio");
  for (const std::uint64_t kernels : arguments.kernels) {
    NPUPROF_ASSIGN_OR_RETURN(const Measurement result, measure(arguments, step.kernels, kernels));
    print_row(result);
  }
  return ok_status();
}

int run(int argc, char** argv) {
  CLI::App app("Measures how fast the simulated NPU writes the profile of a transformer.");
  Arguments arguments{.job = bench::transformer_job()};
  TransformerShape& shape = arguments.job.transformer;
  app.add_option("--kernels", arguments.kernels, "About how many kernels; several may be given")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_option("--out", arguments.output,
                 "Directory to write to; what is written there is removed again");
  app.add_option("--layers", shape.layers, "Layers");
  app.add_option("--hidden", shape.hidden, "Width of the model");
  app.add_option("--heads", shape.heads, "Attention heads");
  app.add_option("--sequence", shape.sequence, "Tokens of a sequence");
  app.add_option("--micro-batches", shape.micro_batches, "Micro-batches of a step");
  app.add_flag("--with-stack", arguments.job.framework.with_stack, "Python calls as well");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  auto chip = find_chip("Ascend910B3");
  if (!chip.ok()) {
    fmt::print(stderr, "bench_npusim: {}\n", chip.error().message);
    return 2;
  }
  arguments.job.chip = *chip;

  fmt::print("$");
  for (int i = 0; i < argc; ++i) fmt::print(" {}", argv[i]);
  fmt::print("\n");
  if (const Status status = measure_all(arguments); !status.ok()) {
    fmt::print(stderr, "bench_npusim: {}\n", status.error().message);
    return 3;
  }
  return 0;
}

}  // namespace
}  // namespace npuprof::sim

int main(int argc, char** argv) {
  try {
    return npuprof::sim::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_npusim: %s\n", error.what());
    return 3;
  }
}
