#include "analyze/memory_record.h"

#include <map>
#include <utility>

#include "base/sort_order.h"

namespace npuprof::analyze {
namespace {

using trace::Trace;

constexpr std::uint8_t kNpuDevice = 20;  // device_type of MemoryEvents.
constexpr std::uint8_t kWorkspace = 1;   // component of MemoryEvents.

// Sums of damaged records may overflow; they wrap.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

class PoolRecords {
 public:
  explicit PoolRecords(const Trace& trace) : trace_(trace) {}

  std::vector<MemoryRecord> build() {
    const auto& framework = trace_.memory_events;
    const auto& cann = trace_.operator_memory;
    const std::vector<std::uint32_t> cann_order = stable_order(cann.time_ns);
    std::size_t next_cann = 0;
    for (const std::uint32_t event : stable_order(framework.time_ns)) {
      if (framework.device_type[event] != kNpuDevice) continue;
      while (next_cann < cann_order.size() &&
             cann.time_ns[cann_order[next_cann]] < framework.time_ns[event]) {
        add_cann(cann_order[next_cann++]);
      }
      add_framework(event);
    }
    while (next_cann < cann_order.size()) add_cann(cann_order[next_cann++]);
    return std::move(records_);
  }

 private:
  struct Pools {
    MemoryRecord framework;
    MemoryRecord cann;
  };

  void add_framework(std::uint32_t event) {
    const auto& events = trace_.memory_events;
    const bool is_workspace = events.component[event] == kWorkspace;
    const int device =
        trace_.devices.size() == 1 ? trace_.devices.front().id : events.device_index[event];
    const MemoryRecord record{.component = is_workspace ? "WORKSPACE" : "PTA",
                              .time_ns = events.time_ns[event],
                              .allocated_bytes = events.total_allocated_bytes[event],
                              .reserved_bytes = events.total_reserved_bytes[event],
                              .active_bytes = events.total_active_bytes[event],
                              .has_active = true,
                              .stream = events.stream[event],
                              .device = device};
    records_.push_back(record);
    if (is_workspace) return;
    Pools& pools = pools_[device];
    pools.framework = record;
    add_sum(record, pools.cann);
  }

  void add_cann(std::uint32_t event) {
    const auto& memory = trace_.operator_memory;
    const MemoryRecord record{
        .component = "GE",
        .time_ns = memory.time_ns[event],
        .allocated_bytes = static_cast<std::int64_t>(memory.total_allocated_bytes[event]),
        .reserved_bytes = static_cast<std::int64_t>(memory.total_reserved_bytes[event]),
        .device = static_cast<int>(memory.device[event])};
    records_.push_back(record);
    Pools& pools = pools_[record.device];
    pools.cann = record;
    add_sum(record, pools.framework);
  }

  void add_sum(const MemoryRecord& own, const MemoryRecord& other) {
    MemoryRecord both = own;
    both.component = "PTA+GE";
    both.allocated_bytes = sum(own.allocated_bytes, other.allocated_bytes);
    both.reserved_bytes = sum(own.reserved_bytes, other.reserved_bytes);
    both.active_bytes = sum(own.active_bytes, other.active_bytes);
    both.has_active = true;
    if (!both.stream) both.stream = other.stream;
    records_.push_back(both);
  }

  const Trace& trace_;
  std::map<int, Pools> pools_;
  std::vector<MemoryRecord> records_;
};

}  // namespace

std::vector<MemoryRecord> process_memory_records(const Trace& trace) {
  const auto& memory = trace.device_memory;
  std::vector<MemoryRecord> records;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory.event[i] != 0) continue;
    records.push_back(
        {.component = "APP",
         .time_ns = memory.time_ns[i],
         .reserved_bytes = static_cast<std::int64_t>(memory.ddr_bytes[i] + memory.hbm_bytes[i]),
         .only_reserved = true,
         .device = memory.device[i]});
  }
  return records;
}

std::vector<MemoryRecord> pool_memory_records(const Trace& trace) {
  return PoolRecords(trace).build();
}

}  // namespace npuprof::analyze
