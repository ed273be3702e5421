#pragma once

// Whether two sets of measurements differ by more than chance: a value for each step of one run
// against a value for each step of another.

#include <cstddef>
#include <cstdint>
#include <span>

namespace npuprof::analyze {

// With fewer steps on one side nothing can be said about chance.
inline constexpr std::size_t kFewestSteps = 3;

struct StepComparison {
  double base_mean = 0;  // Of the steps that count: extremes of long runs are left out.
  double other_mean = 0;
  // Probability that chance alone makes a difference as large as this, in either direction. NaN if
  // there are too few steps.
  double chance = 0;
  bool is_tested = false;

  double difference() const { return other_mean - base_mean; }
  // Of the base: 0.1 = ten percent more. NaN without a base.
  double change() const;
};

// Welch's t of trimmed means (Yuen): a fifth is left out at each end if there are at least five
// steps, since first steps and steps with a garbage collection are no noise but events of their
// own. Without any variation equal means are chance and different ones are not.
StepComparison compare_steps(std::span<const double> base, std::span<const double> other);

// Probability of |t| or more under Student's distribution.
double student_two_sided(double t, double degrees);

}  // namespace npuprof::analyze
