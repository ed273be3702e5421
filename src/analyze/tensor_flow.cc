#include "analyze/tensor_flow.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyze/live_blocks.h"
#include "analyze/memory_operators.h"
#include "analyze/operator_writes.h"
#include "base/sort_order.h"
#include "base/text.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_range.h"
#include "format/framework/param_tensor_info.h"
#include "format/framework/text_list.h"
#include "link/framework/op_tree.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/parameter_tensors.h"
#include "trace/framework/python_calls.h"

namespace npuprof::analyze {
namespace {

using format::framework::InputKind;
using format::framework::OpScope;
using format::framework::TensorText;
using trace::kNone;

// How far a tensor reaches into its storage. Expanded ones have more elements than that.
std::int64_t bytes_of(const TensorText& tensor) {
  using format::framework::TextItems;
  std::int64_t elements = 1;  // Up to the last one.
  TextItems sizes(tensor.sizes, ',');
  TextItems strides(tensor.strides, ',');
  while (const auto text = tensor.sizes.empty() ? std::nullopt : sizes.next()) {
    const auto size = parse_number<std::int64_t>(*text);
    const auto stride = parse_number<std::int64_t>(strides.next().value_or(""));
    std::int64_t more = 0;
    if (!size || *size <= 0 || !stride || *stride < 0) return 0;
    if (__builtin_mul_overflow(*size - 1, *stride, &more)) return 0;
    if (__builtin_add_overflow(elements, more, &elements)) return 0;
  }
  std::int64_t bytes = 0;
  const bool is_valid = !__builtin_mul_overflow(elements, tensor.element_bytes, &bytes);
  return is_valid ? std::max<std::int64_t>(bytes, 0) : 0;
}

enum class Use : std::uint8_t { kRead, kWrite, kAllocate, kFree };

// Walks through everything that happened in order of time and notes which node did what to which
// block.
class FlowReader {
 public:
  explicit FlowReader(const trace::Trace& trace)
      : trace_(trace),
        ops_(trace.framework_ops()),
        live_(flow_.blocks),
        event_ops_(operators_at_memory_events(trace)),
        node_of_op_(ops_.size(), kNone),
        has_child_(ops_.size()) {
    const auto accumulate = trace.strings.find("torch::autograd::AccumulateGrad");
    const auto detach = trace.strings.find("aten::detach");
    const auto add = trace.strings.find("aten::add_");
    if (accumulate) accumulate_ = *accumulate;
    if (detach) detach_ = *detach;
    if (add) add_ = *add;
  }

  TensorFlow read() {
    const auto& events = trace_.memory_events();
    // At the same time an operator comes before what it does, an outer one before an inner one.
    std::vector<std::pair<Source, std::uint32_t>> items;
    std::vector<std::int64_t> times;
    const auto add_item = [&](Source source, std::uint32_t row, std::int64_t time_ns) {
      items.emplace_back(source, row);
      times.push_back(time_ns);
    };
    for (const std::uint32_t op : link::ops_in_nesting_order(ops_)) {
      add_item(Source::kOperator, op, ops_.start_ns[op]);
    }
    for (std::uint32_t row = 0; row < events.size(); ++row) {
      if (events.kind[row] == static_cast<std::uint8_t>(format::framework::MemoryEvent::kBlockFree))
        continue;
      add_item(Source::kMemory, row, events.time_ns[row]);
    }
    const std::vector<std::int64_t> named = parameter_times();
    for (std::uint32_t row = 0; row < named.size(); ++row) {
      add_item(Source::kParameters, row, named[row]);
    }
    for (const std::uint32_t i : stable_order(times)) {
      const auto [source, row] = items[i];
      if (source == Source::kOperator) read_operator(row);
      if (source == Source::kMemory) read_memory(row);
      if (source == Source::kParameters) read_parameters(row);
    }
    gather_touches();
    return std::move(flow_);
  }

 private:
  enum class Source : std::uint8_t { kOperator, kMemory, kParameters };

  // When each record of parameters was made: at the first call of its module or optimizer.
  std::vector<std::int64_t> parameter_times() const {
    std::unordered_map<std::uint64_t, std::int64_t> first_call;
    for (const std::uint64_t key : trace_.parameter_tensors().key) first_call[key] = kAfterProfile;
    const auto& calls = trace_.python_calls();
    for (std::size_t row = 0; row < calls.size(); ++row) {
      const auto found = first_call.find(calls.key[row]);
      if (found != first_call.end()) found->second = std::min(found->second, calls.start_ns[row]);
    }
    std::vector<std::int64_t> times;
    for (const std::uint64_t key : trace_.parameter_tensors().key) {
      const std::int64_t time_ns = first_call[key];
      times.push_back(time_ns == kAfterProfile ? kBeforeProfile : time_ns);
    }
    return times;
  }

