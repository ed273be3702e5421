#pragma once

// The calls of each host thread as a tree: a call that lies inside another one, in time, is its
// child. Nothing else in the raw data says which call made which.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "link/host/thread_rows.h"
#include "trace/host/api_calls.h"

namespace npuprof::link {

// Positions in the forest and in its level lists; trace::kNone = none.
struct CallForest {
  // By position: the calls of one thread after those of another, each thread's by begin.
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> call;    // Row in ApiCalls.
  std::vector<std::uint32_t> parent;  // Position of the enclosing call.
  // The nearest call of a level at or above this one, as an index into the list of that level.
  std::vector<std::uint32_t> model;
  std::vector<std::uint32_t> node;
  std::vector<std::uint32_t> collective;

  // Level lists: positions by thread and begin.
  std::vector<std::uint32_t> models;
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> collectives;

  std::vector<std::size_t>
      thread_begin;  // Positions of thread i begin here; one more than threads.

  std::size_t size() const { return call.size(); }
};

// `calls` must be sorted by start, then level from high to low, then end from high to low. Only
// ACL, model, node and collective calls take part: runtime calls would hide the operator from the
// tasks they put on streams. Of ACL, model and collective calls the outermost counts.
CallForest build_call_forest(const trace::ApiCalls& calls, const ThreadRows& rows,
                             std::size_t thread_count);

// Finds the innermost call around points in time of one thread, asked in ascending order.
class InnermostCall {
 public:
  InnermostCall(const CallForest& forest, std::size_t thread)
      : forest_(forest),
        next_(forest.thread_begin[thread]),
        end_(forest.thread_begin[thread + 1]) {}

  // The position of the innermost call with start < time <= end: records are stamped a tick after
  // the begin of their call at the earliest, and with its end at the latest.
  std::uint32_t at(std::int64_t time_ns);

 private:
  const CallForest& forest_;
  std::size_t next_;  // First call that has not begun yet.
  std::size_t end_;
  std::uint32_t current_ = trace::kNone;
};

}  // namespace npuprof::link
