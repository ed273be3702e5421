#include "analyze/key_averages.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyze/operator_totals.h"
#include "base/saturated.h"
#include "format/framework/op_range.h"
#include "format/framework/tensor_text.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::string_view kStep = "ProfilerStep*";

// What PyTorch's profiler calls memory that no operator asked for.
constexpr std::string_view kMemoryOutside = "[memory]";

std::int64_t duration_ns(const trace::FrameworkOps& ops, std::uint32_t op) {
  return std::max<std::int64_t>(saturated_difference(ops.end_ns[op], ops.start_ns[op]), 0);
}

void add_memory(const trace::Trace& trace, std::uint32_t event, KeyAverage& sum) {
  const auto& events = trace.memory_events();
  const bool is_host =
      events.device_type[event] == static_cast<std::uint8_t>(format::framework::DeviceType::kCpu);
  ++sum.count;
  add_saturated(is_host ? sum.cpu_bytes : sum.npu_bytes, events.size_bytes[event]);
  add_saturated(is_host ? sum.self_cpu_bytes : sum.self_npu_bytes, events.size_bytes[event]);
}

// The first `frames` frames of a stack.
std::string_view top_of(std::string_view stack, std::uint32_t frames) {
  std::size_t end = 0;
  for (std::uint32_t i = 0; i < frames && end < stack.size(); ++i) {
    const std::size_t next = stack.find(';', end + (i > 0 ? 1 : 0));
    if (next == std::string_view::npos) return stack;
    end = next;
  }
  return stack.substr(0, end);
}

struct Key {
  std::string_view name;
  StringId shapes{};
  std::string_view stack;

  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::hash<std::string_view> hash;
    return (hash(key.name) * 31 + hash(key.stack)) * 31 + to_index(key.shapes);
  }
};

// Operators that do nothing but call themselves again, in another form, are one call: returns
// which are the inner ones.
std::vector<std::uint8_t> repeated_calls(const trace::FrameworkOps& ops) {
  std::vector<std::uint32_t> children(ops.size());
  for (const std::uint32_t parent : ops.parent) {
    if (parent != kNone) ++children[parent];
  }
  std::vector<std::uint8_t> repeated(ops.size());
  for (std::size_t op = 0; op < ops.size(); ++op) {
    const auto parent = ops.parent[op];
    const bool is_repeated =
        parent != kNone && children[parent] == 1 && ops.name[parent] == ops.name[op];
    repeated[op] = is_repeated ? 1 : 0;
  }
  return repeated;
}

// Puts operators into rows.
class Grouping {
 public:
  Grouping(const trace::Trace& trace, const std::vector<StringId>& stacks,
           const KeyAverageOptions& options)
      : trace_(trace), stacks_(stacks), options_(options) {}

  // The row of the operator's group, a new one if it is the first.
  std::size_t row_of(std::uint32_t op) {
    const auto& ops = trace_.framework_ops();
    const std::string_view name = trace_.strings.view(ops.name[op]);
    const bool is_step =
        name.find(format::framework::kProfilerStepPrefix) != std::string_view::npos;
    const bool with_shapes = options_.by_input_shape && ops.has_inputs[op] != 0;
    const Key key{.name = is_step ? kStep : name,
                  .shapes = with_shapes ? ops.input_shapes[op] : kEmptyString,
                  .stack = top_of(trace_.strings.view(stacks_[op]), options_.stack_frames)};
    const auto [found, is_new] = rows_.try_emplace(key, averages.size());
    if (is_new) {
      averages.push_back({.name = key.name,
                          .shapes = trace_.strings.view(key.shapes),
                          .stack = key.stack,
                          .scope = ops.scope[op],
                          .is_async = true,
                          .has_shapes = with_shapes});
    }
    return found->second;
  }

  std::vector<KeyAverage> averages;

 private:
  const trace::Trace& trace_;
  const std::vector<StringId>& stacks_;
  const KeyAverageOptions& options_;
  std::unordered_map<Key, std::size_t, KeyHash> rows_;
};

}  // namespace

