#pragma once

// Why the device did nothing: each nanosecond of free time has one cause, and a row that proves it.
// docs/idle.md has the definitions.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// In the order of tables: what the device did, what the host did, and what nobody knows.
enum class IdleCause : std::uint8_t {
  kCopy,               // The device copied, which step times count as free.
  kStreamWait,         // The task waited for another stream.
  kRankWait,           // It waited for other ranks: a wait of a collective.
  kStartLatency,       // It was launched and had nothing to wait for.
  kLaunch,             // The launching thread was inside a call of CANN.
  kSynchronization,    // The host waited for the device.
  kQueue,              // The task was in the queue between two threads.
  kGarbageCollection,  // Of Python.
  kDataLoader,
  kMark,      // A range of the user's, such as a checkpoint.
  kOperator,  // An operator of the framework, without those it called.
  kPython,    // A Python frame outside of operators.
  kStepBoundary,
  kNothingLaunched,  // No task follows.
  kNotRecorded,
  kUnexplained,  // It was launched, waited for nothing that is known, and began far too late.
};
inline constexpr std::size_t kIdleCauseCount =
    static_cast<std::size_t>(IdleCause::kUnexplained) + 1;

std::string_view idle_cause_name(IdleCause cause);  // "queue hand-over"
// Whether the host is to blame: the task had not been launched yet.
bool is_of_host(IdleCause cause);

// The table that IdleRow::evidence_row is a row of.
enum class IdleEvidence : std::uint8_t {
  kNothing,
  kTask,
  kCollective,
  kApiCall,
  kOperator,
  kPythonCall,
  kMark,
  kGarbageCollection,
  kEnqueue,
  kStep,
};
std::string_view idle_evidence_name(IdleEvidence evidence);  // The name of the table in a Trace.

// A part of a gap that has one cause.
struct IdleRow {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t gap = 0;              // Row in OverlapIntervals: the free time it is part of.
  std::uint32_t step = trace::kNone;  // Row in Steps; kNone if the profile has none.
  std::uint16_t device = 0;
  IdleCause cause = IdleCause::kNotRecorded;
  IdleEvidence evidence = IdleEvidence::kNothing;
  bool is_guess = false;    // When the task was launched is not known for sure.
  bool is_starved = false;  // The process had less than 90 % of a core.
  std::uint32_t evidence_row = trace::kNone;
  StringId detail = kEmptyString;       // Name of the call, operator, frame, mark.
  std::uint32_t thread = trace::kNone;  // The thread that was asked, for causes of the host.
  std::uint32_t task = trace::kNone;    // The task that ends the gap.
  // kStreamWait: the last task of the stream that was waited for, if it could be found.
  std::uint32_t waited_for = trace::kNone;
  std::uint32_t op = trace::kNone;           // Row in FrameworkOps: who wanted it.
  std::uint32_t python_call = trace::kNone;  // Row in PythonCalls: innermost frame with a line.
  StringId module = kEmptyString;            // Innermost module.
};

// Rows by (device, time). For each device and step they tile what step_times() counts as free:
// without overlap, and to the nanosecond.
std::vector<IdleRow> idle_causes(const trace::Trace& trace);

}  // namespace npuprof::analyze
