// bench_npusim: how fast the simulated NPU writes profiles, beside how fast the same disk takes the
// same number of bytes in the same run.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/file.h"
#include "base/result.h"
#include "sim/workload/job.h"

namespace npuprof::sim {
namespace {

constexpr double kBytesPerMb = 1e6;

// Seconds on the wall and of CPU (all threads) since it was made.
class Stopwatch {
 public:
  double wall_s() const { return now_s(CLOCK_MONOTONIC) - wall_begin_s_; }
  double cpu_s() const { return now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_s_; }

 private:
  static double now_s(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  double wall_begin_s_ = now_s(CLOCK_MONOTONIC);
  double cpu_begin_s_ = now_s(CLOCK_PROCESS_CPUTIME_ID);
};

// A directory of its own for each measurement, removed with all in it.
class WorkDirectory {
 public:
  static Result<WorkDirectory> create(const std::filesystem::path& parent) {
    NPUPROF_RETURN_IF_ERROR(make_directories(parent));
    std::string name = (parent / "bench-npusim-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) return Error::from_errno("cannot create", name, errno);
    return WorkDirectory(std::move(name));
  }
  WorkDirectory(WorkDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit WorkDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

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

// A small model on many layers: much to log, little to compute, about 7,300 kernels a step.
JobOptions default_job() {
  JobOptions job;
  job.workload = Workload::kTransformer;
  job.skipped_steps = 0;
  job.collection.memory = true;
  job.framework.profile_memory = true;
  job.transformer = {
      .layers = 32, .hidden = 1024, .heads = 16, .sequence = 512, .micro_batches = 8};
  return job;
}

Result<JobSummary> run_in(const std::filesystem::path& parent, JobOptions job, Measurement& time) {
  NPUPROF_ASSIGN_OR_RETURN(const WorkDirectory directory, WorkDirectory::create(parent));
  job.output = directory.path();
  const Stopwatch watch;
  NPUPROF_ASSIGN_OR_RETURN(JobSummary summary, run_job(job));
  time.wall_s = watch.wall_s();
  time.cpu_s = watch.cpu_s();
  return summary;
}

// Seconds to write `bytes` from memory to a fresh file, as the simulator writes: through a
// FileWriter, into the page cache, without waiting for the disk behind it.
Result<double> write_seconds(const std::filesystem::path& parent, std::uint64_t bytes) {
  std::string block(1 << 20, '\0');
  std::minstd_rand random(1);  // Bytes a file system cannot compress away.
  for (char& c : block) c = static_cast<char>(random() >> 8);
  NPUPROF_ASSIGN_OR_RETURN(const WorkDirectory directory, WorkDirectory::create(parent));
  const Stopwatch watch;
  NPUPROF_ASSIGN_OR_RETURN(FileWriter writer, FileWriter::create(directory.path() / "block.data"));
  while (bytes > 0) {
    const std::uint64_t size = std::min<std::uint64_t>(bytes, block.size());
    writer.write(std::string_view(block).substr(0, size));
    bytes -= size;
  }
  NPUPROF_RETURN_IF_ERROR(writer.close());
  return watch.wall_s();
}

Result<Measurement> measure(const Arguments& arguments, std::uint64_t kernels_per_step,
                            std::uint64_t kernels) {
  JobOptions job = arguments.job;
  const std::uint64_t steps = (kernels + kernels_per_step / 2) / kernels_per_step;
  job.steps = static_cast<std::uint32_t>(std::max<std::uint64_t>(steps, 1));
  Measurement result;
  NPUPROF_ASSIGN_OR_RETURN(const JobSummary summary, run_in(arguments.output, job, result));
  result.kernels = summary.kernels;
  result.bytes = summary.bytes;
  NPUPROF_ASSIGN_OR_RETURN(const double first, write_seconds(arguments.output, result.bytes));
  NPUPROF_ASSIGN_OR_RETURN(const double second, write_seconds(arguments.output, result.bytes));
  result.disk_s = std::min(first, second);
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
  Arguments arguments{.job = default_job()};
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