std::vector<KeyAverage> key_averages(const trace::Trace& trace, const KeyAverageOptions& options) {
  const auto& ops = trace.framework_ops();
  const OperatorTotals totals = operator_totals(trace);
  const OperatorTimes& times = totals.times;
  const std::vector<std::uint8_t> repeated = repeated_calls(ops);
  Grouping groups(trace, totals.stacks, options);
  std::vector<std::size_t> row_of_op(ops.size());
  // Outer operators come first.
  for (const std::uint32_t op : link::ops_in_nesting_order(ops)) {
    const bool is_counted = repeated[op] == 0;
    row_of_op[op] = is_counted ? groups.row_of(op) : row_of_op[ops.parent[op]];
    KeyAverage& sum = groups.averages[row_of_op[op]];
    add_saturated(sum.self_cpu_ns, times.host_self_ns[op]);
    add_saturated(sum.self_npu_ns, times.device_self_ns[op]);
    add_saturated(sum.self_cpu_bytes, totals.cpu.self[op]);
    add_saturated(sum.self_npu_bytes, totals.npu.self[op]);
    if (!is_counted) continue;
    ++sum.count;
    add_saturated(sum.cpu_ns, duration_ns(ops, op));
    add_saturated(sum.npu_ns, times.device_total_ns[op]);
    add_saturated(sum.cpu_bytes, totals.cpu.all[op]);
    add_saturated(sum.npu_bytes, totals.npu.all[op]);
    const std::string_view extra = trace.strings.view(ops.extra_args[op]);
    sum.flops += static_cast<double>(format::framework::flops_value(extra).value_or(0));
    sum.is_async = sum.is_async && ops.is_async[op] != 0;
  }
  if (!totals.memory_outside.empty()) {
    KeyAverage& outside = groups.averages.emplace_back(KeyAverage{.name = kMemoryOutside});
    for (const std::uint32_t event : totals.memory_outside) add_memory(trace, event, outside);
  }
  return std::move(groups.averages);
}

std::vector<OperatorEvent> operator_events(const trace::Trace& trace) {
  const auto& ops = trace.framework_ops();
  const auto& memory = trace.memory_events();
  const OperatorTotals totals = operator_totals(trace);
  std::vector<OperatorEvent> events;
  events.reserve(ops.size() + totals.memory_outside.size());
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    const std::string_view extra = trace.strings.view(ops.extra_args[op]);
    events.push_back({.numbers = {.name = trace.strings.view(ops.name[op]),
                                  .shapes = trace.strings.view(ops.input_shapes[op]),
                                  .stack = trace.strings.view(totals.stacks[op]),
                                  .count = 1,
                                  .cpu_ns = duration_ns(ops, op),
                                  .self_cpu_ns = totals.times.host_self_ns[op],
                                  .npu_ns = totals.times.device_total_ns[op],
                                  .self_npu_ns = totals.times.device_self_ns[op],
                                  .cpu_bytes = totals.cpu.all[op],
                                  .self_cpu_bytes = totals.cpu.self[op],
                                  .npu_bytes = totals.npu.all[op],
                                  .self_npu_bytes = totals.npu.self[op],
                                  .flops = static_cast<double>(
                                      format::framework::flops_value(extra).value_or(0)),
                                  .scope = ops.scope[op],
                                  .is_async = ops.is_async[op] != 0,
                                  .has_shapes = ops.has_inputs[op] != 0},
                      .start_ns = ops.start_ns[op],
                      .end_ns = ops.end_ns[op],
                      .sequence = ops.sequence[op],
                      .tid = ops.tid[op],
                      .forward_thread = ops.forward_thread[op],
                      .parent = ops.parent[op]});
  }
  for (const std::uint32_t row : totals.memory_outside) {
    OperatorEvent& event = events.emplace_back();
    event.numbers.name = kMemoryOutside;
    add_memory(trace, row, event.numbers);
    event.start_ns = event.end_ns = memory.time_ns[row];
    event.tid = memory.tid[row];
  }
  return events;
}

}  // namespace npuprof::analyze
