#pragma once

// How much of the cube units' peak kernels reach: model FLOPS utilization.
//
// Operations are told by the program (ranges of the domain "mfu_flops" around calls of Python), or
// follow from the shapes of kernels. What was told of a call belongs to the kernels that multiply;
// those that only move or convert its data are helpers.

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/kernel_flops.h"
#include "analyze/operator_work.h"
#include "analyze/peak_flops.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// A range "<operations>-<name>".
struct FlopsRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t tid = 0;
  std::uint32_t mark = 0;  // Row of Marks.
  double flops = 0;
  std::string_view name;  // Of the trace's pool.
};

// Those with operations and length, by start, as recorded.
std::vector<FlopsRange> flops_ranges(const trace::Trace& trace);

// What is known of each row of OperatorWork; NaN in what is not a kernel or not known.
struct WorkFlops {
  std::vector<FlopsRange> ranges;    // When and where the program made them.
  std::vector<std::uint32_t> range;  // kNone = in none. The thread is that of the operator.
  std::vector<double> flops;         // Of helpers in a range 0.
  std::vector<double> bytes;
  std::vector<double> ideal_ns;  // How long it takes at the peak of its time and number type.
  std::vector<NumberType> type;
  std::vector<std::uint8_t> is_helper;
};
WorkFlops work_flops(const trace::Trace& trace, const OperatorWork& work, Peaks& peaks);

// What keeps a kernel from being faster. A peak counts as reached from 60 % on.
enum class Bound : std::uint8_t { kUnknown, kCompute, kMemory, kNeither };
// Shares of both peaks; NaN = not known.
Bound roofline_bound(double compute_share, double memory_share);
std::string_view bound_name(Bound bound);  // "compute"; empty = not known.

// The bandwidth of a device's memory, which stands in no profile.
struct MemoryRoof {
  double gb_s = kUnknownWork;
  bool is_told = false;  // By the user.
};
// `told_gb_s`: 0 = nobody told. Then it is what kernels reach that only move data, and much of it,
// in the fastest tenth of their time; of all kernels if none of them does that.
MemoryRoof memory_roof(const trace::Trace& trace, const OperatorWork& work, const WorkFlops& flops,
                       double told_gb_s);

// What a single kernel reaches; NaN = not known.
struct KernelUse {
  double mfu = kUnknownWork;
  double gb_s = kUnknownWork;
  Bound bound = Bound::kUnknown;
};
// By row of Kernels.
std::vector<KernelUse> kernel_uses(const trace::Trace& trace, const OperatorWork& work,
                                   const WorkFlops& flops, const MemoryRoof& roof);

enum class UseKey : std::uint8_t { kType, kShapes };

// Kernels of one type and one type of numbers, and, if shapes are asked for, of the same inputs.
struct KernelTypeUse {
  StringId op_type{};
  StringId input_shapes{};  // UseKey::kShapes only.
  NumberType type = NumberType::kUnknown;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  double share = 0;  // Of the time of all kernels.
  // Of those of which operations, peak or bytes are known; NaN = of none.
  double flops = kUnknownWork;
  double tflops = kUnknownWork;  // Per second.
  double mfu = kUnknownWork;
  double bytes = kUnknownWork;
  double gb_s = kUnknownWork;
  double intensity = kUnknownWork;  // Operations per byte.
  Bound bound = Bound::kUnknown;
};
// Longest total first.
std::vector<KernelTypeUse> kernel_type_uses(const trace::Trace& trace, const OperatorWork& work,
                                            const WorkFlops& flops, const MemoryRoof& roof,
                                            UseKey key = UseKey::kType);

// Calls that the program told of, by name and type of numbers.
struct CallUse {
  std::string_view name;
  NumberType type = NumberType::kUnknown;
  std::uint64_t count = 0;
  double flops = 0;
  std::int64_t cube_ns = 0;
  std::int64_t helper_ns = 0;
  double tflops = kUnknownWork;
  double mfu = kUnknownWork;
};
// Longest cube time first. Calls without a kernel are left out.
std::vector<CallUse> call_uses(const OperatorWork& work, const WorkFlops& flops);

// All kernels together.
struct TotalUse {
  std::int64_t kernel_ns = 0;
  std::int64_t counted_ns = 0;  // Of kernels whose operations and peak are known.
  double flops = 0;
  double ideal_ns = 0;
};
TotalUse total_use(const OperatorWork& work, const WorkFlops& flops);

}  // namespace npuprof::analyze
