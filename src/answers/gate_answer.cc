#include "answers/gate_answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analyze/step_significance.h"
#include "answers/difference_text.h"
#include "answers/wording.h"
#include "base/markup.h"

namespace npuprof::answers {
namespace {

using analyze::PartSeries;
using analyze::ProfileParts;

// A part of both profiles, ready to be judged.
struct GateCandidate {
  std::string level;
  std::string name;
  double allowed = 0;
  double lost_ns = 0;  // Per step.
  analyze::StepComparison steps;
  double excess_chance = 0;
  bool in_base = true;
  bool in_new = true;
};

std::vector<double> step_times_of(const PartSeries& series) {
  return {series.ns.begin(), series.ns.end()};
}

// Of the steps that have any.
std::vector<double> call_times_of(const PartSeries& series) {
  std::vector<double> times;
  for (std::size_t step = 0; step < series.ns.size(); ++step) {
    if (series.counts[step] == 0) continue;
    times.push_back(static_cast<double>(series.ns[step]) /
                    static_cast<double>(series.counts[step]));
  }
  return times;
}

double time_per_step(const PartSeries& series) {
  return series.ns.empty()
             ? 0
             : static_cast<double>(series.total_ns()) / static_cast<double>(series.ns.size());
}

// How probable it is that chance alone makes `other` longer than `base` and what is allowed.
double chance_of_excess(std::vector<double> base, const std::vector<double>& other,
                        double allowed) {
  for (double& time : base) time *= 1 + allowed;
  const analyze::StepComparison steps = analyze::compare_steps(base, other);
  return steps.difference() > 0 ? steps.chance / 2 : 1 - steps.chance / 2;
}

// Times are whole nanoseconds: less is no excess.
bool is_beyond(double time_ns, double limit_ns) { return time_ns > limit_ns * (1 + 1e-9) + 1; }

// Of the time of one list, that of the parts that the other list has too.
double shared_time(const std::vector<PartSeries>& base, const std::vector<PartSeries>& other) {
  std::set<std::pair<std::string_view, std::string_view>> partners;
  for (const PartSeries& series : other) {
    if (series.total_ns() > 0) partners.insert({series.key, series.detail});
  }
  double all_ns = 0;
  double shared_ns = 0;
  for (const PartSeries& series : base) {
    const auto total_ns = static_cast<double>(series.total_ns());
    all_ns += total_ns;
    if (partners.contains({series.key, series.detail})) shared_ns += total_ns;
  }
  return all_ns > 0 ? shared_ns / all_ns : 1;
}

class GateJudge {
 public:
  GateJudge(const ProfileParts& base, const ProfileParts& other, const GateLimits& limits)
      : base_(base), other_(other), limits_(limits) {}

  GateResult judge() {
    add_step_times();
    const double family = limits_.max_family_regression;
    add_parts("module", base_.modules, other_.modules, family, step_times_of);
    if (base_.is_foreign != other_.is_foreign) {
      add_parts("kernel class", base_.kernel_classes, other_.kernel_classes, family, step_times_of);
      shared_time_ = shared_time(base_.kernel_classes, other_.kernel_classes);
    } else {
      shared_time_ = shared_time(base_.kernels, other_.kernels);
      add_parts("kernel type", base_.kernel_types, other_.kernel_types, family, step_times_of);
      add_parts("kernel", base_.kernels, other_.kernels, family, call_times_of);
    }
    return decide();
  }

 private:
  void add_step_times() {
    for (const PartSeries& series : base_.overall) {
      if (series.key != "E2E Time" && series.key != "Computing Time") continue;
      const auto partner =
          std::find_if(other_.overall.begin(), other_.overall.end(),
                       [&](const PartSeries& candidate) { return candidate.key == series.key; });
      if (partner == other_.overall.end()) continue;
      add("step", series.key, &series, &*partner, limits_.max_regression, step_times_of);
      if (series.key == "E2E Time") step_ns_ = time_per_step(series);
    }
  }

