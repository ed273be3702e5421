#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

// Marks of the user (mstx) and of the framework.
class NpuMarks {
 public:
  static constexpr std::int64_t kMarkNs = 400;  // Host time of a user's mark.

  NpuMarks(NpuState& npu, TaskIssuer& issuer) : npu_(npu), issuer_(issuer) {}

  // With a stream they also appear on the device. Return the mark's id, 0 if marks are not
  // collected.
  std::uint64_t mark(std::uint32_t thread, std::string_view message, std::string_view domain,
                     std::int64_t begin_ns, std::optional<StreamNumber> stream = std::nullopt);
  std::uint64_t range_start(std::uint32_t thread, std::string_view message, std::string_view domain,
                            std::int64_t begin_ns,
                            std::optional<StreamNumber> stream = std::nullopt);
  void range_end(std::uint32_t thread, std::uint64_t id, std::int64_t begin_ns);
  // Only the task on the stream, of a mark whose id and record are somebody else's business.
  void mark_stream(std::uint32_t thread, StreamNumber stream, std::uint64_t id,
                   std::int64_t begin_ns);

  // Begin or end of a training step, marked by the framework on a stream.
  std::int64_t step(std::uint32_t thread, StreamNumber stream, std::uint64_t step, bool is_begin,
                    std::int64_t begin_ns);

 private:
  struct OpenRange {
    std::string message;
    std::uint64_t domain = 0;
    std::int64_t begin_ns = 0;
    std::optional<StreamNumber> stream;
  };

  void trace_on_stream(std::uint32_t thread, StreamNumber stream, std::uint64_t index,
                       std::uint16_t tag, std::int64_t time_ns);
  void report(std::uint32_t thread, std::uint64_t id, std::uint32_t event_type,
              std::string_view message, std::uint64_t domain, std::int64_t begin_ns,
              std::int64_t end_ns);

  NpuState& npu_;
  TaskIssuer& issuer_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, OpenRange> open_ranges_;
};

}  // namespace npuprof::sim
