#include "answers/compare_answer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analyze/profile_difference.h"
#include "answers/difference_text.h"
#include "base/count_text.h"

namespace npuprof::answers {
namespace {

using analyze::PartDifference;
using analyze::ProfileDifference;
using analyze::ProfileParts;
using analyze::Verdict;

constexpr std::size_t kReasonsInCell = 3;
constexpr std::size_t kPartsInSentences = 3;
constexpr double kShareInSentences = 0.001;  // Of the step.

std::int64_t whole_ns(double ns) { return std::llround(ns); }

// Which columns a table of differences has beside those that all have.
struct DifferenceColumns {
  std::string key_title;
  bool shapes = false;
  bool kernel_class = false;
  bool host = false;
  bool reasons = false;
  bool counts = true;
};

void declare_columns(Table& table, const DifferenceColumns& columns) {
  table.text("name", columns.key_title);
  if (columns.shapes) table.text("input_shapes", "Input shapes");
  if (columns.kernel_class) table.text("class", "Class");
  if (columns.counts) {
    table.integer("base_count", "Base count");
    table.integer("count", "Count");
  }
  table.duration("base_total", "Base total");
  table.duration("total", "Total");
  table.duration("base_per_step", "Base per step");
  table.duration("per_step", "Per step");
  table.duration("difference", "Difference");
  table.real("ratio", "Ratio");
  if (columns.host) {
    table.duration("base_host_self", "Base host self per step");
    table.duration("host_self", "Host self per step");
  }
  table.text("verdict", "Verdict");
  table.text("significance", "Significance");
  if (columns.reasons) table.text("kernels", "Kernels that make the difference");
}

// "MatMulV3 +1.2 ms, Add -3.0 us"
constexpr std::string_view kWholeStep = "E2E Time";

// Kernels that changed as the part did, by enough to be a reason for it.
std::string reasons_text(const PartDifference& part) {
  constexpr double kLeastShare = 0.05;
  std::string text;
  std::size_t count = 0;
  for (const analyze::DifferenceReason& reason : part.reasons) {
    const double share = reason.difference_ns() / part.difference_ns();
    if (!(share >= kLeastShare)) continue;
    if (count++ == kReasonsInCell) break;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}{}", reason.kernel, reason.difference_ns() > 0 ? "+" : "",
                        time_text(reason.difference_ns()));
  }
  return text;
}

void add_side(Table& table, const analyze::PartTotals& side, std::int64_t number) {
  if (side.is_there) {
    table.add(number);
  } else {
    table.skip();
  }
}

void put_difference(Table& table, const PartDifference& part, const DifferenceColumns& columns) {
  table.add(std::string(2 * part.depth, ' ') + part.key);
  if (columns.shapes) table.add(part.detail);
  if (columns.kernel_class) table.add(analyze::kernel_class_name(part.kernel_class));
  if (columns.counts) {
    // Not all that has a time is counted.
    for (const analyze::PartTotals* side : {&part.base, &part.other}) {
      add_side(table, *side,
               side->count > 0 ? static_cast<std::int64_t>(side->count) : Column::kNoNumber);
    }
  }
  add_side(table, part.base, part.base.total_ns);
  add_side(table, part.other, part.other.total_ns);
  add_side(table, part.base, whole_ns(part.base.per_step_ns));
  add_side(table, part.other, whole_ns(part.other.per_step_ns));
  table.add(whole_ns(part.difference_ns()));
  // Without a base there is no ratio; the verdict says so.
  table.add(std::isfinite(part.ratio()) ? part.ratio() : std::numeric_limits<double>::quiet_NaN());
  if (columns.host) {
    add_side(table, part.base, whole_ns(part.base.host_per_step_ns));
    add_side(table, part.other, whole_ns(part.other.host_per_step_ns));
  }
  table.add(analyze::verdict_name(analyze::verdict_of(part)));
  table.add(chance_text(part.steps.chance));
  if (columns.reasons) table.add(reasons_text(part));
}

