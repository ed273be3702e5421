#include "analyze/step_significance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace npuprof::analyze {
namespace {

constexpr double kNoChance = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewestToTrim = 5;
constexpr double kTrimmedShare = 0.2;

// Continued fraction of the incomplete beta function, evaluated from the front (Lentz).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr double kEnough = 1e-14;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= 300; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return fraction;
}

double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on one side only.
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                   : 1 - front * beta_fraction(1 - x, b, a) / b;
}

struct TrimmedSample {
  double mean = 0;
  double left = 0;           // How many values the mean is of.
  double squared_error = 0;  // Of the mean.
};

TrimmedSample trimmed_sample(std::span<const double> values) {
  TrimmedSample sample;
  if (values.empty()) return sample;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t size = sorted.size();
  const std::size_t cut = size < kFewestToTrim
                              ? 0
                              : static_cast<std::size_t>(kTrimmedShare * static_cast<double>(size));
  const std::size_t left = size - 2 * cut;
  for (std::size_t i = cut; i < size - cut; ++i) sample.mean += sorted[i];
  sample.mean /= static_cast<double>(left);
  sample.left = static_cast<double>(left);
  // What was cut off counts as the last that is left: else the spread would be too small.
  for (std::size_t i = 0; i < cut; ++i) {
    sorted[i] = sorted[cut];
    sorted[size - 1 - i] = sorted[size - 1 - cut];
  }
  double mean = 0;
  for (const double value : sorted) mean += value;
  mean /= static_cast<double>(size);
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  if (left > 1) sample.squared_error = squares / (sample.left * (sample.left - 1));
  return sample;
}

}  // namespace

double StepComparison::change() const {
  return base_mean != 0 ? difference() / std::abs(base_mean) : kNoChance;
}

double student_two_sided(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0)) return 1;
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

StepComparison compare_steps(std::span<const double> base, std::span<const double> other) {
  const TrimmedSample a = trimmed_sample(base);
  const TrimmedSample b = trimmed_sample(other);
  StepComparison result{.base_mean = a.mean, .other_mean = b.mean, .chance = kNoChance};
  if (base.size() < kFewestSteps || other.size() < kFewestSteps) return result;
  result.is_tested = true;
  const double error = a.squared_error + b.squared_error;
  const double difference = std::abs(result.difference());
  // Sums of equal numbers differ in their last digits.
  if (difference <= 1e-12 * std::max(std::abs(a.mean), std::abs(b.mean))) {
    result.chance = 1;
  } else if (!(error > 0)) {
    result.chance = 0;
  } else {
    const double degrees = error * error /
                           (a.squared_error * a.squared_error / (a.left - 1) +
                            b.squared_error * b.squared_error / (b.left - 1));
    result.chance = student_two_sided(difference / std::sqrt(error), degrees);
  }
  return result;
}

}  // namespace npuprof::analyze
