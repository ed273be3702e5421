#include "report/csv/framework_csv.h"

#include <string>
#include <vector>

#include "analyze/memory_record.h"
#include "analyze/operator_memory.h"
#include "analyze/operator_times.h"
#include "analyze/step_time.h"
#include "base/units.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

// A sum of durations; of none it is a bare 0.
void put_sum_us(TextBuffer& out, std::int64_t ns) {
  if (ns == 0) {
    out.character('0');
  } else {
    out.trimmed_microseconds(ns);
  }
}

void put_megabytes(TextBuffer& out, std::int64_t bytes) {
  out.real(static_cast<double>(bytes) / kMegabyte);
}

// A time that spreadsheets must not round ends with a tab.
void put_time(TextBuffer& out, std::int64_t ns) { out.microseconds(ns).character('\t'); }

// "NPU:0": the only device of the profile, or else the number in the record.
std::string device_column(const Trace& trace, int device_index) {
  const int device = trace.devices.size() == 1 ? trace.devices.front().id : device_index;
  return "NPU:" + std::to_string(device);
}

}  // namespace

Status write_operator_details(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& ops = trace.framework_ops();
  const analyze::OperatorTimes times = analyze::operator_times(trace);
  const std::vector<std::uint32_t> order = analyze::operators_by_start(trace);
  return write_csv(
      target, "operator_details",
      "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
      "Device Self Duration(us),Device Total Duration(us),Device Self Duration With AICore(us),"
      "Device Total Duration With AICore(us)",
      order.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t op = order[i];
          out.csv(trace.strings.view(ops.name[op])).character(',');
          out.csv_lines(trace.strings.view(ops.input_shapes[op])).character(',');
          out.csv_lines(trace.strings.view(ops.stack[op]));
          for (const std::int64_t ns :
               {times.host_self_ns[op], ops.end_ns[op] - ops.start_ns[op]}) {
            out.character(',').trimmed_microseconds(ns);
          }
          for (const std::int64_t ns : {times.device_self_ns[op], times.device_total_ns[op],
                                        times.ai_core_self_ns[op], times.ai_core_total_ns[op]}) {
            out.character(',');
            put_sum_us(out, ns);
          }
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_step_trace_time(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const std::vector<analyze::StepTime> steps = analyze::step_times(trace);
  return write_csv(
      target, "step_trace_time",
      "Device_id,Step,Computing,Communication(Not "
      "Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
      "Communication(Not Overlapped and Exclude Receive),Preparing",
      steps.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const analyze::StepTime& step = steps[i];
          out.integer(step.device).character(',');
          if (step.step) out.integer(*step.step);
          for (const std::int64_t ns :
               {step.computing_ns, step.not_overlapped_ns, step.overlapped_ns(),
                step.communication_ns, step.free_ns, step.stage_ns, step.bubble_ns,
                step.exclude_receive_ns(), step.preparing_ns}) {
            out.character(',');
            put_sum_us(out, ns);
          }
          out.text(target.line_end);
        }
      },
      pool);
}

namespace {

// Writes rows of operator_memory for blocks of the framework's allocator.
class BlockRows {
 public:
  explicit BlockRows(const Trace& trace) : trace_(trace), events_(trace.memory_events()) {}

  void put(TextBuffer& out, std::size_t block) const {
    const auto& blocks = trace_.allocations();
    const std::uint32_t begin = blocks.malloc_event[block];
    const std::uint32_t free = blocks.free_event[block];
    const std::uint32_t block_free = blocks.block_free_event[block];
    out.csv(trace_.strings.view(analyze::owner_of_block(trace_, block)))
        .character(',')
        .real(static_cast<double>(events_.size_bytes[begin]) / kKilobyte)
        .character(',');
    put_event_time(out, begin);
    put_event_time(out, free);
    put_event_time(out, block_free);
    put_duration(out, begin, free);
    put_duration(out, begin, block_free);
    put_totals(out, begin);
    put_totals(out, free != kNone ? free : block_free);
    out.integer(events_.stream[begin]).character(',');
    out.text(device_column(trace_, events_.device_index[begin]));
  }

