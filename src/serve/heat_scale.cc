#include "serve/heat_scale.h"

#include <algorithm>
#include <cmath>

namespace npuprof::serve {
namespace {

constexpr double kUnimportantShare = 0.05;
constexpr double kUsualDeviations = 3;
constexpr std::size_t kFewestOfRow = 3;

double median_value(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double usual_deviation(const std::vector<double>& values) {
  const double median = median_value(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  return median_value(std::move(distances));
}

}  // namespace

HeatScale heat_scale(const std::vector<std::vector<double>>& rows, double least) {
  std::vector<double> all;
  std::vector<double> deviations;
  for (const std::vector<double>& row : rows) {
    all.insert(all.end(), row.begin(), row.end());
    if (row.size() >= kFewestOfRow) deviations.push_back(usual_deviation(row));
  }
  HeatScale scale;
  if (all.empty()) return scale;
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  scale.low = *low;
  scale.high = *high;
  scale.usual = median_value(all);
  scale.noise = std::max({kUnimportantShare * std::abs(scale.usual),
                          kUsualDeviations * median_value(std::move(deviations)), least});
  return scale;
}

}  // namespace npuprof::serve
