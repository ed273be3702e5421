#pragma once

// What CANN recorded on the host: API calls and the records that describe launches. Times are
// wall-clock ns, and every table that has times is sorted by them. Names are resolved through the
// dictionaries; an unknown hash becomes its decimal text.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::trace {

// What a record of the communication unit announces: a task for it, and of that task's instructions
// those that wait for other ranks or move data.
enum class CcuInfoKind : std::uint8_t { kTask, kWait, kTransfer };
using CcuChannelIds = std::array<std::uint16_t, 16>;
inline constexpr std::uint16_t kNoCcuChannel = 0xFFFF;
enum class HostUsageKind : std::uint8_t { kCpu, kMemory, kDisk, kNetwork };

// API intervals of all levels, event pairs already merged. The row number + 1 is the connection id.
// Sorted by start, then level from high to low, then end from high to low, so that a call comes
// after the calls that enclose it.
struct ApiCalls {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> level;  // format::host::Level.
  std::vector<std::uint32_t> type;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint32_t> request_id;  // Iteration of a model call; 0xFFFF = single.
  std::vector<std::uint64_t> item;        // Raw item: hash, model id or step tag; 0 = none.
  std::vector<StringId> name;             // Name of the type.
  std::vector<StringId> item_name;        // Text of the item where it is a hash.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("level", self.level);
    visit("type", self.type);
    visit("tid", self.tid);
    visit("request_id", self.request_id);
    visit("item", self.item);
    visit("name", self.name);
    visit("item_name", self.item_name);
  }
};

// One task put on a stream, in time order. Batch ids are set by link from the flip records, which
// are kept here too.
struct TaskTracks {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> batch;
  std::vector<std::uint16_t> type;  // format::host::TaskType, e.g. 0 KERNEL_AICORE, 98 flip.
  std::vector<StringId> type_name;  // From the type dictionary; names differ between releases.
  std::vector<StringId> kernel_name;
  std::vector<std::uint8_t>
      has_blocks;  // Whether the next two are known; they are the launch's own.
  std::vector<std::uint16_t> block_num;
  std::vector<std::uint8_t> mix_ratio;
  std::vector<std::uint32_t> model_id;  // Of model executions, else kNone.
  std::vector<StringId> grid_dim;       // Of SIMT kernels, `x,y,z`; else empty.
  std::vector<StringId> block_dim;
  std::vector<std::uint8_t> is_static;  // 1 = reported once (unaging).

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("batch", self.batch);
    visit("type", self.type);
    visit("type_name", self.type_name);
    visit("kernel_name", self.kernel_name);
    visit("has_blocks", self.has_blocks);
    visit("block_num", self.block_num);
    visit("mix_ratio", self.mix_ratio);
    visit("model_id", self.model_id);
    visit("grid_dim", self.grid_dim);
    visit("block_dim", self.block_dim);
    visit("is_static", self.is_static);
  }
};

// Basic description of an operator launch.
struct NodeInfos {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<StringId> op_name;
  std::vector<StringId> op_type;
  std::vector<std::uint32_t> task_type;  // format::host GE task type.
  std::vector<std::uint16_t> block_num;
  std::vector<std::uint16_t> mix_ratio;
  std::vector<std::uint32_t> op_flag;  // Non-zero = HF32 enabled.
  std::vector<std::uint8_t> is_static;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("op_name", self.op_name);
    visit("op_type", self.op_type);
    visit("task_type", self.task_type);
    visit("block_num", self.block_num);
    visit("mix_ratio", self.mix_ratio);
    visit("op_flag", self.op_flag);
    visit("is_static", self.is_static);
  }
};

// Shapes, types and formats of an operator launch as the result files print them.
struct NodeTensors {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<StringId> op_name;
  std::vector<StringId> input_shapes;
  std::vector<StringId> input_dtypes;
  std::vector<StringId> input_formats;
  std::vector<StringId> output_shapes;
  std::vector<StringId> output_dtypes;
  std::vector<StringId> output_formats;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("op_name", self.op_name);
    visit("input_shapes", self.input_shapes);
    visit("input_dtypes", self.input_dtypes);
    visit("input_formats", self.input_formats);
    visit("output_shapes", self.output_shapes);
    visit("output_dtypes", self.output_dtypes);
    visit("output_formats", self.output_formats);
  }
};

// Attribute text of an operator launch.
struct NodeAttributes {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<StringId> op_name;
  std::vector<StringId> attributes;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("op_name", self.op_name);
    visit("attributes", self.attributes);
  }
};