  template <typename Times>
  void add_parts(const char* level, const std::vector<PartSeries>& base,
                 const std::vector<PartSeries>& other, double allowed, const Times& times) {
    std::map<std::pair<std::string_view, std::string_view>, std::array<const PartSeries*, 2>> parts;
    for (const PartSeries& series : base) parts[{series.key, series.detail}][0] = &series;
    for (const PartSeries& series : other) parts[{series.key, series.detail}][1] = &series;
    for (const auto& [key, pair] : parts) {
      double longest_ns = 0;
      for (const PartSeries* series : pair) {
        if (series != nullptr) longest_ns = std::max(longest_ns, time_per_step(*series));
      }
      if (!(longest_ns >= limits_.smallest_share * step_ns_) || longest_ns <= 0) continue;
      std::string name(key.first);
      if (!key.second.empty()) name.append(" ").append(key.second);
      add(level, std::move(name), pair[0], pair[1], allowed, times);
    }
  }

  template <typename Times>
  void add(std::string level, std::string name, const PartSeries* base, const PartSeries* other,
           double allowed, const Times& times) {
    GateCandidate& candidate = candidates_.emplace_back();
    candidate.level = std::move(level);
    candidate.name = std::move(name);
    candidate.allowed = allowed;
    const std::vector<double> a = base != nullptr ? times(*base) : std::vector<double>();
    const std::vector<double> b = other != nullptr ? times(*other) : std::vector<double>();
    candidate.in_base = std::any_of(a.begin(), a.end(), [](double value) { return value > 0; });
    candidate.in_new = std::any_of(b.begin(), b.end(), [](double value) { return value > 0; });
    candidate.steps = analyze::compare_steps(a, b);
    candidate.excess_chance = chance_of_excess(a, b, allowed);
    candidate.lost_ns = (other != nullptr ? time_per_step(*other) : 0) -
                        (base != nullptr ? time_per_step(*base) : 0);
  }

  // Each of many tests may give a wrong alarm, so each is allowed its part of the probability.
  GateResult decide() {
    GateResult result{.is_tested = base_.steps.size() >= analyze::kFewestSteps &&
                                   other_.steps.size() >= analyze::kFewestSteps,
                      .base_steps = base_.steps.size(),
                      .new_steps = other_.steps.size(),
                      .shared_time = shared_time_};
    const double chance =
        limits_.false_alarm / static_cast<double>(std::max<std::size_t>(candidates_.size(), 1));
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const auto& a, const auto& b) { return a.lost_ns > b.lost_ns; });
    for (GateCandidate& candidate : candidates_) {
      result.rows.push_back(row_of(candidate, result.is_tested, chance));
      result.passed = result.passed && result.rows.back().verdict != GateVerdict::kFailed;
    }
    std::stable_partition(result.rows.begin(), result.rows.end(),
                          [](const GateRow& row) { return row.verdict == GateVerdict::kFailed; });
    return result;
  }

  GateRow row_of(GateCandidate& candidate, bool is_tested, double chance) const {
    const analyze::StepComparison& steps = candidate.steps;
    GateRow row{.level = std::move(candidate.level),
                .name = std::move(candidate.name),
                .base_ns = steps.base_mean,
                .new_ns = steps.other_mean,
                .change = steps.change(),
                .allowed = candidate.allowed,
                .chance = steps.chance,
                .excess_chance = candidate.excess_chance};
    row.is_significant = steps.is_tested && steps.chance <= chance;
    if (!candidate.in_base || !candidate.in_new) {
      row.verdict = candidate.in_new ? GateVerdict::kNew : GateVerdict::kGone;
      return row;
    }
    // A part of few steps in a profile with enough of them proves nothing.
    if (steps.is_tested ? !row.is_significant : is_tested) return row;
    if (is_beyond(row.new_ns, row.base_ns * (1 + row.allowed))) {
      const bool is_explained = steps.is_tested && row.excess_chance > limits_.chance_of_excess;
      row.verdict = is_explained ? GateVerdict::kAtLimit : GateVerdict::kFailed;
    }
    if (row.change < -row.allowed) row.verdict = GateVerdict::kFaster;
    return row;
  }

