#include "analyze/memory_pools.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/saturated.h"
#include "base/sort_order.h"
#include "format/framework/memory_usage.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/pool_totals.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {
namespace {

using format::framework::DeviceType;

constexpr auto kNpuType = static_cast<std::uint8_t>(DeviceType::kNpu);
constexpr auto kWorkspacePool =
    static_cast<std::uint8_t>(format::framework::MemoryComponent::kWorkspaceAllocator);

// Follows a pool through its moments.
class PoolHistory {
 public:
  void add(const PoolMoment& moment) {
    if (is_empty_) {
      pool_.first = pool_.last = moment;
      pool_.most_allocated = pool_.most_reserved = pool_.largest_gap = moment;
      is_empty_ = false;
      return;
    }
    gap_area_ += static_cast<double>(std::max<std::int64_t>(pool_.last.gap_bytes(), 0)) *
                 static_cast<double>(saturated_difference(moment.time_ns, pool_.last.time_ns));
    pool_.last = moment;
    if (moment.allocated_bytes > pool_.most_allocated.allocated_bytes) {
      pool_.most_allocated = moment;
    }
    if (moment.reserved_bytes > pool_.most_reserved.reserved_bytes) pool_.most_reserved = moment;
    if (moment.gap_bytes() > pool_.largest_gap.gap_bytes()) pool_.largest_gap = moment;
  }

  const PoolMoment& last() const { return pool_.last; }

  MemoryPool pool(MemoryDevice device, PoolKind kind) const {
    MemoryPool result = pool_;
    result.device = device;
    result.kind = kind;
    const auto length_ns =
        static_cast<double>(saturated_difference(pool_.last.time_ns, pool_.first.time_ns));
    result.mean_gap_bytes =
        length_ns > 0 ? gap_area_ / length_ns
                      : static_cast<double>(std::max<std::int64_t>(pool_.last.gap_bytes(), 0));
    return result;
  }

 private:
  MemoryPool pool_;
  bool is_empty_ = true;
  double gap_area_ = 0;  // Bytes times ns.
};

using PoolPlace = std::tuple<std::uint8_t, std::int8_t, PoolKind>;

class PoolHistories {
 public:
  void add(MemoryDevice device, PoolKind kind, const PoolMoment& moment) {
    histories_[{device.type, device.index, kind}].add(moment);
    PoolMoment sum{.time_ns = moment.time_ns};
    for (const PoolKind part : {PoolKind::kCaching, PoolKind::kWorkspace, PoolKind::kCann}) {
      const auto found = histories_.find({device.type, device.index, part});
      if (found == histories_.end()) continue;
      add_saturated(sum.allocated_bytes, found->second.last().allocated_bytes);
      add_saturated(sum.reserved_bytes, found->second.last().reserved_bytes);
    }
    histories_[{device.type, device.index, PoolKind::kAll}].add(sum);
  }

  std::vector<MemoryPool> pools() const {
    std::vector<MemoryPool> result;
    for (auto place = histories_.begin(); place != histories_.end(); ++place) {
      const auto& [type, index, kind] = place->first;
      const MemoryDevice device{type, index};
      if (kind == PoolKind::kAll && count_parts(device) == 1) continue;
      MemoryPool pool = place->second.pool(device, kind);
      if (pool.most_allocated.allocated_bytes <= 0 && !pool.has_reserved()) continue;
      result.push_back(pool);
    }
    return result;
  }

 private:
  std::size_t count_parts(MemoryDevice device) const {
    return static_cast<std::size_t>(std::count_if(histories_.begin(), histories_.end(),
                                                  [&](const auto& entry) {
                                                    return std::get<0>(entry.first) ==
                                                               device.type &&
                                                           std::get<1>(entry.first) == device.index;
                                                  })) -
           1;
  }

  std::map<PoolPlace, PoolHistory> histories_;
};

PoolMoment framework_moment(const trace::MemoryEvents& events, std::uint32_t row) {
  return {events.time_ns[row], events.total_allocated_bytes[row], events.total_reserved_bytes[row]};
}

// Programs on the CPU leave nothing of a device.
MemoryDevice device_of_pool_totals(const trace::Trace& trace) {
  if (trace.devices.empty()) return {static_cast<std::uint8_t>(DeviceType::kCpu), 0};
  return {kNpuType, static_cast<std::int8_t>(trace.devices.front().id)};
}

PoolMoment cann_moment(const trace::OperatorMemory& memory, std::uint32_t row) {
  const auto bytes = [](std::uint64_t value) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
  };
  return {memory.time_ns[row], bytes(memory.total_allocated_bytes[row]),
          bytes(memory.total_reserved_bytes[row])};
}

}  // namespace

std::string_view pool_name(PoolKind kind) {
  static constexpr std::array<std::string_view, 4> kNames = {"PTA", "WORKSPACE", "GE", "all"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::int64_t PoolMoment::gap_bytes() const {
  return saturated_difference(reserved_bytes, allocated_bytes);
}

MemoryDevice device_of_event(const trace::Trace& trace, std::size_t event) {
  const auto& events = trace.memory_events();
  MemoryDevice device = memory_device(events.device_type[event], events.device_index[event]);
  if (device.type == kNpuType && trace.devices.size() == 1) {
    device.index = static_cast<std::int8_t>(trace.devices.front().id);
  }
  return device;
}

std::vector<MemoryPool> memory_pools(const trace::Trace& trace) {
  const auto& events = trace.memory_events();
  const auto& totals = trace.pool_totals();
  const auto& cann = trace.operator_memory();
  // MindSpore tells totals of its pool where it does not tell single blocks.
  const bool has_blocks = events.size() > 0;
  const MemoryDevice device_of_totals = device_of_pool_totals(trace);
  PoolHistories histories;
  const std::vector<std::uint32_t> cann_order = stable_order(cann.time_ns);
  auto next_cann = cann_order.begin();
  const auto add_cann = [&] {
    const std::uint32_t row = *next_cann++;
    histories.add({kNpuType, static_cast<std::int8_t>(cann.device[row])}, PoolKind::kCann,
                  cann_moment(cann, row));
  };
  const std::vector<std::int64_t>& of_events = events.time_ns;
  const std::vector<std::int64_t>& of_totals = totals.time_ns;
  const std::vector<std::int64_t>& times = has_blocks ? of_events : of_totals;
  for (const std::uint32_t row : stable_order(times)) {
    while (next_cann != cann_order.end() && cann.time_ns[*next_cann] < times[row]) add_cann();
    if (has_blocks) {
      histories.add(
          device_of_event(trace, row),
          events.component[row] == kWorkspacePool ? PoolKind::kWorkspace : PoolKind::kCaching,
          framework_moment(events, row));
    } else {
      histories.add(device_of_totals, PoolKind::kCaching,
                    {times[row], totals.allocated_bytes[row], totals.reserved_bytes[row]});
    }
  }
  while (next_cann != cann_order.end()) add_cann();
  return histories.pools();
}

}  // namespace npuprof::analyze
