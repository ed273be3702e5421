#include "report/csv/run_csv.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/sort_order.h"
#include "format/host/msproftx.h"
#include "report/csv/model_names.h"
#include "report/tables/text_table.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

// A time of 0 was not recorded.
std::optional<std::int64_t> recorded(std::int64_t ns) {
  return ns == 0 ? std::nullopt : std::optional(ns);
}
// The time from one point to another, if both were recorded.
std::optional<std::int64_t> span_between(std::int64_t from_ns, std::int64_t to_ns) {
  return from_ns == 0 || to_ns == 0 ? std::nullopt : std::optional(to_ns - from_ns);
}

constexpr TextColumn recorded_time(std::string_view header) {
  return or_not_available(header, Print::kTimeUs);
}
constexpr TextColumn recorded_span(std::string_view header) {
  return or_not_available(header, Print::kUs);
}

// Iterations of graphs, each with its reductions: rows of IterationRanges.
class IterationRows {
 public:
  explicit IterationRows(const Trace& trace)
      : iterations_(trace.iterations()), ranges_(trace.iteration_ranges()) {
    for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_.is_get_next[i] != 0) continue;
      auto& rows = reductions_[{ranges_.device[i], ranges_.model_id[i], ranges_.index[i]}];
      rows.push_back(i);
      most_reductions_ = std::max(most_reductions_, rows.size());
    }
  }

  struct Row {
    const IterationRows& all;
    std::size_t i;

    const trace::Iterations& table() const { return all.iterations_; }
    std::uint16_t device() const { return table().device[i]; }
    std::uint64_t index() const { return table().index[i]; }
    std::uint64_t model() const { return table().model_id[i]; }
    std::int64_t forward_ns() const { return table().forward_start_ns[i]; }
    std::int64_t backward_ns() const { return table().backward_end_ns[i]; }
    std::int64_t end_ns() const { return table().end_ns[i]; }
    std::int64_t duration_ns() const { return end_ns() - table().start_ns[i]; }
    std::int64_t previous_end_ns() const { return table().previous_end_ns[i]; }
  };
  std::size_t size() const { return iterations_.size(); }
  Row operator[](std::size_t i) const { return {*this, i}; }

  std::size_t most_reductions() const { return most_reductions_; }
  const trace::IterationRanges& ranges() const { return ranges_; }
  const std::vector<std::uint32_t>* reductions_of(const Row& row) const {
    const auto found = reductions_.find({row.device(), row.model(), row.index()});
    return found == reductions_.end() ? nullptr : &found->second;
  }

 private:
  using Key = std::tuple<std::uint16_t, std::uint64_t, std::uint64_t>;  // Device, model, iteration.

  const trace::Iterations& iterations_;
  const trace::IterationRanges& ranges_;
  std::map<Key, std::vector<std::uint32_t>> reductions_;
  std::size_t most_reductions_ = 0;
};

using IterationRow = IterationRows::Row;

// As many pairs as the iteration with the most reductions has.
constexpr auto kReductions = column_group(
    [](const IterationRows& rows) {
      std::vector<std::string> headers;
      for (std::size_t i = 0; i < rows.most_reductions(); ++i) {
        headers.insert(headers.end(), {"Reduce Start(us)", "Reduce Duration(us)"});
      }
      return headers;
    },
    [](const IterationRows&) { return 0; },
    [](TextBuffer& out, const IterationRow& row, int) {
      const auto* reductions = row.all.reductions_of(row);
      const trace::IterationRanges& ranges = row.all.ranges();
      for (std::size_t i = 0; i < row.all.most_reductions(); ++i) {
        std::optional<std::int64_t> start_ns;
        std::optional<std::int64_t> duration_ns;
        if (reductions != nullptr && i < reductions->size()) {
          const std::uint32_t range = (*reductions)[i];
          start_ns = recorded(ranges.start_ns[range]);
          duration_ns = ranges.end_ns[range] - ranges.start_ns[range];
        }
        put_cell(out.character(','), recorded_time(""), start_ns);
        put_cell(out.character(','), recorded_span(""), duration_ns);
      }
    });