  const ProfileParts& base_;
  const ProfileParts& other_;
  const GateLimits& limits_;
  double step_ns_ = 0;
  double shared_time_ = 1;
  std::vector<GateCandidate> candidates_;
};

// Less than this is worth a warning.
constexpr double kFewPartners = 0.8;

// With as many digits as it takes to tell the change from what is allowed.
std::string beside_allowed(const GateRow& row) {
  if (const std::string text = change_text(row.change); text != change_text(row.allowed)) {
    return fmt::format("{}, allowed {}", text, change_text(row.allowed));
  }
  return fmt::format("{:+.4f} %, allowed {:+.4f} %", 100 * row.change, 100 * row.allowed);
}

std::string gate_sentence(const GateRow& row) {
  return fmt::format("{} {}: {} instead of {} ({}, {})", row.level, row.name, time_text(row.new_ns),
                     time_text(row.base_ns), beside_allowed(row), chance_text(row.chance));
}

std::size_t count_of(const GateResult& result, GateVerdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(result.rows.begin(), result.rows.end(),
                    [&](const GateRow& row) { return row.verdict == verdict; }));
}

void tell_judgement(const GateResult& result, std::vector<std::string>& sentences) {
  const std::size_t failed = count_of(result, GateVerdict::kFailed);
  const std::string parts = count_text(result.rows.size(), "part");
  if (!result.is_comparable()) {
    sentences.push_back("Not judged: " + gate_partner_sentence(result));
  } else if (result.passed) {
    sentences.push_back(fmt::format("Passed: {} judged, none slower than allowed.", parts));
  } else {
    sentences.push_back(fmt::format("Failed: {} of {} {} slower than allowed.", failed, parts,
                                    failed == 1 ? "is" : "are"));
  }
  if (result.is_comparable() && result.shared_time < kFewPartners) {
    sentences.push_back("Warning: " + gate_partner_sentence(result));
  }
  if (!result.is_tested) {
    sentences.push_back(
        fmt::format("The profiles have {} and {}: with fewer than three on each side the "
                    "limits alone decide, and noise can fail the gate.",
                    count_text(result.base_steps, "step"), count_text(result.new_steps, "step")));
  }
  if (const std::size_t near = count_of(result, GateVerdict::kAtLimit); near > 0) {
    sentences.push_back(
        fmt::format("{} {} longer than allowed by no more than chance explains: the verdict is "
                    "\"at the limit\".",
                    count_text(near, "part"), near == 1 ? "is" : "are"));
  }
}

constexpr std::string_view kXmlBegin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
constexpr std::string_view kXmlEnd = "</testsuite>\n</testsuites>\n";

std::string suite_begin(std::string_view suite, std::size_t tests, std::size_t failures,
                        std::size_t errors) {
  return fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
                     markup(suite), tests, failures, errors);
}

// The gate itself, as a test case that could not be run.
std::string error_case(std::string_view message) {
  return fmt::format(
      "<testcase classname=\"gate\" name=\"profiles\"><error type=\"gate\" message=\"{0}\">{0}"
      "</error></testcase>\n",
      markup(message));
}

bool is_valid(const GateLimits& limits) {
  return limits.max_regression >= 0 && limits.max_family_regression >= 0 &&
         limits.smallest_share >= 0 && limits.smallest_share <= 1 && limits.false_alarm > 0 &&
         limits.false_alarm < 1 && limits.chance_of_excess > 0 && limits.chance_of_excess < 1;
}

}  // namespace

std::string_view gate_verdict_name(GateVerdict verdict) {
  constexpr std::array<std::string_view, 6> kNames = {"passed", "failed", "faster",
                                                      "new",    "gone",   "at the limit"};
  return kNames[static_cast<std::size_t>(verdict)];
}

