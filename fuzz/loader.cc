#include "fuzz/loader.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "analyze/key_averages.h"
#include "analyze/statistics.h"
#include "base/file.h"
#include "base/utf8.h"
#include "fuzz/input.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "tests/whole_collection.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::fuzz {
namespace {

namespace fs = std::filesystem;

void remove_profiles() {
  std::error_code ignored;
  fs::remove_all(scratch_directory(), ignored);
}

load::Profile simulated(sim::JobOptions job) {
  job = testing::with_all_collected(std::move(job));
  require(sim::run_job(job).ok());
  return load::discover(job.output)->profiles.front();
}

std::string changed(std::string content, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
  const bool replaces = (data[1] & 1) != 0;
  const bool ends = (data[1] & 2) != 0;
  if (replaces) return std::string(bytes);
  const std::size_t step = 1 + content.size() / 65536;
  std::size_t at = (data[2] | std::size_t{data[3]} << 8) * step;
  at = content.empty() ? 0 : at % content.size();
  if (content.size() < at + bytes.size() || ends) content.resize(at + bytes.size());
  std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(at));
  return content;
}

}  // namespace

// Memory, if the machine has such a file system: thousands of changes a second are written.
const fs::path& scratch_directory() {
  static const fs::path directory = [] {
    const fs::path memory = "/dev/shm";
    const fs::path base = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    return base / ("npuprof-fuzz-" + std::to_string(::getpid()));
  }();
  // Registered once the name is there, it runs before the name goes.
  static const int registered = std::atexit(remove_profiles);
  require(registered == 0);
  return directory;
}

std::vector<load::Profile> simulated_profiles() {
  sim::JobOptions toy{.workload = sim::Workload::kToy, .output = scratch_directory() / "toy"};
  sim::JobOptions parallel{.workload = sim::Workload::kTransformer,
                           .output = scratch_directory() / "parallel",
                           .ranks = 2,
                           .parallel = {.tensor = 2},
                           .transformer = {.layers = 1}};
  sim::JobOptions graph{.workload = sim::Workload::kGraphMode,
                        .output = scratch_directory() / "graph",
                        .graph_mode = {.graphs = 1, .kernels_per_graph = 2}};
  return {simulated(std::move(toy)), simulated(std::move(parallel)), simulated(std::move(graph))};
}

ChangedProfile::ChangedProfile(const std::vector<load::Profile>& profiles, const Wanted& wanted)
    : profiles_(profiles) {
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const fs::path& path = profiles[i].path;
    if (fs::is_regular_file(path)) {
      add_file(path, i);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && wanted(entry.path().lexically_relative(path))) {
        add_file(entry.path(), i);
      }
    }
  }
  // The same input means the same file in every run.
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  require(!files_.empty());
}

void ChangedProfile::add_file(const fs::path& path, std::size_t profile) {
  if (path.extension() != ".done") files_.push_back({path, read_file(path).value(), profile});
}

void ChangedProfile::run(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return;
  const File& file = files_[data[0] % files_.size()];
  require(write_file(file.path, changed(file.content, data, size)).ok());
  ThreadPool pool(1);
  trace::Losses losses;
  if (auto trace = load::load_profile(profiles_[file.profile], pool, losses); trace.ok()) {
    for (std::uint32_t id = 0; id < trace->strings.size(); ++id) {
      require(is_clean_text(trace->strings.view(StringId{id})));
    }
    const auto& ops = trace->framework_ops();
    for (std::size_t op = 0; op < ops.size(); ++op) require(ops.start_ns[op] <= ops.end_ns[op]);
    link::link_all(*trace, &pool);
    use(analyze::key_averages(*trace, {}).size() + analyze::api_statistic(*trace).size());
    use(trace->tasks().size() + trace->framework_ops().size() + losses.items().size());
  }
  require(write_file(file.path, file.content).ok());
}

}  // namespace npuprof::fuzz