void put_differences(Answer& answer, std::string name, std::string title, std::string file,
                     const std::vector<PartDifference>& parts, const DifferenceColumns& columns) {
  if (parts.empty()) return;
  Table table(std::move(name), std::move(title));
  table.file = std::move(file);
  declare_columns(table, columns);
  for (const PartDifference& part : parts) put_difference(table, part, columns);
  answer.tables.push_back(std::move(table));
}

void put_steps(Answer& answer, const ProfileParts& base, const ProfileParts& other) {
  Table table("steps", "Time of each step on the device");
  table.file = "StepCompare";
  table.text("profile", "Profile");
  table.integer("step", "Step");
  std::vector<const analyze::PartSeries*> bases;
  std::vector<const analyze::PartSeries*> others;
  for (const analyze::PartSeries& series : base.overall) {
    if (series.depth != 0) continue;
    const auto found =
        std::find_if(other.overall.begin(), other.overall.end(),
                     [&](const analyze::PartSeries& a) { return a.key == series.key; });
    if (found == other.overall.end()) continue;
    bases.push_back(&series);
    others.push_back(&*found);
    std::string key = series.key;
    for (char& c : key) {
      c = c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    table.duration(std::move(key), series.key);
  }
  const auto put = [&](const char* label, const ProfileParts& parts, const auto& columns) {
    for (std::size_t step = 0; step < parts.step_count(); ++step) {
      table.add(label);
      if (parts.steps.empty()) {
        table.skip();
      } else {
        table.add(parts.steps[step]);
      }
      for (const analyze::PartSeries* series : columns) table.add(series->ns[step]);
    }
  };
  put("base", base, bases);
  put("compared", other, others);
  answer.tables.push_back(std::move(table));
}

void put_memory(Answer& answer, const ProfileParts& base, const ProfileParts& other,
                const ProfileDifference& difference) {
  const auto peak = [](const std::vector<std::int64_t>& bytes) {
    return bytes.empty() ? Column::kNoNumber : *std::max_element(bytes.begin(), bytes.end());
  };
  Table table("memory", "Device memory: peaks, and what operators ask for in a step");
  table.file = "MemoryCompareStatistic";
  table.text("name", "Name");
  table.bytes("base_bytes", "Base");
  table.bytes("bytes", "Compared");
  table.bytes("difference", "Difference");
  const auto put = [&](std::string_view name, std::int64_t a, std::int64_t b) {
    if (a == Column::kNoNumber && b == Column::kNoNumber) return;
    table.add(name).add(a).add(b);
    table.add(a == Column::kNoNumber || b == Column::kNoNumber ? Column::kNoNumber : b - a);
  };
  put("peak allocated", peak(base.allocated_bytes), peak(other.allocated_bytes));
  put("peak reserved", peak(base.reserved_bytes), peak(other.reserved_bytes));
  std::vector<const PartDifference*> parts;
  for (const PartDifference& part : difference.operators) {
    if (part.base.bytes_per_step != 0 || part.other.bytes_per_step != 0) parts.push_back(&part);
  }
  const auto bytes_more = [](const PartDifference* part) {
    return std::abs(part->other.bytes_per_step - part->base.bytes_per_step);
  };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const auto* a, const auto* b) { return bytes_more(a) > bytes_more(b); });
  for (const PartDifference* part : parts) {
    put(part->key, whole_ns(part->base.bytes_per_step), whole_ns(part->other.bytes_per_step));
  }
  if (table.size() > 0) answer.tables.push_back(std::move(table));
}

// What its kernels do not account for; 0 of what has no kernels of its own.
double unexplained_ns(const PartDifference& part) {
  if (part.reasons.empty()) return 0;
  double rest_ns = part.difference_ns();
  for (const analyze::DifferenceReason& reason : part.reasons) rest_ns -= reason.difference_ns();
  return rest_ns;
}

// Which part of the step changed most, as the step did.
void tell_main_part(std::vector<std::string>& sentences, const std::vector<PartDifference>& overall,
                    double difference_ns) {
  constexpr double kLeastShare = 0.5;
  const PartDifference* most = nullptr;
  for (const PartDifference& part : overall) {
    if (part.depth != 0 || part.key == kWholeStep) continue;
    if (part.difference_ns() / difference_ns < kLeastShare) continue;
    if (most == nullptr || std::abs(part.difference_ns()) > std::abs(most->difference_ns())) {
      most = &part;
    }
  }
  if (most == nullptr) return;
  sentences.push_back(fmt::format("Of its parts {} changed most: {}{} per step.", most->key,
                                  most->difference_ns() > 0 ? "+" : "",
                                  time_text(most->difference_ns())));
}