constexpr auto kStepTrace = text_table(
    "step_trace",  //
    column(TextColumn{"Device_id"}, &IterationRow::device),
    column(TextColumn{"Iteration ID"}, &IterationRow::index),
    column(recorded_time("FP Start(us)"),
           [](const IterationRow& row) { return recorded(row.forward_ns()); }),
    column(recorded_time("BP End(us)"),
           [](const IterationRow& row) { return recorded(row.backward_ns()); }),
    column(recorded_time("Iteration End(us)"),
           [](const IterationRow& row) { return recorded(row.end_ns()); }),
    column(TextColumn{"Iteration Time(us)", Print::kUs}, &IterationRow::duration_ns),
    column(
        recorded_span("FP to BP Time(us)"),
        [](const IterationRow& row) { return span_between(row.forward_ns(), row.backward_ns()); }),
    column(recorded_span("Iteration Refresh(us)"),
           [](const IterationRow& row) { return span_between(row.backward_ns(), row.end_ns()); }),
    column(recorded_span("Data Aug Bound(us)"),
           [](const IterationRow& row) {
             return span_between(row.previous_end_ns(), row.forward_ns());
           }),
    column(TextColumn{"Model ID"}, &IterationRow::model), kReductions);

// Operators that were fused into one.
class FusionRows {
 public:
  explicit FusionRows(const Trace& trace) : trace_(trace), model_names_(trace) {}

  struct Row {
    const FusionRows& all;
    std::size_t i;

    const trace::FusionOps& ops() const { return all.trace_.fusion_ops(); }
    std::string_view model_name() const { return all.model_names_.find(model()); }
    std::uint32_t model() const { return ops().model_id[i]; }
    std::string_view name() const { return text(ops().op_name[i]); }
    std::string_view originals() const { return text(ops().original_ops[i]); }

   private:
    std::string_view text(StringId id) const { return all.trace_.strings.view(id); }
  };
  std::size_t size() const { return trace_.fusion_ops().size(); }
  Row operator[](std::size_t i) const { return {*this, i}; }

 private:
  const Trace& trace_;
  ModelNames model_names_;
};

template <typename Column>
constexpr auto fusion_memory(std::string_view header, Column trace::FusionOps::*bytes) {
  return column(TextColumn{header, Print::kKb},
                [bytes](const FusionRows::Row& row) { return (row.ops().*bytes)[row.i]; });
}

constexpr auto kFusionOp =
    text_table("fusion_op",  //
               kHostColumn, column(or_not_available("Model Name"), &FusionRows::Row::model_name),
               column(TextColumn{"Model ID"}, &FusionRows::Row::model),
               column(TextColumn{"Fusion Op"}, &FusionRows::Row::name),
               column(TextColumn{"Original Ops"}, &FusionRows::Row::originals),
               fusion_memory("Memory Input(KB)", &trace::FusionOps::input_bytes),
               fusion_memory("Memory Output(KB)", &trace::FusionOps::output_bytes),
               fusion_memory("Memory Weight(KB)", &trace::FusionOps::weight_bytes),
               fusion_memory("Memory Workspace(KB)", &trace::FusionOps::workspace_bytes),
               fusion_memory("Memory Total(KB)", &trace::FusionOps::total_bytes));

// Marks in order of their start; one that several devices saw has a line for each.
class MarkLines {
 public:
  explicit MarkLines(const Trace& trace) : trace_(trace) {
    std::vector<std::vector<std::uint32_t>> device_rows(trace.marks().size());
    for (std::uint32_t i = 0; i < trace.device_marks().size(); ++i) {
      const std::uint32_t mark = trace.device_marks().mark[i];
      if (mark != kNone) device_rows[mark].push_back(i);
    }
    for (const std::uint32_t mark : stable_order(trace.marks().start_ns)) {
      for (const std::uint32_t row : device_rows[mark]) lines_.push_back({mark, row});
      if (device_rows[mark].empty()) lines_.push_back({mark, kNone});
    }
  }

