#include "sim/npu/stream_table.h"

#include <fmt/format.h>

#include "format/device/task_identity.h"

namespace npuprof::sim {

StreamState& StreamTable::open(StreamNumber stream) {
  if (streams_.size() <= stream) streams_.resize(stream + std::size_t{1});
  StreamState& state = streams_[stream];
  state.id = stream;
  state.open = true;
  state.flips = 0;
  state.next_task = first_task_;
  return state;
}

Result<StreamNumber> StreamTable::create() {
  // Stream 0 is the default stream.
  for (StreamNumber stream = 1; stream < format::device::kStreamLimit; ++stream) {
    if (is_open(stream)) continue;
    open(stream);
    return stream;
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("a device has at most {} streams", format::device::kStreamLimit - 1)};
}

void StreamTable::destroy(StreamNumber stream) {
  if (is_open(stream)) streams_[stream].open = false;
}

StreamState& StreamTable::at(StreamNumber stream) {
  if (is_open(stream)) return streams_[stream];
  return is_open(0) ? streams_[0] : open(0);
}

std::int64_t StreamTable::latest_free_ns() const {
  std::int64_t latest_ns = 0;
  for (const StreamState& stream : streams_) latest_ns = std::max(latest_ns, stream.free_ns);
  return latest_ns;
}

}  // namespace npuprof::sim