// Of parts that lose at least `least_ns` a step.
void tell_slower(std::vector<std::string>& sentences, std::string_view what,
                 const std::vector<PartDifference>& parts, double least_ns) {
  std::size_t told = 0;
  for (const PartDifference& part : parts) {
    const Verdict verdict = analyze::verdict_of(part);
    if (verdict != Verdict::kSlower && verdict != Verdict::kOnlyOther) continue;
    if (part.difference_ns() < least_ns) break;
    if (told++ == kPartsInSentences) break;
    std::string sentence = fmt::format(
        "{} {}{}{} takes {} more per step ({}).", what, part.key, part.detail.empty() ? "" : " of ",
        part.detail, time_text(part.difference_ns()),
        verdict == Verdict::kOnlyOther ? "the base has none" : change_text(part.ratio() - 1));
    if (const std::string reasons = reasons_text(part); !reasons.empty()) {
      sentence += " Its kernels: " + reasons + ".";
    }
    if (const double rest_ns = unexplained_ns(part); rest_ns > part.difference_ns() / 2) {
      sentence +=
          fmt::format(" {} lies in tasks that are no kernels, such as copies.", time_text(rest_ns));
    }
    sentences.push_back(std::move(sentence));
  }
}

// What only one side has cannot be compared: how to have it on both.
struct OneSidedData {
  std::string_view what;
  bool in_base = false;
  bool in_other = false;
  std::string_view collect;
};

void tell_one_sided(Answer& answer, const ProfileParts& base, const ProfileParts& other) {
  const OneSidedData all[] = {
      {"kernels of a device", !base.kernels.empty(), !other.kernels.empty(),
       "profile with ProfilerActivity.NPU (or CUDA)"},
      {"operators of the framework", !base.operators.empty(), !other.operators.empty(),
       "profile with ProfilerActivity.CPU"},
      {"modules", !base.modules.empty(), !other.modules.empty(),
       "record ranges of the mstx domain Module, or profile with with_modules=True or "
       "with_stack=True"},
      {"collectives", !base.collectives.empty(), !other.collectives.empty(),
       "compare ranks that communicate, with ProfilerActivity.NPU"},
      {"calls of the host", !base.calls.empty(), !other.calls.empty(),
       "profile at profiler_level Level1"},
      {"memory", !base.allocated_bytes.empty(), !other.allocated_bytes.empty(),
       "profile with profile_memory=True"},
      {"steps", !base.steps.empty(), !other.steps.empty(), "call step() in the loop"},
  };
  for (const OneSidedData& data : all) {
    if (data.in_base == data.in_other) continue;
    answer.sentences.push_back(fmt::format("Only the {} has {}; to compare them on both sides: {}.",
                                           data.in_base ? "base" : "compared profile", data.what,
                                           data.collect));
  }
}

// Parts that only one side has may be one thing under two names.
void tell_gone_and_new(Answer& answer, std::string_view what,
                       const std::vector<PartDifference>& parts, double least_ns) {
  const PartDifference* gone = nullptr;
  const PartDifference* added = nullptr;
  for (const PartDifference& part : parts) {
    const Verdict verdict = analyze::verdict_of(part);
    if (std::abs(part.difference_ns()) < least_ns) continue;
    if (verdict == Verdict::kOnlyBase && gone == nullptr) gone = &part;
    if (verdict == Verdict::kOnlyOther && added == nullptr) added = &part;
  }
  if (gone == nullptr) return;
  std::string sentence = fmt::format("{} {} is in the base alone, with {} per step", what,
                                     gone->key, time_text(gone->base.per_step_ns));
  if (added != nullptr) {
    sentence += fmt::format(
        "; {} is in the compared profile alone, with {}: perhaps one took the "
        "place of the other",
        added->key, time_text(added->other.per_step_ns));
  }
  answer.sentences.push_back(sentence + ".");
}

