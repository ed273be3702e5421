#include "link/framework/memory_owner.h"

#include <string_view>
#include <vector>

#include "format/framework/memory_usage.h"
#include "link/framework/op_tree.h"
#include "link/row_map.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::link {
namespace {

using format::framework::DeviceType;
using format::framework::MemoryAllocator;
using format::framework::MemoryEvent;
using trace::kNone;
using trace::MemoryEvents;

MemoryEvent owner_kind_of(const MemoryEvents& events, std::uint32_t row) {
  return static_cast<MemoryEvent>(events.kind[row]);
}

bool is_npu_memory_of_framework(const MemoryEvents& events, std::uint32_t row) {
  return static_cast<DeviceType>(events.device_type[row]) == DeviceType::kNpu &&
         static_cast<MemoryAllocator>(events.allocator[row]) == MemoryAllocator::kInner;
}

// Frees of host memory are events of kind malloc too; their size is negative.
bool is_malloc(const MemoryEvents& events, std::uint32_t row) {
  return owner_kind_of(events, row) == MemoryEvent::kMalloc && events.size_bytes[row] >= 0;
}

class OwnerFinder {
 public:
  OwnerFinder(const trace::Trace& trace, const ThreadOrder& op_rows)
      : trace_(trace),
        dequeue_rows_(ThreadOrder::of_events(trace.dequeues().tid, trace.dequeues().start_ns)),
        last_dequeue_(dequeue_rows_, trace.dequeues().start_ns),
        ops_(trace.framework_ops(), op_rows) {
    // A name that does not occur gets an id that no operator has.
    constexpr StringId kAbsent{kNone};
    empty_tensor_ = trace.strings.find("empty_tensor").value_or(kAbsent);
    malloc_workspace_ = trace.strings.find("malloc_workspace").value_or(kAbsent);
  }

  std::uint32_t find(std::uint32_t tid, std::int64_t time_ns) {
    const trace::Dequeues& dequeues = trace_.dequeues();
    const std::uint32_t dequeue = last_dequeue_.find(tid, time_ns);
    if (dequeue != kNone && time_ns < dequeues.end_ns[dequeue]) {
      return climb(dequeues.op[dequeue], [this](StringId name) { return is_library_op(name); });
    }
    return climb(ops_.innermost(tid, time_ns, time_ns),
                 [this](StringId name) { return !is_allocator_scope(name); });
  }

 private:
  // The operator itself or the nearest one around it whose name will do.
  template <typename Accept>
  std::uint32_t climb(std::uint32_t op, Accept accept) const {
    const trace::FrameworkOps& ops = trace_.framework_ops();
    while (op != kNone && !accept(ops.name[op])) op = ops.parent[op];
    return op;
  }

  bool is_allocator_scope(StringId name) const {
    return name == empty_tensor_ || name == malloc_workspace_;
  }
  bool is_library_op(StringId name) const {
    const std::string_view text = trace_.strings.view(name);
    return text.starts_with("aten") || text.starts_with("npu");
  }

  const trace::Trace& trace_;
  ThreadOrder dequeue_rows_;
  LastStarted last_dequeue_;
  OpFinder ops_;
  StringId empty_tensor_;
  StringId malloc_workspace_;
};

// Value for "the block at this address is complete or its story unclear".
constexpr std::uint32_t kClosed = kNone - 1;

// Takes the events of one address in order of time. A second event of a kind means that events are
// missing: what follows until the next malloc cannot be told to belong to this block.
void take_event(trace::Allocations& blocks, const MemoryEvents& events, std::uint32_t row,
                std::uint32_t& open_block) {
  if (is_malloc(events, row)) {
    open_block = static_cast<std::uint32_t>(blocks.size());
    blocks.malloc_event.push_back(row);
    blocks.free_event.push_back(kNone);
    blocks.block_free_event.push_back(kNone);
    blocks.owner_name.push_back(kEmptyString);
    return;
  }
  const bool is_free = owner_kind_of(events, row) == MemoryEvent::kFree;
  const bool is_block_free = owner_kind_of(events, row) == MemoryEvent::kBlockFree;
  if (open_block < kClosed && (is_free || is_block_free)) {
    auto& column = is_free ? blocks.free_event : blocks.block_free_event;
    if (column[open_block] == kNone) {
      column[open_block] = row;
      return;
    }
  }
  open_block = kClosed;
}

}  // namespace

void link_memory_owners(trace::Trace& trace, const ThreadOrder& op_rows) {
  MemoryEvents& events = trace.memory_events();
  events.owner.assign(events.size(), kNone);
  OwnerFinder finder(trace, op_rows);
  for (std::uint32_t row = 0; row < events.size(); ++row) {
    if (is_malloc(events, row))
      events.owner[row] = finder.find(events.tid[row], events.time_ns[row]);
  }
}

void link_allocations(trace::Trace& trace) {
  const MemoryEvents& events = trace.memory_events();
  trace.allocations() = {};
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < events.size(); ++row) {
    if (is_npu_memory_of_framework(events, row)) rows.push_back(row);
  }
  sort_by_time(rows, events.time_ns);
  RowMap open_blocks;
  for (const std::uint32_t row : rows) {
    const std::uint64_t device = static_cast<std::uint8_t>(events.device_index[row]);
    const std::uint64_t scope = std::uint64_t{events.pid[row]} << 8 | device;
    take_event(trace.allocations(), events, row, open_blocks[{events.address[row], scope}]);
  }
}

}  // namespace npuprof::link
