#pragma once

// The profile directory of one simulated rank: the framework's files, CANN's files, and the two
// JSON files that tell how the profile was taken.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/json_writer.h"
#include "base/result.h"
#include "sim/mindspore/framework_translation.h"
#include "sim/npu/npu.h"
#include "sim/torch/framework_writer.h"
#include "sim/workload/job.h"
#include "sim/workload/rank_collection.h"
#include "sim/workload/worker.h"

namespace npuprof::sim {

class RankProfile {
 public:
  static Result<std::unique_ptr<RankProfile>> create(const JobOptions& options,
                                                     const ParallelLayout& layout,
                                                     std::uint32_t rank, std::uint32_t process_id,
                                                     const SimClock& clock);

  const std::filesystem::path& directory() const { return directory_; }
  FrameworkWriter& framework() { return *framework_; }

  void attach(Npu& npu) { collection_->attach(npu, clock_.first_event_ns()); }
  // Samples of the time since the last call; and what is complete goes to the files.
  void step_done(Npu& npu, const Worker& worker);
  // Closes everything. A process that was killed leaves no end files, and its last slices are not
  // done: each ends with the first bytes of a record that was being written.
  Status finish(Npu& npu, std::int64_t end_ns, bool killed);
  // What is in the profile, as one JSON object.
  void write_manifest(Npu& npu, JsonWriter& json) const;

 private:
  RankProfile(const JobOptions& options, const ParallelLayout& layout, std::uint32_t rank,
              std::uint32_t process_id, const SimClock& clock);
  Status open();
  bool is_mindspore() const { return options_.program == ProgramFramework::kMindSpore; }
  Status write_framework_info(std::int64_t end_ns);
  std::vector<std::filesystem::path> record_files() const;
  Status truncate_tails();
  Status tear_tails();

  const JobOptions& options_;
  const ParallelLayout& layout_;
  std::uint32_t rank_;
  std::uint32_t process_id_;
  const SimClock& clock_;
  std::filesystem::path directory_;
  std::optional<FrameworkWriter> framework_;
  std::unique_ptr<RankCollection> collection_;
  MindSporeCounts mindspore_counts_;
  std::vector<std::string> truncated_;
  std::optional<std::int64_t> killed_wall_ns_;
};

}  // namespace npuprof::sim
