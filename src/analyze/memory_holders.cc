#include "analyze/memory_holders.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyze/host_steps.h"
#include "analyze/operator_allocations.h"
#include "analyze/task_operators.h"
#include "base/saturated.h"
#include "format/framework/memory_usage.h"
#include "link/row_map.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {
namespace {

using format::framework::DeviceType;
using trace::kNone;

PoolKind pool_of_event(const trace::MemoryEvents& events, std::uint32_t event) {
  using format::framework::MemoryComponent;
  return events.component[event] == static_cast<std::uint8_t>(MemoryComponent::kWorkspaceAllocator)
             ? PoolKind::kWorkspace
             : PoolKind::kCaching;
}

// The allocator of scratch memory tells of a block when it reserves it, before it is in use, and
// again whenever it is used. What is reserved alone is not allocated.
bool is_reservation(const trace::MemoryEvents& events, std::uint32_t event) {
  return pool_of_event(events, event) == PoolKind::kWorkspace &&
         events.total_allocated_bytes[event] < events.size_bytes[event];
}

HeldBlock block_of_event(const trace::Trace& trace, std::uint32_t event) {
  const auto& events = trace.memory_events();
  HeldBlock block{.device = device_of_event(trace, event),
                  .pool = pool_of_event(events, event),
                  .bytes = events.size_bytes[event],
                  .malloc_ns = events.time_ns[event],
                  .free_ns = kAfterProfile,
                  .op = events.owner[event]};
  if (block.op != kNone) block.owner = trace.framework_ops().name[block.op];
  return block;
}

void add_framework_blocks(const trace::Trace& trace, std::vector<HeldBlock>& blocks) {
  const auto& events = trace.memory_events();
  const auto& allocations = trace.allocations();
  link::RowMap latest(allocations.size());
  for (std::uint32_t i = 0; i < allocations.size(); ++i) {
    const std::uint32_t event = allocations.malloc_event[i];
    if (event >= events.size() || is_reservation(events, event)) continue;
    HeldBlock block = block_of_event(trace, event);
    block.owner = owner_of_block(trace, i);
    std::uint32_t end = allocations.free_event[i];
    if (end == kNone) end = allocations.block_free_event[i];
    if (end != kNone) block.free_ns = events.time_ns[end];
    // Results do not tell addresses.
    if (events.address[event] != 0) {
      const std::uint64_t device = static_cast<std::uint8_t>(events.device_index[event]);
      std::uint32_t& before =
          latest[{events.address[event], std::uint64_t{events.pid[event]} << 8 | device}];
      if (before != kNone && blocks[before].free_ns == kAfterProfile) {
        blocks[before].free_ns = block.malloc_ns;
      }
      before = static_cast<std::uint32_t>(blocks.size());
    }
    blocks.push_back(block);
  }
}

void add_cann_blocks(const trace::Trace& trace, std::vector<HeldBlock>& blocks) {
  const auto& memory = trace.operator_memory();
  for (const CannBlock& known : cann_blocks(memory)) {
    if (known.allocation == kNone) continue;
    const std::uint32_t row = known.allocation;
    blocks.push_back(
        {.device = {static_cast<std::uint8_t>(DeviceType::kNpu),
                    static_cast<std::int8_t>(memory.device[row])},
         .pool = PoolKind::kCann,
         .bytes = memory.size_bytes[row],
         .malloc_ns = memory.time_ns[row],
         .free_ns = known.release == kNone ? kAfterProfile : memory.time_ns[known.release],
         .owner = memory.op_name[row]});
  }
}

void add_host_blocks(const trace::Trace& trace, std::vector<HeldBlock>& blocks) {
  const auto& events = trace.memory_events();
  for (const HostBlock& known : host_blocks(events)) {
    HeldBlock block = block_of_event(trace, known.allocation);
    if (known.release != kNone) block.free_ns = events.time_ns[known.release];
    blocks.push_back(block);
  }
}

}  // namespace

std::vector<HeldBlock> held_blocks(const trace::Trace& trace) {
  std::vector<HeldBlock> blocks;
  blocks.reserve(trace.allocations().size());
  add_framework_blocks(trace, blocks);
  add_cann_blocks(trace, blocks);
  add_host_blocks(trace, blocks);
  return blocks;
}

std::vector<HeldBlock> blocks_alive_at(const std::vector<HeldBlock>& blocks, MemoryDevice device,
                                       std::int64_t time_ns) {
  std::vector<HeldBlock> alive;
  for (const HeldBlock& block : blocks) {
    if (block.device == device && block.is_alive(time_ns)) alive.push_back(block);
  }
  std::stable_sort(alive.begin(), alive.end(),
                   [](const HeldBlock& a, const HeldBlock& b) { return a.bytes > b.bytes; });
  return alive;
}

std::vector<KeptMemory> kept_memory(const trace::Trace& trace,
                                    const std::vector<HeldBlock>& blocks) {
  const HostSteps steps(trace.steps());
  std::map<std::tuple<std::uint8_t, std::int8_t, PoolKind, StringId>, std::size_t> places;
  std::vector<KeptMemory> kept;
  std::vector<std::set<std::uint32_t>> steps_of;
  for (const HeldBlock& block : blocks) {
    if (block.free_ns != kAfterProfile) continue;
    if (block.device.type == static_cast<std::uint8_t>(DeviceType::kCpu)) continue;
    const auto [place, is_new] = places.try_emplace(
        std::tuple(block.device.type, block.device.index, block.pool, block.owner), kept.size());
    if (is_new) {
      kept.push_back({.device = block.device,
                      .pool = block.pool,
                      .owner = block.owner,
                      .stack = stack_around(trace, block.op),
                      .first_ns = block.malloc_ns,
                      .last_ns = block.malloc_ns});
      steps_of.emplace_back();
    }
    KeptMemory& row = kept[place->second];
    ++row.blocks;
    add_saturated(row.bytes, block.bytes);
    row.first_ns = std::min(row.first_ns, block.malloc_ns);
    row.last_ns = std::max(row.last_ns, block.malloc_ns);
    const std::uint32_t step = steps.find(block.malloc_ns);
    if (step != kNone) steps_of[place->second].insert(step);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i].steps = static_cast<std::uint32_t>(steps_of[i].size());
  }
  std::stable_sort(kept.begin(), kept.end(), [](const KeptMemory& a, const KeptMemory& b) {
    return std::tie(a.device.type, a.device.index, b.bytes) <
           std::tie(b.device.type, b.device.index, a.bytes);
  });
  return kept;
}

}  // namespace npuprof::analyze
