#pragma once

#include <cstdint>
#include <optional>

#include "base/json_writer.h"
#include "serve/lane_index.h"

namespace npuprof::serve {

// Members of an object that has been begun: lane, event, row, name, category, begin, end, duration.
void write_slice(const LaneIndex& index, SliceId id, JsonWriter& json);
// The same as an object, or null.
void write_slice_object(const LaneIndex& index, std::optional<SliceId> id, JsonWriter& json);

}  // namespace npuprof::serve
