#include "sim/workload/simulated_ranks.h"

#include <filesystem>
#include <system_error>
#include <thread>

#include "base/file.h"

namespace npuprof::sim {

namespace fs = std::filesystem;

SimClock clock_of_rank(const JobOptions& options, std::uint32_t rank) {
  return SimClock({.seed = options.seed,
                   .node = rank / kDevicesOfNode,
                   .rank = rank,
                   .device = rank % kDevicesOfNode,
                   .device_mhz = options.chip->device_counter_mhz});
}

Status SimulatedRank::run() {
  Status status = simulate();
  if (status.ok()) {
    world_.finish(rank_);
  } else {
    world_.fail(rank_, status.error().message);
  }
  return status;
}

// Ranks wait for each other inside collectives, so each needs a thread of its own.
Status run_all_ranks(const SimulatedRanks& ranks) {
  std::vector<Status> outcomes(ranks.size(), ok_status());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      threads.emplace_back([&, i] { outcomes[i] = ranks[i]->run(); });
    }
  }
  for (const Status& outcome : outcomes) {
    if (!outcome.ok()) return outcome.error();
  }
  return ok_status();
}

Status write_manifest(JsonWriter& json, std::string& text, const SimulatedRanks& ranks,
                      const JobOptions& options) {
  json.key("ranks").begin_array();
  for (const auto& rank : ranks) json.raw(rank->manifest());
  json.end_array().end_object();
  text += '\n';
  return write_file(options.output / "manifest.json", text);
}

JobSummary summary_of(const SimulatedRanks& ranks, const JobOptions& options) {
  JobSummary summary;
  for (const auto& rank : ranks) {
    summary.kernels += rank->summary().kernels;
    summary.ranks.push_back(rank->summary());
  }
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(options.output, ignored)) {
    if (entry.is_regular_file(ignored)) summary.bytes += entry.file_size(ignored);
  }
  return summary;
}

}  // namespace npuprof::sim
