#pragma once

// What the joins of link/ produce: device tasks with the host call that launched them, kernels with
// their operator description and counters, collectives with their tasks.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::trace {

inline constexpr std::uint16_t kNoHostType = 0xFFFF;
enum class OpState : std::uint8_t { kStatic, kDynamic, kUnknown };
// Where a kernel is listed. Kernels inside a collective are part of it, AI CPU kernels that drive
// one are schedule kernels, and write-back and invalidation of caches are shown nowhere.
enum class KernelKind : std::uint8_t { kCompute, kCommunication, kSchedule, kHidden };
enum class OverlapKind : std::uint8_t { kComputing, kCommunication, kNotOverlapped, kFree };

// Every device task, sorted by (device, start). One host launch may have many rows (a replayed
// graph).
struct Tasks {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint16_t> batch;
  std::vector<std::uint32_t> context;
  std::vector<std::uint8_t> device_type;  // SQE or sub-task type.
  std::vector<std::uint16_t>
      host_type;                      // Host task type; kNoHostType = launched outside the profile.
  std::vector<std::uint32_t> launch;  // Row in Launches, kNone = unknown.
  std::vector<std::uint32_t> api;     // Launching call in ApiCalls, kNone = unknown.
  std::vector<std::uint32_t> model_id;
  std::vector<std::uint32_t> request_id;
  std::vector<StringId> kernel_name;
  std::vector<std::int64_t> launch_ns;        // Host time of the launch, 0 = unknown.
  std::vector<std::uint32_t> tid;             // Host thread of the launch.
  std::vector<std::uint32_t> kernel;          // Row in Kernels, kNone = not a compute operator.
  std::vector<std::uint32_t> copy_direction;  // Copies only, else kNone.
  std::vector<std::uint64_t> copy_bytes;
  std::vector<StringId> shown_type;  // Task type as the result files print it.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("batch", self.batch);
    visit("context", self.context);
    visit("device_type", self.device_type);
    visit("host_type", self.host_type);
    visit("launch", self.launch);
    visit("api", self.api);
    visit("model_id", self.model_id);
    visit("request_id", self.request_id);
    visit("kernel_name", self.kernel_name);
    visit("launch_ns", self.launch_ns);
    visit("tid", self.tid);
    visit("kernel", self.kernel);
    visit("copy_direction", self.copy_direction);
    visit("copy_bytes", self.copy_bytes);
    visit("shown_type", self.shown_type);
  }
};

// Operators that ran as kernels: rows of op_summary without the collectives, for kind kCompute.
// Same order as their tasks.
struct Kernels {
  std::vector<std::uint32_t> task;  // Row in Tasks.
  std::vector<std::uint8_t> kind;   // KernelKind.
  std::vector<StringId> name;
  std::vector<StringId> op_type;       // N/A at level 0.
  std::vector<StringId> task_type;     // AI_CORE, MIX_AIC, ...; N/A at level 0.
  std::vector<std::uint8_t> op_state;  // OpState.
  std::vector<std::uint32_t> block_num;
  std::vector<std::uint32_t> mix_block_num;
  std::vector<std::uint8_t> hf32;  // 0 no, 1 yes, 2 unknown.
  std::vector<StringId> input_shapes;
  std::vector<StringId> input_dtypes;
  std::vector<StringId> input_formats;
  std::vector<StringId> output_shapes;
  std::vector<StringId> output_dtypes;
  std::vector<StringId> output_formats;
  std::vector<StringId> attributes;
  std::vector<std::uint32_t> pmu;        // Main PmuRecords row, kNone = none.
  std::vector<std::uint32_t> slave_pmu;  // Slave row of a MIX kernel.

  std::size_t size() const { return task.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("task", self.task);
    visit("kind", self.kind);
    visit("name", self.name);
    visit("op_type", self.op_type);
    visit("task_type", self.task_type);
    visit("op_state", self.op_state);
    visit("block_num", self.block_num);
    visit("mix_block_num", self.mix_block_num);
    visit("hf32", self.hf32);
    visit("input_shapes", self.input_shapes);
    visit("input_dtypes", self.input_dtypes);
    visit("input_formats", self.input_formats);
    visit("output_shapes", self.output_shapes);
    visit("output_dtypes", self.output_dtypes);
    visit("output_formats", self.output_formats);
    visit("attributes", self.attributes);
    visit("pmu", self.pmu);
    visit("slave_pmu", self.slave_pmu);
  }
};

// Metrics of kernels as result files give them, for profiles whose counters (PmuRecords) are gone.
struct KernelMetrics {
  struct Column {
    StringId name{};             // As in databases, without unit: `aic_mac_time`.
    std::vector<double> values;  // By row of Kernels, in the unit of text files (times in us); NaN
                                 // = not available.
  };
  std::vector<Column> columns;
};

