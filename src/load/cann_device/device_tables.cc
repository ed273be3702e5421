#include "load/cann_device/device_tables.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace npuprof::load {
namespace {

void translate(std::vector<StringId>& column, const std::vector<StringId>& ids) {
  for (StringId& id : column) id = ids[to_index(id)];
}

template <typename Table>
void move_rows(Table& from, Table& to) {
  if (to.size() == 0) {
    to = std::move(from);
  } else {
    trace::append_rows(to, from);
  }
  trace::clear_rows(from);
}

}  // namespace

void DeviceTables::append_to(trace::Trace& trace) {
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
  move_rows(tasks, trace.device_tasks);
  move_rows(pmu, trace.pmu_records);
  move_rows(step_marks, trace.step_marks);
  move_rows(block_numbers, trace.block_numbers);
  move_rows(async_copies, trace.async_copies);
  move_rows(aicpu_nodes, trace.aicpu_nodes);
  move_rows(data_queue_events, trace.data_queue_events);
  move_rows(turns, trace.kernel_communication_turns);
  move_rows(collectives, trace.device_collectives);
  move_rows(cache_counters, trace.cache_counters);
  move_rows(frequencies, trace.frequencies);
  move_rows(memory_bandwidth, trace.memory_bandwidth);
  move_rows(device_memory, trace.device_memory);
  move_rows(module_memory, trace.module_memory);
  move_rows(link_samples, trace.link_samples);
  move_rows(core_samples, trace.core_samples);
  move_rows(block_intervals, trace.block_intervals);
  move_rows(fusion_parts, trace.fusion_parts);
  move_rows(ccu_missions, trace.ccu_missions);
  move_rows(ccu_channels, trace.ccu_channels);
  move_rows(instruction_samples, trace.instruction_samples);
  move_rows(pipe_intervals, trace.pipe_intervals);
  move_rows(system_cpu_times, trace.system_cpu_times);
  move_rows(process_cpu_times, trace.process_cpu_times);
  move_rows(system_memory, trace.system_memory);
  move_rows(process_memory, trace.process_memory);
  move_rows(cpu_samples, trace.cpu_samples);
}

}  // namespace npuprof::load
