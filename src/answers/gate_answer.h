#pragma once

// `npuprof gate BASE NEW`: may a change go in? Fails if a step, or a part of it, has become slower
// by more than is allowed, and by more than chance explains. Meant for automatic checks, so it is
// careful on both sides: noise does not fail it, and one slow family of kernels does, even when
// steps as a whole have not changed. Two questions are asked: is there a change at all, and is it
// beyond the limit? What cannot be told from the limit is said to be at it, and passes.
//
//   NPUPROF_ASSIGN_OR_RETURN(answers::GateResult result, answers::gate_profiles(base, other, {}));
//   answers::Answer answer = answers::gate_answer(result);      // For the usual writers.
//   std::string xml = answers::gate_junit(result, "npuprof");   // --junit FILE
//   return !result.is_comparable() ? 3 : result.passed ? 0 : 1;
//
// Judged are: the step on the device and its computing time; modules by path; types of kernels, by
// their time in a step; kernels by type and input shapes, by their time for one call. Collectives
// are not: they wait for other ranks, which are not in the profile. What is new or gone is told,
// and counts within the step and its computing time.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/profile_parts.h"
#include "answers/answer.h"
#include "answers/mode.h"
#include "base/result.h"

namespace npuprof::answers {

struct GateLimits {
  double max_regression = 0.05;         // Of the step and of computing: 5 % longer is allowed.
  double max_family_regression = 0.10;  // Of modules and kernels.
  // Parts of a step that take less than this share of it are not judged.
  double smallest_share = 0.002;
  // How probable a wrong alarm may be, over all that is judged together.
  double false_alarm = 0.01;
  // What is longer than allowed passes as long as chance explains the excess with more than this
  // probability: else half of all changes that use the limit up would fail.
  double chance_of_excess = 0.1;
};

enum class GateVerdict : std::uint8_t { kPassed, kFailed, kFaster, kNew, kGone, kAtLimit };
std::string_view gate_verdict_name(GateVerdict verdict);

struct GateRow {
  std::string level;  // step, module, kernel type, kernel
  std::string name;
  double base_ns = 0;  // Per step; of kernels per call.
  double new_ns = 0;
  double change = 0;         // 0.1 = ten percent more; NaN for what is new.
  double allowed = 0;        // The largest change that passes.
  double chance = 0;         // NaN = not tested: too few steps.
  double excess_chance = 0;  // That chance alone makes what is beyond the limit; NaN likewise.
  bool is_significant = false;
  GateVerdict verdict = GateVerdict::kPassed;
};

struct GateResult {
  std::vector<GateRow> rows;  // Failed ones first, then by time lost.
  bool passed = true;
  bool is_tested = true;  // Else there are too few steps, and the limits alone decide.
  std::size_t base_steps = 0;
  std::size_t new_steps = 0;
  // Of the time of the base's kernels, that of those that the new profile has too.
  double shared_time = 1;

  // Else neither verdict would mean anything: steps of another model, or of other sizes.
  bool is_comparable() const { return shared_time >= 0.5; }
};

GateResult gate_parts(const analyze::ProfileParts& base, const analyze::ProfileParts& other,
                      const GateLimits& limits);
// Fails with kNoData if a profile has no device work, with kInvalidArgument if a limit makes no
// sense.
Result<GateResult> gate_profiles(const Request& base, const Request& other,
                                 const GateLimits& limits);

Answer gate_answer(const GateResult& result);

// A test case for each row, in the XML that build servers read; and an error if the profiles are
// not comparable.
std::string gate_junit(const GateResult& result, std::string_view suite);
// Of a gate that could not judge.
std::string gate_error_junit(std::string_view message, std::string_view suite);
// Why the profiles are not comparable, or how far they are not.
std::string gate_partner_sentence(const GateResult& result);

}  // namespace npuprof::answers
