#include "answers/step_time_answer.h"

#include <fmt/format.h>

#include "analyze/step_time.h"

namespace npuprof::answers {
namespace {

// Steps without a number: the profile has none, all of it is one row.
Table step_table(const std::vector<analyze::StepTime>& steps) {
  Table table("step_time", "Time of each step on the device");
  table.usual_rows = 50;
  table.integer("device", "Device");
  table.integer("step", "Step");
  table.duration("total", "Total");
  table.duration("computing", "Computing");
  table.duration("communication", "Communication");
  table.duration("not_overlapped", "Not overlapped");
  table.duration("free", "Free");
  table.duration("bubble", "Bubble");
  table.duration("preparing", "Preparing");
  table.share("computing_share", "Computing");
  table.share("not_overlapped_share", "Not overlapped");
  table.share("free_share", "Free");
  for (const analyze::StepTime& step : steps) {
    const std::int64_t total_ns = step.computing_ns + step.not_overlapped_ns + step.free_ns;
    const auto share = [&](std::int64_t part_ns) {
      return total_ns > 0
                 ? std::optional(static_cast<double>(part_ns) / static_cast<double>(total_ns))
                 : std::nullopt;
    };
    table.row(step.device, step.step, total_ns, step.computing_ns, step.communication_ns,
              step.not_overlapped_ns, step.free_ns, step.bubble_ns, step.preparing_ns,
              share(step.computing_ns), share(step.not_overlapped_ns), share(step.free_ns));
  }
  return table;
}

Result<Answer> answer_step_time(const Request& request) {
  const std::vector<analyze::StepTime>& steps = request.results.steps();
  if (steps.empty()) {
    return Error{ErrorCode::kNoData, "the profile has no tasks of a device"};
  }
  Answer answer;
  answer.tables.push_back(step_table(steps));
  return answer;
}

}  // namespace

const Mode kStepTimeMode = {
    .name = "step_time",
    .question = "How long does each step take, and is it computing, communication or waiting?",
    .explains =
        "Total = computing + communication that nothing hides + free. Free is when the "
        "device does nothing: `idle` says why.",
    .needs = "tasks of a device; steps for a row a step",
    .collect = "profile with ProfilerActivity.NPU and call step() in the loop",
    .reads = {trace::Part::kDetails, trace::Part::kOverlap},
    .options = {},
    .answer = answer_step_time,
};

}  // namespace npuprof::answers
