#include "load/cann_host/node_records.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/sort_order.h"
#include "base/text.h"
#include "format/host/additional.h"
#include "format/host/compact.h"
#include "load/cann_host/node_tensor_text.h"

namespace npuprof::load {
namespace {

using format::host::Age;
using format::host::ContextIdInfo;
using format::host::FusionOpInfo;
using format::host::GraphIdMap;
using format::host::kLevelHccl;
using format::host::NodeAttrInfo;
using format::host::NodeBasicInfo;
using format::host::StaticOpMem;
using format::host::TaskMemoryInfo;
using format::host::TensorInfo;

// More contexts than a device can tell apart mean a damaged range, and so do more in all than any
// profile has: a range takes 256 bytes, whatever its length.
constexpr std::uint32_t kMaxRange = 65536;
constexpr std::size_t kMaxRangedContexts = std::size_t{1} << 22;

// Records with the same time, thread and operator are parts of one. `Part` has these as members.
template <typename Part>
void sort_parts(std::vector<Part>& parts) {
  std::vector<std::int64_t> times(parts.size());
  std::transform(parts.begin(), parts.end(), times.begin(),
                 [](const Part& part) { return part.time_ns; });
  auto order = stable_order(std::span<const std::int64_t>(times));
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(parts[a].tid, parts[a].op_name) < std::tie(parts[b].tid, parts[b].op_name);
  };
  for_each_tie(std::span<const std::int64_t>(times), order,
               [&](std::size_t begin, std::size_t end) {
                 const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
                 std::stable_sort(first, first + static_cast<std::ptrdiff_t>(end - begin), before);
               });
  if (is_identity(order)) return;
  std::vector<Part> sorted;
  sorted.reserve(parts.size());
  for (const std::uint32_t at : order) sorted.push_back(parts[at]);
  parts = std::move(sorted);
}

// Calls body(begin, end) for the parts of each operator launch.
template <typename Part, typename Body>
void for_each_group(const std::vector<Part>& parts, Body&& body) {
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= parts.size(); ++end) {
    if (end < parts.size() && parts[end].time_ns == parts[begin].time_ns &&
        parts[end].tid == parts[begin].tid && parts[end].op_name == parts[begin].op_name) {
      continue;
    }
    body(begin, end);
    begin = end;
  }
}

struct TensorPart {
  std::int64_t time_ns;
  std::uint64_t op_name;
  std::uint32_t tid;
  std::uint32_t list;  // Number in TensorTexts.
};

struct FusedOpRecord {
  std::int64_t time_ns;
  std::uint64_t op_name;
  std::uint32_t tid;
  FusionOpInfo record;
};

}  // namespace

void decode_node_infos(DecodeContext& context, trace::NodeInfos& infos) {
  decode_rows<NodeBasicInfo>(
      context, NodeBasicInfo::kKind, infos,
      [&](const NodeBasicInfo& record, const HostSlice& slice, std::size_t row) {
        infos.time_ns[row] = context.clock.to_wall_ns(record.header.timestamp);
        infos.tid[row] = record.header.thread_id;
        infos.op_name[row] = context.names.of_hash(record.op_name);
        infos.op_type[row] = context.names.of_hash(record.op_type);
        infos.task_type[row] = record.task_type;
        infos.block_num[row] = static_cast<std::uint16_t>(record.block_count());
        infos.mix_ratio[row] = static_cast<std::uint16_t>(record.mix_ratio());
        infos.op_flag[row] = record.op_flag;
        infos.is_static[row] = slice.age == Age::kUnaging;
        return true;
      });
}

void decode_node_tensors(DecodeContext& context, trace::NodeTensors& tensors) {
  const auto slices = context.files.open(TensorInfo::kKind, context.losses);
  TensorTexts texts(context.names);
  std::vector<TensorPart> parts;
  parts.reserve(count_records(slices, sizeof(TensorInfo)));
  for_each_host_record<TensorInfo>(
      slices, RecordMark::kChecked, context.losses,
      [&](const TensorInfo& record, const HostSlice&) {
        parts.push_back({context.clock.to_wall_ns(record.header.timestamp), record.op_name,
                         record.header.thread_id, texts.number_of(record.valid_tensors())});
      });
  sort_parts(parts);

  std::size_t row = tensors.size();
  trace::resize_rows(tensors, row + parts.size());
  std::vector<std::uint32_t> lists;
  for_each_group(parts, [&](std::size_t begin, std::size_t end) {
    lists.clear();
    for (std::size_t i = begin; i < end; ++i) lists.push_back(parts[i].list);
    const NodeTensorText& text = texts.text_of(lists);
    tensors.time_ns[row] = parts[begin].time_ns;
    tensors.tid[row] = parts[begin].tid;
    tensors.op_name[row] = context.names.of_hash(parts[begin].op_name);
    tensors.input_shapes[row] = text.input_shapes;
    tensors.input_dtypes[row] = text.input_dtypes;
    tensors.input_formats[row] = text.input_formats;
    tensors.output_shapes[row] = text.output_shapes;
    tensors.output_dtypes[row] = text.output_dtypes;
    tensors.output_formats[row] = text.output_formats;
    ++row;
  });
  trace::resize_rows(tensors, row);
}

