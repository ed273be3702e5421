#include "answers/step_time_answer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analyze/step_time.h"
#include "answers/wording.h"
#include "base/saturated.h"

namespace npuprof::answers {
namespace {

std::int64_t total_of(const analyze::StepTime& step) {
  return saturated_sum(saturated_sum(step.computing_ns, step.not_overlapped_ns), step.free_ns);
}

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
    const std::int64_t total_ns = total_of(step);
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

// The steps of one device, added up.
struct DeviceSteps {
  std::int64_t total_ns = 0;
  std::int64_t computing_ns = 0;
  std::int64_t not_overlapped_ns = 0;
  std::int64_t free_ns = 0;
  std::vector<const analyze::StepTime*> steps;
};

std::map<std::uint16_t, DeviceSteps> steps_by_device(const std::vector<analyze::StepTime>& steps) {
  std::map<std::uint16_t, DeviceSteps> devices;
  for (const analyze::StepTime& step : steps) {
    DeviceSteps& device = devices[step.device];
    add_saturated(device.total_ns, total_of(step));
    add_saturated(device.computing_ns, step.computing_ns);
    add_saturated(device.not_overlapped_ns, step.not_overlapped_ns);
    add_saturated(device.free_ns, step.free_ns);
    device.steps.push_back(&step);
  }
  return devices;
}

// Which part takes most of it, and what to ask next.
std::string_view step_verdict(const DeviceSteps& device) {
  if (device.free_ns > device.computing_ns && device.free_ns > device.not_overlapped_ns) {
    return "mostly free: idle says why";
  }
  if (device.not_overlapped_ns > device.computing_ns) {
    return "mostly communication that nothing hides: communication says which";
  }
  return "mostly computing: op_statistic and operator_mfu say which kernels";
}

std::string device_sentence(std::uint16_t id, const DeviceSteps& device) {
  const auto share = [&](std::int64_t part_ns) {
    return share_text(static_cast<double>(part_ns) / static_cast<double>(device.total_ns));
  };
  const auto count = static_cast<std::int64_t>(device.steps.size());
  const std::string time =
      fmt::format("{} on device {}", duration_text(device.total_ns / count), id);
  std::string what = fmt::format("A step takes {}, the mean of {}", time, count);
  if (!device.steps.front()->step) {
    what = fmt::format("The profile has no steps; all of it takes {}", time);
  } else if (count == 1) {
    what = fmt::format("Step {} takes {}", *device.steps.front()->step, time);
  }
  return fmt::format("{}: {} computing, {} communication that nothing hides, {} free; {}.", what,
                     share(device.computing_ns), share(device.not_overlapped_ns),
                     share(device.free_ns), step_verdict(device));
}

// A step that takes at least half as long again as the median of three or more.
std::optional<std::string> slow_step_sentence(std::uint16_t id, const DeviceSteps& device) {
  constexpr std::size_t kFewest = 3;
  constexpr double kSlow = 1.5;
  if (device.steps.size() < kFewest) return std::nullopt;
  std::vector<const analyze::StepTime*> sorted = device.steps;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return total_of(*a) < total_of(*b); });
  const std::int64_t median_ns = total_of(*sorted[(sorted.size() - 1) / 2]);
  const analyze::StepTime& slowest = *sorted.back();
  const std::int64_t slowest_ns = total_of(slowest);
  if (!slowest.step || static_cast<double>(slowest_ns) < kSlow * static_cast<double>(median_ns)) {
    return std::nullopt;
  }
  return fmt::format("Step {} of device {} takes longest: {}, the median is {}.", *slowest.step, id,
                     duration_text(slowest_ns), duration_text(median_ns));
}

Result<Answer> answer_step_time(const Request& request) {
  const std::vector<analyze::StepTime>& steps = request.results.steps();
  if (steps.empty()) {
    return Error{ErrorCode::kNoData, "the profile has no tasks of a device"};
  }
  Answer answer;
  for (const auto& [id, device] : steps_by_device(steps)) {
    if (device.total_ns <= 0) continue;
    answer.sentences.push_back(device_sentence(id, device));
    if (auto sentence = slow_step_sentence(id, device)) {
      answer.sentences.push_back(*std::move(sentence));
    }
  }
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
