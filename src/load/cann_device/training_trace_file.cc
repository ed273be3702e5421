#include "load/cann_device/training_trace_file.h"

#include <cstdint>

#include "format/device/training_trace.h"
#include "format/device/ts_track.h"
#include "trace/device/step_marks.h"

namespace npuprof::load {
namespace {

using format::device::StepTag;
using format::device::TrainingTrace;

std::uint16_t step_tag_of(const TrainingTrace& record) {
  switch (record.tag.get()) {
    case TrainingTrace::kForwardStart:
      return StepTag::kForwardStart;
    case TrainingTrace::kBackwardEnd:
      return StepTag::kBackwardEnd;
    case TrainingTrace::kStepEnd:
      return StepTag::kIterationEnd;
    default:
      return static_cast<std::uint16_t>(StepTag::kReduceFirst + record.tag.get() -
                                        TrainingTrace::kFirstCollective);
  }
}

}  // namespace

void load_training_trace(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  std::uint64_t step = 1;
  trace::StepMarks& marks = out.tables.step_marks();
  const auto add = [&](const TrainingTrace& record, std::uint16_t tag) {
    marks.time_ns.push_back(config.clock.from_syscnt(record.syscnt));
    marks.device.push_back(config.info.id);
    marks.index.push_back(step);
    marks.model_id.push_back(0);
    marks.stream.push_back(record.stream);
    marks.task.push_back(record.task);
    marks.tag.push_back(tag);
  };
  bool is_first = true;
  files.open("training_trace", out.losses)
      .for_each_record<TrainingTrace>(out.losses, [&](const TrainingTrace& record) {
        // Later steps begin where those before them end.
        if (is_first) add(record, StepTag::kModelStart);
        is_first = false;
        if (!record.is_job()) add(record, step_tag_of(record));
        if (record.tag == TrainingTrace::kStepEnd) ++step;
        return true;
      });
}

}  // namespace npuprof::load
