#include "report/csv/run_csv.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/sort_order.h"
#include "base/units.h"
#include "format/host/msproftx.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/graph_names.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

// A point in time; spreadsheets do not round a number that ends with a tab.
void put_recorded_time(TextBuffer& out, std::int64_t ns) {
  if (ns == 0) {
    out.text(kNotAvailable);
  } else {
    out.microseconds(ns).character('\t');
  }
}

// The time from one point to another, if both were recorded.
void put_span(TextBuffer& out, std::int64_t from_ns, std::int64_t to_ns) {
  if (from_ns == 0 || to_ns == 0) {
    out.text(kNotAvailable);
  } else {
    out.microseconds(to_ns - from_ns);
  }
}

// Reductions by (device, model, iteration): rows in IterationRanges.
using IterationKey = std::tuple<std::uint16_t, std::uint64_t, std::uint64_t>;
using Reductions = std::map<IterationKey, std::vector<std::uint32_t>>;

Reductions reductions_of(const trace::IterationRanges& ranges) {
  Reductions reductions;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    if (ranges.is_get_next[i] != 0) continue;
    reductions[{ranges.device[i], ranges.model_id[i], ranges.index[i]}].push_back(i);
  }
  return reductions;
}

void put_iteration(TextBuffer& out, const trace::Iterations& table, std::size_t i) {
  out.integer(table.device[i]).character(',').integer(table.index[i]).character(',');
  put_recorded_time(out, table.forward_start_ns[i]);
  out.character(',');
  put_recorded_time(out, table.backward_end_ns[i]);
  out.character(',');
  put_recorded_time(out, table.end_ns[i]);
  out.character(',').microseconds(table.end_ns[i] - table.start_ns[i]).character(',');
  put_span(out, table.forward_start_ns[i], table.backward_end_ns[i]);
  out.character(',');
  put_span(out, table.backward_end_ns[i], table.end_ns[i]);
  out.character(',');
  put_span(out, table.previous_end_ns[i], table.forward_start_ns[i]);
  out.character(',').integer(table.model_id[i]);
}

}  // namespace

Status write_step_trace(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& table = trace.iterations();
  const auto& ranges = trace.iteration_ranges();
  const Reductions reductions = reductions_of(ranges);
  std::size_t most = 0;
  for (const auto& [key, rows] : reductions) most = std::max(most, rows.size());
  std::string header =
      "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),"
      "FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID";
  for (std::size_t i = 0; i < most; ++i) header += ",Reduce Start(us),Reduce Duration(us)";
  return write_csv(
      target, "step_trace", header, table.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          put_iteration(out, table, i);
          const auto found = reductions.find({table.device[i], table.model_id[i], table.index[i]});
          const std::size_t count = found == reductions.end() ? 0 : found->second.size();
          for (std::size_t r = 0; r < most; ++r) {
            out.character(',');
            if (r >= count) {
              out.text("N/A,N/A");
              continue;
            }
            const std::uint32_t row = found->second[r];
            put_recorded_time(out, ranges.start_ns[row]);
            out.character(',').microseconds(ranges.end_ns[row] - ranges.start_ns[row]);
          }
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_fusion_op(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& ops = trace.fusion_ops();
  std::unordered_map<std::uint32_t, StringId> model_names;
  for (std::size_t i = 0; i < trace.graph_names().size(); ++i) {
    model_names.insert_or_assign(trace.graph_names().model_id[i], trace.graph_names().name[i]);
  }
  return write_csv(
      target, "fusion_op",
      "Device_id,Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB),Memory Output(KB),"
      "Memory Weight(KB),Memory Workspace(KB),Memory Total(KB)",
      ops.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const auto name = model_names.find(ops.model_id[i]);
          out.text("host,");
          out.csv(name == model_names.end() ? kNotAvailable : trace.strings.view(name->second));
          out.character(',').integer(ops.model_id[i]).character(',');
          out.csv(trace.strings.view(ops.op_name[i])).character(',');
          out.csv(trace.strings.view(ops.original_ops[i]));
          for (const std::uint64_t bytes :
               {ops.input_bytes[i], ops.output_bytes[i], ops.weight_bytes[i],
                ops.workspace_bytes[i], ops.total_bytes[i]}) {
            out.character(',').real(static_cast<double>(bytes) / 1024);
          }
          out.text(target.line_end);
        }
      },
      pool);
}

namespace {

// A mark on the host and, if a device saw it, its row in DeviceMarks: one line.
struct MarkLine {
  std::uint32_t mark;
  std::uint32_t on_device;  // kNone = none.
};

std::vector<MarkLine> mark_lines(const Trace& trace) {
  std::vector<std::vector<std::uint32_t>> device_rows(trace.marks().size());
  for (std::uint32_t i = 0; i < trace.device_marks().size(); ++i) {
    const std::uint32_t mark = trace.device_marks().mark[i];
    if (mark != kNone) device_rows[mark].push_back(i);
  }
  std::vector<MarkLine> lines;
  for (const std::uint32_t mark : stable_order(trace.marks().start_ns)) {
    for (const std::uint32_t row : device_rows[mark]) lines.push_back({mark, row});
    if (device_rows[mark].empty()) lines.push_back({mark, kNone});
  }
  return lines;
}

void put_mark(TextBuffer& out, const Trace& trace, const MarkLine& line) {
  const auto& marks = trace.marks();
  const std::uint32_t i = line.mark;
  const bool is_stamp = marks.is_mstx[i] == 0;
  const auto put_of_stamp = [&](auto value) {
    if (is_stamp) {
      out.integer(value);
    } else {
      out.text(kNotAvailable);
    }
    out.character(',');
  };
  if (line.on_device == kNone) {
    out.text("host,");
  } else {
    out.integer(trace.device_marks().device[line.on_device]).character(',');
  }
  out.integer(marks.pid[i]).character(',').integer(marks.tid[i]).character(',');
  put_of_stamp(marks.category[i]);
  out.text(format::host::Msproftx::event_type_name(marks.event_type[i])).character(',');
  put_of_stamp(marks.payload_type[i]);
  put_of_stamp(marks.payload[i]);
  put_recorded_time(out, marks.start_ns[i]);
  out.character(',');
  put_recorded_time(out, marks.end_ns[i]);
  out.character(',');
  put_of_stamp(marks.message_type[i]);
  out.csv(trace.strings.view(marks.message[i])).character(',');
  out.csv(is_stamp ? kNotAvailable : trace.strings.view(marks.domain[i])).character(',');
  if (line.on_device == kNone) {
    out.text("N/A,N/A");
    return;
  }
  put_recorded_time(out, trace.device_marks().start_ns[line.on_device]);
  out.character(',');
  put_recorded_time(out, trace.device_marks().end_ns[line.on_device]);
}

}  // namespace

Status write_msprof_tx(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const std::vector<MarkLine> lines = mark_lines(trace);
  return write_csv(
      target, "msprof_tx",
      "Device_id,pid,tid,category,event_type,payload_type,payload_value,Start_time(us),"
      "End_time(us),message_type,message,domain,Device Start_time(us),Device End_time(us)",
      lines.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          put_mark(out, trace, lines[i]);
          out.text(target.line_end);
        }
      },
      pool);
}

}  // namespace npuprof::report
