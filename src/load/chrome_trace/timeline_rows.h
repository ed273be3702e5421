#pragma once

// What a timeline's events become before they are joined: the tables of the trace, with the ids by
// which events refer to each other.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/string_pool.h"
#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::load {

inline constexpr std::int64_t kNoConnection = -1;

// Ranges that overlap others of their thread are on lanes with higher bits.
constexpr std::uint32_t thread_of_mark(std::uint64_t lane) {
  constexpr std::uint64_t kThreadIds = std::uint64_t{1} << 22;  // The system's limit.
  return static_cast<std::uint32_t>(lane % kThreadIds);
}

// Mixes what identifies a row into one number; rows found by it are compared in full.
constexpr std::int64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t hash = a * 0x9E3779B97F4A7C15 ^ b;
  hash = (hash ^ hash >> 29) * 0xC2B2AE3D27D4EB4F ^ c;
  return static_cast<std::int64_t>(hash ^ hash >> 31);
}

// Ids of rows of ApiCalls: connections, or correlations of other devices.
struct CallIds {
  NPUPROF_TABLE(CallIds);
  NPUPROF_COLUMN(std::int64_t, connection);
  NPUPROF_TABLE_END();
};

// Between the texts of TaskIds::tensors.
inline constexpr char kTextSeparator = '\x1F';

struct TaskIds {
  NPUPROF_TABLE(TaskIds);
  NPUPROF_COLUMN(std::int64_t, connection);
  NPUPROF_COLUMN(trace::Text, name);
  NPUPROF_COLUMN(trace::Text, op_type);      // Of tasks of other devices; else empty.
  NPUPROF_COLUMN(std::uint32_t, blocks);     // Likewise.
  NPUPROF_COLUMN(std::uint8_t, is_foreign);  // Of a device that is no NPU.
  // Shapes, types and formats of inputs, then those of outputs, where the timeline has them.
  NPUPROF_COLUMN(trace::Text, tensors);
  NPUPROF_TABLE_END();
};

struct CollectiveIds {
  NPUPROF_TABLE(CollectiveIds);
  NPUPROF_COLUMN(std::int64_t, connection);
  NPUPROF_COLUMN(std::uint64_t, pid);  // The lane.
  NPUPROF_COLUMN(std::uint64_t, tid);
  NPUPROF_TABLE_END();
};

// The task that carries out a part of a collective.
struct PartIds {
  NPUPROF_TABLE(PartIds);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint32_t, stream);
  NPUPROF_COLUMN(std::uint32_t, task);
  NPUPROF_COLUMN(std::uint32_t, context);
  NPUPROF_COLUMN(std::uint32_t, model_id);
  NPUPROF_TABLE_END();
};

// The slice of a mark on the device.
struct DeviceMarkIds {
  NPUPROF_TABLE(DeviceMarkIds);
  NPUPROF_COLUMN(trace::Text, name);
  NPUPROF_TABLE_END();
};

enum class ArrowMeaning : std::uint8_t { kOperatorToTask, kForwardToBackward, kFlow, kCount };

// Ends of arrows.
struct Arrows {
  NPUPROF_TABLE(Arrows);
  NPUPROF_COLUMN(std::uint8_t, kind);
  NPUPROF_COLUMN(std::uint8_t, is_end);
  NPUPROF_COLUMN(std::uint64_t, id);
  NPUPROF_COLUMN(trace::Time, time_ns);
  NPUPROF_COLUMN(std::uint64_t, pid);
  NPUPROF_COLUMN(std::uint64_t, tid);
  NPUPROF_TABLE_END();
};

// Where arrows from calls to tasks begin.
struct LaunchPoints {
  NPUPROF_TABLE(LaunchPoints);
  NPUPROF_COLUMN(std::int64_t, connection);  // Of the task.
  NPUPROF_COLUMN(trace::Time, time_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_TABLE_END();
};

// One counter of device memory, which comes in two halves.
struct MemoryHalves {
  NPUPROF_TABLE(MemoryHalves);
  NPUPROF_COLUMN(trace::Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, event);  // 0 process, 1 device.
  NPUPROF_COLUMN(std::uint8_t, is_hbm);
  NPUPROF_COLUMN(std::uint64_t, bytes);
  NPUPROF_TABLE_END();
};

struct TimelineRows {
  trace::Trace tables;
  CallIds call_ids;
  TaskIds task_ids;
  CollectiveIds collective_ids;
  PartIds part_ids;  // Of CollectiveTasks.
  DeviceMarkIds device_mark_ids;
  MemoryHalves memory;
  Arrows arrows;
  Arrows mark_arrows;  // From marks of the host to those of the device; of one kind.
  LaunchPoints launch_points;
  std::uint64_t unusable_events = 0;
  std::uint64_t far_events = 0;  // In time from all others.
  std::uint64_t odd_values = 0;  // Of events that are used.
  // Events that no table is for, by layer, category or phase.
  std::map<std::string, std::uint64_t, std::less<>> passed_over;

  bool empty() const;
  // Appends all rows of `part`, its strings translated.
  void append(TimelineRows&& part);

 private:
  // The tables that only timelines have.
  static void for_each_own_table(const auto& visit, auto&... rows) {
    visit(rows.call_ids...);
    visit(rows.task_ids...);
    visit(rows.collective_ids...);
    visit(rows.part_ids...);
    visit(rows.device_mark_ids...);
    visit(rows.memory...);
    visit(rows.arrows...);
    visit(rows.mark_arrows...);
    visit(rows.launch_points...);
  }
};

}  // namespace npuprof::load
