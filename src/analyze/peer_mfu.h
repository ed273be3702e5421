#pragma once

// Utilization as other tools give it, with their shortcuts: every kernel of a call has all of its
// operations, FLOAT is rated as FLOAT16, frequency is nominal, threads do not matter.
// operator_mfu.h has the right numbers.

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/operator_work.h"
#include "analyze/peak_flops.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct PeerKernelMfu {
  std::uint32_t work_row = 0;
  double mfu = 0;  // 0 to 1.
  double tflops = 0;
  double peak_tflops = 0;
  double flops = 0;
  std::string_view flops_name;  // Of the range.
};

struct PeerMfu {
  std::vector<PeerKernelMfu> rows;  // By start of operators, then of kernels.
  std::vector<double> by_work;      // By row of OperatorWork; NaN = none.
};

// From ranges of the domain "mfu_flops". Kernels without shapes are left out, and so are ranges
// whose first kernel has numbers of a type without a peak.
PeerMfu peer_mfu_of_ranges(const trace::Trace& trace, const OperatorWork& work, const Peaks& peaks);

// From shapes and marks of attention, by row of OperatorWork.
std::vector<double> peer_mfu_of_shapes(const trace::Trace& trace, const OperatorWork& work,
                                       const Peaks& peaks);

}  // namespace npuprof::analyze