void decode_node_attributes(DecodeContext& context, trace::NodeAttributes& attributes) {
  decode_rows<NodeAttrInfo>(context, NodeAttrInfo::kKind, attributes,
                            [&](const NodeAttrInfo& record, const HostSlice&, std::size_t row) {
                              attributes.time_ns[row] =
                                  context.clock.to_wall_ns(record.header.timestamp);
                              attributes.tid[row] = record.header.thread_id;
                              attributes.op_name[row] = context.names.of_hash(record.op_name);
                              attributes.attributes[row] = context.names.of_hash(record.attributes);
                              return true;
                            });
}

void decode_context_ids(DecodeContext& context, trace::ContextIds& contexts) {
  BadRecordsBySlice bad;
  decode_lists<ContextIdInfo>(
      context, ContextIdInfo::kKind, [&](const ContextIdInfo& record, const HostSlice& slice) {
        const auto ids = record.valid_context_ids();
        const auto add = [&](std::uint32_t id) {
          contexts.time_ns.push_back(context.clock.to_wall_ns(record.header.timestamp));
          contexts.tid.push_back(record.header.thread_id);
          contexts.level.push_back(record.header.level);
          contexts.op_name.push_back(context.names.of_hash(record.op_name));
          contexts.context.push_back(id);
        };
        if (record.header.level != kLevelHccl) {
          for (const std::uint32_t id : ids) add(id);
          return;
        }
        // The communication library gives the first and the last of a range.
        if (ids.size() != 2 || ids[0] > ids[1] || ids[1] - ids[0] >= kMaxRange ||
            contexts.size() >= kMaxRangedContexts) {
          bad.add(slice, 0);
          return;
        }
        for (std::uint32_t id = ids[0]; id - ids[0] <= ids[1] - ids[0]; ++id) add(id);
      });
  bad.report("of collectives have no valid range of contexts", context.losses);
}

void decode_fusion_ops(DecodeContext& context, trace::FusionOps& ops) {
  std::vector<FusedOpRecord> parts;
  decode_lists<FusionOpInfo>(context, FusionOpInfo::kKind,
                             [&](const FusionOpInfo& record, const HostSlice&) {
                               parts.push_back({context.clock.to_wall_ns(record.header.timestamp),
                                                record.op_name, record.header.thread_id, record});
                             });
  sort_parts(parts);
  for_each_group(parts, [&](std::size_t begin, std::size_t end) {
    const FusionOpInfo& first = parts[begin].record;
    std::string original_ops;
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::uint64_t hash : parts[i].record.valid_fused_op_names()) {
        if (!original_ops.empty()) original_ops += ';';
        original_ops += context.names.view(context.names.of_hash(hash));
      }
    }
    ops.time_ns.push_back(parts[begin].time_ns);
    ops.tid.push_back(parts[begin].tid);
    ops.op_name.push_back(context.names.of_hash(first.op_name));
    ops.original_ops.push_back(context.names.intern(original_ops));
    ops.input_bytes.push_back(first.input_bytes);
    ops.output_bytes.push_back(first.output_bytes);
    ops.weight_bytes.push_back(first.weight_bytes);
    ops.workspace_bytes.push_back(first.workspace_bytes);
    ops.total_bytes.push_back(first.total_bytes);
    ops.model_id.push_back(trace::kNone);
  });
}

void decode_graph_names(DecodeContext& context, trace::GraphNames& names) {
  decode_rows<GraphIdMap>(context, GraphIdMap::kKind, names,
                          [&](const GraphIdMap& record, const HostSlice&, std::size_t row) {
                            names.model_id[row] = record.model_id;
                            names.graph_id[row] = record.graph_id;
                            names.name[row] = record.model_name == 0
                                                  ? context.names.intern("0")
                                                  : context.names.of_hash(record.model_name);
                            return true;
                          });
}

void decode_operator_memory(DecodeContext& context, trace::OperatorMemory& memory) {
  decode_rows<TaskMemoryInfo>(context, TaskMemoryInfo::kKind, memory,
                              [&](const TaskMemoryInfo& record, const HostSlice&, std::size_t row) {
                                memory.time_ns[row] =
                                    context.clock.to_wall_ns(record.header.timestamp);
                                memory.tid[row] = record.header.thread_id;
                                memory.address[row] = record.address;
                                memory.size_bytes[row] = record.size;
                                memory.op_name[row] = context.names.of_hash(record.op_name);
                                memory.total_allocated_bytes[row] = record.total_allocated;
                                memory.total_reserved_bytes[row] = record.total_reserved;
                                memory.device[row] = record.device;
                                memory.device_type[row] = record.device_type;
                                return true;
                              });
}

void decode_static_memory(DecodeContext& context, trace::StaticMemory& memory) {
  // Written for "until the end of the graph" by some releases; others write the next number.
  constexpr std::uint64_t kUntilTheEnd = 0xFFFFFFFE;
  decode_rows<StaticOpMem>(
      context, StaticOpMem::kKind, memory,
      [&](const StaticOpMem& record, const HostSlice&, std::size_t row) {
        memory.size_bytes[row] = record.size;
        memory.op_name[row] = context.names.of_hash(record.op_name);
        memory.life_start[row] = record.life_start;
        memory.life_end[row] =
            record.life_end == kUntilTheEnd ? kUntilTheEnd + 1 : record.life_end.get();
        memory.total_bytes[row] = record.total_allocated;
        memory.dynamic_root[row] = context.names.of_hash(record.dynamic_root_op);
        memory.graph_id[row] = record.graph_id;
        return true;
      });
}

}  // namespace npuprof::load
