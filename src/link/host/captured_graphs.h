#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"
#include "trace/task_id.h"

namespace npuprof::link {

// Which model a stream was captured into at a point in time. A stream number is used again once its
// graph is destroyed, so a stream has one range of time per graph.
class CapturedModels {
 public:
  explicit CapturedModels(const trace::CapturedStreams& streams);

  // trace::kNone if the stream was not captured then.
  std::uint32_t find(std::uint16_t device, std::uint16_t stream, std::int64_t time_ns) const;

 private:
  struct Range {
    std::uint32_t stream_key;
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::uint32_t model_id;
  };
  std::vector<Range> ranges_;  // By stream and begin.
};

// Operator descriptions of captured tasks. If one comes twice the last counts.
class CapturedOpIndex {
 public:
  explicit CapturedOpIndex(const trace::CapturedOps& ops);

  // The row in CapturedOps, trace::kNone if there is none.
  std::uint32_t find(std::uint16_t device, const trace::TaskId& task) const;

 private:
  struct Entry {
    trace::DeviceTask task;
    std::uint32_t row;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries_;  // In order.
};

}  // namespace npuprof::link
