#include "analyze/kernel_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyze/task_modules.h"
#include "base/saturated.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

constexpr std::uint64_t kOutlierCalls = 5;
constexpr std::int64_t kOutlierFactor = 3;

using KernelGroupKey = std::array<std::uint32_t, 6>;

struct KernelGroupHash {
  std::size_t operator()(const KernelGroupKey& key) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t part : key) hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(hash ^ hash >> 32);
  }
};

KernelGroup group_of_kernel(const trace::Kernels& kernels, std::uint32_t kernel, KernelKey key) {
  KernelGroup group;
  group.type = kernels.op_type[kernel];
  group.core_type = kernels.task_type[kernel];
  if (key == KernelKey::kShape || key == KernelKey::kAlike) {
    group.input_shapes = kernels.input_shapes[kernel];
    group.input_dtypes = kernels.input_dtypes[kernel];
  }
  const bool needs_name = key == KernelKey::kName || group.type == kEmptyString ||
                          (key == KernelKey::kAlike && group.input_shapes == kEmptyString);
  if (needs_name) group.name = kernels.name[kernel];
  return group;
}

KernelGroupKey key_of_group(const KernelGroup& group, KernelKey key) {
  if (key == KernelKey::kName) return {group.device, to_index(group.name), 0, 0, 0, 0};
  return {group.device,
          to_index(group.name),
          to_index(group.type),
          to_index(group.core_type),
          to_index(group.input_shapes),
          to_index(group.input_dtypes)};
}

template <typename Group>
void set_kernel_shares(std::vector<Group>& groups) {
  std::map<std::uint16_t, double> totals;
  for (const Group& group : groups) {
    totals[group.device] += static_cast<double>(group.times.total_ns);
  }
  for (Group& group : groups) {
    const double total_ns = totals[group.device];
    group.share = total_ns > 0 ? static_cast<double>(group.times.total_ns) / total_ns : 0;
  }
}

// Ties are broken by texts, so that the order does not depend on which came first.
void sort_kernel_groups(std::vector<KernelGroup>& groups, const StringPool& strings) {
  const auto texts = [&](const KernelGroup& group) {
    return std::tuple(strings.view(group.name), strings.view(group.type),
                      strings.view(group.core_type), strings.view(group.input_shapes),
                      strings.view(group.input_dtypes));
  };
  std::sort(groups.begin(), groups.end(), [&](const KernelGroup& a, const KernelGroup& b) {
    if (a.device != b.device) return a.device < b.device;
    if (a.times.total_ns != b.times.total_ns) return a.times.total_ns > b.times.total_ns;
    return texts(a) < texts(b);
  });
}

}  // namespace

std::vector<KernelGroup> kernel_groups(const trace::Trace& trace, const OperatorRows& rows,
                                       KernelKey key) {
  std::vector<KernelGroup> groups;
  std::vector<std::uint32_t> group_of(rows.size(), trace::kNone);
  std::unordered_map<KernelGroupKey, std::uint32_t, KernelGroupHash> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.is_collective[i] != 0) continue;
    KernelGroup group = group_of_kernel(trace.kernels(), rows.row[i], key);
    group.device = rows.device[i];
    const auto [place, is_new] =
        places.try_emplace(key_of_group(group, key), static_cast<std::uint32_t>(groups.size()));
    if (is_new) groups.push_back(group);
    group_of[i] = place->second;
    add_saturated(groups[place->second].wait_ns, rows.wait_ns[i]);
  }
  const std::vector<DurationSummary> times =
      summarize_durations(group_of, rows.duration_ns, groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].times = times[i];
  set_kernel_shares(groups);
  sort_kernel_groups(groups, trace.strings);
  return groups;
}

std::vector<ModuleKernels> kernels_by_module(const trace::Trace& trace, const OperatorRows& rows) {
  std::vector<ModuleKernels> groups;
  const TaskModules modules = task_modules(trace);
  if (modules.empty()) return groups;
  std::vector<std::uint32_t> group_of(rows.size(), trace::kNone);
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.is_collective[i] != 0) continue;
    const std::uint32_t module = modules.of_task[trace.kernels().task[rows.row[i]]];
    const auto [place, is_new] =
        places.try_emplace({rows.device[i], module}, static_cast<std::uint32_t>(groups.size()));
    if (is_new) {
      groups.push_back({.device = rows.device[i],
                        .module = module == trace::kNone ? "" : modules.paths[module]});
    }
    group_of[i] = place->second;
    add_saturated(groups[place->second].wait_ns, rows.wait_ns[i]);
  }
  const std::vector<DurationSummary> times =
      summarize_durations(group_of, rows.duration_ns, groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].times = times[i];
  set_kernel_shares(groups);
  std::sort(groups.begin(), groups.end(), [](const ModuleKernels& a, const ModuleKernels& b) {
    return std::tuple(a.device, -a.times.total_ns, std::string_view(a.module)) <
           std::tuple(b.device, -b.times.total_ns, std::string_view(b.module));
  });
  return groups;
}

bool has_outlier(const DurationSummary& times) {
  return times.count >= kOutlierCalls &&
         times.max_ns > saturated_product(times.median_ns, kOutlierFactor) && times.median_ns > 0;
}

}  // namespace npuprof::analyze
