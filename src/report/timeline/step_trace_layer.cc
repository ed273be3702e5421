#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "report/timeline/cann_layers.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::report {
namespace {

// Lanes of models lie above those of streams.
constexpr std::uint64_t lane_of_model(std::uint64_t model_id) { return model_id + 70000; }

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

// A point in time, or N/A if it was not recorded.
void put_argument_time(auto& event, std::string_view key, std::int64_t ns) {
  if (ns == 0) {
    event.argument(key, kNotAvailable);
    return;
  }
  char text[kMaxIntegerChars];
  const char* end = write_scaled<3>(text, ns);
  event.argument(key, std::string_view(text, static_cast<std::size_t>(end - text)));
}

// The slices of an iteration; those behind the first only if forward start and backward end are
// known.
enum class Part : std::uint8_t { kWhole, kForwardBackward, kRefresh, kRange };

struct StepRow {
  Part part;
  std::uint32_t row;     // In Iterations, or in IterationRanges.
  std::uint32_t number;  // Of a reduction within its iteration.
};

struct StepRows {
  std::vector<StepRow> rows;
  LaneSlices slices;
  std::vector<std::uint32_t> track;
  ArrowEnds arrows;

  void add(StepRow row, std::uint64_t lane, std::int64_t start_ns, std::int64_t end_ns) {
    rows.push_back(row);
    slices.add(lane, start_ns, end_ns);
  }
};

void add_iterations(const trace::Iterations& table, std::uint16_t device, StepRows& rows) {
  std::vector<ArrowEnd> ends;
  std::map<std::int64_t, std::uint32_t> row_of_end;  // Whole iterations by their end.
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    if (table.device[i] != device) continue;
    const std::uint64_t lane = lane_of_model(table.model_id[i]);
    row_of_end[table.end_ns[i]] = static_cast<std::uint32_t>(rows.rows.size());
    rows.add({Part::kWhole, i, 0}, lane, table.start_ns[i], table.end_ns[i]);
    const std::int64_t forward_ns = table.forward_start_ns[i];
    const std::int64_t backward_ns = table.backward_end_ns[i];
    if (forward_ns == 0 || backward_ns == 0) continue;
    const auto before = row_of_end.find(table.previous_end_ns[i]);
    if (before != row_of_end.end()) {
      const std::uint64_t id = data_wait_arrow_id(i);
      ends.push_back({before->second, ArrowKind::kDataWait, true, id});
      ends.push_back(
          {static_cast<std::uint32_t>(rows.rows.size()), ArrowKind::kDataWait, false, id});
    }
    rows.add({Part::kForwardBackward, i, 0}, lane, forward_ns, backward_ns);
    rows.add({Part::kRefresh, i, 0}, lane, backward_ns, table.end_ns[i]);
  }
  rows.arrows = ArrowEnds(rows.rows.size(), ends);
}

void add_ranges(const trace::IterationRanges& table, std::uint16_t device, StepRows& rows) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> reductions;  // By iteration.
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    if (table.device[i] != device) continue;
    std::uint32_t& count = reductions[{table.model_id[i], table.index[i]}];
    const std::uint32_t number = table.is_get_next[i] != 0 ? 0 : count++;
    rows.add({Part::kRange, i, number}, lane_of_model(table.model_id[i]), table.start_ns[i],
             table.end_ns[i]);
  }
}

