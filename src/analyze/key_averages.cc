#include "analyze/key_averages.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "analyze/memory_operators.h"
#include "analyze/operator_times.h"
#include "base/sort_order.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_range.h"
#include "format/framework/tensor_text.h"
#include "link/op_tree.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::string_view kStep = "ProfilerStep*";

// The memory that each operator took more than it gave back.
struct OperatorBytes {
  std::vector<std::int64_t> self;
  std::vector<std::int64_t> all;
};

OperatorBytes operator_bytes(const trace::Trace& trace, std::span<const std::uint32_t> event_ops,
                             format::framework::DeviceType device) {
  using format::framework::MemoryComponent;
  using format::framework::MemoryEvent;
  const auto& events = trace.memory_events;
  OperatorBytes bytes;
  bytes.self.resize(trace.framework_ops.size());
  for (std::size_t row = 0; row < events.size(); ++row) {
    const bool counts =
        event_ops[row] != kNone && events.device_type[row] == static_cast<std::uint8_t>(device) &&
        events.kind[row] != static_cast<std::uint8_t>(MemoryEvent::kBlockFree) &&
        events.component[row] == static_cast<std::uint8_t>(MemoryComponent::kCachingAllocator);
    if (counts) bytes.self[event_ops[row]] += events.size_bytes[row];
  }
  bytes.all = bytes.self;
  link::sum_over_subtrees(trace.framework_ops, bytes.all);
  return bytes;
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
    const std::uint32_t parent = ops.parent[op];
    const bool is_repeated =
        parent != kNone && children[parent] == 1 && ops.name[parent] == ops.name[op];
    repeated[op] = is_repeated ? 1 : 0;
  }
  return repeated;
}

// Puts operators into rows.
class Grouping {
 public:
  Grouping(const trace::Trace& trace, const KeyAverageOptions& options)
      : trace_(trace), options_(options) {}

  // The row of the operator's group, a new one if it is the first.
  std::size_t row_of(std::uint32_t op) {
    const auto& ops = trace_.framework_ops;
    const std::string_view name = trace_.strings.view(ops.name[op]);
    const bool is_step =
        name.find(format::framework::kProfilerStepPrefix) != std::string_view::npos;
    const bool with_shapes = options_.by_input_shape && ops.has_inputs[op] != 0;
    const Key key{.name = is_step ? kStep : name,
                  .shapes = with_shapes ? ops.input_shapes[op] : kEmptyString,
                  .stack = top_of(trace_.strings.view(ops.stack[op]), options_.stack_frames)};
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
  const KeyAverageOptions& options_;
  std::unordered_map<Key, std::size_t, KeyHash> rows_;
};

}  // namespace

std::vector<KeyAverage> key_averages(const trace::Trace& trace, const KeyAverageOptions& options) {
  const auto& ops = trace.framework_ops;
  const OperatorTimes times = operator_times(trace);
  const std::vector<std::uint32_t> event_ops = operators_at_memory_events(trace);
  const OperatorBytes cpu = operator_bytes(trace, event_ops, format::framework::DeviceType::kCpu);
  const OperatorBytes npu = operator_bytes(trace, event_ops, format::framework::DeviceType::kNpu);
  const std::vector<std::uint8_t> repeated = repeated_calls(ops);
  Grouping groups(trace, options);
  std::vector<std::size_t> row_of_op(ops.size());
  // Outer operators come first.
  for (const std::uint32_t op : nesting_order(ops.start_ns, ops.end_ns)) {
    const bool is_counted = repeated[op] == 0;
    row_of_op[op] = is_counted ? groups.row_of(op) : row_of_op[ops.parent[op]];
    KeyAverage& sum = groups.averages[row_of_op[op]];
    sum.self_cpu_ns += times.host_self_ns[op];
    sum.self_npu_ns += times.device_self_ns[op];
    sum.self_cpu_bytes += cpu.self[op];
    sum.self_npu_bytes += npu.self[op];
    if (!is_counted) continue;
    ++sum.count;
    sum.cpu_ns += std::max<std::int64_t>(ops.end_ns[op] - ops.start_ns[op], 0);
    sum.npu_ns += times.device_total_ns[op];
    sum.cpu_bytes += cpu.all[op];
    sum.npu_bytes += npu.all[op];
    const std::string_view extra = trace.strings.view(ops.extra_args[op]);
    sum.flops += static_cast<double>(format::framework::flops_value(extra).value_or(0));
    sum.is_async = sum.is_async && ops.is_async[op] != 0;
  }
  return std::move(groups.averages);
}

}  // namespace npuprof::analyze
