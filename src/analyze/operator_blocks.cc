#include "analyze/operator_blocks.h"

#include "trace/framework/allocations.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

std::vector<CannBlock> blocks_beside_framework(const trace::Trace& trace) {
  if (trace.session.framework == trace::Framework::kMindSpore) return {};
  return cann_blocks(trace.operator_memory());
}

template <typename Events>
std::optional<std::int64_t> time_of_event(const Events& events, std::uint32_t event) {
  return event == kNone ? std::nullopt : std::optional<std::int64_t>(events.time_ns[event]);
}

PoolAmounts framework_totals(const trace::MemoryEvents& events, std::uint32_t event) {
  if (event == kNone) return {};
  return {events.total_allocated_bytes[event], events.total_reserved_bytes[event],
          events.total_active_bytes[event]};
}

PoolAmounts cann_totals(const trace::OperatorMemory& events, std::uint32_t event) {
  if (event == kNone) return {};
  return {static_cast<std::int64_t>(events.total_allocated_bytes[event]),
          static_cast<std::int64_t>(events.total_reserved_bytes[event]), std::nullopt};
}

}  // namespace

OperatorBlocks::OperatorBlocks(const trace::Trace& trace)
    : trace_(trace), cann_blocks_(blocks_beside_framework(trace)) {
  for (const CannBlock& block : cann_blocks_) {
    const StringId name = trace.operator_memory().op_name[block.known()];
    cann_names_.push_back("cann::" + std::string(trace.strings.view(name)));
  }
  if (trace.devices.size() == 1) only_device_ = trace.devices.front().id;
}

std::size_t OperatorBlocks::size() const {
  return trace_.allocations().size() + cann_blocks_.size();
}

OperatorBlock OperatorBlocks::operator[](std::size_t i) const {
  const std::size_t own = trace_.allocations().size();
  return i < own ? of_framework(i) : of_cann(i - own);
}

OperatorBlock OperatorBlocks::of_framework(std::size_t i) const {
  const trace::Allocations& blocks = trace_.allocations();
  const trace::MemoryEvents& events = trace_.memory_events();
  const std::uint32_t begin = blocks.malloc_event[i];
  const std::uint32_t free = blocks.free_event[i];
  const std::uint32_t block_free = blocks.block_free_event[i];
  const StringId owner = owner_of_block(trace_, i);
  return {.name = trace_.strings.view(owner),
          .name_id = owner,
          .size_bytes = events.size_bytes[begin],
          .allocation_ns = time_of_event(events, begin),
          .release_ns = time_of_event(events, free),
          .active_release_ns = time_of_event(events, block_free),
          .at_allocation = framework_totals(events, begin),
          .at_release = framework_totals(events, free != kNone ? free : block_free),
          .stream = events.stream[begin],
          .device = only_device_.value_or(events.device_index[begin])};
}

// CANN knows neither streams nor when memory was last used.
OperatorBlock OperatorBlocks::of_cann(std::size_t i) const {
  const trace::OperatorMemory& events = trace_.operator_memory();
  const CannBlock& block = cann_blocks_[i];
  const std::uint32_t known = block.known();
  return {.name = cann_names_[i],
          .name_id = events.op_name[known],
          .size_bytes = events.size_bytes[known],
          .allocation_ns = time_of_event(events, block.allocation),
          .release_ns = time_of_event(events, block.release),
          .active_release_ns = std::nullopt,
          .at_allocation = cann_totals(events, block.allocation),
          .at_release = cann_totals(events, block.release),
          .stream = std::nullopt,
          .device = events.device[known]};
}

}  // namespace npuprof::analyze
