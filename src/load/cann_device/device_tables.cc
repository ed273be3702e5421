#include "load/cann_device/device_tables.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "load/impossible_times.h"

namespace npuprof::load {
namespace {

void translate(std::vector<StringId>& column, const std::vector<StringId>& ids) {
  for (StringId& id : column) id = ids[to_index(id)];
}

// Moves the rows that happened when the collection did.
template <typename Table>
void move_rows(Table& from, Table& to, std::int64_t begin_ns, bool is_clock_sure,
               std::uint64_t& dropped) {
  dropped += drop_impossible_times(from, 0, {.begin_ns = begin_ns, .is_clock_sure = is_clock_sure});
  if (to.size() == 0) {
    to = std::move(from);
  } else {
    trace::append_rows(to, from);
  }
  trace::clear_rows(from);
}

}  // namespace

void DeviceTables::append_to(trace::Trace& trace) {
  // Without a clock, times of different sources must at least fit each other.
  std::int64_t begin_ns = info.counter_begin_ns;
  if (begin_ns == 0 && tasks.size() > 0) {
    begin_ns = middle_of(tasks.start_ns);
    if (begin_ns == 0) begin_ns = 1;  // 0 is for none.
    is_clock_sure = true;
  }
  std::uint64_t dropped = 0;
  const auto move = [&](auto& from, auto& to) {
    move_rows(from, to, begin_ns, is_clock_sure, dropped);
  };
  const std::vector<StringId> ids = trace.strings.merge(strings);
  translate(data_queue_events.name, ids);
  translate(data_queue_events.source, ids);
  translate(turns.phase, ids);
  translate(collectives.algorithm, ids);
  translate(collectives.group, ids);
  translate(collectives.name, ids);
  translate(process_cpu_times.name, ids);
  translate(process_memory.name, ids);
  translate(cpu_samples.function, ids);
  translate(cpu_samples.module, ids);

  const auto is_same = [&](const trace::DeviceInfo& other) { return other.id == info.id; };
  if (std::none_of(trace.devices.begin(), trace.devices.end(), is_same)) {
    trace.devices.push_back(std::move(info));
  }
  move(tasks, trace.device_tasks);
  move(pmu, trace.pmu_records);
  move(step_marks, trace.step_marks);
  move(block_numbers, trace.block_numbers);
  move(async_copies, trace.async_copies);
  move(aicpu_nodes, trace.aicpu_nodes);
  move(data_queue_events, trace.data_queue_events);
  move(turns, trace.kernel_communication_turns);
  move(collectives, trace.device_collectives);
  move(cache_counters, trace.cache_counters);
  move(frequencies, trace.frequencies);
  move(memory_bandwidth, trace.memory_bandwidth);
  move(device_memory, trace.device_memory);
  move(module_memory, trace.module_memory);
  move(link_samples, trace.link_samples);
  move(core_samples, trace.core_samples);
  move(block_intervals, trace.block_intervals);
  move(fusion_parts, trace.fusion_parts);
  move(ccu_missions, trace.ccu_missions);
  move(ccu_channels, trace.ccu_channels);
  move(instruction_samples, trace.instruction_samples);
  move(pipe_intervals, trace.pipe_intervals);
  move(system_cpu_times, trace.system_cpu_times);
  move(process_cpu_times, trace.process_cpu_times);
  move(system_memory, trace.system_memory);
  move(process_memory, trace.process_memory);
  move(cpu_samples, trace.cpu_samples);
  if (dropped > 0) {
    losses.add(directory, 0, dropped, fmt::format("{} {}", dropped, kImpossibleTimes));
  }
}

}  // namespace npuprof::load
