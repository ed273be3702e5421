#pragma once

// What a timeline's events become before they are joined: the tables of the trace, with the ids by
// which events refer to each other.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/string_pool.h"
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
  std::vector<std::int64_t> connection;

  static void columns(auto& self, auto&& visit) { visit("connection", self.connection); }
};

// Between the texts of TaskIds::tensors.
inline constexpr char kTextSeparator = '\x1F';

struct TaskIds {
  std::vector<std::int64_t> connection;
  std::vector<StringId> name;
  std::vector<StringId> op_type;         // Of tasks of other devices; else empty.
  std::vector<std::uint32_t> blocks;     // Likewise.
  std::vector<std::uint8_t> is_foreign;  // Of a device that is no NPU.
  // Shapes, types and formats of inputs, then those of outputs, where the timeline has them.
  std::vector<StringId> tensors;

  static void columns(auto& self, auto&& visit) {
    visit("connection", self.connection);
    visit("name", self.name);
    visit("op_type", self.op_type);
    visit("blocks", self.blocks);
    visit("is_foreign", self.is_foreign);
    visit("tensors", self.tensors);
  }
};

struct CollectiveIds {
  std::vector<std::int64_t> connection;
  std::vector<std::uint64_t> pid;  // The lane.
  std::vector<std::uint64_t> tid;

  static void columns(auto& self, auto&& visit) {
    visit("connection", self.connection);
    visit("pid", self.pid);
    visit("tid", self.tid);
  }
};

// The task that carries out a part of a collective.
struct PartIds {
  std::vector<std::uint16_t> device;
  std::vector<std::uint32_t> stream;
  std::vector<std::uint32_t> task;
  std::vector<std::uint32_t> context;
  std::vector<std::uint32_t> model_id;

  static void columns(auto& self, auto&& visit) {
    visit("device", self.device);
    visit("stream", self.stream);
    visit("task", self.task);
    visit("context", self.context);
    visit("model_id", self.model_id);
  }
};

// The slice of a mark on the device.
struct DeviceMarkIds {
  std::vector<StringId> name;

  static void columns(auto& self, auto&& visit) { visit("name", self.name); }
};

enum class ArrowKind : std::uint8_t { kOperatorToTask, kForwardToBackward };

// Ends of arrows.
struct Arrows {
  std::vector<std::uint8_t> kind;
  std::vector<std::uint8_t> is_end;
  std::vector<std::uint64_t> id;
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint64_t> pid;
  std::vector<std::uint64_t> tid;

  std::size_t size() const { return kind.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("kind", self.kind);
    visit("is_end", self.is_end);
    visit("id", self.id);
    visit("time_ns", self.time_ns);
    visit("pid", self.pid);
    visit("tid", self.tid);
  }
};

// Where arrows from calls to tasks begin.
struct LaunchPoints {
  std::vector<std::int64_t> connection;  // Of the task.
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint32_t> tid;

  std::size_t size() const { return connection.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("connection", self.connection);
    visit("time_ns", self.time_ns);
    visit("tid", self.tid);
  }
};

// One counter of device memory, which comes in two halves.
struct MemoryHalves {
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;
  std::vector<std::uint8_t> event;  // 0 process, 1 device.
  std::vector<std::uint8_t> is_hbm;
  std::vector<std::uint64_t> bytes;

  std::size_t size() const { return time_ns.size(); }

  static void columns(auto& self, auto&& visit) {
    visit("time_ns", self.time_ns);
    visit("device", self.device);
    visit("event", self.event);
    visit("is_hbm", self.is_hbm);
    visit("bytes", self.bytes);
  }
};

struct TimelineRows {
  StringPool strings;
  trace::FrameworkOps ops;
  trace::QueueRanges enqueues;
  trace::QueueRanges dequeues;
  trace::PythonCalls python_calls;
  trace::GarbageCollections garbage_collections;
  trace::ApiCalls calls;
  CallIds call_ids;
  trace::Tasks tasks;
  TaskIds task_ids;
  trace::CollectiveOps collectives;
  CollectiveIds collective_ids;
  trace::CollectiveTasks parts;
  PartIds part_ids;
  trace::OverlapIntervals overlap;
  trace::Iterations iterations;
  trace::IterationRanges iteration_ranges;
  trace::Marks marks;
  trace::DeviceMarks device_marks;
  DeviceMarkIds device_mark_ids;
  trace::OsCalls os_calls;
  trace::Frequencies frequencies;
  MemoryHalves memory;
  Arrows arrows;
  Arrows mark_arrows;  // From marks of the host to those of the device; of one kind.
  LaunchPoints launch_points;
  std::uint64_t unusable_events = 0;
  std::uint64_t far_events = 0;  // In time from all others.
  std::uint64_t odd_values = 0;  // Of events that are used.
  // Events that no table is for, by layer, category or phase.
  std::map<std::string, std::uint64_t, std::less<>> passed_over;

  static void tables(auto& self, auto& other, auto&& visit) {
    visit(self.ops, other.ops);
    visit(self.enqueues, other.enqueues);
    visit(self.dequeues, other.dequeues);
    visit(self.python_calls, other.python_calls);
    visit(self.garbage_collections, other.garbage_collections);
    visit(self.calls, other.calls);
    visit(self.call_ids, other.call_ids);
    visit(self.tasks, other.tasks);
    visit(self.task_ids, other.task_ids);
    visit(self.collectives, other.collectives);
    visit(self.collective_ids, other.collective_ids);
    visit(self.parts, other.parts);
    visit(self.part_ids, other.part_ids);
    visit(self.overlap, other.overlap);
    visit(self.iterations, other.iterations);
    visit(self.iteration_ranges, other.iteration_ranges);
    visit(self.marks, other.marks);
    visit(self.device_marks, other.device_marks);
    visit(self.device_mark_ids, other.device_mark_ids);
    visit(self.os_calls, other.os_calls);
    visit(self.frequencies, other.frequencies);
    visit(self.memory, other.memory);
    visit(self.arrows, other.arrows);
    visit(self.mark_arrows, other.mark_arrows);
    visit(self.launch_points, other.launch_points);
  }

  bool empty() const;
  // Appends all rows of `part`, its strings translated.
  void append(TimelineRows&& part);
};

}  // namespace npuprof::load