void tell_all(Answer& answer, const ProfileDifference& difference) {
  const bool has_steps = difference.base_steps + difference.other_steps > 0;
  double least_ns = 0;
  for (const PartDifference& part : difference.overall) {
    if (part.key != kWholeStep) continue;
    least_ns = kShareInSentences * part.base.per_step_ns;
    answer.sentences.push_back(
        fmt::format("{} takes {} on the device instead of {}: {} ({}).",
                    has_steps ? "A step" : "All of it", time_text(part.steps.other_mean),
                    time_text(part.steps.base_mean), change_text(part.steps.change()),
                    part.steps.is_tested ? chance_text(part.steps.chance) : "not tested"));
    if (std::abs(part.difference_ns()) > least_ns) {
      tell_main_part(answer.sentences, difference.overall, part.difference_ns());
    }
  }
  if (!has_steps) {
    answer.sentences.emplace_back(
        "There are no steps to tell chance from change by, so all from 5 % on counts as one.");
  } else if (!difference.is_tested) {
    answer.sentences.push_back(fmt::format(
        "The profiles have {} and {}: three on each side are needed to tell chance from "
        "change, so all from 5 % on counts as one.",
        count_text(difference.base_steps, "step"), count_text(difference.other_steps, "step")));
  }
  if (difference.is_across_devices) {
    answer.sentences.emplace_back(
        "The profiles are of different kinds of devices: compare kernels by class, and operators "
        "and modules by name.");
    tell_slower(answer.sentences, "Class", difference.kernel_classes, least_ns);
  } else {
    tell_slower(answer.sentences, "Kernel", difference.kernels, least_ns);
  }
  if (!difference.is_across_devices) {
    tell_gone_and_new(answer, "Kernel", difference.kernel_types, least_ns);
  }
  tell_slower(answer.sentences, "Module", difference.modules, least_ns);
  tell_slower(answer.sentences, "Operator", difference.operators, least_ns);
}

}  // namespace

Result<Answer> compare_profiles(const Request& base, const Request& other) {
  const ProfileParts base_parts = analyze::profile_parts(base.trace);
  const ProfileParts other_parts = analyze::profile_parts(other.trace);
  for (const ProfileParts* parts : {&base_parts, &other_parts}) {
    if (!parts->kernels.empty() || !parts->collectives.empty() || !parts->operators.empty()) {
      continue;
    }
    return Error{
        ErrorCode::kNoData,
        fmt::format("the {} has neither operators nor device tasks; to collect them: profile "
                    "with ProfilerActivity.CPU and ProfilerActivity.NPU",
                    parts == &base_parts ? "base" : "compared profile")};
  }
  const ProfileDifference difference = analyze::profile_difference(base_parts, other_parts);
  Answer answer;
  tell_all(answer, difference);
  tell_one_sided(answer, base_parts, other_parts);
  put_differences(answer, "overall", "Overall times", "OverallMetrics", difference.overall,
                  {.key_title = "Part"});
  answer.tables.back().usual_rows = 0;
  put_steps(answer, base_parts, other_parts);
  put_differences(answer, "modules", "Modules, device time", "ModuleCompareStatistic",
                  difference.modules, {.key_title = "Module", .reasons = true});
  put_differences(answer, "operators", "Operators, device time of what they launch themselves",
                  "OperatorCompareStatistic", difference.operators,
                  {.key_title = "Operator", .host = true, .reasons = true});
  put_differences(answer, "kernels", "Kernels by type and input shapes", "KernelCompare",
                  difference.kernels,
                  {.key_title = "Kernel type", .shapes = true, .kernel_class = true});
  put_differences(answer, "kernel_classes", "Kernels by class", "KernelTypeCompare",
                  difference.kernel_classes, {.key_title = "Class"});
  put_differences(answer, "communication", "Collectives by type", "CommunicationCompare",
                  difference.collectives, {.key_title = "Collective"});
  put_differences(answer, "api", "Calls of the host by name", "ApiCompare", difference.calls,
                  {.key_title = "Call"});
  put_memory(answer, base_parts, other_parts, difference);
  return answer;
}

}  // namespace npuprof::answers