// FFTS+ contexts of a launch, one row per context.
struct ContextIds {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint16_t> level;  // Node or HCCL.
  std::vector<StringId> op_name;
  std::vector<std::uint32_t> context;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("level", self.level);
    visit("op_name", self.op_name);
    visit("context", self.context);
  }
};

// Operators fused into one, with the memory of the whole.
struct FusionOps {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<StringId> op_name;
  std::vector<StringId> original_ops;  // Joined by ';'.
  std::vector<std::uint64_t> input_bytes;
  std::vector<std::uint64_t> output_bytes;
  std::vector<std::uint64_t> weight_bytes;
  std::vector<std::uint64_t> workspace_bytes;
  std::vector<std::uint64_t> total_bytes;
  std::vector<std::uint32_t> model_id;  // Set by link, kNone = unknown.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("op_name", self.op_name);
    visit("original_ops", self.original_ops);
    visit("input_bytes", self.input_bytes);
    visit("output_bytes", self.output_bytes);
    visit("weight_bytes", self.weight_bytes);
    visit("workspace_bytes", self.workspace_bytes);
    visit("total_bytes", self.total_bytes);
    visit("model_id", self.model_id);
  }
};

// Description of a collective launch.
struct CollectiveInfos {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint8_t> relay;
  std::vector<std::uint8_t> retry;
  std::vector<std::uint8_t> data_type;
  std::vector<StringId> algorithm;
  std::vector<std::uint64_t> count;
  std::vector<std::uint64_t> group_hash;
  std::vector<StringId> group;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("relay", self.relay);
    visit("retry", self.retry);
    visit("data_type", self.data_type);
    visit("algorithm", self.algorithm);
    visit("count", self.count);
    visit("group_hash", self.group_hash);
    visit("group", self.group);
  }
};

// Description of one sub-task of a collective.
struct CollectiveTaskInfos {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<StringId> name;
  std::vector<StringId> tag;
  std::vector<std::uint64_t> group_hash;
  std::vector<StringId> group;
  std::vector<std::uint32_t> local_rank;
  std::vector<std::uint32_t> remote_rank;
  std::vector<std::uint32_t> rank_size;
  std::vector<std::uint32_t> plane;
  std::vector<std::uint32_t> context;
  std::vector<std::uint64_t> notify_id;
  std::vector<std::uint32_t> stage;
  std::vector<std::uint32_t> role;
  std::vector<double> estimated_us;
  std::vector<std::uint64_t> source_address;
  std::vector<std::uint64_t> destination_address;
  std::vector<std::uint64_t> size_bytes;
  std::vector<std::uint32_t> reduce_op;
  std::vector<std::uint32_t> data_type;
  std::vector<std::uint32_t> link_type;
  std::vector<std::uint32_t> transport_type;
  std::vector<std::uint32_t> rdma_type;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("name", self.name);
    visit("tag", self.tag);
    visit("group_hash", self.group_hash);
    visit("group", self.group);
    visit("local_rank", self.local_rank);
    visit("remote_rank", self.remote_rank);
    visit("rank_size", self.rank_size);
    visit("plane", self.plane);
    visit("context", self.context);
    visit("notify_id", self.notify_id);
    visit("stage", self.stage);
    visit("role", self.role);
    visit("estimated_us", self.estimated_us);
    visit("source_address", self.source_address);
    visit("destination_address", self.destination_address);
    visit("size_bytes", self.size_bytes);
    visit("reduce_op", self.reduce_op);
    visit("data_type", self.data_type);
    visit("link_type", self.link_type);
    visit("transport_type", self.transport_type);
    visit("rdma_type", self.rdma_type);
  }
};

// What the host announced to the collective communication unit (chips 15, 16).
struct CcuInfos {
  std::vector<std::uint8_t> kind;  // CcuInfoKind.
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint8_t> die;
  std::vector<std::uint16_t> instruction;
  std::vector<CcuChannelIds> channels;    // kNoCcuChannel = none; of waits and transfers.
  std::vector<std::uint32_t> mask;        // Of waits.
  std::vector<std::uint64_t> size_bytes;  // This and the following: of transfers.
  std::vector<std::uint8_t> reduce_op;    // 255 = data is only moved.
  std::vector<std::uint8_t> input_type;
  std::vector<std::uint8_t> output_type;

