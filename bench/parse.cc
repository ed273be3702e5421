// bench_parse: how fast `npuprof parse` turns raw profiles into text and into a database, and with
// how much memory, beside how fast the same disk takes the same number of bytes in the same run.

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/result.h"
#include "measure.h"
#include "sim/workload/job.h"
#include "transformer_job.h"

namespace npuprof::bench {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::uint64_t> kernels = {100'000, 1'000'000};
  bool large = false;
  std::vector<std::string> exports = {"text", "db"};
  fs::path data;
  fs::path output;  // Empty = beside the data.
  fs::path program;
  unsigned jobs = 0;
};

// Raw profiles that stay for the next run.
struct RawData {
  fs::path path;
  std::uint64_t kernels = 0;
  std::uint64_t bytes = 0;
};

struct Measurement {
  double wall_s = 0;
  double user_s = 0;
  double system_s = 0;
  std::uint64_t peak_bytes = 0;  // Resident memory, mapped files included.
  std::uint64_t out_bytes = 0;
  WriteTime floor;
};

sim::JobOptions profiled_job(const sim::ChipSpec* chip) {
  sim::JobOptions job = transformer_job();
  job.chip = chip;
  job.framework.with_stack = true;
  return job;
}

Result<std::uint64_t> kernels_of_a_step(const fs::path& parent, sim::JobOptions job) {
  NPUPROF_ASSIGN_OR_RETURN(const WorkDirectory directory, WorkDirectory::create(parent, "step"));
  job.output = directory.path();
  job.steps = 1;
  NPUPROF_ASSIGN_OR_RETURN(const sim::JobSummary step, sim::run_job(job));
  if (step.kernels == 0) return Error{ErrorCode::kInternal, "a step without kernels"};
  return step.kernels;
}

// The number of kernels is in a file beside the profile, written last.
Result<RawData> raw_data(const Arguments& arguments, sim::JobOptions job, std::uint64_t kernels) {
  RawData data{.path = arguments.data / fmt::format("transformer-{}", kernels)};
  const fs::path count_file = data.path / "kernels.txt";
  if (auto count = read_file(count_file); count.ok()) {
    std::from_chars(count->data(), count->data() + count->size(), data.kernels);
  }
  if (data.kernels == 0) {
    fmt::print(stderr, "writing a profile of about {} kernels to {}\n", kernels,
               data.path.native());
    std::error_code ignored;
    fs::remove_all(data.path, ignored);
    NPUPROF_RETURN_IF_ERROR(make_directories(data.path));
    NPUPROF_ASSIGN_OR_RETURN(const std::uint64_t per_step, kernels_of_a_step(arguments.data, job));
    job.steps = steps_for(kernels, per_step);
    job.output = data.path;
    NPUPROF_ASSIGN_OR_RETURN(const sim::JobSummary summary, sim::run_job(job));
    data.kernels = summary.kernels;
    NPUPROF_RETURN_IF_ERROR(write_file(count_file, std::to_string(data.kernels)));
  }
  data.bytes = bytes_below(data.path);
  return data;
}

[[noreturn]] void become(std::vector<std::string> command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(words.front(), words.data());
  std::fprintf(stderr, "bench_parse: cannot run '%s'\n", words.front());
  ::_exit(127);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Runs the command in a process of its own, whose use of resources is then known.
Status run_command(const std::vector<std::string>& command, Measurement& result) {
  const Stopwatch watch;
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno("cannot start", command.front(), errno);
  if (child == 0) become(command);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return Error::from_errno("cannot wait for", command.front(), errno);
  }
  result.wall_s = watch.wall_s();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Error{ErrorCode::kInternal, "'" + command.front() + "' failed"};
  }
  result.user_s = seconds(usage.ru_utime);
  result.system_s = seconds(usage.ru_stime);
  result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return ok_status();
}

Result<Measurement> parse_once(const Arguments& arguments, const fs::path& parent,
                               const RawData& data, const std::string& type) {
  NPUPROF_ASSIGN_OR_RETURN(const WorkDirectory directory, WorkDirectory::create(parent, "parse"));
  settle(directory.path());
  Measurement result;
  NPUPROF_RETURN_IF_ERROR(
      run_command({arguments.program, "parse", data.path, "--quiet", "--export", type, "-o",
                   directory.path(), "-j", std::to_string(arguments.jobs)},
                  result));
  result.out_bytes = bytes_below(directory.path());
  return result;
}