void describe_iteration(auto& event, const trace::Iterations& table, const StepRow& row) {
  const std::uint32_t i = row.row;
  const std::string number = std::to_string(table.index[i]);
  const std::int64_t forward_ns = table.forward_start_ns[i];
  const std::int64_t backward_ns = table.backward_end_ns[i];
  const std::int64_t end_ns = table.end_ns[i];
  if (row.part == Part::kWhole) {
    event.name("Iteration ", number).category(category::kIteration);
    event.argument(argument::kIteration, table.index[i]);
    put_argument_time(event, argument::kForwardStart, forward_ns);
    put_argument_time(event, argument::kBackwardEnd, backward_ns);
    put_argument_time(event, "Iteration End", end_ns);
    event.argument("Iteration Time(us)", microseconds(end_ns - table.start_ns[i]));
  } else if (row.part == Part::kForwardBackward) {
    event.name("FP_BP Time ", number).category(category::kForwardBackward);
    event.argument(argument::kIteration, table.index[i]);
    put_argument_time(event, argument::kForwardStart, forward_ns);
    put_argument_time(event, argument::kBackwardEnd, backward_ns);
    event.argument("FP_BP Time(us)", microseconds(backward_ns - forward_ns));
    if (table.previous_end_ns[i] != 0) {
      event.argument("Data_aug Bound(us)", microseconds(forward_ns - table.previous_end_ns[i]));
    }
  } else {
    event.name("Iteration Refresh ", number).category(category::kRefresh);
    event.argument(argument::kIteration, table.index[i]);
    put_argument_time(event, argument::kBackwardEnd, backward_ns);
    put_argument_time(event, "Iteration End", end_ns);
    event.argument("Iteration Refresh(us)", microseconds(end_ns - backward_ns));
  }
}

void describe_range(auto& event, const trace::IterationRanges& table, const StepRow& row) {
  const std::uint32_t i = row.row;
  if (table.is_get_next[i] != 0) {
    event.name("GetNext").category(category::kGetNext);
    put_argument_time(event, "GetNext Start", table.start_ns[i]);
    put_argument_time(event, "GetNext End", table.end_ns[i]);
    event.argument("GetNext Time(us)", microseconds(table.end_ns[i] - table.start_ns[i]));
    return;
  }
  const std::string number = std::to_string(row.number);
  event.name("Reduce_", std::to_string(table.index[i]) + "_" + number).category(category::kReduce);
  event.argument(argument::kIteration, table.index[i]);
  put_argument_time(event, "Reduce Start " + number, table.start_ns[i]);
  put_argument_time(event, "Reduce End " + number, table.end_ns[i]);
}

template <typename Sink>
void declare_models(const StepRows& rows, std::uint64_t pid, Sink& sink) {
  std::map<std::uint64_t, std::uint32_t> last_track;  // By lane.
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    std::uint32_t& last = last_track[rows.slices.lane[i]];
    last = std::max(last, rows.track[i]);
  }
  for (const auto& [lane, last] : last_track) {
    const std::uint64_t model = lane - lane_of_model(0);
    declare_lane(sink, pid, lane, "Step Trace(Model ID:" + std::to_string(model) + ")", last);
  }
}

}  // namespace

template <typename Sink>
void write_step_trace_layer(const TimelineContext& context, std::uint16_t device, Sink& sink) {
  if (!context.options.shows(layer::kStepTrace)) return;
  const auto rows = std::make_shared<StepRows>();
  add_iterations(context.trace.iterations(), device, *rows);
  const std::size_t iteration_rows = rows->rows.size();
  add_ranges(context.trace.iteration_ranges(), device, *rows);
  if (rows->rows.empty()) return;
  rows->track = overlap_tracks(rows->slices);
  const std::uint64_t pid = context.pid(kHardwareLayer, device);
  sink.layer(kHardwareLayer, pid, device);
  declare_models(*rows, pid, sink);
  sink.slices(
      rows->rows.size(),
      [rows, pid](std::size_t i) {
        return SlicePlace{pid, overlap_tid(rows->slices.lane[i], rows->track[i]),
                          rows->slices.start_ns[i], rows->slices.end_ns[i]};
      },
      [&context, rows, iteration_rows](auto& event, std::size_t i) {
        if (i >= iteration_rows) {
          describe_range(event, context.trace.iteration_ranges(), rows->rows[i]);
          return;
        }
        describe_iteration(event, context.trace.iterations(), rows->rows[i]);
        rows->arrows.put(event, i);
      });
}

#define NPUPROF_INSTANTIATE(Sink) \
  template void write_step_trace_layer(const TimelineContext&, std::uint16_t, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
