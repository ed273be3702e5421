#include "answers/memory_answer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analyze/host_steps.h"
#include "analyze/memory_holders.h"
#include "analyze/memory_pools.h"
#include "analyze/task_operators.h"
#include "answers/time_columns.h"
#include "answers/wording.h"
#include "base/saturated.h"
#include "format/device/module_names.h"
#include "format/framework/tensor_text.h"
#include "trace/device/device_memory.h"
#include "trace/device/module_memory.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/pool_totals.h"
#include "trace/framework/steps.h"
#include "trace/host/operator_memory.h"

namespace npuprof::answers {
namespace {

using analyze::HeldBlock;
using analyze::KeptMemory;
using analyze::MemoryPool;
using analyze::PoolKind;
using format::framework::DeviceType;

std::string memory_device_text(analyze::MemoryDevice device) {
  switch (static_cast<DeviceType>(device.type)) {
    case DeviceType::kCpu:
      return "CPU";
    case DeviceType::kCuda:
      return fmt::format("GPU:{}", int{device.index});
    case DeviceType::kNpu:
      return fmt::format("NPU:{}", int{device.index});
  }
  return fmt::format("{}:{}", int{device.type}, int{device.index});
}

std::string memory_pool_text(const trace::Trace& trace, analyze::MemoryDevice device,
                             PoolKind kind) {
  const bool is_mindspore = trace.session.framework == trace::Framework::kMindSpore;
  if (is_mindspore && kind == PoolKind::kCaching) return "MindSpore";
  const bool is_npu = static_cast<DeviceType>(device.type) == DeviceType::kNpu;
  return is_npu || kind == PoolKind::kAll ? std::string(analyze::pool_name(kind)) : "allocator";
}

Table pool_table(const trace::Trace& trace, const std::vector<MemoryPool>& pools) {
  Table table("memory_pools", "Peaks of each memory pool");
  table.text("device", "Device");
  table.text("pool", "Pool");
  table.bytes("allocated_peak", "Allocated, peak");
  table.moment("allocated_peak_at", "Allocated peak at");
  table.bytes("reserved_peak", "Reserved, peak");
  table.moment("reserved_peak_at", "Reserved peak at");
  table.bytes("gap_worst", "Reserved - allocated, worst");
  table.moment("gap_worst_at", "Worst at");
  table.share("gap_worst_share", "Of reserved");
  table.bytes("gap_mean", "Reserved - allocated, mean");
  table.bytes("allocated_first", "Allocated, first");
  table.bytes("allocated_last", "Allocated, last");
  table.comparison = {.names = {"pool"},
                      .also = {"device"},
                      .sums = {},
                      .values = {"allocated_peak", "reserved_peak", "gap_worst"}};
  for (const MemoryPool& pool : pools) {
    const bool has_reserved = pool.has_reserved();
    const auto of_reserved = [&](auto value) {
      return has_reserved ? std::optional(value) : std::nullopt;
    };
    const analyze::PoolMoment& worst = pool.largest_gap;
    table.row(memory_device_text(pool.device), memory_pool_text(trace, pool.device, pool.kind),
              pool.most_allocated.allocated_bytes, pool.most_allocated.time_ns,
              of_reserved(pool.most_reserved.reserved_bytes),
              of_reserved(pool.most_reserved.time_ns), of_reserved(worst.gap_bytes()),
              of_reserved(worst.time_ns),
              worst.reserved_bytes > 0 ? std::optional(static_cast<double>(worst.gap_bytes()) /
                                                       static_cast<double>(worst.reserved_bytes))
                                       : std::nullopt,
              of_reserved(nearest_integer(pool.mean_gap_bytes)), pool.first.allocated_bytes,
              pool.last.allocated_bytes);
  }
  return table;
}

// The pool that stands for each device: the sum of all, or the only one.
std::vector<const MemoryPool*> pools_of_devices(const std::vector<MemoryPool>& pools) {
  std::map<std::pair<std::uint8_t, std::int8_t>, const MemoryPool*> by_device;
  for (const MemoryPool& pool : pools) {
    const MemoryPool*& known = by_device[{pool.device.type, pool.device.index}];
    if (known == nullptr || pool.kind == PoolKind::kAll) known = &pool;
  }
  std::vector<const MemoryPool*> result;
  for (const auto& [device, pool] : by_device) result.push_back(pool);
  return result;
}

Table declared_peak_table() {
  Table table("memory_at_peak", "What was allocated at the peak, largest first");
  table.text("device", "Device");
  table.text("pool", "Pool");
  table.text("operator", "Operator");
  table.bytes("size", "Size");
  table.share("share", "Of peak");
  table.duration("age", "Age at peak");
  table.duration("life", "Life");
  table.moment("allocated_at", "Allocated at");
  table.integer("step", "Step");
  table.text("stack", "Stack");
  return table;
}

void add_blocks_at_peak(Table& table, const trace::Trace& trace, const MemoryPool& pool,
                        const std::vector<HeldBlock>& alive) {
  const analyze::HostSteps steps(trace.steps());
  const std::int64_t peak_bytes = pool.most_allocated.allocated_bytes;
  for (const HeldBlock& block : alive) {
    const std::uint32_t step = steps.find(block.malloc_ns);
    const bool is_freed = block.free_ns != analyze::kAfterProfile;
    table.row(memory_device_text(block.device), memory_pool_text(trace, block.device, block.pool),
              trace.strings.view(block.owner), block.bytes,
              peak_bytes > 0 ? std::optional(static_cast<double>(block.bytes) /
                                             static_cast<double>(peak_bytes))
                             : std::nullopt,
              saturated_difference(pool.most_allocated.time_ns, block.malloc_ns),
              is_freed ? std::optional(saturated_difference(block.free_ns, block.malloc_ns))
                       : std::nullopt,
              block.malloc_ns,
              step == trace::kNone ? std::nullopt : std::optional(trace.steps().id[step]),
              trace.strings.view(analyze::stack_around(trace, block.op)));
  }
}

std::string peak_sentence(const trace::Trace& trace, const MemoryPool& pool,
                          const std::vector<HeldBlock>& alive) {
  std::int64_t known_bytes = 0;
  for (const HeldBlock& block : alive) add_saturated(known_bytes, block.bytes);
  const std::int64_t peak_bytes = pool.most_allocated.allocated_bytes;
  const std::int64_t before_bytes =
      std::max<std::int64_t>(saturated_difference(peak_bytes, known_bytes), 0);
  std::string text = fmt::format(
      "{}: at most {} are allocated, {} after the first event", memory_device_text(pool.device),
      bytes_text(peak_bytes),
      duration_text(saturated_difference(pool.most_allocated.time_ns, pool.first.time_ns)));
  // Totals alone do not tell of blocks.
  const bool has_blocks = trace.memory_events().size() > 0 || trace.pool_totals().size() == 0;
  if (before_bytes > 0 && has_blocks) {
    text += fmt::format("; {} of that are from before the profile", bytes_text(before_bytes));
  }
  if (alive.empty()) return text + ".";
  const HeldBlock& largest = alive.front();
  const std::string_view owner = trace.strings.view(largest.owner);
  return text + fmt::format("; the largest block since then is {} of {}.",
                            bytes_text(largest.bytes), owner.empty() ? "no operator" : owner);
}

// Only if it is worth a look: a quarter of what is reserved.
std::optional<std::string> gap_sentence(const MemoryPool& pool) {
  const analyze::PoolMoment& worst = pool.largest_gap;
  if (worst.reserved_bytes <= 0 || worst.gap_bytes() < worst.reserved_bytes / 4) {
    return std::nullopt;
  }
  return fmt::format("{}: up to {} are reserved and not allocated ({} of what is reserved then).",
                     memory_device_text(pool.device), bytes_text(worst.gap_bytes()),
                     share_text(static_cast<double>(worst.gap_bytes()) /
                                static_cast<double>(worst.reserved_bytes)));
}

Table kept_table(const trace::Trace& trace, const std::vector<KeptMemory>& kept) {
  Table table("memory_kept", "Blocks that were not freed within the profile, by operator");
  table.usual_rows = 10;
  table.text("device", "Device");
  table.text("pool", "Pool");
  table.text("operator", "Operator");
  table.integer("blocks", "Blocks");
  table.bytes("size", "Size");
  table.integer("steps", "Steps");
  table.moment("first", "First");
  table.moment("last", "Last");
  table.text("stack", "Stack of the first");
  table.comparison = {.names = {"pool", "operator"},
                      .also = {"device", "stack"},
                      .sums = {},
                      .values = {"blocks", "size"}};
  for (const KeptMemory& row : kept) {
    table.row(memory_device_text(row.device), memory_pool_text(trace, row.device, row.pool),
              trace.strings.view(row.owner), row.blocks, row.bytes,
              row.steps == 0 ? std::nullopt : std::optional(row.steps), row.first_ns, row.last_ns,
              trace.strings.view(row.stack));
  }
  return table;
}

// What is kept in one step may be meant to be kept. In each of three or more it adds up.
std::optional<std::string> growth_sentence(const trace::Trace& trace,
                                           const std::vector<KeptMemory>& kept) {
  const std::size_t steps = trace.steps().size();
  const KeptMemory* worst = nullptr;
  for (const KeptMemory& row : kept) {
    if (row.steps < 3 || row.steps + 1 < steps) continue;
    if (worst == nullptr || row.bytes > worst->bytes) worst = &row;
  }
  if (worst == nullptr) return std::nullopt;
  const std::string_view owner = trace.strings.view(worst->owner);
  return fmt::format(
      "{} keeps memory in {} of {} steps ({} in {}): if that goes on, memory runs out.",
      owner.empty() ? "No known operator" : owner, worst->steps, steps, bytes_text(worst->bytes),
      count_text(worst->blocks, "block"));
}

std::string component_text(const trace::Trace& trace, std::uint32_t module) {
  const auto named = trace.session.module_names.find(module);
  if (named != trace.session.module_names.end()) return named->second;
  const std::string_view name = format::device::module_name(module);
  return name.empty() ? fmt::format("{}", module) : std::string(name);
}

// Samples of one component of a device.
struct ComponentMemory {
  std::int64_t peak_bytes = -1;
  std::int64_t peak_ns = 0;
  std::int64_t first_bytes = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_bytes = 0;
  std::int64_t last_ns = 0;

