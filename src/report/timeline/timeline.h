#pragma once

// The words in which layers describe a timeline. A layer describes its events once, to any sink: a
// class with the functions below (sinks.h lists those that there are). Layers
// are templates over the sink, so there is no virtual call for each event.
//
//   sink.layer(layer, pid, device)          a process: name, label, place
//   sink.lane(pid, tid, name, sort_index)   a thread of it
//   sink.slices(count, place, describe)     one slice for each row below `count`:
//       SlicePlace place(row)               where it is
//       describe(event, row)                first event.name(), then event.category(), then
//                                           event.argument(), then arrows that begin or end at it
//   sink.counter(pid, name, series)         returns the number of a counter
//   sink.samples(count, sample)             CounterSample sample(row) for each row
//
// `place`, `describe` and `sample` are called from several threads, more than once and in any
// order, and `describe` until the sink is closed: they own what they need (captured by value) or
// refer to what lives longer than the sink, as TimelineContext does.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/results/timeline_names.h"
#include "trace/table.h"

namespace npuprof::report {

namespace argument = format::results::argument;
namespace category = format::results::category;
namespace layer = format::results::layer;

// A process of the timeline. Readers find layers by name; the index is where they are shown.
struct Layer {
  std::string_view name;
  std::uint32_t sort_index;
  bool is_host;  // Shown under the label CPU, otherwise under "<unit> <device>".
  std::string_view unit = "NPU";
};

inline std::string layer_label(const Layer& layer, std::uint32_t device) {
  return layer.is_host ? std::string(layer::kHostLabel)
                       : std::string(layer.unit) + " " + std::to_string(device);
}

// The device number in the pid of host layers.
inline constexpr std::uint32_t kHostDevice = 31;

// The vendor's number for a layer of a process: Perfetto keeps 32 bits of it, enough for OS pids
// below 2^22. Indexes above 31 run into the bits of the pid.
constexpr std::uint64_t layer_pid(std::uint32_t os_pid, std::uint32_t sort_index,
                                  std::uint32_t device) {
  return (std::uint64_t{os_pid} << 10) | (std::uint64_t{sort_index} << 5) | device;
}

// Where a slice is: its lane and its time.
struct SlicePlace {
  std::uint64_t pid = 0;
  std::uint64_t tid = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  bool is_shown = true;
};
inline constexpr SlicePlace kNotShown{.is_shown = false};

// Values of all series of one counter at one time; NaN where a series has none then.
struct CounterSample {
  static constexpr std::size_t kMaxSeries = 8;
  std::uint32_t counter = trace::kNone;  // kNone = this row is not shown.
  std::int64_t time_ns = 0;
  std::array<double, kMaxSeries> values{};
};

// Arrows between slices. The two ends have the same kind and id.
enum class ArrowKind : std::uint8_t {
  kLaunch,
  kQueue,
  kBackward,
  kOperator,
  kMark,
  kDataWait,
  kMindSporeLaunch,
  kMindSporeFlow,
  kMindSporeMark,
};

struct ArrowStyle {
  std::string_view name;
  std::string_view category;
  bool name_has_id;          // The name ends with the id.
  bool id_is_text;           // Ids of more than 53 bits must not be read as numbers by JavaScript.
  bool start_binds = false;  // Frameworks write "bp":"e" at both ends.
};

constexpr ArrowStyle arrow_style(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::kLaunch:
      return {category::kLaunch, category::kLaunch, true, true};
    case ArrowKind::kQueue:
      return {"enqueue_to_dequeue", category::kQueueArrow, false, false, true};
    case ArrowKind::kBackward:
      return {category::kBackwardArrow, category::kBackwardArrow, false, false, true};
    case ArrowKind::kOperator:
      return {"torch_to_npu", category::kOperatorArrow, false, false, true};
    case ArrowKind::kMark:
      return {"MsTx_", category::kMarkArrow, true, true};
    case ArrowKind::kDataWait:
      return {category::kDataWait, category::kDataWait, false, true};
    case ArrowKind::kMindSporeLaunch:
      return {"mindspore_to_npu", category::kOperatorArrow, false, false, true};
    case ArrowKind::kMindSporeFlow:
      return {"mindspore_to_self", category::kMindSporeFlow, false, false, true};
    case ArrowKind::kMindSporeMark:
      return {category::kMindSporeMarkName, category::kMarkArrow, false, false, true};
  }
  return {};
}

}  // namespace npuprof::report
