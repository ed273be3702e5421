#pragma once

#include <cstdint>
#include <vector>

#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"

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

// Operator descriptions of captured tasks by (device, stream, task). If one comes twice the last
// counts.
class CapturedOpIndex {
 public:
  explicit CapturedOpIndex(const trace::CapturedOps& ops);

  // The row in CapturedOps, trace::kNone if there is none.
  std::uint32_t find(std::uint32_t device, std::uint32_t stream, std::uint32_t task) const;

 private:
  struct Entry {
    std::uint32_t device;
    std::uint32_t stream;
    std::uint32_t task;
    std::uint32_t row;
  };
  std::vector<Entry> entries_;  // By key.
};

}  // namespace npuprof::link
