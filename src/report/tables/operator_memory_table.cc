#include "report/tables/operator_memory_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/operator_allocations.h"
#include "format/results/memory_columns.h"
#include "report/tables/stored_table.h"
#include "report/tables/text_table.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

namespace memory = format::results::operator_memory;

using MaybeNs = std::optional<std::int64_t>;
using MaybeBytes = std::optional<std::int64_t>;

struct PoolBytes {
  MaybeBytes allocated;
  MaybeBytes reserved;
  MaybeBytes active;
};

struct BlockRow {
  std::string_view name;
  std::int64_t name_id;
  std::int64_t size_bytes;
  MaybeNs allocation_ns;
  MaybeNs release_ns;
  MaybeNs active_release_ns;
  PoolBytes at_allocation;
  PoolBytes at_release;
  std::optional<std::int64_t> stream;
  std::int64_t device;

  MaybeNs duration_ns() const { return since_allocation(release_ns); }
  MaybeNs active_duration_ns() const { return since_allocation(active_release_ns); }

 private:
  MaybeNs since_allocation(MaybeNs end_ns) const {
    if (!allocation_ns || !end_ns) return std::nullopt;
    return *end_ns - *allocation_ns;
  }
};

constexpr auto total_of(PoolBytes BlockRow::*when, MaybeBytes PoolBytes::*total) {
  return [when, total](const BlockRow& row) { return row.*when.*total; };
}

constexpr auto kOperatorMemory = shared_table(
    memory::kFile, memory::kTable,  //
    column(memory::kName, &BlockRow::name, &BlockRow::name_id),
    column(memory::kSize, &BlockRow::size_bytes),
    column(memory::kAllocation, &BlockRow::allocation_ns),
    column(memory::kRelease, &BlockRow::release_ns),
    column(memory::kActiveRelease, &BlockRow::active_release_ns),
    column(memory::kDuration, &BlockRow::duration_ns),
    column(memory::kActiveDuration, &BlockRow::active_duration_ns),
    column(memory::kAllocationAllocated, total_of(&BlockRow::at_allocation, &PoolBytes::allocated)),
    column(memory::kAllocationReserved, total_of(&BlockRow::at_allocation, &PoolBytes::reserved)),
    column(memory::kAllocationActive, total_of(&BlockRow::at_allocation, &PoolBytes::active)),
    column(memory::kReleaseAllocated, total_of(&BlockRow::at_release, &PoolBytes::allocated)),
    column(memory::kReleaseReserved, total_of(&BlockRow::at_release, &PoolBytes::reserved)),
    column(memory::kReleaseActive, total_of(&BlockRow::at_release, &PoolBytes::active)),
    column(memory::kStream, &BlockRow::stream), column(memory::kDevice, &BlockRow::device));

// Files of MindSpore say N/A where there is nothing.
constexpr TextColumn or_none(const SharedColumn& shared, Print print) {
  return {shared.text.header, print, IfAbsent::kNotAvailable};
}
constexpr auto pool_column(const SharedColumn& shared, auto content) {
  return column(or_none(shared, Print::kMb), content);
}
constexpr auto block_time_column(const SharedColumn& shared, auto content) {
  return column(or_none(shared, Print::kTrimmedUs), content);
}
constexpr auto kMindSporeOperatorMemory = text_table(
    memory::kFile,  //
    column(memory::kName.text, &BlockRow::name),
    column(or_none(memory::kSize, Print::kKb), &BlockRow::size_bytes),
    block_time_column(memory::kAllocation, &BlockRow::allocation_ns),
    block_time_column(memory::kRelease, &BlockRow::release_ns),
    block_time_column(memory::kActiveRelease, &BlockRow::active_release_ns),
    block_time_column(memory::kDuration, &BlockRow::duration_ns),
    block_time_column(memory::kActiveDuration, &BlockRow::active_duration_ns),
    pool_column(memory::kAllocationAllocated,
                total_of(&BlockRow::at_allocation, &PoolBytes::allocated)),
    pool_column(memory::kAllocationReserved,
                total_of(&BlockRow::at_allocation, &PoolBytes::reserved)),
    pool_column(memory::kAllocationActive, total_of(&BlockRow::at_allocation, &PoolBytes::active)),
    pool_column(memory::kReleaseAllocated, total_of(&BlockRow::at_release, &PoolBytes::allocated)),
    pool_column(memory::kReleaseReserved, total_of(&BlockRow::at_release, &PoolBytes::reserved)),
    pool_column(memory::kReleaseActive, total_of(&BlockRow::at_release, &PoolBytes::active)),
    column(memory::kStream.text, &BlockRow::stream),
    column(memory::kDevice.text, &BlockRow::device));

