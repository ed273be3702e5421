#include "report/csv/framework_csv.h"

#include <optional>
#include <vector>

#include "analyze/operator_allocations.h"
#include "analyze/operator_times.h"
#include "report/tables/text_table.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"

namespace npuprof::report {
namespace {

using analyze::OperatorTimes;
using trace::kNone;
using trace::Trace;

// Operators of the framework in order of their start.
class OperatorDetailRows {
 public:
  explicit OperatorDetailRows(const Trace& trace)
      : trace_(trace),
        times_(analyze::operator_times(trace)),
        order_(analyze::operators_by_start(trace)) {}

  struct Row {
    const OperatorDetailRows& all;
    std::uint32_t op;

    const trace::FrameworkOps& ops() const { return all.trace_.framework_ops(); }
    const OperatorTimes& times() const { return all.times_; }
    std::string_view name() const { return all.trace_.strings.view(ops().name[op]); }
    std::string_view shapes() const { return all.trace_.strings.view(ops().input_shapes[op]); }
    std::string_view stack() const { return all.trace_.strings.view(ops().stack[op]); }
    std::int64_t host_total_ns() const { return ops().end_ns[op] - ops().start_ns[op]; }
  };
  std::size_t size() const { return order_.size(); }
  Row operator[](std::size_t i) const { return {*this, order_[i]}; }

 private:
  const Trace& trace_;
  OperatorTimes times_;
  std::vector<std::uint32_t> order_;
};

template <typename Column>
constexpr auto of_operator(Column OperatorTimes::*column) {
  return [column](const OperatorDetailRows::Row& row) { return (row.times().*column)[row.op]; };
}

constexpr auto kOperatorDetails =
    text_table("operator_details",  //
               column(TextColumn{"Name"}, &OperatorDetailRows::Row::name),
               column(TextColumn{"Input Shapes", Print::kLines}, &OperatorDetailRows::Row::shapes),
               column(TextColumn{"Call Stack", Print::kLines}, &OperatorDetailRows::Row::stack),
               column(TextColumn{"Host Self Duration(us)", Print::kTrimmedUs},
                      of_operator(&OperatorTimes::host_self_ns)),
               column(TextColumn{"Host Total Duration(us)", Print::kTrimmedUs},
                      &OperatorDetailRows::Row::host_total_ns),
               column(TextColumn{"Device Self Duration(us)", Print::kTrimmedUsOrZero},
                      of_operator(&OperatorTimes::device_self_ns)),
               column(TextColumn{"Device Total Duration(us)", Print::kTrimmedUsOrZero},
                      of_operator(&OperatorTimes::device_total_ns)),
               column(TextColumn{"Device Self Duration With AICore(us)", Print::kTrimmedUsOrZero},
                      of_operator(&OperatorTimes::ai_core_self_ns)),
               column(TextColumn{"Device Total Duration With AICore(us)", Print::kTrimmedUsOrZero},
                      of_operator(&OperatorTimes::ai_core_total_ns)));

// Blocks of the host's memory.
class HostBlockRows {
 public:
  explicit HostBlockRows(const Trace& trace)
      : trace_(trace), blocks_(analyze::host_blocks(trace.memory_events())) {}

  struct Row {
    const Trace& trace;
    analyze::HostBlock block;

    const trace::MemoryEvents& events() const { return trace.memory_events(); }
    std::string_view name() const {
      const std::uint32_t owner = events().owner[block.allocation];
      return owner == kNone ? "" : trace.strings.view(trace.framework_ops().name[owner]);
    }
    std::int64_t size() const { return events().size_bytes[block.allocation]; }
    std::int64_t allocation_ns() const { return events().time_ns[block.allocation]; }
    std::optional<std::int64_t> release_ns() const { return at_release(events().time_ns); }
    std::optional<std::int64_t> duration_ns() const {
      const auto end_ns = release_ns();
      return end_ns ? std::optional(*end_ns - allocation_ns()) : std::nullopt;
    }
    std::int64_t allocated() const { return events().total_allocated_bytes[block.allocation]; }
    std::optional<std::int64_t> allocated_at_release() const {
      return at_release(events().total_allocated_bytes);
    }
    std::uint32_t thread() const { return events().tid[block.allocation]; }

   private:
    std::optional<std::int64_t> at_release(const auto& column) const {
      return block.release == kNone ? std::nullopt
                                    : std::optional<std::int64_t>(column[block.release]);
    }
  };
  std::size_t size() const { return blocks_.size(); }
  Row operator[](std::size_t i) const { return {trace_, blocks_[i]}; }

 private:
  const Trace& trace_;
  std::vector<analyze::HostBlock> blocks_;
};

constexpr auto kOperatorHostMemory = text_table(
    "operator_host_memory",  //
    column(TextColumn{"Name"}, &HostBlockRows::Row::name),
    column(TextColumn{"Size(KB)", Print::kKb}, &HostBlockRows::Row::size),
    column(TextColumn{"Allocation Time(us)", Print::kTimeUs}, &HostBlockRows::Row::allocation_ns),
    column(TextColumn{"Release Time(us)", Print::kTimeUs}, &HostBlockRows::Row::release_ns),
    column(TextColumn{"Duration(us)", Print::kTimeUs}, &HostBlockRows::Row::duration_ns),
    column(TextColumn{"Allocation Total Allocated(MB)", Print::kMb},
           &HostBlockRows::Row::allocated),
    column(TextColumn{"Release Total Allocated(MB)", Print::kMb},
           &HostBlockRows::Row::allocated_at_release),
    column(TextColumn{"Thread Id"}, &HostBlockRows::Row::thread));

}  // namespace

Status write_operator_details(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kOperatorDetails>(OperatorDetailRows(trace), target, pool);
}

Status write_operator_host_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kOperatorHostMemory>(HostBlockRows(trace), target, pool);
}

}  // namespace npuprof::report
