#pragma once

// What a question is asked of: a profile, or one step of it, or a range of time.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "serve/requests.h"
#include "serve/step_spans.h"

namespace npuprof::serve {

inline constexpr NumberRange kAnyStep{std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max()};

struct Subject {
  std::shared_ptr<const ShownProfile> profile;  // Its lanes are those of all steps.
  std::shared_ptr<const ShownPart> part;        // Null = all of it.
  std::optional<std::int64_t> step = {};        // The part is this step.

  const answers::Request& request() const {
    return part == nullptr ? profile->request() : part->request();
  }
  // All of the profile, with the step that is asked about.
  answers::Request request_around() const;
  answers::Request request_of(const answers::Mode& mode) const {
    return mode.looks_around && step ? request_around() : request();
  }
  const trace::Trace& trace() const { return request().trace; }
  const SqlAccess& sql() const { return part == nullptr ? profile->sql : part->sql; }
};

// As the parameters `p` and `step` say, or others in their place.
Result<Subject> subject_of(const Request& request, std::string_view profile_name = "p",
                           std::string_view step_name = "step");
// One side of a comparison: a range too, where it is given.
Result<Subject> compared_subject(const Request& request, std::string_view profile_name,
                                 std::string_view step_name, std::string_view begin_name,
                                 std::string_view end_name);

// When slices begin that `step` means, and, where they are given, `t0` and `t1` or parameters of
// other names.
Result<StepSpans> step_spans_parameter(const Request& request, const ShownProfile& profile,
                                       std::string_view begin_name = "t0",
                                       std::string_view end_name = "t1");

}  // namespace npuprof::serve
