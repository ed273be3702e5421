#pragma once

// What all simulated jobs have in common: ranks that run side by side, each with a profile of its
// own, and a manifest of them.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "sim/model/sim_clock.h"
#include "sim/npu/communicator.h"
#include "sim/workload/job.h"

namespace npuprof::sim {

inline constexpr std::uint32_t kDevicesOfNode = 8;
inline constexpr std::uint32_t kProcessIdsPerRank = 100;

SimClock clock_of_rank(const JobOptions& options, std::uint32_t rank);

class SimulatedRank {
 public:
  SimulatedRank(World& world, std::uint32_t rank) : world_(world), rank_(rank) {}
  virtual ~SimulatedRank() = default;

  // Runs the rank from begin to end. Everything that waits for it is told when it fails.
  Status run();

  const RankSummary& summary() const { return summary_; }
  const std::string& manifest() const { return manifest_; }

 protected:
  // Sets summary_ and manifest_ (a JSON object).
  virtual Status simulate() = 0;

  World& world_;
  const std::uint32_t rank_;
  RankSummary summary_;
  std::string manifest_;
};

using SimulatedRanks = std::vector<std::unique_ptr<SimulatedRank>>;

// All of them at the same time; the first failure if there is one.
Status run_all_ranks(const SimulatedRanks& ranks);

// Ends a manifest that was begun with the facts of the job, and writes it.
Status write_manifest(JsonWriter& json, std::string& text, const SimulatedRanks& ranks,
                      const JobOptions& options);

JobSummary summary_of(const SimulatedRanks& ranks, const JobOptions& options);

}  // namespace npuprof::sim