  struct Row {
    const Trace& trace;
    std::uint32_t mark;
    std::uint32_t on_device;  // Row of DeviceMarks, kNone = none.

    const trace::Marks& marks() const { return trace.marks(); }
    bool is_stamp() const { return marks().is_mstx[mark] == 0; }
    std::optional<std::uint16_t> device() const {
      if (on_device == kNone) return std::nullopt;
      return trace.device_marks().device[on_device];
    }
    std::string_view event_type() const {
      return format::host::Msproftx::event_type_name(marks().event_type[mark]);
    }
    auto start_ns() const { return recorded(marks().start_ns[mark]); }
    auto end_ns() const { return recorded(marks().end_ns[mark]); }
    std::string_view message() const { return trace.strings.view(marks().message[mark]); }
    std::string_view domain() const {
      return is_stamp() ? kNotAvailable : trace.strings.view(marks().domain[mark]);
    }
    std::optional<std::int64_t> device_start_ns() const {
      return on_device == kNone ? std::nullopt : recorded(trace.device_marks().start_ns[on_device]);
    }
    std::optional<std::int64_t> device_end_ns() const {
      return on_device == kNone ? std::nullopt : recorded(trace.device_marks().end_ns[on_device]);
    }
  };
  std::size_t size() const { return lines_.size(); }
  Row operator[](std::size_t i) const { return {trace_, lines_[i].mark, lines_[i].on_device}; }

 private:
  struct Line {
    std::uint32_t mark;
    std::uint32_t on_device;
  };
  const Trace& trace_;
  std::vector<Line> lines_;
};

template <typename Column>
constexpr auto mark_cell(Column trace::Marks::*column) {
  return [column](const MarkLines::Row& row) { return (row.marks().*column)[row.mark]; };
}
// What marks of MSTX do not have.
template <typename Column>
constexpr auto of_stamp(std::string_view header, Column trace::Marks::*column_of_marks) {
  return column(or_not_available(header), [column_of_marks](const MarkLines::Row& row) {
    const auto value = (row.marks().*column_of_marks)[row.mark];
    return row.is_stamp() ? std::optional(value) : std::nullopt;
  });
}

constexpr auto kMsprofTx =
    text_table("msprof_tx",  //
               column(kDeviceOrHost, &MarkLines::Row::device),
               column(TextColumn{"pid"}, mark_cell(&trace::Marks::pid)),
               column(TextColumn{"tid"}, mark_cell(&trace::Marks::tid)),
               of_stamp("category", &trace::Marks::category),
               column(TextColumn{"event_type"}, &MarkLines::Row::event_type),
               of_stamp("payload_type", &trace::Marks::payload_type),
               of_stamp("payload_value", &trace::Marks::payload),
               column(recorded_time("Start_time(us)"), &MarkLines::Row::start_ns),
               column(recorded_time("End_time(us)"), &MarkLines::Row::end_ns),
               of_stamp("message_type", &trace::Marks::message_type),
               column(TextColumn{"message"}, &MarkLines::Row::message),
               column(TextColumn{"domain"}, &MarkLines::Row::domain),
               column(recorded_time("Device Start_time(us)"), &MarkLines::Row::device_start_ns),
               column(recorded_time("Device End_time(us)"), &MarkLines::Row::device_end_ns));

}  // namespace

Status write_step_trace(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kStepTrace>(IterationRows(trace), target, pool);
}

Status write_fusion_op(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kFusionOp>(FusionRows(trace), target, pool);
}

Status write_msprof_tx(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kMsprofTx>(MarkLines(trace), target, pool);
}

}  // namespace npuprof::report
