// Kernels by what limits them: the units of a core that are busy nearly all the time. One that is
// limited by none has head-room.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "analyze/advisor/advised_kernels.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "analyze/kernel_class.h"
#include "analyze/kernel_flops.h"
#include "analyze/kernel_metrics.h"
#include "base/count_text.h"
#include "base/saturated.h"
#include "base/text.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

// Shares of time that units of the cores were busy. A unit that cube and vector cores both have is
// as busy as that of the busier ones.
class UnitRatios {
 public:
  explicit UnitRatios(const trace::Trace& trace) : metrics_(trace), values_(metrics_.size()) {
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const std::string& name = metrics_.columns()[i].name;
      if (!name.ends_with("_ratio") || name.find("miss") != std::string::npos) continue;
      const std::string unit = unit_of(name);
      const auto found = std::find(units_.begin(), units_.end(), unit);
      columns_.emplace_back(i, found - units_.begin());
      if (found == units_.end()) units_.push_back(unit);
    }
    ratios_.resize(units_.size());
  }

  bool has(std::uint32_t kernel) const { return !units_.empty() && metrics_.has(kernel); }

  // By unit; valid until the next call.
  const std::vector<double>& of(std::uint32_t kernel) {
    metrics_.compute(kernel, values_);
    std::fill(ratios_.begin(), ratios_.end(), 0);
    for (const auto& [column, unit] : columns_) {
      const double value = values_[column];
      if (!std::isnan(value)) ratios_[unit] = std::max(ratios_[unit], value);
    }
    return ratios_;
  }

  // By name of the unit, "mte2".
  std::map<std::string, double> means(const std::vector<std::uint32_t>& kernels) {
    std::vector<double> sums(units_.size());
    double count = 0;
    for (const std::uint32_t kernel : kernels) {
      if (!has(kernel)) continue;
      ++count;
      const std::vector<double>& ratios = of(kernel);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += ratios[i];
    }
    std::map<std::string, double> means;
    for (std::size_t i = 0; i < sums.size() && count > 0; ++i) means[units_[i]] = sums[i] / count;
    return means;
  }

 private:
  // "aic_mte2_ratio" is of unit "mte2".
  static std::string unit_of(std::string_view name) {
    for (const std::string_view prefix : {"aic_", "aiv_"}) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    name.remove_suffix(std::string_view("_ratio").size());
    return std::string(name);
  }

  KernelMetrics metrics_;
  std::vector<double> values_;
  std::vector<std::string> units_;
  std::vector<std::pair<std::size_t, std::size_t>> columns_;  // Column and its unit.
  std::vector<double> ratios_;                                // By unit.
};

double ratio_of(const std::map<std::string, double>& ratios, const std::string& unit) {
  const auto found = ratios.find(unit);
  return found == ratios.end() ? 0 : found->second;
}

// Dimensions of one input: "512,1024" of `"512,1024;1024,4096"`.
std::vector<std::vector<std::int64_t>> dimensions_of(std::string_view shapes) {
  std::vector<std::vector<std::int64_t>> inputs;
  std::string clean;
  for (const char c : shapes) {
    if (c != '"' && c != ' ') clean += c;
  }
  for (const std::string_view input : split(clean, ';')) {
    auto& dimensions = inputs.emplace_back();
    for (const std::string_view number : split(input, ',')) {
      if (const auto value = parse_number<std::int64_t>(number)) dimensions.push_back(*value);
    }
  }
  return inputs;
}

// Of an unknown type, most are as wide as this.
double likely_bytes_of_type(std::string_view type) {
  const double bytes = bytes_of_type(type);
  return std::isnan(bytes) ? 4 : bytes;
}

// What all tensors of a kernel have together, in bytes.
double moved_bytes(std::string_view shapes, std::string_view dtypes) {
  const auto inputs = dimensions_of(shapes);
  const auto types = split(dtypes, ';');
  double bytes = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    double elements = inputs[i].empty() ? 0 : 1;
    for (const std::int64_t dimension : inputs[i]) elements *= static_cast<double>(dimension);
    bytes += elements * likely_bytes_of_type(i < types.size() ? types[i] : std::string_view());
  }
  return bytes;
}

bool has_odd_inner_axis(const AlikeKernels& group, const trace::Trace& trace,
                        std::int64_t multiple) {
  const auto inputs = dimensions_of(trace.strings.view(group.input_shapes));
  const auto types = split(trace.strings.view(group.input_dtypes), ';');
  for (std::size_t i = 0; i < std::min<std::size_t>(inputs.size(), 2); ++i) {
    if (inputs[i].empty() || inputs[i].back() <= 0) continue;
    const auto bytes = static_cast<std::int64_t>(
        likely_bytes_of_type(i < types.size() ? types[i] : std::string_view()));
    if (saturated_product(inputs[i].back(), bytes) % multiple != 0) return true;
  }
  return false;
}

