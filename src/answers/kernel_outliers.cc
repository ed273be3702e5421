#include "answers/kernel_outliers.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyze/step_finder.h"
#include "answers/wording.h"
#include "trace/framework/steps.h"

namespace npuprof::answers {
namespace {

double times_the_median(const analyze::DurationSummary& times) {
  return static_cast<double>(times.max_ns) / static_cast<double>(times.median_ns);
}

}  // namespace

std::string kernel_group_text(const trace::Trace& trace, const analyze::KernelGroup& group) {
  const StringId id = group.name == kEmptyString ? group.type : group.name;
  const std::string_view shapes = trace.strings.view(group.input_shapes);
  std::string text(trace.strings.view(id));
  if (!shapes.empty()) text += fmt::format(" [{}]", shapes);
  return text;
}

std::string largest_kernel_sentence(const trace::Trace& trace,
                                    const std::vector<analyze::KernelGroup>& groups) {
  if (groups.empty()) return "There are no kernels.";
  const auto largest = std::max_element(
      groups.begin(), groups.end(),
      [](const auto& a, const auto& b) { return a.times.total_ns < b.times.total_ns; });
  return fmt::format("{} takes {} of the time of all kernels on device {} ({} in {}).",
                     short_text(kernel_group_text(trace, *largest)), share_text(largest->share),
                     largest->device, duration_text(largest->times.total_ns),
                     count_text(largest->times.count, "call"));
}

std::vector<const analyze::KernelGroup*> kernel_outliers(
    const std::vector<analyze::KernelGroup>& groups) {
  std::vector<const analyze::KernelGroup*> outliers;
  for (const analyze::KernelGroup& group : groups) {
    if (analyze::has_outlier(group.times)) outliers.push_back(&group);
  }
  // Times of damaged records can be anything, but has_outlier wants a positive median: no overflow.
  const auto above_ns = [](const analyze::KernelGroup* group) {
    return group->times.max_ns - group->times.median_ns;
  };
  std::stable_sort(outliers.begin(), outliers.end(),
                   [&](const auto* a, const auto* b) { return above_ns(a) > above_ns(b); });
  return outliers;
}

std::optional<std::string> outlier_sentence(
    const trace::Trace& trace, const std::vector<const analyze::KernelGroup*>& outliers) {
  if (outliers.empty()) return std::nullopt;
  const analyze::KernelGroup& worst = *outliers.front();
  std::string text =
      fmt::format("The slowest call of {} takes {}, {:.1f} times its median of {}",
                  short_text(kernel_group_text(trace, worst)), duration_text(worst.times.max_ns),
                  times_the_median(worst.times), duration_text(worst.times.median_ns));
  if (outliers.size() > 1) {
    text += fmt::format("; {} more {} a call beyond 3 times the median", outliers.size() - 1,
                        outliers.size() == 2 ? "has" : "have");
  }
  if (worst.input_shapes == kEmptyString) text += " (shapes are not known and may differ)";
  return text + ".";
}

Table outlier_table(const trace::Trace& trace, const analyze::OperatorRows& rows,
                    const std::vector<const analyze::KernelGroup*>& outliers) {
  Table table("kernel_outliers", "Kernels whose slowest call is beyond 3 times their median");
  table.usual_rows = 10;
  table.integer("device", "Device");
  table.text("name", "Kernel");
  table.text("type", "Type");
  table.integer("count", "Count");
  table.duration("median", "Median");
  table.duration("slowest", "Slowest");
  table.real("times_median", "Times the median");
  table.integer("step", "Step of the slowest");
  table.moment("start", "Start of the slowest");
  const analyze::StepFinder steps(trace.steps(), analyze::StepFinder::End::kIncluded);
  for (const analyze::KernelGroup* group : outliers) {
    const std::int64_t start_ns = rows.start_ns[group->times.longest];
    const std::uint32_t step = steps.find(start_ns);
    table.row(group->device, kernel_group_text(trace, *group), trace.strings.view(group->type),
              group->times.count, group->times.median_ns, group->times.max_ns,
              times_the_median(group->times));
    table.row(step == trace::kNone ? std::nullopt : std::optional(trace.steps().id[step]),
              start_ns);
  }
  return table;
}

}  // namespace npuprof::answers
