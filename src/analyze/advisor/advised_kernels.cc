#include "analyze/advisor/advised_kernels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/saturated.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {

std::int64_t kernel_ns(const trace::Trace& trace, std::uint32_t kernel) {
  const auto task = trace.kernels().task[kernel];
  return saturated_difference(trace.tasks().end_ns[task], trace.tasks().start_ns[task]);
}

std::vector<std::uint32_t> compute_kernels(const trace::Trace& trace) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < trace.kernels().size(); ++i) {
    if (trace.kernels().kind[i] == static_cast<std::uint8_t>(trace::KernelKind::kCompute)) {
      rows.push_back(i);
    }
  }
  return rows;
}

std::vector<AlikeKernels> gather_alike(const trace::Trace& trace,
                                       const std::vector<std::uint32_t>& rows) {
  const auto& kernels = trace.kernels();
  std::map<std::tuple<StringId, StringId, StringId, StringId>, std::size_t> places;
  std::vector<AlikeKernels> groups;
  for (const std::uint32_t row : rows) {
    const StringId type =
        kernels.op_type[row] != kEmptyString ? kernels.op_type[row] : kernels.name[row];
    const auto [place, is_new] = places.try_emplace(
        {type, kernels.input_shapes[row], kernels.input_dtypes[row], kernels.task_type[row]},
        groups.size());
    if (is_new) {
      groups.push_back({.type = type,
                        .input_shapes = kernels.input_shapes[row],
                        .input_dtypes = kernels.input_dtypes[row],
                        .task_type = kernels.task_type[row]});
    }
    AlikeKernels& group = groups[place->second];
    const std::int64_t ns = kernel_ns(trace, row);
    group.kernels.push_back(row);
    add_saturated(group.total_ns, ns);
    group.longest_ns = std::max(group.longest_ns, ns);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const AlikeKernels& a, const AlikeKernels& b) {
    return a.total_ns > b.total_ns;
  });
  return groups;
}

std::vector<EvidenceColumn> group_columns() {
  return {{"type", "Kernel type"},
          {"input_shapes", "Input shapes"},
          {"input_types", "Input types"},
          {"core", "Cores"},
          {"count", "Count", EvidenceKind::kCount},
          {"total", "Total", EvidenceKind::kTime},
          {"longest", "Longest", EvidenceKind::kTime}};
}

std::vector<EvidenceCell> group_cells(const trace::Trace& trace, const AlikeKernels& group) {
  const auto text = [&](StringId id) { return std::string(trace.strings.view(id)); };
  return {text(group.type),
          text(group.input_shapes),
          text(group.input_dtypes),
          text(group.task_type),
          static_cast<std::int64_t>(group.kernels.size()),
          group.total_ns,
          group.longest_ns};
}

}  // namespace npuprof::analyze