// Collectives, sorted by (device, start).
struct CollectiveOps {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<StringId> name;  // Unique name: `hcom_allReduce__967_0_1`.
  std::vector<StringId> type;  // `hcom_allReduce_`; N/A at level 0.
  std::vector<std::uint32_t> api;
  std::vector<StringId> group;       // Decimal hash of the group name.
  std::vector<StringId> group_name;  // The group's own name when known.
  std::vector<std::uint8_t> relay;
  std::vector<std::uint8_t> retry;
  std::vector<std::uint32_t> data_type;  // kNone = unknown.
  std::vector<StringId> algorithm;
  std::vector<std::uint64_t> count;
  std::vector<std::uint32_t> rank_size;
  std::vector<std::uint32_t> model_id;
  std::vector<std::uint32_t> tid;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("name", self.name);
    visit("type", self.type);
    visit("api", self.api);
    visit("group", self.group);
    visit("group_name", self.group_name);
    visit("relay", self.relay);
    visit("retry", self.retry);
    visit("data_type", self.data_type);
    visit("algorithm", self.algorithm);
    visit("count", self.count);
    visit("rank_size", self.rank_size);
    visit("model_id", self.model_id);
    visit("tid", self.tid);
  }
};

// Sub-tasks of the collectives, grouped by op, then by time.
struct CollectiveTasks {
  std::vector<std::uint32_t> op;    // Row in CollectiveOps.
  std::vector<std::uint32_t> task;  // Row in Tasks.
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<StringId> name;
  std::vector<StringId> tag;
  std::vector<StringId> group;
  std::vector<std::uint8_t> is_master;
  std::vector<std::uint32_t> plane;
  std::vector<std::uint64_t> notify_id;
  std::vector<std::uint32_t> rdma_type;
  std::vector<std::uint32_t> source_rank;
  std::vector<std::uint32_t> destination_rank;
  std::vector<std::uint32_t> transport_type;
  std::vector<std::uint64_t> size_bytes;
  std::vector<std::uint32_t> data_type;
  std::vector<std::uint32_t> link_type;
  std::vector<std::uint32_t> stage;
  std::vector<double> estimated_us;
  std::vector<double> bandwidth_gb_s;  // Decimal GB/s.

  std::size_t size() const { return op.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("op", self.op);
    visit("task", self.task);
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("name", self.name);
    visit("tag", self.tag);
    visit("group", self.group);
    visit("is_master", self.is_master);
    visit("plane", self.plane);
    visit("notify_id", self.notify_id);
    visit("rdma_type", self.rdma_type);
    visit("source_rank", self.source_rank);
    visit("destination_rank", self.destination_rank);
    visit("transport_type", self.transport_type);
    visit("size_bytes", self.size_bytes);
    visit("data_type", self.data_type);
    visit("link_type", self.link_type);
    visit("stage", self.stage);
    visit("estimated_us", self.estimated_us);
    visit("bandwidth_gb_s", self.bandwidth_gb_s);
  }
};

// Iterations of graph models from the step trace, sorted by (device, end). Times are 0 when the
// point was not seen; previous_end_ns is the last end of any iteration before this one's forward
// start.
struct Iterations {
  std::vector<std::uint16_t> device;
  std::vector<std::uint64_t> model_id;
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> forward_start_ns;
  std::vector<std::int64_t> backward_end_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::int64_t> previous_end_ns;

  std::size_t size() const { return device.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("device", self.device);
    visit("model_id", self.model_id);
    visit("index", self.index);
    visit("start_ns", self.start_ns);
    visit("forward_start_ns", self.forward_start_ns);
    visit("backward_end_ns", self.backward_end_ns);
    visit("end_ns", self.end_ns);
    visit("previous_end_ns", self.previous_end_ns);
  }
};

// Steps marked by the framework on the device (tags 60000 and 60001).
struct DeviceSteps {
  std::vector<std::uint16_t> device;
  std::vector<std::uint64_t> model_id;
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;

  std::size_t size() const { return device.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("device", self.device);
    visit("model_id", self.model_id);
    visit("index", self.index);
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
  }
};

// All-reduce and get-next ranges inside iterations.
struct IterationRanges {
  std::vector<std::uint16_t> device;
  std::vector<std::uint64_t> model_id;
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint8_t> is_get_next;

  std::size_t size() const { return device.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("device", self.device);
    visit("model_id", self.model_id);
    visit("index", self.index);
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("is_get_next", self.is_get_next);
  }
};

// mstx marks and ranges as the device saw them.
struct DeviceMarks {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint32_t> mark;  // Row in Marks, kNone = unknown.
  std::vector<std::uint64_t> mark_id;
  std::vector<std::uint32_t> model_id;

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("mark", self.mark);
    visit("mark_id", self.mark_id);
    visit("model_id", self.model_id);
  }
};

// Which framework operator launched which task: pairs sorted by operator, then task.
struct KernelOps {
  std::vector<std::uint32_t> op;    // Row in FrameworkOps.
  std::vector<std::uint32_t> task;  // Row in Tasks.

  std::size_t size() const { return op.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("op", self.op);
    visit("task", self.task);
  }
};

// Forward operator and the backward operator of the same autograd sequence number.
struct ForwardBackward {
  std::vector<std::int64_t> sequence;
  std::vector<std::uint32_t> forward;
  std::vector<std::uint32_t> backward;

  std::size_t size() const { return sequence.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("sequence", self.sequence);
    visit("forward", self.forward);
    visit("backward", self.backward);
  }
};

// Computing, communication, communication not overlapped, free.
struct OverlapIntervals {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> kind;  // OverlapKind.

  std::size_t size() const { return start_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("start_ns", self.start_ns);
    visit("end_ns", self.end_ns);
    visit("device", self.device);
    visit("kind", self.kind);
  }
};

}  // namespace npuprof::trace
