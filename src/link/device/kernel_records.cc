#include "link/device/kernel_records.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sort_order.h"
#include "link/device_rows.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/cache_counters.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::link {
namespace {

using trace::kNone;

constexpr std::size_t kCacheCounterKinds = 3;

// The records know neither batch nor context.
template <typename Table>
std::uint64_t key_of(const Table& table, std::size_t row) {
  return trace::TaskId{.stream = table.stream[row], .task = table.task[row]}.key();
}

// Kernels of one device by (stream, task), then by time.
class KernelIndex {
 public:
  KernelIndex(const trace::Trace& trace, std::uint16_t device) {
    const trace::Tasks& tasks = trace.tasks();
    const auto& task_of = trace.kernels().task;
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> kernels;
    for (std::uint32_t kernel = 0; kernel < task_of.size(); ++kernel) {
      if (tasks.device[task_of[kernel]] != device) continue;
      keys.push_back(key_of(tasks, task_of[kernel].number()));
      kernels.push_back(kernel);
    }
    for (const std::uint32_t position : stable_order(keys)) {
      keys_.push_back(keys[position]);
      rows_.push_back(kernels[position]);
    }
  }

  std::span<const std::uint32_t> find(std::uint64_t key) const {
    const auto [first, last] = std::equal_range(keys_.begin(), keys_.end(), key);
    return std::span(rows_).subspan(static_cast<std::size_t>(first - keys_.begin()),
                                    static_cast<std::size_t>(last - first));
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> rows_;
};

void link_cache_counters(const KernelIndex& kernels, std::uint16_t device,
                         trace::CacheCounters& table) {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> keys;
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    if (table.device[row] != device) continue;
    rows.push_back(row);
    keys.push_back(key_of(table, row));
  }
  // Each kind of counter has its own record per kernel.
  std::array<std::size_t, kCacheCounterKinds> used{};
  std::span<const std::uint32_t> candidates;
  const std::vector<std::uint32_t> order = stable_order(keys);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || keys[order[i]] != keys[order[i - 1]]) {
      candidates = kernels.find(keys[order[i]]);
      used = {};
    }
    const std::uint32_t row = rows[order[i]];
    std::size_t& next = used[table.kind[row]];
    table.kernel[row] = next < candidates.size() ? candidates[next++] : kNone;
  }
}

void link_aicpu_nodes(const KernelIndex& kernels, std::uint16_t device, const trace::Trace& trace,
                      trace::AicpuNodes& table) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.device[row] != device) continue;
    for (const std::uint32_t kernel : kernels.find(key_of(table, row))) {
      const auto task = trace.kernels().task[kernel];
      if (trace.tasks().start_ns[task] <= table.start_ns[row] &&
          table.start_ns[row] <= trace.tasks().end_ns[task]) {
        table.kernel[row] = kernel;
        break;
      }
    }
  }
}

}  // namespace

void link_kernel_records(trace::Trace& trace) {
  trace::CacheCounters& counters = trace.cache_counters();
  trace::AicpuNodes& nodes = trace.aicpu_nodes();
  counters.kernel.assign(counters.size(), kNone);
  nodes.kernel.assign(nodes.size(), kNone);
  if (counters.size() == 0 && nodes.size() == 0) return;
  for (const std::uint16_t device : distinct_devices(trace.tasks().device)) {
    const KernelIndex kernels(trace, device);
    link_cache_counters(kernels, device, counters);
    link_aicpu_nodes(kernels, device, trace, nodes);
  }
}

}  // namespace npuprof::link
