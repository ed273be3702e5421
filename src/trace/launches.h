#pragma once

// What the host alone says about the tasks it put on streams: link/host_calls fills these tables
// from those of cann_host.h, and the join with the device's tasks turns them into Tasks, Kernels
// and CollectiveTasks.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/table.h"

namespace npuprof::trace {

// One row per task put on a stream, and one more per FFTS+ context of it (the row of the whole task
// then has context kNone and no operator). Sorted by (device, stream, batch, task, context, time):
// the key of the device's tasks, so that the join is a merge. Flip and maintenance records are no
// tasks and have no row here.
struct Launches {
  std::vector<std::uint16_t> device;
  std::vector<std::uint16_t> stream;
  std::vector<std::uint16_t> batch;
  std::vector<std::uint32_t> task;
  std::vector<std::uint32_t> context;  // kNone = the whole task.
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;
  std::vector<std::uint16_t> type;        // Host task type, as in TaskTracks.
  std::vector<std::uint32_t> track;       // Row in TaskTracks.
  std::vector<std::uint32_t> api;         // Launching call in ApiCalls, kNone = unknown.
  std::vector<std::uint32_t> model_id;    // kNone = not part of a model.
  std::vector<std::uint32_t> request_id;  // Iteration of the model call, kNone = no model call.
  std::vector<std::uint32_t> op;          // Row in LaunchedOps, kNone = not a compute operator.
  std::vector<std::uint32_t>
      collective;  // Row in LaunchedCollectives, kNone = not one of its tasks.
  std::vector<std::uint32_t> collective_task;  // Row in CollectiveTaskInfos, kNone = no details.
  std::vector<std::uint8_t> is_master;         // Of a collective's tasks: on the master plane.
  std::vector<std::uint32_t> copy_direction;   // Copies with known size only, else kNone.
  std::vector<std::uint64_t> copy_bytes;

  std::size_t size() const { return device.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("device", self.device);
    visit("stream", self.stream);
    visit("batch", self.batch);
    visit("task", self.task);
    visit("context", self.context);
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
    visit("type", self.type);
    visit("track", self.track);
    visit("api", self.api);
    visit("model_id", self.model_id);
    visit("request_id", self.request_id);
    visit("op", self.op);
    visit("collective", self.collective);
    visit("collective_task", self.collective_task);
    visit("is_master", self.is_master);
    visit("copy_direction", self.copy_direction);
    visit("copy_bytes", self.copy_bytes);
  }
};

// The operator that a launch runs, one row per task (shared by the contexts of the task). What is
// not known prints as N/A. A launch may have an operator and belong to a collective as well (reduce
// kernels, AI CPU kernels that drive a collective).
struct LaunchedOps {
  std::vector<StringId> name;
  std::vector<StringId> op_type;  // Empty = unknown, as at level 0.
  std::vector<std::uint32_t>
      task_type;                       // GE task type, corrected by the host task; kNone = unknown.
  std::vector<std::uint8_t> op_state;  // OpState.
  std::vector<std::uint32_t> block_num;
  std::vector<std::uint32_t> mix_block_num;
  std::vector<std::uint8_t> hf32;      // 0 no, 1 yes, 2 unknown.
  std::vector<StringId> attributes;    // Empty = none.
  std::vector<std::uint32_t> tensors;  // Row in NodeTensors, kNone = none.
  std::vector<std::uint32_t>
      captured_op;  // Row in CapturedOps, whose tensors then count; else kNone.

  std::size_t size() const { return name.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("name", self.name);
    visit("op_type", self.op_type);
    visit("task_type", self.task_type);
    visit("op_state", self.op_state);
    visit("block_num", self.block_num);
    visit("mix_block_num", self.mix_block_num);
    visit("hf32", self.hf32);
    visit("attributes", self.attributes);
    visit("tensors", self.tensors);
    visit("captured_op", self.captured_op);
  }
};

// One launch of a collective: a node-level call that launched communication tasks. In order of
// `api`, that is, of host time.
struct LaunchedCollectives {
  std::vector<std::uint32_t> api;   // Node-level call in ApiCalls: start, end and thread.
  std::vector<StringId> name;       // `hcom_allReduce_`, the text of the call's item.
  std::vector<StringId> op_type;    // Empty = unknown, as at level 0.
  std::vector<std::uint32_t> info;  // Row in CollectiveInfos, kNone = unknown.
  std::vector<std::uint32_t>
      kfc_api;  // Nested node-level call that launched the AI CPU, else kNone.
  std::vector<std::uint16_t> device;
  std::vector<std::uint32_t> model_id;
  std::vector<std::uint32_t> request_id;

  std::size_t size() const { return api.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("api", self.api);
    visit("name", self.name);
    visit("op_type", self.op_type);
    visit("info", self.info);
    visit("kfc_api", self.kfc_api);
    visit("device", self.device);
    visit("model_id", self.model_id);
    visit("request_id", self.request_id);
  }
};

}  // namespace npuprof::trace