 private:
  void put_event_time(TextBuffer& out, std::uint32_t event) const {
    if (event != kNone) put_time(out, events_.time_ns[event]);
    out.character(',');
  }
  void put_duration(TextBuffer& out, std::uint32_t begin, std::uint32_t end) const {
    if (end != kNone) put_time(out, events_.time_ns[end] - events_.time_ns[begin]);
    out.character(',');
  }
  void put_totals(TextBuffer& out, std::uint32_t event) const {
    if (event == kNone) {
      out.text(",,,");
      return;
    }
    for (const std::int64_t bytes :
         {events_.total_allocated_bytes[event], events_.total_reserved_bytes[event],
          events_.total_active_bytes[event]}) {
      put_megabytes(out, bytes);
      out.character(',');
    }
  }

  const Trace& trace_;
  const trace::MemoryEvents& events_;
};

void put_cann_block(TextBuffer& out, const Trace& trace, const analyze::CannBlock& block) {
  const auto& memory = trace.operator_memory();
  const std::uint32_t known = block.known();
  out.csv("cann::" + std::string(trace.strings.view(memory.op_name[known]))).character(',');
  out.real(static_cast<double>(memory.size_bytes[known]) / kKilobyte).character(',');
  if (block.allocation != kNone) put_time(out, memory.time_ns[block.allocation]);
  out.character(',');
  if (block.release != kNone) put_time(out, memory.time_ns[block.release]);
  out.text(",,");
  if (block.allocation != kNone && block.release != kNone) {
    put_time(out, memory.time_ns[block.release] - memory.time_ns[block.allocation]);
  }
  out.text(",,");
  for (const std::uint32_t row : {block.allocation, block.release}) {
    if (row != kNone) out.real(static_cast<double>(memory.total_allocated_bytes[row]) / kMegabyte);
    out.character(',');
    if (row != kNone) out.real(static_cast<double>(memory.total_reserved_bytes[row]) / kMegabyte);
    out.text(",,");
  }
  out.text(",NPU:").integer(memory.device[known]);
}

}  // namespace

Status write_operator_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const BlockRows framework(trace);
  const std::size_t framework_rows = trace.allocations().size();
  const std::vector<analyze::CannBlock> cann = analyze::cann_blocks(trace.operator_memory());
  return write_csv(
      target, "operator_memory",
      "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
      "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
      "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
      "Release Total Active(MB),Stream Ptr,Device Type",
      framework_rows + cann.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          if (i < framework_rows) {
            framework.put(out, i);
          } else {
            put_cann_block(out, trace, cann[i - framework_rows]);
          }
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_operator_host_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& events = trace.memory_events();
  const std::vector<analyze::HostBlock> blocks = analyze::host_blocks(events);
  const auto put_row = [&](TextBuffer& out, const analyze::HostBlock& block) {
    const std::uint32_t owner = events.owner[block.allocation];
    if (owner != kNone) out.csv(trace.strings.view(trace.framework_ops().name[owner]));
    out.character(',').real(static_cast<double>(events.size_bytes[block.allocation]) / kKilobyte);
    out.character(',');
    put_time(out, events.time_ns[block.allocation]);
    out.character(',');
    const bool is_released = block.release != kNone;
    if (is_released) put_time(out, events.time_ns[block.release]);
    out.character(',');
    if (is_released) {
      put_time(out, events.time_ns[block.release] - events.time_ns[block.allocation]);
    }
    out.character(',');
    put_megabytes(out, events.total_allocated_bytes[block.allocation]);
    out.character(',');
    if (is_released) put_megabytes(out, events.total_allocated_bytes[block.release]);
    out.character(',').integer(events.tid[block.allocation]);
  };
  return write_csv(
      target, "operator_host_memory",
      "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),"
      "Allocation Total Allocated(MB),Release Total Allocated(MB),Thread Id",
      blocks.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          put_row(out, blocks[i]);
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_memory_record(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const std::vector<analyze::MemoryRecord> process = analyze::process_memory_records(trace);
  const analyze::PoolMemoryRecords pools(trace);
  return write_csv(
      target, "memory_record",
      "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,"
      "Device Type",
      process.size() + pools.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const analyze::MemoryRecord row =
              i < process.size() ? process[i] : pools[i - process.size()];
          out.text(row.component).character(',');
          put_time(out, row.time_ns);
          out.character(',');
          if (!row.only_reserved) put_megabytes(out, row.allocated_bytes);
          out.character(',');
          put_megabytes(out, row.reserved_bytes);
          out.character(',');
          if (row.has_active) put_megabytes(out, row.active_bytes);
          out.character(',');
          if (row.stream) out.integer(*row.stream);
          out.text(",NPU:").integer(row.device).text(target.line_end);
        }
      },
      pool);
}

}  // namespace npuprof::report
