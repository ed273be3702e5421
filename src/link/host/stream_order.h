#pragma once

#include <cstdint>
#include <vector>

#include "trace/host/task_tracks.h"

namespace npuprof::link {

// Sets the batch of each track from the flip records among them, or leaves the number that the
// runtime reported if `use_flips` is false. `tracks` must be in time order.
//
// Returns the rows of all tracks that are tasks (not flips or maintenance) in the order of (device,
// stream, batch, task, time), in which the device's tasks are looked up.
std::vector<std::uint32_t> order_tracks(trace::TaskTracks& tracks, bool use_flips);

}  // namespace npuprof::link
