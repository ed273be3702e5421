#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "sim/model/chip.h"

namespace npuprof::sim {

using StreamNumber = std::uint16_t;

struct StreamState {
  StreamNumber id = 0;
  bool open = false;
  std::uint16_t flips = 0;
  std::uint32_t next_task = 0;
  std::int64_t free_ns = 0;  // When the last task put on it ends.
};

// The streams of a device. Ids are small numbers that device records store in 11 bits; the id of a
// destroyed stream is used again.
class StreamTable {
 public:
  // Task ids count per stream from `first_task`, in 16 bits; on chip 15 per device, in 32 bits.
  StreamTable(const ChipSpec& chip, std::uint16_t first_task)
      : wide_ids_(chip.is_v6()), first_task_(first_task), next_wide_id_(first_task) {}

  Result<StreamNumber> create();
  void destroy(StreamNumber stream);

  // The state of an open stream; an unknown id stands for stream 0, which is made when needed.
  StreamState& at(StreamNumber stream);
  bool is_open(StreamNumber stream) const {
    return stream < streams_.size() && streams_[stream].open;
  }
  // Ids of all streams, open or not, are below this.
  StreamNumber end_id() const { return static_cast<StreamNumber>(streams_.size()); }
  std::int64_t latest_free_ns() const;

  // The largest task id before the wrap.
  static constexpr std::uint32_t kLastTask = 65534;
  bool has_wide_ids() const { return wide_ids_; }
  // True if the next task needs a flip first.
  bool must_flip(const StreamState& stream) const {
    return !wide_ids_ && stream.next_task > kLastTask;
  }
  // The wrap: the flip itself takes task id 0.
  void flip(StreamState& stream) {
    ++stream.flips;
    stream.next_task = 1;
  }
  // Makes sure that the next `count` tasks are numbered without a flip in between: they belong to
  // one call and share its time. Ids at the end of the range stay unused then.
  void keep_together(StreamState& stream, std::uint64_t count) const {
    if (!wide_ids_ && stream.next_task + count > kLastTask + 1) stream.next_task = kLastTask + 1;
  }
  std::uint32_t take_task(StreamState& stream) {
    return wide_ids_ ? next_wide_id_++ : stream.next_task++;
  }

 private:
  StreamState& open(StreamNumber stream);

  bool wide_ids_;
  std::uint16_t first_task_;
  std::uint32_t next_wide_id_;
  std::vector<StreamState> streams_;
};

}  // namespace npuprof::sim
