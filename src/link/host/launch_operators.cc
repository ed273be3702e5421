#include "link/host/launch_operators.h"

#include <algorithm>
#include <unordered_map>

#include "format/host/enumerations.h"
#include "trace/host/api_calls.h"
#include "trace/host/captured_ops.h"
#include "trace/host/context_ids.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/task_tracks.h"
#include "trace/launched/launched_ops.h"
#include "trace/linked/op_state.h"

namespace npuprof::link {
namespace {

using format::host::GeTaskType;
using trace::kNone;
using trace::OpState;

constexpr std::uint8_t kHf32Unknown = 2;

// The graph engine does not know on which engine a collective ends up.
std::uint32_t correct_task_type(std::uint32_t task_type, const TaskKind& kind, bool in_collective) {
  if (in_collective) {
    if (kind.is_aicpu) return static_cast<std::uint32_t>(GeTaskType::kHcclAiCpu);
    if (kind.is_aicore) return static_cast<std::uint32_t>(GeTaskType::kCommunication);
  } else if (kind.is_aicpu && task_type == static_cast<std::uint32_t>(GeTaskType::kCommunication)) {
    return static_cast<std::uint32_t>(GeTaskType::kAiCpu);
  }
  return task_type;
}

}  // namespace

OpDescriber::OpDescriber(trace::Trace& trace, const CallRecords& records)
    : trace_(trace),
      records_(records),
      is_level_0_(trace.session.level == trace::Level::kLevel0 ||
                  trace.session.level == trace::Level::kNoTasks) {}

StringId OpDescriber::call_item(std::uint32_t position) const {
  return trace_.api_calls().item_name[records_.forest.call[position]];
}

// A row of which only the name and what the task itself carries is known.
std::uint32_t OpDescriber::push(std::uint32_t track, StringId name) {
  const auto& tracks = trace_.task_tracks();
  auto& out = trace_.launched_ops();
  const bool has_blocks = tracks.has_blocks[track] != 0;
  const std::uint32_t block_num = has_blocks ? tracks.block_num[track] : 0;
  out.name.push_back(name);
  out.op_type.push_back(kEmptyString);
  out.task_type.push_back(kNone);
  out.op_state.push_back(static_cast<std::uint8_t>(OpState::kUnknown));
  out.block_num.push_back(block_num);
  out.mix_block_num.push_back(block_num * (has_blocks ? tracks.mix_ratio[track] : 0));
  out.hf32.push_back(kHf32Unknown);
  out.attributes.push_back(kEmptyString);
  out.tensors.push_back(kNone);
  out.captured_op.push_back(kNone);
  return static_cast<std::uint32_t>(out.size() - 1);
}

std::uint32_t OpDescriber::add(const OpSite& site, const Records& records, StringId fallback_name) {
  const auto& infos = trace_.node_infos();
  const bool in_collective = site.collective_call != kNone;
  StringId name = fallback_name;
  if (records.info != kNone) name = infos.op_name[records.info];
  if (in_collective) name = call_item(records_.forest.collectives[site.collective_call]);
  if (name == kEmptyString) name = trace_.task_tracks().kernel_name[site.track];

  auto& out = trace_.launched_ops();
  const std::uint32_t op = push(site.track, name);
  if (is_level_0_) return op;
  out.tensors[op] = records.tensors;
  if (records.attributes != kNone) {
    out.attributes[op] = trace_.node_attributes().attributes[records.attributes];
  }
  const std::uint32_t task_type = records.info == kNone ? kNone : infos.task_type[records.info];
  out.task_type[op] = correct_task_type(task_type, *site.kind, in_collective);
  if (records.info == kNone) return op;
  out.op_type[op] = infos.op_type[records.info];
  out.op_state[op] = static_cast<std::uint8_t>(
      infos.is_static[records.info] != 0 ? OpState::kStatic : OpState::kDynamic);
  out.hf32[op] = infos.op_flag[records.info] != 0;
  if (trace_.task_tracks().has_blocks[site.track] == 0) {
    out.block_num[op] = infos.block_num[records.info];
    out.mix_block_num[op] = out.block_num[op] * infos.mix_ratio[records.info];
  }
  return op;
}

std::uint32_t OpDescriber::describe(const OpSite& site) {
  const Records records{.info = records_.node_infos.last(site.node),
                        .tensors = records_.node_tensors.last(site.node),
                        .attributes = records_.node_attributes.last(site.node)};
  return add(site, records, call_item(records_.forest.nodes[site.node]));
}

std::span<const std::pair<std::uint32_t, std::uint32_t>> OpDescriber::describe_contexts(
    const OpSite& site) {
  const auto& contexts = trace_.context_ids();
  op_contexts_.clear();
  const std::uint32_t first = records_.node_contexts.first(site.node);
  bool single = true;
  records_.node_contexts.for_each(site.node, [&](std::uint32_t row) {
    single = single && contexts.op_name[row] == contexts.op_name[first];
  });

  std::unordered_map<std::uint32_t, std::uint32_t> op_of_name;
  std::uint32_t single_op = kNone;
  if (single) {
    single_op = describe(site);
  } else {
    std::unordered_map<std::uint32_t, Records> by_name;
    records_.node_infos.for_each(site.node, [&](std::uint32_t row) {
      by_name[to_index(trace_.node_infos().op_name[row])].info = row;
    });
    records_.node_tensors.for_each(site.node, [&](std::uint32_t row) {
      by_name[to_index(trace_.node_tensors().op_name[row])].tensors = row;
    });
    records_.node_attributes.for_each(site.node, [&](std::uint32_t row) {
      by_name[to_index(trace_.node_attributes().op_name[row])].attributes = row;
    });
    records_.node_contexts.for_each(site.node, [&](std::uint32_t row) {
      const StringId name = contexts.op_name[row];
      const auto [found, is_new] = op_of_name.try_emplace(to_index(name), kNone);
      if (is_new) found->second = add(site, by_name[to_index(name)], name);
    });
  }
  records_.node_contexts.for_each(site.node, [&](std::uint32_t row) {
    const std::uint32_t op = single ? single_op : op_of_name[to_index(contexts.op_name[row])];
    if (contexts.context[row] != kNone) op_contexts_.emplace_back(op, contexts.context[row]);
  });
  // The same contexts may have been reported twice.
  std::sort(op_contexts_.begin(), op_contexts_.end());
  op_contexts_.erase(std::unique(op_contexts_.begin(), op_contexts_.end()), op_contexts_.end());
  return op_contexts_;
}

std::uint32_t OpDescriber::describe_without_node(std::uint32_t track, const TaskKind& kind,
                                                 std::uint32_t captured_op) {
  const StringId kernel_name = trace_.task_tracks().kernel_name[track];
  if (captured_op == kNone && kernel_name == kEmptyString) return kNone;

  auto& out = trace_.launched_ops();
  if (captured_op == kNone) {
    const std::uint32_t op = push(track, kernel_name);
    if (!is_level_0_) {
      out.op_type[op] = kernel_name;
      out.task_type[op] = kind.ge_task_type;
    }
    return op;
  }
  const auto& captured = trace_.captured_ops();
  const std::uint32_t op = push(track, captured.op_name[captured_op]);
  if (is_level_0_) return op;
  out.op_type[op] = captured.op_type[captured_op];
  out.task_type[op] = captured.task_type[captured_op];
  out.hf32[op] = captured.op_flag[captured_op] != 0;
  out.attributes[op] = captured.attributes[captured_op];
  out.captured_op[op] = captured_op;
  if (trace_.task_tracks().has_blocks[track] == 0) {
    out.block_num[op] = captured.block_num[captured_op];
    out.mix_block_num[op] = out.block_num[op] * captured.mix_ratio[captured_op];
  }
  return op;
}

}  // namespace npuprof::link
