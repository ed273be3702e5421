#include "report/csv/cann_memory_csv.h"

#include <optional>
#include <vector>

#include "analyze/operator_allocations.h"
#include "base/sort_order.h"
#include "report/tables/text_table.h"
#include "trace/host/operator_memory.h"
#include "trace/host/static_memory.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::OperatorMemory;
using trace::StaticMemory;
using trace::Trace;

constexpr auto kCannMemoryRecord =
    text_table("memory_record", kHostColumn,  //
               column(TextColumn{"Component"},
                      [](const TraceRow<OperatorMemory>&) { return std::string_view("GE"); }),
               column(TextColumn{"Timestamp(us)", Print::kTimeUs}, cell(&OperatorMemory::time_ns)),
               column(TextColumn{"Total Allocated(KB)", Print::kRoundedKb},
                      cell(&OperatorMemory::total_allocated_bytes)),
               column(TextColumn{"Total Reserved(KB)", Print::kRoundedKb},
                      cell(&OperatorMemory::total_reserved_bytes)),
               column(TextColumn{"Device", Print::kDevice}, cell(&OperatorMemory::device)));

// Blocks of CANN's pool.
struct CannBlockRows {
  const Trace& trace;
  std::vector<analyze::CannBlock> blocks;

  struct Row {
    const Trace& trace;
    analyze::CannBlock block;

    const OperatorMemory& events() const { return trace.operator_memory(); }
    std::string_view name() const { return trace.strings.view(events().op_name[block.known()]); }
    std::int64_t size() const { return events().size_bytes[block.known()]; }
    std::optional<std::int64_t> allocation_ns() const {
      if (block.allocation == kNone) return std::nullopt;
      return events().time_ns[block.allocation];
    }
    std::optional<std::int64_t> duration_ns() const {
      if (block.allocation == kNone || block.release == kNone) return std::nullopt;
      return events().time_ns[block.release] - events().time_ns[block.allocation];
    }
    std::uint32_t device() const { return events().device[block.known()]; }
  };
  std::size_t size() const { return blocks.size(); }
  Row operator[](std::size_t i) const { return {trace, blocks[i]}; }
};

template <typename Column>
constexpr auto total_at(std::string_view header, std::uint32_t analyze::CannBlock::*event,
                        Column OperatorMemory::*total) {
  return column(or_not_available(header, Print::kRoundedKb),
                [event, total](const CannBlockRows::Row& row) {
                  const std::uint32_t at = row.block.*event;
                  return at == kNone ? std::nullopt : std::optional((row.events().*total)[at]);
                });
}

constexpr auto kCannOperatorMemory = text_table(
    "operator_memory", kHostColumn,  //
    column(TextColumn{"Name"}, &CannBlockRows::Row::name),
    column(TextColumn{"Size(KB)", Print::kRoundedKb}, &CannBlockRows::Row::size),
    column(or_not_available("Allocation Time(us)", Print::kTimeUs),
           &CannBlockRows::Row::allocation_ns),
    column(or_not_available("Duration(us)", Print::kUs), &CannBlockRows::Row::duration_ns),
    total_at("Allocation Total Allocated(KB)", &analyze::CannBlock::allocation,
             &OperatorMemory::total_allocated_bytes),
    total_at("Allocation Total Reserved(KB)", &analyze::CannBlock::allocation,
             &OperatorMemory::total_reserved_bytes),
    total_at("Release Total Allocated(KB)", &analyze::CannBlock::release,
             &OperatorMemory::total_allocated_bytes),
    total_at("Release Total Reserved(KB)", &analyze::CannBlock::release,
             &OperatorMemory::total_reserved_bytes),
    column(TextColumn{"Device", Print::kDevice}, &CannBlockRows::Row::device));

constexpr auto kStaticMemory =
    text_table("static_op_mem", kHostColumn,  //
               column(TextColumn{"Op Name"},
                      [](const TraceRow<StaticMemory>& row) {
                        const std::string_view name = row.text(row.table.op_name[row.i]);
                        return name.empty() ? "TOTAL" : name;
                      }),
               column(or_not_available("Model Name"), text_cell(&StaticMemory::dynamic_root)),
               column(TextColumn{"Graph ID"}, cell(&StaticMemory::graph_id)),
               column(TextColumn{"Node Index Start"}, cell(&StaticMemory::life_start)),
               column(TextColumn{"Node Index End"}, cell(&StaticMemory::life_end)),
               column(TextColumn{"Size(KB)", Print::kRoundedKb}, cell(&StaticMemory::size_bytes)));

}  // namespace

Status write_cann_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const OperatorMemory& events = trace.operator_memory();
  const std::vector<std::uint32_t> by_time = stable_order(events.time_ns);
  NPUPROF_RETURN_IF_ERROR(write_text_table<kCannMemoryRecord>(
      ListedRows<OperatorMemory>{events, by_time}, target, pool));
  const CannBlockRows blocks{trace, analyze::cann_blocks(events)};
  NPUPROF_RETURN_IF_ERROR(write_text_table<kCannOperatorMemory>(blocks, target, pool));
  return write_static_memory(trace, target, pool);
}

Status write_static_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kStaticMemory>(
      AllRows<StaticMemory>{trace.static_memory(), &trace.strings}, target, pool);
}

}  // namespace npuprof::report
