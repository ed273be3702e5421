#include "load/mindspore/records.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "format/framework/memory_usage.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/op_range.h"
#include "format/mindspore/record_shapes.h"
#include "load/framework/tlv_job.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_labels.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/python_calls.h"

namespace npuprof::load {
namespace {

namespace mindspore = format::mindspore;

// Sizes of damaged records may be anything.
std::int64_t to_signed(std::uint64_t bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(bytes, kMost));
}

MindSporeRecords::Kind record_kind(const mindspore::OpRange& record) {
  if (record.fixed.start == 0) return MindSporeRecords::kUnbegun;
  if (record.fixed.is_stack != 0) return MindSporeRecords::kFrame;
  const bool is_named_otherwise = record.fixed.is_graph != 0 || record.fixed.is_stage != 0;
  if (!is_named_otherwise && record.name == mindspore::kFlowName) return MindSporeRecords::kFlow;
  return MindSporeRecords::kRange;
}

struct FillRange {
  StampClock clock;

  bool operator()(MindSporeRecords& table, std::size_t row, const mindspore::OpRange& record,
                  StringPool& strings) const {
    const mindspore::OpRangeFixed& fixed = record.fixed;
    thread_local std::string name;
    name.clear();
    mindspore::append_event_name(name, record);
    const bool is_graph = fixed.is_graph != 0;
    table.flow[row] = fixed.flow_id;
    table.tid[row] = static_cast<std::uint32_t>(fixed.thread_id.get());
    table.kind[row] = record_kind(record);
    table.name[row] = strings.intern(name);
    table.brief_name[row] = strings.intern(record.name);
    table.module[row] =
        strings.intern(is_graph ? record.module_text : mindspore::module_name(fixed.module));
    table.event[row] =
        strings.intern(is_graph ? record.event_text : mindspore::event_name(fixed.event));
    table.custom_info[row] = strings.intern(record.custom_info.value_or(std::string_view()));
    if (fixed.start == 0) return true;
    return clock.convert(to_signed(fixed.start), table.start_ns[row]) &&
           clock.convert(to_signed(fixed.end), table.end_ns[row]);
  }
};

struct FillBlock {
  StampClock clock;

  bool operator()(MindSporeBlocks& table, std::size_t row, const mindspore::MemoryUsage& record,
                  StringPool& strings) const {
    const mindspore::MemoryUsageFixed& fixed = record.fixed;
    table.address[row] = fixed.address;
    table.block_bytes[row] = fixed.size;
    table.used_bytes[row] = to_signed(fixed.used);
    table.reserved_bytes[row] = to_signed(fixed.reserved);
    table.stream[row] = to_signed(fixed.stream_pointer);
    table.tid[row] = static_cast<std::uint32_t>(fixed.thread_id.get());
    table.pid[row] = static_cast<std::uint32_t>(fixed.process_id.get());
    table.device[row] = static_cast<std::int8_t>(fixed.device.get());
    table.type[row] = fixed.type;
    table.owner[row] = strings.intern(record.owner);
    return clock.convert(to_signed(fixed.time), table.time_ns[row]);
  }
};

struct FillShapes {
  bool operator()(trace::LaunchShapes& table, std::size_t row,
                  const mindspore::RecordShapes& record, StringPool& strings) const {
    if (record.name.empty()) return false;  // Zeros are a record without fields.
    table.name[row] = strings.intern(record.name);
    table.shapes[row] = strings.intern(record.shapes);
    table.types[row] = strings.intern(record.types);
    table.op[row] = trace::kNone;
    return true;
  }
};

template <typename T, typename Table, typename Fill>
std::unique_ptr<FileJob> mindspore_job(RawFile file, const JobSettings& settings, Table& table,
                                       Fill fill) {
  return std::make_unique<TlvJob<T, Table, Fill>>(std::move(file), settings.part_bytes, table,
                                                  std::move(fill));
}

std::vector<std::uint32_t> rows_of_kind(const MindSporeRecords& records,
                                        MindSporeRecords::Kind kind) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < records.size(); ++row) {
    if (records.kind[row] == kind) rows.push_back(row);
  }
  return rows;
}

void fill_operators(const MindSporeRecords& records, std::uint32_t pid, trace::Trace& trace) {
  const auto rows = rows_of_kind(records, MindSporeRecords::kRange);
  trace::FrameworkOps& ops = trace.framework_ops();
  trace::MindSporeOps& details = trace.mindspore_ops();
  resize_rows(ops, rows.size());
  resize_rows(details, rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t row = rows[i];
    ops.start_ns[i] = records.start_ns[row];
    ops.end_ns[i] = records.end_ns[row];
    ops.sequence[i] = -1;
    ops.pid[i] = pid;
    ops.tid[i] = records.tid[row];
    ops.name[i] = records.name[row];
    ops.parent[i] = trace::kNone;
    details.op[i] = i;
    details.flow[i] = records.flow[row];
    details.module[i] = records.module[row];
    details.event[i] = records.event[row];
    details.brief_name[i] = records.brief_name[row];
    details.custom_info[i] = records.custom_info[row];
  }
}

