#include "serve/subject.h"

#include <string>

#include "serve/lane_parameters.h"

namespace npuprof::serve {

namespace {

Result<Subject> subject_with(const Request& request, std::shared_ptr<const ShownProfile> profile,
                             const query::ProfilePart& part) {
  if (part.is_all()) return Subject{.profile = std::move(profile), .part = nullptr};
  NPUPROF_ASSIGN_OR_RETURN(auto cut, request.served.store.part_of(profile->number, part));
  return Subject{std::move(profile), std::move(cut), part.range ? std::nullopt : part.step};
}

}  // namespace

answers::Request Subject::request_around() const {
  answers::Request asked = profile->request();
  if (step) asked.steps = {{*step, *step}};
  return asked;
}

Result<Subject> subject_of(const Request& request, std::string_view profile_name,
                           std::string_view step_name) {
  NPUPROF_ASSIGN_OR_RETURN(const auto step, request.parameters.number(step_name, kAnyStep));
  NPUPROF_ASSIGN_OR_RETURN(auto profile, request.profile(profile_name));
  return subject_with(request, std::move(profile), {.step = step});
}

Result<Subject> compared_subject(const Request& request, std::string_view profile_name,
                                 std::string_view step_name, std::string_view begin_name,
                                 std::string_view end_name) {
  query::ProfilePart part;
  NPUPROF_ASSIGN_OR_RETURN(part.step, request.parameters.number(step_name, kAnyStep));
  NPUPROF_ASSIGN_OR_RETURN(auto profile, request.profile(profile_name));
  if (request.parameters.has(begin_name) || request.parameters.has(end_name)) {
    const LaneIndex& lanes = profile->lanes;
    NPUPROF_ASSIGN_OR_RETURN(const Span span,
                             span_parameter(request.parameters, lanes, begin_name, end_name));
    part.range = {span.begin_ns + lanes.zero_ns(), span.end_ns + lanes.zero_ns()};
  }
  return subject_with(request, std::move(profile), part);
}

Result<StepSpans> step_spans_parameter(const Request& request, const ShownProfile& profile,
                                       std::string_view begin_name, std::string_view end_name) {
  NPUPROF_ASSIGN_OR_RETURN(const auto step, request.parameters.number("step", kAnyStep));
  StepSpans spans;
  if (step) {
    const auto known = step_spans(profile.trace(), profile.lanes, *step);
    if (!known) {
      return Error{ErrorCode::kNotFound, "the profile has no step " + std::to_string(*step)};
    }
    spans = *known;
  }
  if (!request.parameters.has(begin_name) && !request.parameters.has(end_name)) return spans;
  NPUPROF_ASSIGN_OR_RETURN(const Span range,
                           span_parameter(request.parameters, profile.lanes, begin_name, end_name));
  return spans.within(range);
}

}  // namespace npuprof::serve
