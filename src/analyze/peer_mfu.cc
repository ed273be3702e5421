#include "analyze/peer_mfu.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "analyze/attention_marks.h"
#include "analyze/operator_mfu.h"
#include "analyze/tensor_shapes.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

std::string_view first_dtype(const trace::Trace& trace, std::uint32_t kernel) {
  const std::string_view dtypes =
      without_quotes(trace.strings.view(trace.kernels().input_dtypes[std::size_t{kernel}]));
  return dtypes.substr(0, dtypes.find(';'));
}

// Kernels with an operator and shapes, by start of the operator and then their own.
std::vector<std::uint32_t> rated_rows(const trace::Trace& trace, const OperatorWork& work) {
  std::vector<std::uint32_t> rows;
  const auto& kernels = trace.kernels();
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    const std::size_t row = i;
    if (work.op[row] == kNone || work.kind[row] != static_cast<std::uint8_t>(WorkKind::kKernel)) {
      continue;
    }
    const std::size_t kernel = work.row[row];
    if (kernels.input_shapes[kernel] == kEmptyString ||
        kernels.output_shapes[kernel] == kEmptyString) {
      continue;
    }
    rows.push_back(i);
  }
  const auto& ops = trace.framework_ops();
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::pair first(ops.start_ns[work.op[std::size_t{a}]], work.start_ns[std::size_t{a}]);
    return first < std::pair(ops.start_ns[work.op[std::size_t{b}]], work.start_ns[std::size_t{b}]);
  });
  return rows;
}

}  // namespace

PeerMfu peer_mfu_of_ranges(const trace::Trace& trace, const OperatorWork& work,
                           const Peaks& peaks) {
  PeerMfu out;
  out.by_work.assign(work.size(), kUnknownWork);
  const std::vector<FlopsRange> ranges = flops_ranges(trace);
  std::vector<double> peak_of(ranges.size(), -1);  // Less than 0: no kernel so far.
  std::vector<std::uint32_t> open;
  std::size_t next = 0;
  for (const std::uint32_t row : rated_rows(trace, work)) {
    const std::int64_t time_ns = trace.framework_ops().start_ns[work.op[std::size_t{row}]];
    for (; next < ranges.size() && ranges[next].start_ns <= time_ns; ++next) {
      open.push_back(static_cast<std::uint32_t>(next));
    }
    while (!open.empty() && ranges[open.back()].end_ns < time_ns) open.pop_back();
    if (open.empty()) continue;
    const FlopsRange& range = ranges[open.back()];
    double& peak = peak_of[open.back()];
    if (peak < 0) {
      const std::string_view dtype = first_dtype(trace, work.row[std::size_t{row}]);
      peak = peaks.peer(dtype.empty() ? "FLOAT16" : dtype);
    }
    const double seconds = static_cast<double>(work.duration_ns[std::size_t{row}]) / 1e9;
    if (std::isnan(peak) || seconds <= 0) continue;
    const double per_second = range.flops / seconds;
    out.by_work[row] = per_second / peak;
    out.rows.push_back(
        {row, out.by_work[row], per_second / 1e12, peak / 1e12, range.flops, range.name});
  }
  return out;
}

std::vector<double> peer_mfu_of_shapes(const trace::Trace& trace, const OperatorWork& work,
                                       const Peaks& peaks) {
  std::vector<double> values(work.size(), kUnknownWork);
  const AttentionMarks marks = attention_marks(trace, work);
  const auto& kernels = trace.kernels();
  // Products of the same shapes come again and again.
  std::unordered_map<std::uint64_t, double> seen;
  for (std::uint32_t i = 0; i < work.size(); ++i) {
    const std::size_t row = i;
    if (work.kind[row] != static_cast<std::uint8_t>(WorkKind::kKernel)) continue;
    const std::size_t kernel = work.row[row];
    const std::string_view op_type = trace.strings.view(kernels.op_type[kernel]);
    double flops = kUnknownWork;
    if (op_type == "MatMulV2" || op_type == "MatMulV3") {
      const std::uint64_t key = std::uint64_t{to_index(kernels.input_shapes[kernel])} << 32 |
                                to_index(kernels.output_shapes[kernel]);
      const auto [place, is_new] = seen.try_emplace(key, 0);
      if (is_new) place->second = peer_matmul_flops(texts_of(trace, work.row[row]));
      flops = place->second;
    } else if (const AttentionArguments* told = marks.find(i); told != nullptr) {
      flops = peer_attention_flops(texts_of(trace, work.row[row]), *told);
    }
    if (!(flops > 0) || work.duration_ns[row] <= 0) continue;
    const double seconds = static_cast<double>(work.duration_ns[row]) / 1e9;
    values[row] = flops / seconds / peaks.peer(first_dtype(trace, work.row[row]));
  }
  return values;
}

}  // namespace npuprof::analyze
