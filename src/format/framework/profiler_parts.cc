#include "format/framework/profiler_parts.h"

#include <utility>

namespace npuprof::format::framework::internal {

ProfilerSchedule read_schedule(Json object) {
  ProfilerSchedule schedule;
  schedule.is_function = object.empty();
  ObjectReader reader(std::move(object));
  reader.take("wait", schedule.wait);
  reader.take("active", schedule.active);
  reader.take("warmup", schedule.warmup);
  reader.take("repeat", schedule.repeat);
  reader.take("skip_first", schedule.skip_first);
  reader.take("skip_first_wait", schedule.skip_first_wait);
  schedule.extra = reader.rest();
  return schedule;
}

Json write_schedule(const std::optional<ProfilerSchedule>& schedule) {
  if (!schedule) return nullptr;
  Json object = Json::object();
  if (schedule->is_function) return object;
  object["wait"] = schedule->wait;
  object["active"] = schedule->active;
  object["warmup"] = schedule->warmup;
  object["repeat"] = schedule->repeat;
  object["skip_first"] = schedule->skip_first;
  if (schedule->skip_first_wait) object["skip_first_wait"] = *schedule->skip_first_wait;
  put_extra(object, schedule->extra);
  return object;
}

ProfilerInfo::Recorder read_recorder(Json object) {
  ProfilerInfo::Recorder recorder;
  ObjectReader reader(std::move(object));
  reader.take("complete", recorder.complete);
  reader.take("process", recorder.process);
  reader.take("clock", recorder.clock);
  reader.take("events", recorder.events);
  reader.take("dropped_events", recorder.dropped_events);
  reader.take("dropped_details", recorder.dropped_details);
  reader.take("too_deep_events", recorder.too_deep_events);
  reader.take("lost_events", recorder.lost_events);
  reader.take("threads", recorder.threads);
  reader.take("failure", recorder.failure);
  recorder.extra = reader.rest();
  return recorder;
}

Json write_recorder(const ProfilerInfo::Recorder& recorder) {
  Json object = Json::object();
  object["complete"] = recorder.complete;
  object["process"] = recorder.process;
  object["clock"] = recorder.clock;
  object["events"] = recorder.events;
  object["dropped_events"] = recorder.dropped_events;
  object["dropped_details"] = recorder.dropped_details;
  object["too_deep_events"] = recorder.too_deep_events;
  object["lost_events"] = recorder.lost_events;
  object["threads"] = recorder.threads;
  if (!recorder.failure.empty()) object["failure"] = recorder.failure;
  put_extra(object, recorder.extra);
  return object;
}

}  // namespace npuprof::format::framework::internal