// Blocks of the framework's allocator, then those of CANN's pool.
class BlockRows {
 public:
  explicit BlockRows(const Trace& trace)
      : trace_(trace),
        blocks_(trace.allocations()),
        events_(trace.memory_events()),
        cann_events_(trace.operator_memory()),
        cann_blocks_(blocks_of_cann(trace)) {
    for (const analyze::CannBlock& block : cann_blocks_) {
      const StringId name = cann_events_.op_name[block.known()];
      cann_names_.push_back("cann::" + std::string(trace.strings.view(name)));
    }
    if (trace.devices.size() == 1) only_device_ = trace.devices.front().id;
  }

  std::size_t size() const { return blocks_.size() + cann_blocks_.size(); }
  BlockRow operator[](std::size_t i) const {
    return i < blocks_.size() ? of_framework(i) : of_cann(i - blocks_.size());
  }

 private:
  // MindSpore leaves them out; the database has them in a table of their own.
  static std::vector<analyze::CannBlock> blocks_of_cann(const Trace& trace) {
    if (trace.session.framework == trace::Framework::kMindSpore) return {};
    return analyze::cann_blocks(trace.operator_memory());
  }
  BlockRow of_framework(std::size_t i) const {
    // In the database the empty text has this number and no row in STRING_IDS.
    constexpr std::int64_t kEmptyName = 0xFFFFFFFF;
    const std::uint32_t begin = blocks_.malloc_event[i];
    const std::uint32_t free = blocks_.free_event[i];
    const std::uint32_t block_free = blocks_.block_free_event[i];
    const StringId owner = analyze::owner_of_block(trace_, i);
    return {.name = trace_.strings.view(owner),
            .name_id = owner == kEmptyString ? kEmptyName : to_index(owner),
            .size_bytes = events_.size_bytes[begin],
            .allocation_ns = time_of(begin),
            .release_ns = time_of(free),
            .active_release_ns = time_of(block_free),
            .at_allocation = totals_at(begin),
            .at_release = totals_at(free != kNone ? free : block_free),
            .stream = events_.stream[begin],
            .device = only_device_.value_or(events_.device_index[begin])};
  }
  MaybeNs time_of(std::uint32_t event) const {
    return event == kNone ? std::nullopt : MaybeNs(events_.time_ns[event]);
  }
  PoolBytes totals_at(std::uint32_t event) const {
    if (event == kNone) return {};
    return {events_.total_allocated_bytes[event], events_.total_reserved_bytes[event],
            events_.total_active_bytes[event]};
  }

  // It knows neither streams nor when memory was last used.
  BlockRow of_cann(std::size_t i) const {
    const analyze::CannBlock& block = cann_blocks_[i];
    const std::uint32_t known = block.known();
    return {.name = cann_names_[i],
            .name_id = to_index(cann_events_.op_name[known]),
            .size_bytes = cann_events_.size_bytes[known],
            .allocation_ns = cann_time_of(block.allocation),
            .release_ns = cann_time_of(block.release),
            .active_release_ns = std::nullopt,
            .at_allocation = cann_totals_at(block.allocation),
            .at_release = cann_totals_at(block.release),
            .stream = std::nullopt,
            .device = cann_events_.device[known]};
  }
  MaybeNs cann_time_of(std::uint32_t event) const {
    return event == kNone ? std::nullopt : MaybeNs(cann_events_.time_ns[event]);
  }
  PoolBytes cann_totals_at(std::uint32_t event) const {
    if (event == kNone) return {};
    return {static_cast<std::int64_t>(cann_events_.total_allocated_bytes[event]),
            static_cast<std::int64_t>(cann_events_.total_reserved_bytes[event]), std::nullopt};
  }

  const Trace& trace_;
  const trace::Allocations& blocks_;
  const trace::MemoryEvents& events_;
  const trace::OperatorMemory& cann_events_;
  std::vector<analyze::CannBlock> cann_blocks_;
  std::vector<std::string> cann_names_;
  std::optional<std::int64_t> only_device_;
};

}  // namespace

Status write_operator_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  if (trace.session.framework == trace::Framework::kMindSpore) {
    return write_text_table<kMindSporeOperatorMemory>(BlockRows(trace), target, pool);
  }
  return write_text_table<kOperatorMemory>(BlockRows(trace), target, pool);
}

void write_operator_memory(const Trace& trace, sqlite::DatabaseStrings& strings,
                           sqlite::BulkDatabase& database) {
  const BlockRows rows(trace);
  if (rows.size() == 0) return;
  for (const std::uint32_t owner : trace.memory_events().owner) {
    if (owner != kNone) strings.use(trace.framework_ops().name[owner]);
  }
  for (const StringId name : trace.allocations().owner_name) {
    if (name != kEmptyString) strings.use(name);
  }
  strings.use(trace.operator_memory().op_name);
  sqlite::write_stored_table<kOperatorMemory>(rows, database);
}

}  // namespace npuprof::report