  void add(std::int64_t time_ns, std::int64_t bytes) {
    const bool is_first = peak_bytes < 0;
    if (is_first || time_ns < first_ns) first_ns = time_ns, first_bytes = bytes;
    if (is_first || time_ns >= last_ns) last_ns = time_ns, last_bytes = bytes;
    if (bytes > peak_bytes) peak_bytes = bytes, peak_ns = time_ns;
  }
};
using ComponentMemories = std::map<std::pair<std::uint16_t, std::string>, ComponentMemory>;

ComponentMemories component_memories(const trace::Trace& trace) {
  ComponentMemories components;
  const auto& modules = trace.module_memory();
  std::map<std::uint32_t, std::string> names;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (modules.reserved_bytes[i] < 0) continue;
    std::string& name = names[modules.module[i]];
    if (name.empty()) name = component_text(trace, modules.module[i]);
    components[{modules.device[i], name}].add(modules.time_ns[i], modules.reserved_bytes[i]);
  }
  const auto& devices = trace.device_memory();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::uint64_t bytes = devices.ddr_bytes[i];
    add_saturated(bytes, devices.hbm_bytes[i]);
    const char* const name = devices.event[i] == 0 ? "(process)" : "(whole device)";
    components[{devices.device[i], name}].add(
        devices.time_ns[i], static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX)));
  }
  return components;
}

