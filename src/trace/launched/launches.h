#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct ApiCalls;
struct CollectiveTaskInfos;
struct LaunchedCollectives;
struct LaunchedOps;
struct TaskTracks;

// One row per task put on a stream, and one more per FFTS+ context of it (the row of the whole task
// then has context kNone and no operator). Sorted by (device, stream, batch, task, context, time):
// the key of the device's tasks, so that the join is a merge. Flip and maintenance records are no
// tasks and have no row here.
struct Launches {
  NPUPROF_TABLE(Launches);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint32_t, context);  // kNone = the whole task.
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint16_t, type);  // Host task type, as in TaskTracks.
  NPUPROF_COLUMN(RowOf<TaskTracks>, track);
  NPUPROF_COLUMN(RowOf<ApiCalls>, api);       // Launching call in ApiCalls, kNone = unknown.
  NPUPROF_COLUMN(std::uint32_t, model_id);    // kNone = not part of a model.
  NPUPROF_COLUMN(std::uint32_t, request_id);  // Iteration of the model call, kNone = no model call.
  NPUPROF_COLUMN(RowOf<LaunchedOps>, op);     // kNone = not a compute operator.
  NPUPROF_COLUMN(RowOf<LaunchedCollectives>, collective);       // kNone = not one of its tasks.
  NPUPROF_COLUMN(RowOf<CollectiveTaskInfos>, collective_task);  // kNone = no details.
  NPUPROF_COLUMN(std::uint8_t, is_master);        // Of a collective's tasks: on the master plane.
  NPUPROF_COLUMN(std::uint32_t, copy_direction);  // Copies with known size only, else kNone.
  NPUPROF_COLUMN(std::uint64_t, copy_bytes);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