  const OperatorWrites& writes_of(StringId name) {
    const auto [found, is_new] = writes_.try_emplace(to_index(name));
    if (is_new) found->second = OperatorWrites::of(trace_.strings.view(name));
    return found->second;
  }

  bool has_scope(std::uint32_t op, OpScope scope) const {
    return ops_.scope[op] == static_cast<std::uint8_t>(scope);
  }
  bool is_backward(std::uint32_t op) const { return has_scope(op, OpScope::kBackwardFunction); }

  std::uint32_t add_node(std::int64_t start_ns, bool backward) {
    flow_.nodes.start_ns.push_back(start_ns);
    flow_.nodes.is_backward.push_back(backward ? 1 : 0);
    return static_cast<std::uint32_t>(flow_.nodes.size() - 1);
  }

  // The outermost operators, and backward functions, are nodes. What is around them is not.
  std::uint32_t find_node(std::uint32_t op, bool is_operator) {
    const auto parent = ops_.parent[op];
    if (parent != kNone && node_of_op_[parent] != kNone) return node_of_op_[parent];
    if (!is_operator && !is_backward(op)) return kNone;
    return add_node(ops_.start_ns[op], is_backward(op));
  }

  void touch(std::uint32_t node, std::uint32_t block, Use use) {
    use_node_.push_back(node);
    use_block_.push_back(block);
    use_.push_back(use);
  }

  std::uint32_t tensor_block(const TensorText& tensor) {
    const std::uint32_t block =
        live_.at(memory_device(static_cast<std::uint8_t>(tensor.device_type), tensor.device_index),
                 tensor.storage);
    flow_.blocks.is_tensor[block] = 1;
    if (flow_.blocks.malloc_ns[block] == kBeforeProfile) {
      flow_.blocks.bytes[block] = std::max(flow_.blocks.bytes[block], bytes_of(tensor));
    }
    return block;
  }

  // Blocks of the operator's inputs into inputs_, with their positions.
  void read_inputs(std::uint32_t op) {
    inputs_.clear();
    kinds_.clear();
    if (ops_.has_inputs[op] == 0) return;
    const auto& strings = trace_.strings;
    format::framework::OpRange record{};
    record.input_dtypes = strings.view(ops_.input_dtypes[op]);
    record.input_tensors = strings.view(ops_.input_tensors[op]);
    record.input_tensor_lists = strings.view(ops_.input_tensor_lists[op]);
    format::framework::for_each_input(record, [&](const format::framework::OpInput& input) {
      const auto add = [&](const TensorText& tensor) {
        if (tensor.storage == 0) return;
        inputs_.emplace_back(tensor_block(tensor), static_cast<std::uint32_t>(kinds_.size()));
      };
      if (input.detail && input.kind != InputKind::kScalar) {
        format::framework::for_each_tensor(input.detail, add);
      }
      kinds_.push_back(input.kind);
    });
  }

  // A gradient that the engine adds up is told by the first operator it does this with.
  bool accumulates(std::uint32_t op) {
    const auto parent = ops_.parent[op];
    if (parent == kNone || std::exchange(has_child_[parent], std::uint8_t{1}) != 0) return false;
    return ops_.name[parent] == accumulate_ && is_backward(parent) &&
           (ops_.name[op] == detach_ || ops_.name[op] == add_);
  }

  void read_operator(std::uint32_t op) {
    const OperatorWrites& writes = writes_of(ops_.name[op]);
    // A range of the program may have the name of an operator.
    const bool is_operator = writes.is_operator() && !has_scope(op, OpScope::kUserScope);
    node_of_op_[op] = find_node(op, is_operator);
    read_inputs(op);
    if (accumulates(op) && !inputs_.empty()) flow_.gradients.push_back(inputs_.front().first);
    if (node_of_op_[op] == kNone) return;
    for (const auto& [block, position] : inputs_) {
      // Only operators change tensors; backward functions call them for it.
      const bool changes = is_operator && writes.writes(position, kinds_);
      touch(node_of_op_[op], block, changes ? Use::kWrite : Use::kRead);
    }
  }

  void read_memory(std::uint32_t row) {
    constexpr auto kWorkspace =
        static_cast<std::uint8_t>(format::framework::MemoryComponent::kWorkspaceAllocator);
    const auto& events = trace_.memory_events();
    const std::int64_t bytes = events.size_bytes[row];
    if (bytes == 0 || bytes == std::numeric_limits<std::int64_t>::min()) return;
    const MemoryDevice device = memory_device(events.device_type[row], events.device_index[row]);
    const std::int64_t time_ns = events.time_ns[row];
    const std::uint32_t block = bytes > 0
                                    ? live_.allocate(device, events.address[row], bytes, time_ns,
                                                     events.component[row] == kWorkspace)
                                    : live_.release(device, events.address[row], -bytes, time_ns);
    if (block == kNone) return;
    const std::uint32_t op = event_ops_[row];
    std::uint32_t node = op == kNone ? kNone : node_of_op_[op];
    if (node == kNone) node = add_node(time_ns, false);
    touch(node, block, bytes > 0 ? Use::kAllocate : Use::kFree);
  }

