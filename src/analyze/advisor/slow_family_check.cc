// Families of kernels that take far longer than their work explains. Products are compared with the
// peak of the chip, what only moves data with the other families of the same profile.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "analyze/advisor/advised_kernels.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "analyze/kernel_flops.h"
#include "analyze/peak_flops.h"
#include "base/count_text.h"
#include "base/saturated.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

// Work of kernels of one type, and the time it took beyond what starting a kernel takes.
struct FamilyRate {
  AlikeKernels kernels;  // All of them, whatever their shapes.
  double bytes = 0;
  double ideal_ns = 0;  // At the peak of the cube units.
  double moving_ns = 0;
  double multiplying_ns = 0;
  bool multiplies = false;  // Then moving data is not all it does.

  double gb_s() const { return moving_ns > 0 ? bytes / moving_ns : 0; }
  double peak_share() const { return multiplying_ns > 0 ? ideal_ns / multiplying_ns : 0; }
};

class FamilyRates {
 public:
  explicit FamilyRates(const trace::Trace& trace)
      : trace_(trace), costs_(trace), peaks_(trace, {}), rows_(compute_kernels(trace)) {
    std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t row : rows_)
      shortest_ns = std::min(shortest_ns, kernel_ns(trace, row));
    start_ns_ = rows_.empty() ? 0 : static_cast<double>(std::max<std::int64_t>(shortest_ns, 0));
    for (const std::uint32_t row : rows_) add(row);
  }

  const std::map<StringId, FamilyRate>& families() const { return families_; }

 private:
  void add(std::uint32_t row) {
    const KernelCost cost = costs_.of(row);
    const StringId type = trace_.kernels().op_type[row];
    const std::int64_t length_ns = kernel_ns(trace_, row);
    const double work_ns = static_cast<double>(length_ns) - start_ns_;
    if (type == kEmptyString || !(work_ns > 0)) return;
    FamilyRate& family = families_[type];
    family.kernels.type = type;
    family.kernels.kernels.push_back(row);
    add_saturated(family.kernels.total_ns, length_ns);
    if (length_ns >= family.kernels.longest_ns) {
      family.kernels.longest_ns = length_ns;
      family.kernels.input_shapes = trace_.kernels().input_shapes[row];
      family.kernels.input_dtypes = trace_.kernels().input_dtypes[row];
      family.kernels.task_type = trace_.kernels().task_type[row];
    }
    // Of kernels that are over as soon as they have started nothing can be told.
    if (cost.bytes >= advice::kLeastMovedBytes && work_ns >= start_ns_ / 2) {
      family.bytes += cost.bytes;
      family.moving_ns += work_ns;
    }
    family.multiplies = family.multiplies || cost.family != KernelFamily::kOther;
    const auto task = trace_.kernels().task[row];
    const double ideal_ns =
        cost.flops * 1e9 /
        peaks_.at(trace_.tasks().device[task], cost.type, trace_.tasks().start_ns[task]);
    if (ideal_ns >= advice::kLeastIdealNs) {
      family.ideal_ns += ideal_ns;
      family.multiplying_ns += work_ns;
    }
  }

  const trace::Trace& trace_;
  KernelCosts costs_;
  Peaks peaks_;
  std::vector<std::uint32_t> rows_;
  double start_ns_ = 0;  // What the shortest kernel takes.
  std::map<StringId, FamilyRate> families_;
};

// Of families that move data and do not multiply; 0 if there are too few to say what is usual.
double usual_gb_s(const std::map<StringId, FamilyRate>& families, const FamilyRate& without) {
  std::vector<double> rates;
  for (const auto& [type, family] : families) {
    if (&family != &without && !family.multiplies && family.gb_s() > 0) {
      rates.push_back(family.gb_s());
    }
  }
  if (rates.size() < advice::kFewestFamilies) return 0;
  // Not the middle one: what fits into caches may be much faster than all else can be.
  const auto usual = rates.begin() + static_cast<std::ptrdiff_t>((rates.size() - 1) / 3);
  std::nth_element(rates.begin(), usual, rates.end());
  return *usual;
}

// The part of a family's time that would be gone at the usual rate; 0 if it is not slow.
double lost_share(const std::map<StringId, FamilyRate>& families, const FamilyRate& family) {
  const double usual = usual_gb_s(families, family);
  // Kernels with few products for their data are limited by moving it.
  const bool moves_fast = usual > 0 && family.gb_s() > usual / advice::kSlowFamilyFactor;
  if (family.multiplies) {
    const double share = family.peak_share();
    return family.multiplying_ns == 0 || share >= advice::kSlowProductShare || moves_fast
               ? 0
               : 1 - share / advice::kUsualProductShare;
  }
  return family.gb_s() > 0 && usual > 0 && !moves_fast ? 1 - family.gb_s() / usual : 0;
}

}  // namespace

Findings check_slow_family(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const FamilyRates rates(trace);
  Finding finding{.name = "slow_family"};
  finding.evidence.columns = group_columns();
  finding.evidence.columns.push_back({"moved", "Moves", EvidenceKind::kReal, "GB/s"});
  finding.evidence.columns.push_back({"usual", "Others move", EvidenceKind::kReal, "GB/s"});
  finding.evidence.columns.push_back({"peak", "Of the peak", EvidenceKind::kShare});
  finding.evidence.columns.push_back({"gain", "Gain", EvidenceKind::kTime});
  const FamilyRate* worst = nullptr;
  std::int64_t most_ns = 0;
  for (const auto& [type, family] : rates.families()) {
    const auto gain_ns = std::llround(lost_share(rates.families(), family) *
                                      static_cast<double>(family.kernels.total_ns));
    if (gain_ns <= 0) continue;
    auto& row = finding.evidence.rows.emplace_back(group_cells(trace, family.kernels));
    row.emplace_back(family.gb_s());
    row.emplace_back(usual_gb_s(rates.families(), family));
    row.emplace_back(family.peak_share());
    row.emplace_back(static_cast<std::int64_t>(gain_ns));
    add_saturated(finding.gain_ns, gain_ns);
    if (gain_ns > most_ns) {
      most_ns = gain_ns;
      worst = &family;
    }
  }
  if (worst == nullptr) return {};
  std::stable_sort(finding.evidence.rows.begin(), finding.evidence.rows.end(),
                   [](const auto& a, const auto& b) {
                     return std::get<std::int64_t>(a.back()) > std::get<std::int64_t>(b.back());
                   });
  const std::size_t count = finding.evidence.rows.size();
  finding.sentence = fmt::format(
      "{} of kernels {} far longer than the work explains, above all {}: {:.3f} ms in {}.",
      count_text(count, "type"), for_count(count, "takes", "take"),
      trace.strings.view(worst->kernels.type), static_cast<double>(worst->kernels.total_ns) / 1e6,
      count_text(worst->kernels.kernels.size(), "kernel"));
  finding.action =
      "Look for another version of the operator (fused, other data type or format, newer CANN), "
      "or tune its tiling; `npuprof compare` with an older profile says since when.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