// They are written when they return, which is the order of the table. Numbers come from link.
void fill_frames(const MindSporeRecords& records, std::uint32_t pid, trace::Trace& trace) {
  const auto rows = rows_of_kind(records, MindSporeRecords::kFrame);
  trace::PythonCalls& calls = trace.python_calls();
  resize_rows(calls, rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    calls.start_ns[i] = records.start_ns[rows[i]];
    calls.end_ns[i] = records.end_ns[rows[i]];
    calls.tid[i] = records.tid[rows[i]];
    calls.pid[i] = pid;
    calls.name[i] = records.name[rows[i]];
    calls.id[i] = trace::kNone;
    calls.parent_id[i] = 0;
    calls.module_id[i] = trace::kNone;
  }
}

void fill_flows(const MindSporeRecords& records, std::uint32_t pid, trace::Trace& trace) {
  const auto rows = rows_of_kind(records, MindSporeRecords::kFlow);
  trace::FlowMarks& marks = trace.flow_marks();
  resize_rows(marks, rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    marks.start_ns[i] = records.start_ns[rows[i]];
    marks.end_ns[i] = records.end_ns[rows[i]];
    marks.tid[i] = records.tid[rows[i]];
    marks.pid[i] = pid;
    marks.flow[i] = records.flow[rows[i]];
  }
}

}  // namespace

std::unique_ptr<FileJob> mindspore_range_job(RawFile file, const JobSettings& settings,
                                             MindSporeRecords& table) {
  return mindspore_job<mindspore::OpRange>(std::move(file), settings, table,
                                           FillRange{settings.clock});
}

std::unique_ptr<FileJob> mindspore_memory_job(RawFile file, const JobSettings& settings,
                                              MindSporeBlocks& table) {
  // The pool takes the time of the day.
  const StampClock wall(format::framework::Clock(false, 0, 0, 0, 0));
  return mindspore_job<mindspore::MemoryUsage>(std::move(file), settings, table, FillBlock{wall});
}

std::unique_ptr<FileJob> mindspore_shapes_job(RawFile file, const JobSettings& settings,
                                              trace::LaunchShapes& table) {
  return mindspore_job<mindspore::RecordShapes>(std::move(file), settings, table, FillShapes{});
}

void share_out(const MindSporeRecords& records, std::uint32_t pid, trace::Trace& trace) {
  fill_operators(records, pid, trace);
  fill_frames(records, pid, trace);
  fill_flows(records, pid, trace);
}

void share_out(const MindSporeBlocks& blocks, trace::Trace& trace) {
  using format::framework::DeviceType;
  using format::framework::MemoryEvent;
  trace::MemoryEvents& events = trace.memory_events();
  trace::MemoryLabels& labels = trace.memory_labels();
  resize_rows(events, blocks.size());
  resize_rows(labels, blocks.size());
  std::unordered_map<std::uint64_t, std::int64_t> sizes;  // Of the blocks in use, by address.
  for (const std::uint32_t row : stable_order(blocks.time_ns)) {
    const bool is_release = blocks.block_bytes[row] == mindspore::kReleased;
    std::int64_t& size = sizes[blocks.address[row]];
    if (!is_release) size = to_signed(blocks.block_bytes[row]);
    events.time_ns[row] = blocks.time_ns[row];
    events.address[row] = blocks.address[row];
    events.size_bytes[row] = is_release ? -size : size;
    events.total_allocated_bytes[row] = blocks.used_bytes[row];
    events.total_reserved_bytes[row] = blocks.reserved_bytes[row];
    events.total_active_bytes[row] = blocks.used_bytes[row];
    events.stream[row] = blocks.stream[row];
    events.device_type[row] = static_cast<std::uint8_t>(DeviceType::kNpu);
    events.device_index[row] = blocks.device[row];
    events.kind[row] =
        static_cast<std::uint8_t>(is_release ? MemoryEvent::kFree : MemoryEvent::kMalloc);
    events.tid[row] = blocks.tid[row];
    events.pid[row] = blocks.pid[row];
    events.owner[row] = trace::kNone;
    labels.event[row] = row;
    labels.owner[row] = blocks.owner[row];
    labels.type[row] = blocks.type[row];
  }
}

}  // namespace npuprof::load