  void read_parameters(std::uint32_t row) {
    using format::framework::OptimizerParameter;
    const auto& records = trace_.parameter_tensors();
    const auto add = [&](std::vector<std::uint32_t>& blocks, const TensorText& tensor) {
      if (tensor.storage != 0) blocks.push_back(tensor_block(tensor));
    };
    const auto add_both = [&](const auto& parameter) {
      add(flow_.parameters, parameter.tensor);
      if (parameter.gradient) add(flow_.gradients, *parameter.gradient);
    };
    const std::string_view text = trace_.strings.view(records.text[row]);
    if (records.is_optimizer[row] == 0) {
      format::framework::for_each_module_parameter(text, add_both);
      return;
    }
    format::framework::for_each_optimizer_parameter(text, [&](const OptimizerParameter& parameter) {
      add_both(parameter);
      format::framework::for_each_optimizer_state(
          parameter.states, [&](const format::framework::OptimizerState& state) {
            add(flow_.optimizer_states, state.tensor);
          });
    });
  }

  // The uses of a block by one node, put together.
  struct Gathered {
    std::uint32_t block;
    bool writes = false;
    bool allocates = false;
    bool frees = false;

    void add(Use use) {
      writes = writes || use == Use::kWrite;
      allocates = allocates || use == Use::kAllocate;
      frees = frees || use == Use::kFree;
    }
  };

  // Makes touches out of uses, node by node, and counts the versions.
  void gather_touches() {
    const std::vector<std::uint32_t> order = uses_by_node();
    std::vector<std::uint32_t> slot(flow_.blocks.size());  // In `gathered`, if it is of the node.
    std::vector<Gathered> gathered;
    std::size_t next = 0;
    for (std::uint32_t node = 0; node < flow_.nodes.size(); ++node) {
      gathered.clear();
      for (; next < order.size() && use_node_[order[next]] == node; ++next) {
        const std::uint32_t block = use_block_[order[next]];
        if (flow_.blocks.is_tensor[block] == 0) continue;
        if (slot[block] >= gathered.size() || gathered[slot[block]].block != block) {
          slot[block] = static_cast<std::uint32_t>(gathered.size());
          gathered.push_back({block});
        }
        gathered[slot[block]].add(use_[order[next]]);
      }
      flow_.nodes.first_touch.push_back(static_cast<std::uint32_t>(flow_.touches.size()));
      for (const Gathered& one : gathered) put(one);
    }
    flow_.nodes.first_touch.push_back(static_cast<std::uint32_t>(flow_.touches.size()));
  }

  std::vector<std::uint32_t> uses_by_node() const {
    const std::vector<std::uint64_t> keys(use_node_.begin(), use_node_.end());
    return stable_order(keys);
  }

  void put(const Gathered& gathered) {
    std::uint32_t& versions = flow_.blocks.versions[gathered.block];
    Touches& touches = flow_.touches;
    const bool changes = gathered.writes && !gathered.allocates && !gathered.frees;
    touches.block.push_back(gathered.block);
    touches.version.push_back(gathered.allocates ? kNone : versions - 1);
    touches.changes.push_back(changes ? 1 : 0);
    touches.frees.push_back(gathered.frees ? 1 : 0);
    if (changes) ++versions;
  }

  const trace::Trace& trace_;
  const trace::FrameworkOps& ops_;
  TensorFlow flow_;
  LiveBlocks live_;
  std::vector<std::uint32_t> event_ops_;
  std::vector<std::uint32_t> node_of_op_;  // kNone = of none.
  std::vector<std::uint8_t> has_child_;
  std::unordered_map<std::uint32_t, OperatorWrites> writes_;  // By name.
  StringId accumulate_{kNone};
  StringId detach_{kNone};
  StringId add_{kNone};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> inputs_;  // Block and position.
  std::vector<InputKind> kinds_;
  // What nodes did, in order of time.
  std::vector<std::uint32_t> use_node_;
  std::vector<std::uint32_t> use_block_;
  std::vector<Use> use_;
};

}  // namespace

MemoryDevice memory_device(std::uint8_t type, std::int8_t index) {
  const bool is_cpu = type == static_cast<std::uint8_t>(format::framework::DeviceType::kCpu);
  return {type, is_cpu ? std::int8_t{-1} : index};
}

TensorFlow tensor_flow(const trace::Trace& trace) { return FlowReader(trace).read(); }

}  // namespace npuprof::analyze