Table component_table(const trace::Trace& trace) {
  Table table("memory_components", "Memory of the device by component, largest peak first");
  table.integer("device", "Device");
  table.text("component", "Component");
  table.bytes("peak", "Peak");
  table.moment("peak_at", "At");
  table.bytes("first", "First");
  table.bytes("last", "Last");
  table.comparison = {.names = {"component"}, .also = {"device"}, .sums = {}, .values = {"peak"}};
  const ComponentMemories components = component_memories(trace);
  std::vector<const ComponentMemories::value_type*> order;
  for (const auto& entry : components) {
    if (entry.second.peak_bytes > 0) order.push_back(&entry);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    if (a->first.first != b->first.first) return a->first.first < b->first.first;
    return a->second.peak_bytes > b->second.peak_bytes;
  });
  for (const auto* entry : order) {
    const ComponentMemory& memory = entry->second;
    table.row(entry->first.first, entry->first.second, memory.peak_bytes, memory.peak_ns,
              memory.first_bytes, memory.last_bytes);
  }
  return table;
}

void add_pool_answer(const trace::Trace& trace, Answer& answer) {
  const std::vector<MemoryPool> pools = analyze::memory_pools(trace);
  const std::vector<HeldBlock> blocks = analyze::held_blocks(trace);
  Table at_peak = declared_peak_table();
  std::vector<std::string> gaps;
  for (const MemoryPool* pool : pools_of_devices(pools)) {
    const std::vector<HeldBlock> alive =
        analyze::blocks_alive_at(blocks, pool->device, pool->most_allocated.time_ns);
    answer.sentences.push_back(peak_sentence(trace, *pool, alive));
    if (auto sentence = gap_sentence(*pool)) gaps.push_back(std::move(*sentence));
    add_blocks_at_peak(at_peak, trace, *pool, alive);
  }
  const std::vector<KeptMemory> kept = analyze::kept_memory(trace, blocks);
  if (auto sentence = growth_sentence(trace, kept)) {
    answer.sentences.push_back(std::move(*sentence));
  }
  answer.sentences.insert(answer.sentences.end(), gaps.begin(), gaps.end());
  if (!pools.empty()) answer.tables.push_back(pool_table(trace, pools));
  if (at_peak.size() > 0) answer.tables.push_back(std::move(at_peak));
  if (!kept.empty()) answer.tables.push_back(kept_table(trace, kept));
}

Result<Answer> answer_memory(const Request& request) {
  Answer answer;
  add_pool_answer(request.trace, answer);
  Table components = component_table(request.trace);
  if (components.size() > 0) answer.tables.push_back(std::move(components));
  if (answer.tables.empty()) return Error{ErrorCode::kNoData, "the profile has no memory events"};
  return answer;
}

}  // namespace

const Mode kMemoryMode = {
    .name = "memory",
    .question = "When is memory at its peak, who holds it, and what is never freed?",
    .explains =
        "Peaks of what is allocated and reserved, with the time; blocks that exist at the peak "
        "with operator, size and age; blocks without a release within the profile by operator; "
        "what is reserved and not allocated (fragmentation); memory of CANN's components and of "
        "the device. Pools: PTA is the framework's allocator, WORKSPACE scratch memory of "
        "operators, GE memory of CANN.",
    .needs = "events of allocators, or samples of the device's memory",
    .collect =
        "profile with profile_memory=True, ProfilerActivity.CPU and ProfilerActivity.NPU; "
        "with_stack=True tells where blocks are allocated",
    .reads = {trace::Part::kDetails, trace::Part::kMemory, trace::Part::kStacks},
    .options = {},
    .answer = answer_memory,
};

}  // namespace npuprof::answers