  std::size_t size() const { return kind.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("kind", self.kind);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("die", self.die);
    visit("instruction", self.instruction);
    visit("channels", self.channels);
    visit("mask", self.mask);
    visit("size_bytes", self.size_bytes);
    visit("reduce_op", self.reduce_op);
    visit("input_type", self.input_type);
    visit("output_type", self.output_type);
  }
};

// Tasks of data processing units, which the host runs. The columns from `reduce_op` on are of tasks
// of collectives.
struct DpuTasks {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> unit;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<StringId> name;  // Of the kernel or of the step of a collective.
  std::vector<StringId> type;  // Host task type, empty = unknown.
  std::vector<std::uint8_t> is_collective;
  std::vector<std::uint8_t> reduce_op;
  std::vector<std::uint16_t> device;      // The NPU that works with it.
  std::vector<std::uint32_t> aicpu_task;  // On that NPU.
  std::vector<std::uint64_t> group_hash;
  std::vector<StringId> group;
  std::vector<std::uint32_t> rank_size;
  std::vector<std::uint32_t> local_rank;
  std::vector<std::uint32_t> remote_rank;
  std::vector<std::uint16_t> plane;
  std::vector<std::uint64_t> notify_id;
  std::vector<double> estimated_us;
  std::vector<std::uint64_t> size_bytes;
  std::vector<std::uint8_t> data_type;
  std::vector<std::uint8_t> link_type;
  std::vector<std::uint8_t> transport_type;
  std::vector<std::uint8_t> rdma_type;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("unit", self.unit);
    visit("tid", self.tid);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("name", self.name);
    visit("type", self.type);
    visit("is_collective", self.is_collective);
    visit("reduce_op", self.reduce_op);
    visit("device", self.device);
    visit("aicpu_task", self.aicpu_task);
    visit("group_hash", self.group_hash);
    visit("group", self.group);
    visit("rank_size", self.rank_size);
    visit("local_rank", self.local_rank);
    visit("remote_rank", self.remote_rank);
    visit("plane", self.plane);
    visit("notify_id", self.notify_id);
    visit("estimated_us", self.estimated_us);
    visit("size_bytes", self.size_bytes);
    visit("data_type", self.data_type);
    visit("link_type", self.link_type);
    visit("transport_type", self.transport_type);
    visit("rdma_type", self.rdma_type);
  }
};

// Size and direction of a memory copy, joined to its task by thread and time.
struct CopyInfos {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint64_t> size_bytes;
  std::vector<std::uint64_t> max_task_bytes;
  std::vector<std::uint16_t> direction;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("size_bytes", self.size_bytes);
    visit("max_task_bytes", self.max_task_bytes);
    visit("direction", self.direction);
  }
};

// mstx and msproftx marks and ranges, segments of long messages joined.
struct Marks {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> pid;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint8_t> is_mstx;  // 0 = classic stamp.
  std::vector<std::uint32_t> category;
  std::vector<std::uint32_t> event_type;
  std::vector<std::int32_t> payload_type;
  std::vector<std::uint64_t> payload;
  std::vector<std::uint64_t> mark_id;
  std::vector<StringId> domain;
  std::vector<std::int32_t> message_type;
  std::vector<StringId> message;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("pid", self.pid);
    visit("tid", self.tid);
    visit("is_mstx", self.is_mstx);
    visit("category", self.category);
    visit("event_type", self.event_type);
    visit("payload_type", self.payload_type);
    visit("payload", self.payload);
    visit("mark_id", self.mark_id);
    visit("domain", self.domain);
    visit("message_type", self.message_type);
    visit("message", self.message);
  }
};

// Memory asked for by CANN operators (GE pool).
struct OperatorMemory {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint64_t> address;
  std::vector<std::int64_t> size_bytes;  // Negative = release.
  std::vector<StringId> op_name;
  std::vector<std::uint64_t> total_allocated_bytes;
  std::vector<std::uint64_t> total_reserved_bytes;
  std::vector<std::uint32_t> device;
  std::vector<std::uint32_t> device_type;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("address", self.address);
    visit("size_bytes", self.size_bytes);
    visit("op_name", self.op_name);
    visit("total_allocated_bytes", self.total_allocated_bytes);
    visit("total_reserved_bytes", self.total_reserved_bytes);
    visit("device", self.device);
    visit("device_type", self.device_type);
  }
};

// Planned memory of static graphs.
struct StaticMemory {
  std::vector<std::int64_t> size_bytes;
  std::vector<StringId> op_name;  // Empty = TOTAL.
  std::vector<std::uint64_t> life_start;
  std::vector<std::uint64_t> life_end;
  std::vector<std::uint64_t> total_bytes;
  std::vector<StringId> dynamic_root;
  std::vector<std::uint32_t> graph_id;