// The better of two samples, and of two of the floor, in turns: a virtual machine writes faster to
// memory that it has used just before, so both sides get some of that.
Result<Measurement> measure(const Arguments& arguments, const RawData& data,
                            const std::string& type) {
  const fs::path parent = arguments.output.empty() ? arguments.data : arguments.output;
  NPUPROF_ASSIGN_OR_RETURN(Measurement best, parse_once(arguments, parent, data, type));
  NPUPROF_ASSIGN_OR_RETURN(best.floor, write_time(parent, best.out_bytes));
  NPUPROF_ASSIGN_OR_RETURN(Measurement second, parse_once(arguments, parent, data, type));
  NPUPROF_ASSIGN_OR_RETURN(second.floor, write_time(parent, second.out_bytes));
  const WriteTime floor = better(best.floor, second.floor);
  if (second.wall_s < best.wall_s) best = second;
  best.floor = floor;
  return best;
}

void print_row(const RawData& data, const std::string& type, const Measurement& m) {
  const double in_mb = static_cast<double>(data.bytes) / kBytesPerMb;
  const double out_mb = static_cast<double>(m.out_bytes) / kBytesPerMb;
  fmt::print(
      "{:>9} {:>5} {:>8.2f} {:>7.2f} {:>7.2f} {:>10.0f} {:>8.0f} {:>7.0f} {:>8.0f} {:>8.0f} "
      "{:>8.0f} {:>8.2f} {:>6.2f} {:>6.2f}\n",
      data.kernels, type, m.wall_s, m.user_s, m.system_s,
      static_cast<double>(data.kernels) / m.wall_s, in_mb, in_mb / m.wall_s, out_mb,
      out_mb / m.wall_s, static_cast<double>(m.peak_bytes) / kBytesPerMb, m.floor.wall_s,
      m.wall_s / m.floor.wall_s, (m.user_s + m.system_s) / m.floor.cpu_s);
  std::fflush(stdout);
}

Status measure_all(const Arguments& arguments) {
  NPUPROF_ASSIGN_OR_RETURN(const sim::ChipSpec* chip, sim::find_chip("Ascend910B3"));
  std::vector<std::uint64_t> sizes = arguments.kernels;
  if (arguments.large) sizes.push_back(4'000'000);
  std::vector<RawData> inputs;
  for (const std::uint64_t kernels : sizes) {
    NPUPROF_ASSIGN_OR_RETURN(RawData data, raw_data(arguments, profiled_job(chip), kernels));
    inputs.push_back(std::move(data));
  }
  fmt::print(
      "{:>9} {:>5} {:>8} {:>7} {:>7} {:>10} {:>8} {:>7} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6}\n",
      "kernels", "to", "wall s", "user s", "sys s", "kernels/s", "MB in", "in/s", "MB out", "out/s",
      "peak MB", "floor s", "ratio", "CPU");
  for (const RawData& data : inputs) {
    for (const std::string& type : arguments.exports) {
      NPUPROF_ASSIGN_OR_RETURN(const Measurement result, measure(arguments, data, type));
      print_row(data, type, result);
    }
  }
  return ok_status();
}

int run(int argc, char** argv) {
  Arguments arguments;
  const fs::path programs = fs::absolute(argv[0]).parent_path();
  arguments.program = programs / "npuprof";
  arguments.data = programs.parent_path() / "bench_data";
  CLI::App app("Measures how fast npuprof parses the profile of a transformer.");
  app.add_option("--kernels", arguments.kernels, "About how many kernels; several may be given")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_flag("--large", arguments.large, "4 million kernels as well");
  app.add_option("--export", arguments.exports, "What to write: text, db")->delimiter(',');
  app.add_option("--data", arguments.data, "Where raw profiles are kept from run to run");
  app.add_option("--out", arguments.output,
                 "Directory to write to; what is written there is removed again");
  app.add_option("--npuprof", arguments.program, "The program to measure");
  app.add_option("-j,--jobs", arguments.jobs, "Threads of npuprof; 0 = one for each core");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  fmt::print("$");
  for (int i = 0; i < argc; ++i) fmt::print(" {}", argv[i]);
  fmt::print("\n");
  if (const Status status = measure_all(arguments); !status.ok()) {
    fmt::print(stderr, "bench_parse: {}\n", status.error().message);
    return 3;
  }
  return 0;
}

}  // namespace
}  // namespace npuprof::bench

int main(int argc, char** argv) {
  try {
    return npuprof::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_parse: %s\n", error.what());
    return 3;
  }
}
