#include "analyze/memory_record.h"

#include "base/sort_order.h"
#include "trace/device/device_memory.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/pool_totals.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {
namespace {

using trace::Trace;

constexpr std::uint8_t kNpuDevice = 20;  // device_type of MemoryEvents.
constexpr std::uint8_t kWorkspace = 1;   // component of MemoryEvents.

// Sums of damaged records may overflow; they wrap.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

PoolMemoryRecords::PoolMemoryRecords(const Trace& trace)
    : trace_(trace),
      is_mindspore_(trace.session.framework == trace::Framework::kMindSpore),
      has_totals_(trace.pool_totals().size() > 0) {
  const auto& events = trace_.memory_events();
  const std::vector<std::int64_t>& of_events = events.time_ns;
  const std::vector<std::int64_t>& of_totals = trace_.pool_totals().time_ns;
  const std::vector<std::int64_t>& times = has_totals_ ? of_totals : of_events;
  const auto& cann = trace_.operator_memory();
  const std::size_t most = 2 * (times.size() + cann.size());
  kinds_.reserve(most);
  rows_.reserve(most);
  others_.reserve(most);
  const std::vector<std::uint32_t> cann_order = stable_order(cann.time_ns);
  std::size_t next_cann = 0;
  for (const std::uint32_t event : stable_order(times)) {
    if (!has_totals_ && events.device_type[event] != kNpuDevice) continue;
    while (next_cann < cann_order.size() && cann.time_ns[cann_order[next_cann]] < times[event]) {
      add_cann(cann_order[next_cann++]);
    }
    add_framework(event);
  }
  while (next_cann < cann_order.size()) add_cann(cann_order[next_cann++]);
}

void PoolMemoryRecords::add(Kind kind, std::uint32_t row, std::uint32_t other) {
  kinds_.push_back(kind);
  rows_.push_back(row);
  others_.push_back(other);
}

void PoolMemoryRecords::add_framework(std::uint32_t event) {
  add(Kind::kFramework, event, trace::kNone);
  if (is_workspace(event)) return;
  Last& last = last_[framework_device(event)];
  last.framework = event;
  add(Kind::kFrameworkSum, event, last.cann);
}

void PoolMemoryRecords::add_cann(std::uint32_t event) {
  Last& last = last_[static_cast<int>(trace_.operator_memory().device[event])];
  last.cann = event;
  add(Kind::kCann, event, trace::kNone);
  add(Kind::kCannSum, event, last.framework);
}

// The only device of the profile, or else the number in the record.
int PoolMemoryRecords::framework_device(std::uint32_t event) const {
  if (trace_.devices.size() == 1) return trace_.devices.front().id;
  return has_totals_ ? 0 : trace_.memory_events().device_index[event];
}

bool PoolMemoryRecords::is_workspace(std::uint32_t event) const {
  return !has_totals_ && trace_.memory_events().component[event] == kWorkspace;
}

MemoryRecord PoolMemoryRecords::framework_record(std::uint32_t event) const {
  if (has_totals_) {
    const auto& totals = trace_.pool_totals();
    return {.time_ns = totals.time_ns[event],
            .allocated_bytes = totals.allocated_bytes[event],
            .reserved_bytes = totals.reserved_bytes[event],
            .active_bytes = totals.active_bytes[event],
            .has_active = true,
            .device = framework_device(event)};
  }
  const auto& events = trace_.memory_events();
  return {.time_ns = events.time_ns[event],
          .allocated_bytes = events.total_allocated_bytes[event],
          .reserved_bytes = events.total_reserved_bytes[event],
          .active_bytes = events.total_active_bytes[event],
          .has_active = true,
          .stream = events.stream[event],
          .device = framework_device(event)};
}

MemoryRecord PoolMemoryRecords::cann_record(std::uint32_t event) const {
  const auto& memory = trace_.operator_memory();
  return {.time_ns = memory.time_ns[event],
          .allocated_bytes = static_cast<std::int64_t>(memory.total_allocated_bytes[event]),
          .reserved_bytes = static_cast<std::int64_t>(memory.total_reserved_bytes[event]),
          .device = static_cast<int>(memory.device[event])};
}

std::size_t PoolMemoryRecords::component(std::size_t i) const {
  if (kinds_[i] == Kind::kCann) return 2;
  if (kinds_[i] != Kind::kFramework) return 3;
  return is_workspace(rows_[i]) ? 1 : 0;
}

MemoryRecord PoolMemoryRecords::operator[](std::size_t i) const {
  const bool is_framework = kinds_[i] == Kind::kFramework || kinds_[i] == Kind::kFrameworkSum;
  MemoryRecord record = is_framework ? framework_record(rows_[i]) : cann_record(rows_[i]);
  record.component = component_name(component(i));
  if (kinds_[i] == Kind::kFramework || kinds_[i] == Kind::kCann) return record;
  record.has_active = true;
  if (others_[i] == trace::kNone) return record;
  const MemoryRecord other = is_framework ? cann_record(others_[i]) : framework_record(others_[i]);
  record.allocated_bytes = sum(record.allocated_bytes, other.allocated_bytes);
  record.reserved_bytes = sum(record.reserved_bytes, other.reserved_bytes);
  record.active_bytes = sum(record.active_bytes, other.active_bytes);
  if (!record.stream) record.stream = other.stream;
  return record;
}

std::vector<MemoryRecord> process_memory_records(const Trace& trace) {
  const auto& memory = trace.device_memory();
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

}  // namespace npuprof::analyze