  std::size_t size() const { return size_bytes.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("size_bytes", self.size_bytes);
    visit("op_name", self.op_name);
    visit("life_start", self.life_start);
    visit("life_end", self.life_end);
    visit("total_bytes", self.total_bytes);
    visit("dynamic_root", self.dynamic_root);
    visit("graph_id", self.graph_id);
  }
};

// Names of loaded models.
struct GraphNames {
  std::vector<std::uint32_t> model_id;
  std::vector<std::uint32_t> graph_id;
  std::vector<StringId> name;

  std::size_t size() const { return model_id.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("model_id", self.model_id);
    visit("graph_id", self.graph_id);
    visit("name", self.name);
  }
};

// Physical to logical stream numbers.
struct LogicalStreams {
  std::vector<std::uint32_t> physical;
  std::vector<std::uint32_t> logical;

  std::size_t size() const { return physical.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("physical", self.physical);
    visit("logical", self.logical);
  }
};

// Streams on which the AI CPU runs a communicator's tasks, one row per stream.
struct CommunicatorStreams {
  std::vector<StringId> group;
  std::vector<std::uint64_t> group_hash;
  std::vector<std::uint32_t> rank_size;
  std::vector<std::uint32_t> rank;
  std::vector<std::uint32_t> user_rank;
  std::vector<std::uint32_t> kernel_stream;
  std::vector<std::uint32_t> stream;

  std::size_t size() const { return group.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("group", self.group);
    visit("group_hash", self.group_hash);
    visit("rank_size", self.rank_size);
    visit("rank", self.rank);
    visit("user_rank", self.user_rank);
    visit("kernel_stream", self.kernel_stream);
    visit("stream", self.stream);
  }
};

// Streams captured into a graph.
struct CapturedStreams {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint16_t> original_stream;
  std::vector<std::uint16_t> model_id;
  std::vector<std::uint16_t> status;  // 0 bound, 1 destroyed.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("original_stream", self.original_stream);
    visit("model_id", self.model_id);
    visit("status", self.status);
  }
};

// Operator description of a captured task, keyed by (device, stream, task).
struct CapturedOps {
  std::vector<std::uint32_t> model_id;
  std::vector<std::uint32_t> device;
  std::vector<std::uint32_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint32_t> task_type;
  std::vector<std::uint16_t> block_num;
  std::vector<std::uint16_t> mix_ratio;
  std::vector<std::uint32_t> op_flag;
  std::vector<StringId> op_name;
  std::vector<StringId> op_type;
  std::vector<StringId> attributes;
  std::vector<StringId> input_shapes;
  std::vector<StringId> input_dtypes;
  std::vector<StringId> input_formats;
  std::vector<StringId> output_shapes;
  std::vector<StringId> output_dtypes;
  std::vector<StringId> output_formats;

  std::size_t size() const { return model_id.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("model_id", self.model_id);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("task_type", self.task_type);
    visit("block_num", self.block_num);
    visit("mix_ratio", self.mix_ratio);
    visit("op_flag", self.op_flag);
    visit("op_name", self.op_name);
    visit("op_type", self.op_type);
    visit("attributes", self.attributes);
    visit("input_shapes", self.input_shapes);
    visit("input_dtypes", self.input_dtypes);
    visit("input_formats", self.input_formats);
    visit("output_shapes", self.output_shapes);
    visit("output_dtypes", self.output_dtypes);
    visit("output_formats", self.output_formats);
  }
};

// Host samples: CPU (one row per CPU and sample, unit = CPU number, kNone = average), memory, disk,
// network.
struct HostUsage {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint8_t> kind;  // HostUsageKind.
  std::vector<std::uint32_t> unit;
  std::vector<double> usage_percent;
  std::vector<double> first_rate;   // Disk read KB/s or network KB/s.
  std::vector<double> second_rate;  // Disk write KB/s.

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("kind", self.kind);
    visit("unit", self.unit);
    visit("usage_percent", self.usage_percent);
    visit("first_rate", self.first_rate);
    visit("second_rate", self.second_rate);
  }
};

// System and pthread calls of the host process.
struct OsCalls {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> pid;
  std::vector<std::uint32_t> tid;
  std::vector<StringId> name;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("pid", self.pid);
    visit("tid", self.tid);
    visit("name", self.name);
  }
};

}  // namespace npuprof::trace
