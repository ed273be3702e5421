#include "answers/advisor_answer.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "analyze/advisor/checks.h"
#include "analyze/keep_steps.h"
#include "answers/difference_text.h"
#include "base/count_text.h"
#include "base/text.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::answers {
namespace {

using analyze::EvidenceKind;
using analyze::Finding;

constexpr std::size_t kEvidenceOnTerminal = 5;

Table finding_table(const std::vector<Finding>& findings, std::int64_t total_ns) {
  Table table("advisor", "Findings");
  table.usual_rows = 0;
  table.text("check", "Check");
  table.text("severity", "Severity");
  table.duration("gain", "Possible gain");
  table.share("gain_share", "Of all time");
  table.text("finding", "Finding");
  table.text("action", "What to do");
  for (const Finding& finding : findings) {
    table.add(finding.name).add(analyze::severity_name(finding.severity));
    if (finding.gain_ns > 0 && total_ns > 0) {
      table.add(finding.gain_ns);
      table.add(static_cast<double>(finding.gain_ns) / static_cast<double>(total_ns));
    } else {
      table.skip().skip();
    }
    table.add(finding.sentence).add(finding.action);
  }
  table.notes.emplace_back(
      "Gains are estimates of the most that is possible, over all steps; those of several findings "
      "can be the same time.");
  return table;
}

void declare_evidence(Table& table, const analyze::EvidenceColumn& column) {
  switch (column.kind) {
    case EvidenceKind::kText:
      table.text(column.key, column.title);
      break;
    case EvidenceKind::kCount:
      table.integer(column.key, column.title);
      break;
    case EvidenceKind::kTime:
      table.duration(column.key, column.title);
      break;
    case EvidenceKind::kMoment:
      table.moment(column.key, column.title);
      break;
    case EvidenceKind::kBytes:
      table.bytes(column.key, column.title);
      break;
    case EvidenceKind::kShare:
      table.share(column.key, column.title);
      break;
    case EvidenceKind::kReal:
      table.real(column.key, column.title, column.unit);
      break;
  }
}

Table evidence_table(const Finding& finding) {
  Table table("advisor_" + std::string(finding.name), std::string(finding.sentence));
  table.usual_rows = kEvidenceOnTerminal;
  for (const analyze::EvidenceColumn& column : finding.evidence.columns) {
    declare_evidence(table, column);
  }
  for (const auto& row : finding.evidence.rows) {
    for (const analyze::EvidenceCell& cell : row) {
      std::visit([&](const auto& value) { table.add(value); }, cell);
    }
  }
  table.notes.push_back(finding.action);
  return table;
}

Answer answer_of_results(const analyze::SharedResults& results,
                         const std::vector<std::string_view>& silenced) {
  const std::vector<Finding> findings = analyze::advise(results, silenced);
  const std::int64_t total_ns = analyze::profile_time_ns(results);
  Answer answer;
  if (findings.empty()) {
    answer.sentences.push_back(fmt::format(
        "{} found nothing.", count_text(analyze::all_checks().size() - silenced.size(), "check")));
  }
  for (const Finding& finding : findings) {
    std::string gain;
    if (finding.gain_ns > 0) {
      gain = fmt::format(" At most {} could be gained.",
                         time_text(static_cast<double>(finding.gain_ns)));
    }
    answer.sentences.push_back(fmt::format("[{}] {}: {}{}",
                                           analyze::severity_name(finding.severity), finding.name,
                                           finding.sentence, gain));
  }
  answer.tables.push_back(finding_table(findings, total_ns));
  for (const Finding& finding : findings) {
    if (!finding.evidence.rows.empty()) answer.tables.push_back(evidence_table(finding));
  }
  return answer;
}

Result<Answer> answer_advisor(const Request& request) {
  const trace::Trace& trace = request.trace;
  if (trace.tasks().size() == 0 && trace.framework_ops().size() == 0) {
    return Error{ErrorCode::kNoData, "the profile has neither device tasks nor operators"};
  }
  NPUPROF_ASSIGN_OR_RETURN(const std::vector<std::string_view> silenced,
                           silenced_checks(request.option("silence").value_or("")));
  NPUPROF_ASSIGN_OR_RETURN(const analyze::ChosenTimes chosen, request.chosen_times());
  if (chosen.is_all()) return answer_of_results(request.results, silenced);
  const trace::Trace part = analyze::copy_of_steps(trace, chosen);
  return answer_of_results(analyze::SharedResults(part, trace), silenced);
}

constexpr std::array kAdvisorOptions = {
    ModeOption{"silence", "Checks that are not to be made: NAME,NAME"},
};

}  // namespace

Result<std::vector<std::string_view>> silenced_checks(std::string_view list) {
  std::vector<std::string_view> names;
  const auto checks = analyze::all_checks();
  for (const std::string_view part : split(list, ',')) {
    const std::string_view name = trim(part);
    if (name.empty()) continue;
    const auto found = std::find_if(checks.begin(), checks.end(),
                                    [&](const auto& check) { return check.name == name; });
    if (found == checks.end()) {
      std::string known;
      for (const auto& check : checks) {
        known += known.empty() ? "" : ", ";
        known += check.name;
      }
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("there is no check \"{}\"; checks are: {}", name, known)};
    }
    if (std::find(names.begin(), names.end(), found->name) == names.end()) {
      names.push_back(found->name);
    }
  }
  return names;
}

const Mode kAdvisorMode = {
    .name = "advisor",
    .question = "What known reasons of lost time does the profile show, and what helps?",
    .explains =
        "Checks kernels (AI CPU, cores without work, lowered clock, no unit busy), communication "
        "(packets, alignment, contention, retransmission), the host (dispatch, waiting, garbage "
        "collections, loading of data, memory calls, environment) and fusion. Findings come with "
        "evidence, what to do, and the most that could be gained, largest first.",
    .needs = "device tasks; counters, host calls and operators for more checks",
    .collect =
        "profile with CPU and NPU activities, profiler_level=Level1, aic_metrics=PipeUtilization "
        "and gc_detect_threshold",
    .reads = trace::Parts::all(),
    .options = kAdvisorOptions,
    .looks_around = true,
    .answer = answer_advisor,
};

}  // namespace npuprof::answers
