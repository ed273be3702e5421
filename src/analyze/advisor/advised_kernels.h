#pragma once

// Kernels of the same work, for checks that report groups of them.

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/advisor/finding.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct AlikeKernels {
  StringId type{};
  StringId input_shapes{};
  StringId input_dtypes{};
  StringId task_type{};
  std::vector<std::uint32_t> kernels;  // Rows.
  std::int64_t total_ns = 0;
  std::int64_t longest_ns = 0;
};

std::int64_t kernel_ns(const trace::Trace& trace, std::uint32_t kernel);

// Compute kernels that `is_wanted(row)` takes, by type, shapes, data types and cores; longest total
// first.
template <typename IsWanted>
std::vector<AlikeKernels> alike_kernels(const trace::Trace& trace, const IsWanted& is_wanted);

// Rows of all compute kernels, grouped; for the template above.
std::vector<AlikeKernels> gather_alike(const trace::Trace& trace,
                                       const std::vector<std::uint32_t>& rows);
std::vector<std::uint32_t> compute_kernels(const trace::Trace& trace);

template <typename IsWanted>
std::vector<AlikeKernels> alike_kernels(const trace::Trace& trace, const IsWanted& is_wanted) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t row : compute_kernels(trace)) {
    if (is_wanted(row)) rows.push_back(row);
  }
  return gather_alike(trace, rows);
}

// Columns and cells that tell which group it is: type, shapes, data types, count, total, longest.
std::vector<EvidenceColumn> group_columns();
std::vector<EvidenceCell> group_cells(const trace::Trace& trace, const AlikeKernels& group);

}  // namespace npuprof::analyze
