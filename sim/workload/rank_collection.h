#pragma once

// What CANN writes about one simulated rank, whatever the framework: a PROF_* directory with the
// records of the host, the device and the samples of both.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/result.h"
#include "record/host_reporter.h"
#include "record/host_sampler.h"
#include "sim/npu/npu.h"
#include "sim/prof/device_reporter.h"
#include "sim/prof/prof_directory.h"
#include "sim/workload/job.h"

namespace npuprof::sim {

class RankCollection {
 public:
  // Which process of the job, and the device it has.
  struct Rank {
    std::uint32_t number = 0;
    std::uint32_t device = 0;
    std::uint32_t process_id = 0;
  };

  // The directory is made below `parent`. Options and clock must live longer.
  static Result<std::unique_ptr<RankCollection>> create(const JobOptions& options,
                                                        const std::filesystem::path& parent,
                                                        const Rank& rank, const SimClock& clock);

  const std::filesystem::path& path() const { return prof_->path(); }
  void attach(Npu& npu, std::int64_t time_ns) { npu.attach(*host_, *device_, time_ns); }
  // Samples of the time since the last call; and what is complete goes to the files.
  void sample(Npu& npu, std::int64_t now_ns);
  // Closes the files of records and samples.
  Status close();
  // Writes what says that the collection ended, after close(). A process that was killed does not.
  Status finish(std::int64_t stop_ns);

 private:
  explicit RankCollection(const SimClock& clock) : clock_(clock) {}

  const SimClock& clock_;
  std::optional<ProfDirectory> prof_;
  std::unique_ptr<record::HostReporter> host_;
  std::optional<DeviceReporter> device_;
  std::unique_ptr<record::HostSampler> host_sampler_;
};

}  // namespace npuprof::sim
