#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct ApiCalls;
struct Kernels;
struct Launches;

inline constexpr std::uint16_t kNoHostType = 0xFFFF;

// Every device task, sorted by (device, start). One host launch may have many rows (a replayed
// graph).
struct Tasks {
  NPUPROF_TABLE(Tasks);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint16_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint16_t, batch);
  NPUPROF_COLUMN(std::uint32_t, context);
  NPUPROF_COLUMN(std::uint8_t, device_type);  // SQE or sub-task type.
  // Host task type; kNoHostType = launched outside the profile.
  NPUPROF_COLUMN(std::uint16_t, host_type);
  NPUPROF_COLUMN(RowOf<Launches>, launch);  // kNone = unknown.
  NPUPROF_COLUMN(RowOf<ApiCalls>, api);     // Launching call in ApiCalls, kNone = unknown.
  NPUPROF_COLUMN(std::uint32_t, model_id);
  NPUPROF_COLUMN(std::uint32_t, request_id);
  NPUPROF_COLUMN(Text, kernel_name);
  NPUPROF_COLUMN(Moment, launch_ns);              // Host time of the launch, 0 = unknown.
  NPUPROF_COLUMN(std::uint32_t, tid);             // Host thread of the launch.
  NPUPROF_COLUMN(RowOf<Kernels>, kernel);         // kNone = not a compute operator.
  NPUPROF_COLUMN(std::uint32_t, copy_direction);  // Copies only, else kNone.
  NPUPROF_COLUMN(std::uint64_t, copy_bytes);
  NPUPROF_COLUMN(Text, shown_type);  // Task type as the result files print it.
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
