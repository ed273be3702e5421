#pragma once

// The layers of a timeline that come from CANN: host calls, device tasks, collectives, overlap,
// marks.

#include "report/timeline/context.h"

namespace npuprof::report {

inline constexpr Layer kMarkLayer{"", 6, true};  // Named after the program.
inline constexpr Layer kCannLayer{layer::kCann, 7, true};
inline constexpr Layer kHardwareLayer{layer::kHardware, 14, false};
inline constexpr Layer kCommunicationLayer{layer::kCommunication, 16, false};
inline constexpr Layer kOverlapLayer{layer::kOverlap, 31, false};

// Connection ids are the row numbers of calls from 1 on.
constexpr std::uint64_t connection_id(std::uint32_t api) {
  return api == trace::kNone ? std::uint64_t{trace::kNone} : std::uint64_t{api} + 1;
}

// An arrow from a call to the first task it led to, and one to its collective.
constexpr std::uint64_t task_arrow_id(std::uint32_t api) { return connection_id(api) << 32; }
constexpr std::uint64_t collective_arrow_id(std::uint32_t api) { return task_arrow_id(api) + 1; }

// Arrows from marks on the host to what the device saw of them: far above connection ids.
constexpr std::uint64_t mark_arrow_id(std::uint64_t mark_id) { return mark_id + 4000000001; }

// Arrows from the end of an iteration to the next one's first computation.
constexpr std::uint64_t data_wait_arrow_id(std::size_t iteration) {
  return (std::uint64_t{1} << 49) + iteration;
}

// Tasks and marks of a device, a lane for each stream.
template <typename Sink>
void write_hardware_layer(const TimelineContext& context, std::uint16_t device, Sink& sink);

// Iterations of graphs, in lanes of the hardware layer: one for each model.
template <typename Sink>
void write_step_trace_layer(const TimelineContext& context, std::uint16_t device, Sink& sink);

// Calls of the libraries of CANN.
template <typename Sink>
void write_call_layer(const TimelineContext& context, Sink& sink);

// mstx and msproftx: ranges under the program's name.
template <typename Sink>
void write_mark_layer(const TimelineContext& context, Sink& sink);

// Collectives of a device: each group has a lane for its operators and one for each plane.
template <typename Sink>
void write_communication_layer(const TimelineContext& context, std::uint16_t device, Sink& sink);

// When a device computed, communicated, or did neither.
template <typename Sink>
void write_overlap_layer(const TimelineContext& context, std::uint16_t device, Sink& sink);

}  // namespace npuprof::report
