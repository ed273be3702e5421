#include "link/device/device_streams.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/device/block_intervals.h"
#include "trace/device/ccu_missions.h"
#include "trace/device/device_collectives.h"
#include "trace/device/device_tasks.h"
#include "trace/device/pmu_records.h"
#include "trace/device/unknown_stream.h"
#include "trace/host/ccu_infos.h"
#include "trace/launched/launches.h"
#include "trace/task_id.h"

namespace npuprof::link {
namespace {

constexpr std::uint8_t kCollectiveTaskRecord = 13;

// Streams by (device, task), first come first served.
class StreamOfTask {
 public:
  void add(std::uint16_t device, std::uint32_t task, std::uint16_t stream) {
    entries_.push_back({{device, task}, stream});
  }
  void sort() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.task < b.task; });
  }
  std::uint16_t find(std::uint16_t device, std::uint32_t task) const {
    const trace::DeviceTask key{device, task};
    const auto found = std::lower_bound(
        entries_.begin(), entries_.end(), key,
        [](const Entry& entry, const trace::DeviceTask& k) { return entry.task < k; });
    return found != entries_.end() && found->task == key ? found->stream : trace::kUnknownStream;
  }

 private:
  struct Entry {
    trace::DeviceTask task;
    std::uint16_t stream;
  };
  std::vector<Entry> entries_;
};

bool lacks_streams(const trace::Trace& trace) {
  const auto has_unknown = [](std::span<const std::uint16_t> streams) {
    return std::find(streams.begin(), streams.end(), trace::kUnknownStream) != streams.end();
  };
  return has_unknown(trace.device_tasks().stream) || has_unknown(trace.pmu_records().stream) ||
         has_unknown(trace.block_intervals().stream) || has_unknown(trace.ccu_missions().stream);
}

template <typename Table>
void fill(const StreamOfTask& streams, Table& table) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.stream[row] != trace::kUnknownStream) continue;
    table.stream[row] = streams.find(table.device[row], table.task[row]);
  }
}

// What the host announced to the communication unit names its stream, but no device.
void fill_from_announcements(const trace::CcuInfos& infos, trace::CcuMissions& missions) {
  constexpr std::uint16_t kAnyDevice = 0;
  StreamOfTask streams;
  for (std::size_t row = 0; row < infos.size(); ++row) {
    streams.add(kAnyDevice, infos.task[row], infos.stream[row]);
  }
  streams.sort();
  for (std::size_t row = 0; row < missions.size(); ++row) {
    if (missions.stream[row] != trace::kUnknownStream) continue;
    missions.stream[row] = streams.find(kAnyDevice, missions.task[row]);
  }
}

}  // namespace

void fill_missing_streams(trace::Trace& trace) {
  if (!lacks_streams(trace)) return;
  StreamOfTask streams;
  const trace::Launches& launches = trace.launches();
  for (std::size_t row = 0; row < launches.size(); ++row) {
    streams.add(launches.device[row], launches.task[row], launches.stream[row]);
  }
  const trace::DeviceCollectives& collectives = trace.device_collectives();
  for (std::size_t row = 0; row < collectives.size(); ++row) {
    if (collectives.kind[row] != kCollectiveTaskRecord) continue;
    streams.add(collectives.device[row], collectives.task[row], collectives.stream[row]);
  }
  streams.sort();
  fill(streams, trace.device_tasks());
  fill(streams, trace.pmu_records());
  fill(streams, trace.block_intervals());
  fill(streams, trace.ccu_missions());
  fill_from_announcements(trace.ccu_infos(), trace.ccu_missions());
}

}  // namespace npuprof::link