bool has_odd_attention_axis(const AlikeKernels& group, const trace::Trace& trace) {
  for (const auto& dimensions : dimensions_of(trace.strings.view(group.input_shapes))) {
    if (dimensions.size() < 3) continue;
    // The first input with axes is the query: its last two are sequence and head, in some order.
    return dimensions.back() % advice::kAttentionAxisMultiple != 0 ||
           dimensions[dimensions.size() - 2] % advice::kAttentionAxisMultiple != 0;
  }
  return false;
}

struct BoundVerdict {
  std::string bound;    // Empty: none, it has head-room.
  double headroom = 0;  // The smallest gap to a limit.
};

// The nearest of some limits: unit, from which ratio on it limits.
BoundVerdict nearest_bound(const std::map<std::string, double>& ratios,
                           std::initializer_list<std::pair<const char*, double>> limits) {
  BoundVerdict verdict{.headroom = 1};
  for (const auto& [unit, limit] : limits) {
    const double ratio = ratio_of(ratios, unit);
    if (ratio >= limit) {
      if (!verdict.bound.empty()) verdict.bound += "+";
      verdict.bound += unit;
    }
    verdict.headroom = std::min(verdict.headroom, limit - ratio);
  }
  if (!verdict.bound.empty()) verdict.headroom = 0;
  return verdict;
}

// Rows of groups that could be faster, with their notes.
class PerformanceFinding {
 public:
  PerformanceFinding(const trace::Trace& trace, std::string_view name) : trace_(trace) {
    finding_.name = name;
    finding_.evidence.columns = group_columns();
    finding_.evidence.columns.push_back({"problem", "Problem"});
    finding_.evidence.columns.push_back({"headroom", "Head-room", EvidenceKind::kShare});
    finding_.evidence.columns.push_back({"gain", "Gain", EvidenceKind::kTime});
  }

  void add(const AlikeKernels& group, std::string problem, double headroom) {
    const auto gain =
        static_cast<std::int64_t>(std::llround(static_cast<double>(group.total_ns) * headroom));
    auto cells = group_cells(trace_, group);
    cells.emplace_back(std::move(problem));
    cells.emplace_back(headroom);
    cells.emplace_back(gain);
    gains_.emplace_back(gain, finding_.evidence.rows.size());
    finding_.evidence.rows.push_back(std::move(cells));
  }

  // The worst alone.
  Findings finish(std::string_view what, std::string_view action) {
    if (gains_.empty()) return {};
    std::stable_sort(gains_.begin(), gains_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (gains_.size() > advice::kWorstOperators) gains_.resize(advice::kWorstOperators);
    std::vector<std::vector<EvidenceCell>> rows;
    for (const auto& [gain, place] : gains_) {
      add_saturated(finding_.gain_ns, gain);
      rows.push_back(std::move(finding_.evidence.rows[place]));
    }
    finding_.evidence.rows = std::move(rows);
    finding_.sentence = fmt::format(
        "{} of {} {} no unit of the cores busy enough or {} sizes that do not suit them.",
        count_text(gains_.size(), "kind"), what, for_count(gains_.size(), "keeps", "keep"),
        for_count(gains_.size(), "has", "have"));
    finding_.action = action;
    return {std::move(finding_)};
  }

 private:
  const trace::Trace& trace_;
  Finding finding_;
  std::vector<std::pair<std::int64_t, std::size_t>> gains_;
};

std::vector<AlikeKernels> measured_groups(const trace::Trace& trace, const UnitRatios& ratios,
                                          KernelClass kind) {
  std::map<StringId, bool> is_kind;  // Few types, many kernels.
  return alike_kernels(trace, [&](std::uint32_t row) {
    if (!ratios.has(row)) return false;
    const StringId type = trace.kernels().op_type[row];
    const auto [found, is_new] = is_kind.try_emplace(type, false);
    if (is_new) found->second = kernel_class(trace.strings.view(type), "") == kind;
    return found->second;
  });
}

}  // namespace

