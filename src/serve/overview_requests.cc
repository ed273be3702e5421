#include <algorithm>

#include "analyze/idle_sums.h"
#include "analyze/memory_timeline.h"
#include "analyze/operator_mfu.h"
#include "analyze/profile_parts.h"
#include "analyze/statistics.h"
#include "answers/mode.h"
#include "answers/peak_options.h"
#include "base/json_writer.h"
#include "serve/answer_json.h"
#include "serve/error_reply.h"
#include "serve/requests.h"
#include "serve/subject.h"

namespace npuprof::serve {
namespace {

constexpr std::size_t kTopKernels = 15;
constexpr ShownRows kAllFindings{.from = 0, .count = 200, .zero_ns = 0};

// Parts that sum to the wall time of the step. The whole of communication is told beside them.
void write_step(JsonWriter& json, const analyze::StepTime& step) {
  const std::int64_t total_ns =
      step.computing_ns + step.not_overlapped_ns + step.free_ns + step.preparing_ns;
  json.begin_object().member("device", step.device).member("step", step.step);
  json.member("total", total_ns).member("communication", step.communication_ns);
  json.member("bubble", step.bubble_ns).key("parts").begin_array();
  const auto part = [&](const char* name, std::int64_t ns) {
    json.begin_object().member("name", name).member("ns", ns).end_object();
  };
  part("computing", step.computing_ns - step.overlapped_ns());
  part("overlapped", step.overlapped_ns());
  part("uncovered", step.not_overlapped_ns);
  part("free", step.free_ns);
  part("preparing", step.preparing_ns);
  json.end_array().end_object();
}

Status write_idle(JsonWriter& json, const Subject& subject) {
  const ShownProfile& profile = *subject.profile;
  const answers::Request asked = subject.request_around();
  NPUPROF_ASSIGN_OR_RETURN(const analyze::ChosenTimes chosen, asked.chosen_times());
  std::vector<analyze::IdleRow> rows = profile.lanes.idle_rows();
  std::erase_if(rows, [&](const analyze::IdleRow& row) { return !chosen.has_step(row.step); });
  json.key("idle_causes").begin_array();
  for (const analyze::IdleCauseSum& cause : analyze::idle_by_cause(rows)) {
    json.begin_object().member("cause", analyze::idle_cause_name(cause.cause));
    json.member("of_host", analyze::is_of_host(cause.cause));
    json.member("total", cause.sum.total_ns).member("count", cause.sum.count);
    json.member("longest", cause.sum.longest_ns);
    json.member("longest_at", profile.lanes.from_zero(cause.sum.longest_at_ns)).end_object();
  }
  json.end_array();
  return ok_status();
}

void write_kernels(JsonWriter& json, const Subject& subject) {
  const trace::Trace& trace = subject.trace();
  const auto types = analyze::operator_statistic(trace, analyze::operator_rows(trace));
  json.member("kernel_types", types.size()).key("top_kernels").begin_array();
  for (std::size_t i = 0; i < std::min(types.size(), kTopKernels); ++i) {
    const analyze::StatisticRow& row = types[i];
    json.begin_object().member("device", row.device);
    json.member("type", trace.strings.view(row.type));
    json.member("core", trace.strings.view(row.core_type)).member("count", row.count);
    json.member("total", row.total_ns).member("mean", row.average_ns());
    json.member("min", row.min_ns).member("max", row.max_ns).member("share", row.ratio);
    json.end_object();
  }
  json.end_array();
}

// The tree of overall times of the device that runs most kernels, as comparisons have it.
void write_overall(JsonWriter& json, const Subject& subject) {
  const analyze::ProfileParts parts = analyze::profile_parts(subject.trace());
  json.key("overall").begin_array();
  for (const analyze::PartSeries& part : parts.overall) {
    json.begin_object().member("name", part.key).member("depth", part.depth);
    json.member("total", part.total_ns()).key("count");
    if (part.counts.empty()) {
      json.null();
    } else {
      json.value(part.total_count());
    }
    json.end_object();
  }
  json.end_array();
}

// Null where the profile does not tell.
Status write_mfu(JsonWriter& json, const Subject& subject) {
  const answers::Request& request = subject.request();
  NPUPROF_ASSIGN_OR_RETURN(const analyze::PeakOptions options, answers::peak_options(request));
  const analyze::OperatorWork work = analyze::operator_work(request.trace);
  analyze::Peaks peaks(request.trace, options);
  const analyze::WorkFlops flops = analyze::work_flops(request.trace, work, peaks);
  const analyze::TotalUse total = analyze::total_use(work, flops);
  json.key("mfu");
  if (!peaks.is_known() || total.counted_ns <= 0) {
    json.null();
    return ok_status();
  }
  json.begin_object().member("all", total.ideal_ns / static_cast<double>(total.kernel_ns));
  json.member("matmul", total.ideal_ns / static_cast<double>(total.counted_ns));
  json.member("flops", total.flops).end_object();
  return ok_status();
}

void write_memory_peaks(JsonWriter& json, const Subject& subject) {
  const ShownProfile& profile = *subject.profile;
  json.key("memory_peaks").begin_array();
  for (const MemoryCurve& curve : allocator_curves(subject.trace())) {
    json.begin_object().member("component", curve.component).member("value", curve.value);
    json.member("device", curve.device).member("bytes", curve.peak_bytes());
    json.member("at", profile.lanes.from_zero(curve.peak_at_ns())).end_object();
  }
  json.end_array();
}

void write_findings(JsonWriter& json, const Subject& subject) {
  json.key("findings");
  const answers::Mode* mode = answers::find_mode("advisor");
  auto answer = mode == nullptr ? Result<answers::Answer>(Error{ErrorCode::kNoData, ""})
                                : mode->answer(subject.request_of(*mode));
  if (!answer.ok() || answer->tables.empty()) {
    json.null();
    return;
  }
  write_table(answer->tables.front(), kAllFindings, json);
}

void write_all_steps(JsonWriter& json, const Subject& subject) {
  json.key("steps").begin_array();
  for (const analyze::StepTime& step : subject.request().results.steps()) write_step(json, step);
  json.end_array();
}

void write_losses(JsonWriter& json, const Subject& subject) {
  json.key("losses").begin_array();
  for (const std::string& loss : subject.profile->opened.losses) json.value(loss);
  json.end_array();
}

// Parts of the overview: each can be asked for alone, since some take long.
struct OverviewPart {
  std::string_view name;
  Status (*write)(JsonWriter& json, const Subject& subject);
};

template <auto kWrite>
Status write_part(JsonWriter& json, const Subject& subject) {
  kWrite(json, subject);
  return ok_status();
}

constexpr OverviewPart kOverviewParts[] = {
    {"steps", write_part<write_all_steps>},     {"idle_causes", write_idle},
    {"top_kernels", write_part<write_kernels>}, {"mfu", write_mfu},
    {"overall", write_part<write_overall>},     {"memory_peaks", write_part<write_memory_peaks>},
    {"findings", write_part<write_findings>},   {"losses", write_part<write_losses>},
};

}  // namespace

// All of it, or the part that `only` names.
Result<HttpReply> ask_overview(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const Subject subject, subject_of(request));
  NPUPROF_ASSIGN_OR_RETURN(const std::string only, request.parameters.text("only"));
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("simulated", subject.trace().session.simulated);
  for (const OverviewPart& part : kOverviewParts) {
    if (only.empty() || only == part.name) NPUPROF_RETURN_IF_ERROR(part.write(json, subject));
  }
  json.end_object();
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
