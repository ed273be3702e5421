#include "load/framework_memory.h"

#include <algorithm>
#include <unordered_map>

#include "base/sort_order.h"
#include "format/framework/memory_usage.h"
#include "format/framework/tensor_text.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/reorder.h"

namespace npuprof::load {
namespace {

using format::framework::MemoryEvent;
using trace::kNone;
using trace::MemoryEvents;

// Operators by name in order of their start.
class OwnersByName {
 public:
  OwnersByName(const trace::FrameworkOps& ops, const std::vector<MemoryBlockRow>& blocks)
      : ops_(ops) {
    for (const MemoryBlockRow& block : blocks) rows_.try_emplace(to_index(block.owner));
    for (std::uint32_t row = 0; row < ops.size(); ++row) {
      const auto wanted = rows_.find(to_index(ops.name[row]));
      if (wanted != rows_.end()) wanted->second.push_back(row);
    }
    for (auto& [name, rows] : rows_) {
      std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
        return ops.start_ns[a] < ops.start_ns[b];
      });
    }
  }

  std::uint32_t find(StringId name, std::int64_t time_ns) const {
    const std::vector<std::uint32_t>& rows = rows_.at(to_index(name));
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), time_ns,
                         [&](std::int64_t time, auto row) { return time < ops_.start_ns[row]; });
    if (after == rows.begin()) return kNone;
    // Operators of other threads may have begun later and ended already.
    constexpr std::ptrdiff_t kLookBack = 16;
    const auto first = after - rows.begin() > kLookBack ? after - kLookBack : rows.begin();
    for (auto row = after; row != first; --row) {
      if (ops_.end_ns[*(row - 1)] >= time_ns) return *(row - 1);
    }
    return *(after - 1);
  }

 private:
  const trace::FrameworkOps& ops_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> rows_;
};

// The events of a block, as far as they are found.
struct BlockEvents {
  std::uint32_t begin = kNone;
  std::uint32_t free = kNone;
  std::uint32_t block_free = kNone;
};

class MemoryRestorer {
 public:
  explicit MemoryRestorer(trace::Trace& trace) : trace_(trace), events_(trace.memory_events()) {}

  void add(const MemoryTotalsRow& row) {
    append(row.time_ns, row.totals, row.stream, row.device);
    events_.component.back() = row.component;
  }

  // Needs all totals. `owners` are rows of FrameworkOps.
  void add(const std::vector<MemoryBlockRow>& blocks, const std::vector<std::uint32_t>& owners) {
    order_ = stable_order(events_.time_ns);
    taken_.resize(events_.size());
    // Several events may have one time stamp: those that are known by their totals come first, what
    // is left is for those of which only the time is known.
    std::vector<BlockEvents> found(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) find_exactly(blocks[i], found[i]);
    for (std::size_t i = 0; i < blocks.size(); ++i) add(blocks[i], owners[i], found[i]);
  }

  void sort_events() {
    const std::vector<std::uint32_t> order = stable_order(events_.time_ns);
    if (is_identity(order)) return;
    trace::reorder<trace::MemoryEvents>(trace_, order);
  }

 private:
  void append(std::int64_t time_ns, const MemoryTotals& totals, std::int64_t stream,
              std::int8_t device) {
    const std::size_t row = events_.size();
    resize_rows(events_, row + 1);
    events_.time_ns[row] = time_ns;
    events_.total_allocated_bytes[row] = totals.allocated_bytes;
    events_.total_reserved_bytes[row] = totals.reserved_bytes;
    events_.total_active_bytes[row] = totals.active_bytes;
    events_.stream[row] = stream;
    events_.device_type[row] = static_cast<std::uint8_t>(format::framework::DeviceType::kNpu);
    events_.device_index[row] = device;
    events_.kind[row] = static_cast<std::uint8_t>(MemoryEvent::kInvalid);
    events_.pid[row] = trace_.session.pid;
    events_.owner[row] = kNone;
  }

