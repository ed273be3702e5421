#pragma once

#include <cstdint>
#include <string_view>

#include "trace/device/device_tasks.h"
#include "trace/device/pmu_counters.h"
#include "trace/device/pmu_records.h"
#include "trace/host/task_tracks.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"
#include "trace/trace.h"

namespace npuprof::link::testing {

// Writes what host and device say about tasks by hand, as the stages before the joins leave it.
class DeviceTrace {
 public:
  explicit DeviceTrace(std::uint32_t chip = 5) {
    trace_.session.chip = chip;
    trace_.session.driver_version = 0x072211;
    trace_.devices.resize(1);
    trace_.devices[0].chip = chip;
    trace_.devices[0].ai_core_count = 24;
    trace_.devices[0].vector_core_count = 48;
    trace_.devices[0].aic_mhz = 1650;
  }

  trace::Trace& trace() { return trace_; }
  StringId text(std::string_view value) { return trace_.strings.intern(value); }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  std::uint16_t stream = 1;  // Of the rows added next.
  std::uint16_t batch = 0;
  std::uint16_t device = 0;

  // Rows of DeviceTasks may be added in any order.
  void task(std::int64_t start, std::int64_t end, std::uint32_t task_id,
            std::uint32_t context = trace::kNone, std::uint8_t type = 0) {
    trace::DeviceTasks& table = trace_.device_tasks();
    add_row(table);
    table.start_ns.back() = start;
    table.end_ns.back() = end;
    table.device.back() = device;
    table.stream.back() = stream;
    table.batch.back() = batch;
    table.task.back() = task_id;
    table.context.back() = context;
    table.type.back() = type;
  }

  // Rows of Launches must be added in order of their identity. Returns the row.
  std::uint32_t launch(std::int64_t time, std::uint32_t task_id,
                       std::uint32_t context = trace::kNone, std::uint16_t type = 0,
                       std::string_view type_name = "KERNEL_AICORE") {
    trace::TaskTracks& tracks = trace_.task_tracks();
    add_row(tracks);
    tracks.type.back() = type;
    tracks.type_name.back() = text(type_name);
    tracks.kernel_name.back() = text("kernel_name");
    tracks.model_id.back() = trace::kNone;
    trace::Launches& table = trace_.launches();
    add_row(table);
    table.device.back() = device;
    table.stream.back() = stream;
    table.batch.back() = batch;
    table.task.back() = task_id;
    table.context.back() = context;
    table.time_ns.back() = time;
    table.type.back() = type;
    table.track.back() = static_cast<std::uint32_t>(tracks.size() - 1);
    for (auto* column : {&table.model_id, &table.request_id, &table.copy_direction}) {
      column->back() = trace::kNone;
    }
    return static_cast<std::uint32_t>(table.size() - 1);
  }

  // Gives the last launch an operator.
  void op(std::string_view name, std::uint32_t task_type = 0, std::uint32_t blocks = 24,
          std::uint32_t mix_blocks = 0) {
    trace::LaunchedOps& table = trace_.launched_ops();
    add_row(table);
    table.name.back() = text(name);
    table.op_type.back() = text("Type");
    table.task_type.back() = task_type;
    table.block_num.back() = blocks;
    table.mix_block_num.back() = mix_blocks;
    table.tensors.back() = trace::kNone;
    table.captured_op.back() = trace::kNone;
    trace_.launches().op.back() = static_cast<std::uint32_t>(table.size() - 1);
  }

  void pmu(std::int64_t end, std::uint32_t task_id, std::uint32_t context = trace::kNone,
           trace::PmuCore core = trace::PmuCore::kAic, bool is_slave = false) {
    trace::PmuRecords& table = trace_.pmu_records();
    add_row(table);
    table.start_ns.back() = end - 5;
    table.end_ns.back() = end;
    table.device.back() = device;
    table.stream.back() = stream;
    table.batch.back() = batch;
    table.task.back() = task_id;
    table.context.back() = context;
    table.core.back() = static_cast<std::uint8_t>(core);
    table.is_slave.back() = is_slave ? 1 : 0;
    table.mhz.back() = 1650;
  }

  template <typename Table>
  static void add_row(Table& table) {
    trace::resize_rows(table, table.size() + 1);
  }

 private:
  trace::Trace trace_;
};

}  // namespace npuprof::link::testing