Findings check_matmul_performance(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  UnitRatios ratios(trace);
  PerformanceFinding finding(trace, "matmul_performance");
  for (const AlikeKernels& group : measured_groups(trace, ratios, KernelClass::kMatmul)) {
    const double bytes = moved_bytes(trace.strings.view(group.input_shapes),
                                     trace.strings.view(group.input_dtypes)) *
                         static_cast<double>(group.kernels.size());
    if (bytes < advice::kCubeBytes) continue;
    const auto means = ratios.means(group.kernels);
    const BoundVerdict verdict =
        nearest_bound(means, {{"mac", advice::kCubeMacRatio}, {"mte2", advice::kCubeMte2Ratio}});
    if (has_odd_inner_axis(group, trace, advice::kCubeAxisMultiple)) {
      finding.add(group, "inner axis is no multiple of 256 bytes", verdict.headroom);
    } else if (verdict.bound.empty()) {
      finding.add(group, "not bound", verdict.headroom);
    }
  }
  return finding.finish("matrix products",
                        "Pad inner axes to multiples of 256 bytes; tune the tiling of products "
                        "with head-room.");
}

Findings check_attention_performance(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  UnitRatios ratios(trace);
  PerformanceFinding finding(trace, "attention_performance");
  for (const AlikeKernels& group : measured_groups(trace, ratios, KernelClass::kAttention)) {
    const bool is_backward = contains_word(trace.strings.view(group.type), "grad");
    const auto means = ratios.means(group.kernels);
    const BoundVerdict verdict =
        nearest_bound(means, {{"mte2", advice::kAttentionMte2Ratio},
                              {is_backward ? "fixpipe" : "vec", advice::kAttentionUnitRatio}});
    if (has_odd_attention_axis(group, trace)) {
      finding.add(group, "sequence or head size is no multiple of 128", verdict.headroom);
    } else if (verdict.bound.empty()) {
      finding.add(group, "not bound", verdict.headroom);
    }
  }
  return finding.finish("attention kernels",
                        "Use head sizes and sequence lengths that are multiples of 128.");
}

Findings check_vector_performance(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  UnitRatios ratios(trace);
  const auto least_ns = static_cast<std::int64_t>(advice::kVectorTimeShare *
                                                  static_cast<double>(profile_time_ns(results)));
  PerformanceFinding finding(trace, "vector_performance");
  for (const AlikeKernels& group : measured_groups(trace, ratios, KernelClass::kVector)) {
    if (group.total_ns < std::min(least_ns, advice::kVectorTimeNs) || group.total_ns == 0) continue;
    const auto means = ratios.means(group.kernels);
    const double sum = ratio_of(means, "vec") + ratio_of(means, "mte2") + ratio_of(means, "mte3");
    if (sum >= advice::kVectorSumRatio) continue;
    const BoundVerdict verdict = nearest_bound(means, {{"vec", advice::kVectorUnitRatio},
                                                       {"mte2", advice::kVectorUnitRatio},
                                                       {"mte3", advice::kVectorUnitRatio}});
    if (!verdict.bound.empty()) continue;
    finding.add(group, "not bound", std::min(verdict.headroom, advice::kVectorSumRatio - sum));
  }
  return finding.finish("vector operators",
                        "Fuse them with their neighbours, or give them more work at a time.");
}

Findings check_operator_no_bound(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  UnitRatios ratios(trace);
  const auto groups = alike_kernels(trace, [&](std::uint32_t row) {
    if (!ratios.has(row) || kernel_ns(trace, row) <= advice::kUnboundKernelNs) return false;
    const std::vector<double>& units = ratios.of(row);
    return std::all_of(units.begin(), units.end(),
                       [](double ratio) { return ratio <= advice::kUnboundRatio; });
  });
  if (groups.empty()) return {};
  Finding finding{.name = "operator_no_bound"};
  finding.evidence.columns = group_columns();
  finding.evidence.columns.push_back({"busiest", "Busiest unit"});
  finding.evidence.columns.push_back({"ratio", "Its ratio", EvidenceKind::kShare});
  std::size_t count = 0;
  for (const AlikeKernels& group : groups) {
    const auto means = ratios.means(group.kernels);
    const auto busiest =
        std::max_element(means.begin(), means.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    count += group.kernels.size();
    add_saturated(finding.gain_ns,
                  std::llround(static_cast<double>(group.total_ns) *
                               std::max(0.0, advice::kUnboundRatio - busiest->second)));
    if (finding.evidence.rows.size() == advice::kEvidenceRows) continue;
    auto& row = finding.evidence.rows.emplace_back(group_cells(trace, group));
    row.emplace_back(busiest->first);
    row.emplace_back(busiest->second);
  }
  finding.sentence =
      fmt::format("{} of more than {} us {} no unit of the cores busy for {:.0f} % of {} time.",
                  count_text(count, "kernel"), advice::kUnboundKernelNs / 1000,
                  for_count(count, "keeps", "keep"), 100 * advice::kUnboundRatio,
                  for_count(count, "its", "their"));
  finding.action = "Tune their tiling, or give them larger inputs.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
