#include <array>
#include <vector>

#include "analyze/memory_record.h"
#include "analyze/operator_memory.h"
#include "report/sqlite/framework_tables.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::report::sqlite {
namespace {

using trace::kNone;
using trace::Trace;

const TableSchema& operator_memory_schema() {
  static const TableSchema schema{"OP_MEMORY",
                                  {{"name", kI},
                                   {"size", kI},
                                   {"allocationTime", kI},
                                   {"releaseTime", kI},
                                   {"activeReleaseTime", kI},
                                   {"duration", kI},
                                   {"activeDuration", kI},
                                   {"allocationTotalAllocated", kI},
                                   {"allocationTotalReserved", kI},
                                   {"allocationTotalActive", kI},
                                   {"releaseTotalAllocated", kI},
                                   {"releaseTotalReserved", kI},
                                   {"releaseTotalActive", kI},
                                   {"streamPtr", kI},
                                   {"deviceId", kI}}};
  return schema;
}

// A block of the framework's allocator.
void put_block(PageBuilder& row, const Trace& trace, const DatabaseStrings& strings,
               std::size_t block) {
  const auto& blocks = trace.allocations();
  const auto& events = trace.memory_events();
  const std::uint32_t begin = blocks.malloc_event[block];
  const std::uint32_t free = blocks.free_event[block];
  const std::uint32_t block_free = blocks.block_free_event[block];
  const auto put_time_of = [&](std::uint32_t event, std::int64_t base) {
    if (event == kNone) {
      row.null();
    } else {
      row.integer(events.time_ns[event] - base);
    }
  };
  const auto put_totals = [&](std::uint32_t event) {
    for (const auto* column : {&events.total_allocated_bytes, &events.total_reserved_bytes,
                               &events.total_active_bytes}) {
      if (event == kNone) {
        row.null();
      } else {
        row.integer((*column)[event]);
      }
    }
  };
  const StringId owner = analyze::owner_of_block(trace, block);
  // The empty text has this number and no row in STRING_IDS.
  constexpr std::int64_t kEmptyName = 0xFFFFFFFF;
  row.integer(owner == kEmptyString ? kEmptyName : strings.id(owner));
  row.integer(events.size_bytes[begin]);
  put_time_of(begin, 0);
  put_time_of(free, 0);
  put_time_of(block_free, 0);
  put_time_of(free, events.time_ns[begin]);
  put_time_of(block_free, events.time_ns[begin]);
  put_totals(begin);
  put_totals(free != kNone ? free : block_free);
  row.integer(events.stream[begin]);
  row.integer(trace.devices.size() == 1 ? trace.devices.front().id : events.device_index[begin]);
}

// A block of CANN's pool: it knows neither streams nor when memory was last used.
void put_cann_block(PageBuilder& row, const Trace& trace, const DatabaseStrings& strings,
                    const analyze::CannBlock& block) {
  const auto& memory = trace.operator_memory();
  const std::uint32_t known = block.known();
  row.integer(strings.id(memory.op_name[known]));
  row.integer(memory.size_bytes[known]);
  for (const std::uint32_t event : {block.allocation, block.release}) {
    if (event == kNone) {
      row.null();
    } else {
      row.integer(memory.time_ns[event]);
    }
  }
  row.null();
  if (block.allocation == kNone || block.release == kNone) {
    row.null();
  } else {
    row.integer(memory.time_ns[block.release] - memory.time_ns[block.allocation]);
  }
  row.null();
  for (const std::uint32_t event : {block.allocation, block.release}) {
    for (const auto* column : {&memory.total_allocated_bytes, &memory.total_reserved_bytes}) {
      if (event == kNone) {
        row.null();
      } else {
        row.integer(static_cast<std::int64_t>((*column)[event]));
      }
    }
    row.null();
  }
  row.null();
  row.integer(memory.device[known]);
}

void write_blocks(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  const std::size_t framework_blocks = trace.allocations().size();
  const std::vector<analyze::CannBlock> cann = analyze::cann_blocks(trace.operator_memory());
  if (framework_blocks + cann.size() == 0) return;
  for (const std::uint32_t owner : trace.memory_events().owner) {
    if (owner != kNone) strings.use(trace.framework_ops().name[owner]);
  }
  for (const StringId name : trace.allocations().owner_name) {
    if (name != kEmptyString) strings.use(name);
  }
  strings.use(trace.operator_memory().op_name);
  database.table(operator_memory_schema(), framework_blocks + cann.size(),
                 [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     if (i < framework_blocks) {
                       put_block(row, trace, strings, i);
                     } else {
                       put_cann_block(row, trace, strings, cann[i - framework_blocks]);
                     }
                     row.end_row();
                   }
                 });
}

void write_records(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  const analyze::PoolMemoryRecords records(trace);
  if (records.empty()) return;
  // In the order in which they first appear, so that they get the same numbers in any run.
  std::array<std::int64_t, analyze::PoolMemoryRecords::kComponents.size()> components{};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::size_t component = records.component(i);
    if (components[component] == 0) {
      components[component] = strings.id(analyze::PoolMemoryRecords::kComponents[component]);
    }
  }
  database.table({"MEMORY_RECORD",
                  {{"component", kI},
                   {"timestamp", kI},
                   {"totalAllocated", kI},
                   {"totalReserved", kI},
                   {"totalActive", kI},
                   {"streamPtr", kI},
                   {"deviceId", kI}}},
                 records.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     const analyze::MemoryRecord record = records[i];
                     auto& row = sink.row();
                     row.integer(components[records.component(i)]);
                     row.integer(record.time_ns);
                     row.integer(record.allocated_bytes);
                     row.integer(record.reserved_bytes);
                     row.integer(record.active_bytes);
                     if (record.stream) {
                       row.integer(*record.stream);
                     } else {
                       row.null();
                     }
                     row.integer(record.device);
                     row.end_row();
                   }
                 });
}

}  // namespace

void write_memory_tables(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  write_blocks(trace, strings, database);
  write_records(trace, strings, database);
}

}  // namespace npuprof::report::sqlite