GateResult gate_parts(const ProfileParts& base, const ProfileParts& other,
                      const GateLimits& limits) {
  return GateJudge(base, other, limits).judge();
}

Result<GateResult> gate_profiles(const Request& base, const Request& other,
                                 const GateLimits& limits) {
  if (!is_valid(limits)) {
    return Error{ErrorCode::kInvalidArgument,
                 "a limit of the gate makes no sense: regressions and shares are not negative, and "
                 "the probability of a false alarm lies between 0 and 1"};
  }
  const ProfileParts base_parts = analyze::profile_parts(base.trace);
  const ProfileParts other_parts = analyze::profile_parts(other.trace);
  for (const ProfileParts* parts : {&base_parts, &other_parts}) {
    if (!parts->kernels.empty()) continue;
    return Error{ErrorCode::kNoData,
                 fmt::format("the {} has no kernels of a device; to collect them: profile with "
                             "ProfilerActivity.NPU",
                             parts == &base_parts ? "base" : "new profile")};
  }
  return gate_parts(base_parts, other_parts, limits);
}

Answer gate_answer(const GateResult& result) {
  Answer answer;
  tell_judgement(result, answer.sentences);
  const std::size_t failed = count_of(result, GateVerdict::kFailed);
  constexpr std::size_t kMostSentences = 5;
  for (std::size_t i = 0; i < std::min(failed, kMostSentences); ++i) {
    answer.sentences.push_back(gate_sentence(result.rows[i]) + ".");
  }
  Table table("gate", "What was judged");
  table.text("level", "Level");
  table.text("name", "Name");
  table.duration("base", "Base");
  table.duration("new", "New");
  table.share("change", "Change");
  table.share("allowed", "Allowed");
  table.text("significant", "Significant");
  table.text("significance", "Significance");
  table.text("verdict", "Verdict");
  for (const GateRow& row : result.rows) {
    table.row(row.level, row.name, std::llround(row.base_ns), std::llround(row.new_ns), row.change,
              row.allowed,
              std::isnan(row.chance) ? "not tested"
              : row.is_significant   ? "yes"
                                     : "no",
              chance_text(row.chance), gate_verdict_name(row.verdict));
  }
  table.notes.emplace_back("Times are per step, those of kernels per call.");
  answer.tables.push_back(std::move(table));
  return answer;
}

std::string gate_partner_sentence(const GateResult& result) {
  return fmt::format(
      "{:.0f} % of the time of the base's kernels has no partner of the same type and shapes in "
      "the new profile. A gate wants the same model with the same sizes on both sides; after a "
      "change of these, take a new base.",
      100 * (1 - result.shared_time));
}

std::string gate_error_junit(std::string_view message, std::string_view suite) {
  return std::string(kXmlBegin) + suite_begin(suite, 1, 0, 1) + error_case(message) +
         std::string(kXmlEnd);
}

std::string gate_junit(const GateResult& result, std::string_view suite) {
  const std::size_t failed = count_of(result, GateVerdict::kFailed);
  std::string xml(kXmlBegin);
  const bool is_judged = result.is_comparable();
  xml += suite_begin(suite, result.rows.size() + (is_judged ? 0 : 1), failed, is_judged ? 0 : 1);
  if (!is_judged) xml += error_case(gate_partner_sentence(result));
  for (const GateRow& row : result.rows) {
    xml += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", markup(row.level),
                       markup(row.name), row.new_ns / 1e9);
    if (row.verdict == GateVerdict::kFailed) {
      const std::string message = markup(gate_sentence(row));
      xml += fmt::format("><failure type=\"regression\" message=\"{0}\">{0}</failure></testcase>\n",
                         message);
    } else {
      xml += "/>\n";
    }
  }
  return xml.append(kXmlEnd);
}

}  // namespace npuprof::answers
