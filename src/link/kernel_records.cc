#include "link/kernel_records.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sort_order.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/cache_counters.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using trace::kNone;

std::uint64_t key_of(std::uint16_t device, std::uint16_t stream, std::uint32_t task) {
  return std::uint64_t{device} << 48 | std::uint64_t{stream} << 32 | task;
}

// Kernels by (device, stream, task), then by time.
class KernelIndex {
 public:
  explicit KernelIndex(const trace::Trace& trace) {
    const trace::Tasks& tasks = trace.tasks();
    std::vector<std::uint64_t> keys;
    keys.reserve(trace.kernels().size());
    for (const std::uint32_t task : trace.kernels().task) {
      keys.push_back(key_of(tasks.device[task], tasks.stream[task], tasks.task[task]));
    }
    rows_ = stable_order(keys);
    keys_.reserve(keys.size());
    for (const std::uint32_t row : rows_) keys_.push_back(keys[row]);
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

void link_cache_counters(const KernelIndex& kernels, trace::CacheCounters& table) {
  // Each kind of counter has its own record per kernel.
  constexpr std::uint64_t kKindShift = 62;
  std::vector<std::uint64_t> keys;
  keys.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    keys.push_back(std::uint64_t{table.kind[row]} << kKindShift |
                   key_of(table.device[row], table.stream[row], table.task[row]));
  }
  const std::vector<std::uint32_t> order = stable_order(keys);
  std::span<const std::uint32_t> candidates;
  std::size_t used = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t row = order[i];
    if (i == 0 || keys[row] != keys[order[i - 1]]) {
      candidates = kernels.find(key_of(table.device[row], table.stream[row], table.task[row]));
      used = 0;
    }
    table.kernel[row] = used < candidates.size() ? candidates[used++] : kNone;
  }
}

void link_aicpu_nodes(const KernelIndex& kernels, const trace::Trace& trace,
                      trace::AicpuNodes& table) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    table.kernel[row] = kNone;
    for (const std::uint32_t kernel :
         kernels.find(key_of(table.device[row], table.stream[row], table.task[row]))) {
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
  trace.cache_counters().kernel.resize(trace.cache_counters().size(), kNone);
  trace.aicpu_nodes().kernel.resize(trace.aicpu_nodes().size(), kNone);
  if (trace.cache_counters().size() == 0 && trace.aicpu_nodes().size() == 0) return;
  const KernelIndex kernels(trace);
  link_cache_counters(kernels, trace.cache_counters());
  link_aicpu_nodes(kernels, trace, trace.aicpu_nodes());
}

}  // namespace npuprof::link
