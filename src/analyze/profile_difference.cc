#include "analyze/profile_difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace npuprof::analyze {
namespace {

using PartKey = std::pair<std::string_view, std::string_view>;

double mean_per_step(const std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

PartTotals totals_of(const PartSeries& series) {
  return {.is_there = true,
          .count = series.total_count(),
          .total_ns = series.total_ns(),
          .per_step_ns = mean_per_step(series.ns),
          .host_per_step_ns = mean_per_step(series.host_ns),
          .bytes_per_step = mean_per_step(series.bytes)};
}

std::vector<double> step_values(const PartSeries* series, std::size_t steps) {
  if (series == nullptr) return std::vector<double>(steps, 0);
  return {series->ns.begin(), series->ns.end()};
}

PartDifference side_by_side(const PartSeries* base, const PartSeries* other, std::size_t base_steps,
                            std::size_t other_steps) {
  const PartSeries& known = base != nullptr ? *base : *other;
  PartDifference part;
  part.key = known.key;
  part.detail = known.detail;
  part.depth = known.depth;
  part.kernel_class = known.kernel_class;
  if (base != nullptr) part.base = totals_of(*base);
  if (other != nullptr) part.other = totals_of(*other);
  part.steps = compare_steps(step_values(base, base_steps), step_values(other, other_steps));
  return part;
}

// A list without parts says nothing of its steps: they are as many as those of the other side.
std::size_t steps_in(const std::vector<PartSeries>& series,
                     const std::vector<PartSeries>& instead) {
  if (!series.empty()) return series.front().ns.size();
  return instead.empty() ? 0 : instead.front().ns.size();
}

// In the order of the base; what is new comes behind what stands before it there.
std::vector<PartDifference> align_in_order(const std::vector<PartSeries>& base,
                                           const std::vector<PartSeries>& other) {
  std::map<PartKey, const PartSeries*> others;
  for (const PartSeries& series : other) others.try_emplace({series.key, series.detail}, &series);
  std::map<PartKey, const PartSeries*> bases;
  for (const PartSeries& series : base) bases.try_emplace({series.key, series.detail}, &series);
  const std::size_t base_steps = steps_in(base, other);
  const std::size_t other_steps = steps_in(other, base);
  std::vector<PartDifference> parts;
  const auto put_new_from = [&](std::size_t i) {
    for (; i < other.size() && !bases.contains({other[i].key, other[i].detail}); ++i) {
      parts.push_back(side_by_side(nullptr, &other[i], base_steps, other_steps));
    }
  };
  put_new_from(0);
  for (const PartSeries& series : base) {
    const auto found = others.find({series.key, series.detail});
    const PartSeries* partner = found == others.end() ? nullptr : found->second;
    parts.push_back(side_by_side(&series, partner, base_steps, other_steps));
    if (partner != nullptr) put_new_from(static_cast<std::size_t>(partner - other.data()) + 1);
  }
  return parts;
}

void sort_by_difference(std::vector<PartDifference>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const PartDifference& a, const PartDifference& b) {
                     return std::abs(a.difference_ns()) > std::abs(b.difference_ns());
                   });
}

using ReasonMap = std::map<PartKey, std::map<PartKey, DifferenceReason>>;

void collect_reasons(const ProfileParts& profile, const std::vector<PartSeries>& parts,
                     std::span<const PartKernel> shares, double DifferenceReason::*side,
                     ReasonMap& reasons) {
  const auto steps = static_cast<double>(profile.step_count());
  for (const PartKernel& share : shares) {
    const PartSeries& part = parts[share.part];
    const PartSeries& kernel = profile.kernels[share.kernel];
    DifferenceReason& reason = reasons[{part.key, part.detail}][{kernel.key, kernel.detail}];
    reason.kernel = kernel.key;
    reason.shapes = kernel.detail;
    reason.*side += static_cast<double>(share.ns) / steps;
  }
}

void put_reasons(ReasonMap& reasons, std::vector<PartDifference>& parts) {
  for (PartDifference& part : parts) {
    const auto found = reasons.find({part.key, part.detail});
    if (found == reasons.end()) continue;
    for (auto& [key, reason] : found->second) part.reasons.push_back(std::move(reason));
    std::stable_sort(part.reasons.begin(), part.reasons.end(),
                     [](const DifferenceReason& a, const DifferenceReason& b) {
                       return std::abs(a.difference_ns()) > std::abs(b.difference_ns());
                     });
  }
}

}  // namespace

double PartDifference::ratio() const {
  if (base.per_step_ns != 0) return other.per_step_ns / base.per_step_ns;
  return other.per_step_ns == 0 ? 1 : std::numeric_limits<double>::infinity();
}

std::string_view verdict_name(Verdict verdict) {
  constexpr std::array<std::string_view, 5> kNames = {"same", "slower", "faster", "gone", "new"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Verdict verdict_of(const PartDifference& part, const DifferenceThresholds& thresholds) {
  if (!part.other.is_there || (part.other.per_step_ns == 0 && part.base.per_step_ns != 0)) {
    return Verdict::kOnlyBase;
  }
  if (!part.base.is_there || (part.base.per_step_ns == 0 && part.other.per_step_ns != 0)) {
    return Verdict::kOnlyOther;
  }
  const StepComparison& steps = part.steps;
  const double change = steps.change();
  const bool is_change =
      steps.is_tested ? steps.chance <= thresholds.chance && std::abs(change) >= thresholds.change
                      : std::abs(change) >= thresholds.change_untested;
  if (!is_change) return Verdict::kSame;
  return change > 0 ? Verdict::kSlower : Verdict::kFaster;
}

std::vector<PartDifference> align_parts(const std::vector<PartSeries>& base,
                                        const std::vector<PartSeries>& other) {
  std::vector<PartDifference> parts = align_in_order(base, other);
  sort_by_difference(parts);
  return parts;
}

ProfileDifference profile_difference(const ProfileParts& base, const ProfileParts& other) {
  ProfileDifference difference;
  difference.base_steps = base.steps.size();
  difference.other_steps = other.steps.size();
  difference.is_tested = base.steps.size() >= kFewestSteps && other.steps.size() >= kFewestSteps;
  difference.is_across_devices = base.is_foreign != other.is_foreign;
  difference.overall = align_in_order(base.overall, other.overall);
  difference.kernels = align_parts(base.kernels, other.kernels);
  difference.kernel_types = align_parts(base.kernel_types, other.kernel_types);
  difference.kernel_classes = align_parts(base.kernel_classes, other.kernel_classes);
  difference.operators = align_parts(base.operators, other.operators);
  difference.modules = align_parts(base.modules, other.modules);
  difference.collectives = align_parts(base.collectives, other.collectives);
  difference.calls = align_parts(base.calls, other.calls);
  ReasonMap of_operators;
  collect_reasons(base, base.operators, base.operator_kernels, &DifferenceReason::base_ns,
                  of_operators);
  collect_reasons(other, other.operators, other.operator_kernels, &DifferenceReason::other_ns,
                  of_operators);
  put_reasons(of_operators, difference.operators);
  ReasonMap of_modules;
  collect_reasons(base, base.modules, base.module_kernels, &DifferenceReason::base_ns, of_modules);
  collect_reasons(other, other.modules, other.module_kernels, &DifferenceReason::other_ns,
                  of_modules);
  put_reasons(of_modules, difference.modules);
  return difference;
}

}  // namespace npuprof::analyze
