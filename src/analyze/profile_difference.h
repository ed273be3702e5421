#pragma once

// Two profiles side by side: what takes longer in one of them, by how much, because of which
// kernels, and whether that is more than steps differ among themselves.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/profile_parts.h"
#include "analyze/step_significance.h"

namespace npuprof::analyze {

struct PartTotals {
  bool is_there = false;
  std::uint64_t count = 0;      // Over all steps.
  std::int64_t total_ns = 0;    // Over all steps.
  double per_step_ns = 0;       // Mean of all steps.
  double host_per_step_ns = 0;  // Operators only.
  double bytes_per_step = 0;    // Operators only.
};

// A kernel's share in the difference of an operator or a module, per step.
struct DifferenceReason {
  std::string kernel;
  std::string shapes;
  double base_ns = 0;
  double other_ns = 0;

  double difference_ns() const { return other_ns - base_ns; }
};

struct PartDifference {
  std::string key;
  std::string detail;
  std::uint32_t depth = 0;
  KernelClass kernel_class = KernelClass::kVector;
  PartTotals base;
  PartTotals other;
  StepComparison steps;                   // Of device times of the steps.
  std::vector<DifferenceReason> reasons;  // Largest first; operators and modules.

  double difference_ns() const { return other.per_step_ns - base.per_step_ns; }
  // other / base; infinite without a base, 1 if there is nothing at all.
  double ratio() const;
};

// Whether a difference is worth being told.
struct DifferenceThresholds {
  double chance = 0.01;  // At most this probable by chance alone ...
  double change = 0.01;  // ... and at least so large.
  // Where there are too few steps to tell chance: at least so large.
  double change_untested = 0.05;
};

enum class Verdict : std::uint8_t { kSame, kSlower, kFaster, kOnlyBase, kOnlyOther };
std::string_view verdict_name(Verdict verdict);
Verdict verdict_of(const PartDifference& part, const DifferenceThresholds& thresholds = {});

// Parts of the same key stand side by side, largest difference first; overall times in the order of
// the tree. Those of kernels are by (type, shapes).
struct ProfileDifference {
  std::size_t base_steps = 0;  // 0 = the profile has no steps.
  std::size_t other_steps = 0;
  bool is_tested = false;          // Enough steps on both sides to tell chance from change.
  bool is_across_devices = false;  // Kernel names have nothing in common: see kernel_classes.
  std::vector<PartDifference> overall;
  std::vector<PartDifference> kernels;
  std::vector<PartDifference> kernel_types;
  std::vector<PartDifference> kernel_classes;
  std::vector<PartDifference> operators;
  std::vector<PartDifference> modules;
  std::vector<PartDifference> collectives;
  std::vector<PartDifference> calls;
};

ProfileDifference profile_difference(const ProfileParts& base, const ProfileParts& other);

// Of two lists of series.
std::vector<PartDifference> align_parts(const std::vector<PartSeries>& base,
                                        const std::vector<PartSeries>& other);

}  // namespace npuprof::analyze
