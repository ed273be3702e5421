#include "serve/slice_json.h"

namespace npuprof::serve {

void write_slice(const LaneIndex& index, SliceId id, JsonWriter& json) {
  const report::Lane& lane = index.lanes()[id.lane];
  const std::uint32_t name = lane.name_number[id.slice];
  json.member("lane", id.lane).member("event", id.slice).member("row", lane.row_of(id.slice));
  json.member("name_id", name).member("name", index.name(name));
  json.member("category", palette_key(index.palette_of(name)));
  json.member("begin", index.from_zero(lane.start_ns[id.slice]));
  json.member("end", index.from_zero(lane.end_ns(id.slice)));
  json.member("duration", lane.duration(id.slice));
}

void write_slice_object(const LaneIndex& index, std::optional<SliceId> id, JsonWriter& json) {
  if (!id) {
    json.null();
    return;
  }
  json.begin_object();
  write_slice(index, *id, json);
  json.end_object();
}

}  // namespace npuprof::serve
