#include "report/csv/cann_memory_csv.h"

#include <vector>

#include "analyze/operator_memory.h"
#include "base/sort_order.h"
#include "base/units.h"
#include "trace/host/operator_memory.h"
#include "trace/host/static_memory.h"

namespace npuprof::report {
namespace {

using analyze::CannBlock;
using trace::kNone;
using trace::Trace;

template <typename Number>
void put_kilobytes(TextBuffer& out, Number bytes) {
  out.rounded(static_cast<double>(bytes) / kKilobyte, 3, true);
}

Status write_cann_memory_record(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& memory = trace.operator_memory();
  const std::vector<std::uint32_t> rows = stable_order(memory.time_ns);
  return write_csv(
      target, "memory_record",
      "Device_id,Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB),Device",
      rows.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t row = rows[i];
          out.text("host,GE,").microseconds(memory.time_ns[row]).text("\t,");
          put_kilobytes(out, memory.total_allocated_bytes[row]);
          out.character(',');
          put_kilobytes(out, memory.total_reserved_bytes[row]);
          out.text(",NPU:").integer(memory.device[row]).text(target.line_end);
        }
      },
      pool);
}

void put_block(TextBuffer& out, const Trace& trace, const CannBlock& block) {
  const auto& memory = trace.operator_memory();
  const std::uint32_t known = block.known();
  out.text("host,").csv(trace.strings.view(memory.op_name[known])).character(',');
  put_kilobytes(out, memory.size_bytes[known]);
  out.character(',');
  if (block.allocation != kNone) {
    out.microseconds(memory.time_ns[block.allocation]).character('\t');
  } else {
    out.text("N/A");
  }
  out.character(',');
  if (block.allocation != kNone && block.release != kNone) {
    out.microseconds(memory.time_ns[block.release] - memory.time_ns[block.allocation]);
  } else {
    out.text("N/A");
  }
  for (const std::uint32_t row : {block.allocation, block.release}) {
    if (row == kNone) {
      out.text(",N/A,N/A");
      continue;
    }
    out.character(',');
    put_kilobytes(out, memory.total_allocated_bytes[row]);
    out.character(',');
    put_kilobytes(out, memory.total_reserved_bytes[row]);
  }
  out.text(",NPU:").integer(memory.device[known]);
}

Status write_operator_blocks(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const std::vector<CannBlock> blocks = analyze::cann_blocks(trace.operator_memory());
  return write_csv(
      target, "operator_memory",
      "Device_id,Name,Size(KB),Allocation Time(us),Duration(us),Allocation Total Allocated(KB),"
      "Allocation Total Reserved(KB),Release Total Allocated(KB),Release Total Reserved(KB),Device",
      blocks.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          put_block(out, trace, blocks[i]);
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_static_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& memory = trace.static_memory();
  return write_csv(
      target, "static_op_mem",
      "Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)",
      memory.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::string_view name = trace.strings.view(memory.op_name[i]);
          const std::string_view root = trace.strings.view(memory.dynamic_root[i]);
          out.text("host,").csv(name.empty() ? "TOTAL" : name).character(',');
          out.csv(root.empty() ? "N/A" : root).character(',').integer(memory.graph_id[i]);
          out.character(',').integer(memory.life_start[i]).character(',');
          out.integer(memory.life_end[i]).character(',');
          put_kilobytes(out, memory.size_bytes[i]);
          out.text(target.line_end);
        }
      },
      pool);
}

}  // namespace

Status write_cann_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  NPUPROF_RETURN_IF_ERROR(write_cann_memory_record(trace, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_operator_blocks(trace, target, pool));
  return write_static_memory(trace, target, pool);
}

}  // namespace npuprof::report