  void find_exactly(const MemoryBlockRow& block, BlockEvents& events) {
    events.begin = take(block, block.malloc_ns, &block.at_malloc);
    if (block.free_ns) {
      events.free = take(block, *block.free_ns, &block.at_release);
    } else if (block.block_free_ns) {
      events.block_free = take(block, *block.block_free_ns, &block.at_release);
    }
  }

  void add(const MemoryBlockRow& block, std::uint32_t owner, BlockEvents events) {
    complete(events.begin, block, block.malloc_ns, block.at_malloc);
    describe(events.begin, MemoryEvent::kMalloc, block.size_bytes);
    events_.owner[events.begin] = owner;
    if (block.free_ns) {
      complete(events.free, block, *block.free_ns, block.at_release);
      describe(events.free, MemoryEvent::kFree, -block.size_bytes);
    }
    if (block.block_free_ns) {
      complete(events.block_free, block, *block.block_free_ns, block.at_release);
      describe(events.block_free, MemoryEvent::kBlockFree, -block.size_bytes);
    }
    trace_.allocations().malloc_event.push_back(events.begin);
    trace_.allocations().free_event.push_back(events.free);
    trace_.allocations().block_free_event.push_back(events.block_free);
    trace_.allocations().owner_name.push_back(owner == kNone ? block.owner : kEmptyString);
  }

  void describe(std::uint32_t event, MemoryEvent kind, std::int64_t size_bytes) {
    events_.kind[event] = static_cast<std::uint8_t>(kind);
    events_.size_bytes[event] = size_bytes;
  }

  // An event that was not found is one of the same time, or a new one.
  void complete(std::uint32_t& event, const MemoryBlockRow& block, std::int64_t time_ns,
                const MemoryTotals& totals) {
    if (event == kNone) event = take(block, time_ns, nullptr);
    if (event != kNone) return;
    event = static_cast<std::uint32_t>(events_.size());
    append(time_ns, totals, block.stream, block.device);
  }

  MemoryTotals totals_of(std::uint32_t event) const {
    return {events_.total_allocated_bytes[event], events_.total_reserved_bytes[event],
            events_.total_active_bytes[event]};
  }

  // The first event of that time, with those totals unless null, that no block has claimed.
  std::uint32_t take(const MemoryBlockRow& block, std::int64_t time_ns,
                     const MemoryTotals* totals) {
    auto place =
        std::lower_bound(order_.begin(), order_.end(), time_ns,
                         [&](auto row, std::int64_t time) { return events_.time_ns[row] < time; });
    for (; place != order_.end() && events_.time_ns[*place] == time_ns; ++place) {
      if (taken_[*place] != 0 || events_.device_index[*place] != block.device) continue;
      if (totals != nullptr && totals_of(*place) != *totals) continue;
      taken_[*place] = 1;
      return *place;
    }
    return kNone;
  }

  trace::Trace& trace_;
  MemoryEvents& events_;
  std::vector<std::uint32_t> order_;  // Of the events that came with totals, by time.
  std::vector<std::uint8_t> taken_;
};

}  // namespace

void restore_memory_events(const std::vector<MemoryTotalsRow>& totals,
                           const std::vector<MemoryBlockRow>& blocks, trace::Trace& trace) {
  MemoryRestorer restorer(trace);
  for (const MemoryTotalsRow& row : totals) restorer.add(row);
  const OwnersByName by_name(trace.framework_ops(), blocks);
  std::vector<std::uint32_t> owners;
  owners.reserve(blocks.size());
  for (const MemoryBlockRow& block : blocks) {
    const bool named = block.owner != kEmptyString;
    owners.push_back(named ? by_name.find(block.owner, block.malloc_ns) : kNone);
  }
  restorer.add(blocks, owners);
  restorer.sort_events();
}

}  // namespace npuprof::load
