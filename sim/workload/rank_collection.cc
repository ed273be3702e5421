#include "sim/workload/rank_collection.h"

#include <utility>

#include <unistd.h>

namespace npuprof::sim {

Result<std::unique_ptr<RankCollection>> RankCollection::create(const JobOptions& options,
                                                               const std::filesystem::path& parent,
                                                               const Rank& rank,
                                                               const SimClock& clock) {
  std::unique_ptr<RankCollection> made(new RankCollection(clock));
  const CollectionSettings& collection = options.collection;
  const ClockAnchors& anchors = clock.anchors();
  ProfOptions prof;
  prof.name.time = prof_name_time(anchors.wall_begin_us);
  prof.name.pid = rank.process_id;
  prof.name.letters = prof_name_letters(options.seed + rank.number);
  prof.collection = collection;
  prof.chip = options.chip;
  prof.clock = anchors;
  prof.pid = rank.process_id;
  prof.rank_id = rank.number;
  if (collection.host_sys.any()) prof.host = this_host();
  NPUPROF_ASSIGN_OR_RETURN(made->prof_, ProfDirectory::create(parent, std::move(prof)));
  NPUPROF_RETURN_IF_ERROR(made->prof_->add_device(rank.device, anchors));
  made->host_ = std::make_unique<record::HostReporter>(made->prof_->host_data());
  NPUPROF_ASSIGN_OR_RETURN(
      made->device_,
      DeviceReporter::create({.data_directory = made->prof_->device_data(rank.device),
                              .device = rank.device,
                              .chip = options.chip->id()}));
  if (collection.host_sys.any()) {
    made->host_sampler_ = std::make_unique<record::HostSampler>(
        made->prof_->host_data(),
        record::HostSamplerOptions{.watch = collection.host_sys,
                                   .frequency_hz = collection.host_sys_hz,
                                   .pid = static_cast<std::uint32_t>(::getpid())});
  }
  return made;
}

void RankCollection::sample(Npu& npu, std::int64_t now_ns) {
  npu.settle(now_ns);
  if (host_sampler_ != nullptr) {
    host_sampler_->sample(static_cast<std::uint64_t>(clock_.monotonic_ns(now_ns)));
  }
}

Status RankCollection::close() {
  NPUPROF_RETURN_IF_ERROR(host_->close());
  NPUPROF_RETURN_IF_ERROR(device_->close());
  if (host_sampler_ != nullptr) NPUPROF_RETURN_IF_ERROR(host_sampler_->close());
  return ok_status();
}

Status RankCollection::finish(std::int64_t stop_ns) {
  return prof_->finish(clock_.wall_ns(stop_ns) / 1000, clock_.monotonic_ns(stop_ns));
}

}  // namespace npuprof::sim
