#include "load/result_order.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "format/host/levels.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/op_state.h"
#include "trace/linked/tasks.h"
#include "trace/reorder.h"

namespace npuprof::load {
namespace {

template <typename Key>
std::vector<std::uint32_t> order_by(std::size_t rows, Key key) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  return order;
}

}  // namespace

std::vector<std::uint32_t> device_order(const std::vector<std::uint16_t>& device,
                                        const std::vector<std::int64_t>& start_ns) {
  return order_by(start_ns.size(),
                  [&](std::uint32_t row) { return std::pair(device[row], start_ns[row]); });
}

void sort_collectives(trace::Trace& trace) {
  trace::CollectiveOps& ops = trace.collective_ops();
  trace::reorder<trace::CollectiveOps>(trace, device_order(ops.device, ops.start_ns));
  trace::CollectiveTasks& parts = trace.collective_tasks();
  reorder_rows(parts, order_by(parts.size(), [&](std::uint32_t row) {
                 return std::pair(parts.op[row], parts.start_ns[row]);
               }));
}

void set_host_types(trace::Trace& trace) {
  std::unordered_map<std::uint32_t, std::uint16_t> known;
  for (std::size_t i = 0; i < trace.tasks().size(); ++i) {
    const StringId name = trace.tasks().shown_type[i];
    const auto [place, is_new] = known.try_emplace(to_index(name), trace::kNoHostType);
    if (is_new) {
      const auto type = format::host::task_type_from_name(trace.strings.view(name));
      place->second = type.value_or(trace::kNoHostType);
    }
    trace.tasks().host_type[i] = place->second;
  }
}

void append_kernel(trace::Kernels& kernels, trace::KernelKind kind, StringId name) {
  constexpr std::uint8_t kHf32Unknown = 2;
  const std::size_t row = kernels.size();
  resize_rows(kernels, row + 1);
  kernels.kind[row] = static_cast<std::uint8_t>(kind);
  kernels.name[row] = name;
  kernels.op_state[row] = static_cast<std::uint8_t>(trace::OpState::kUnknown);
  kernels.hf32[row] = kHf32Unknown;
  kernels.pmu[row] = trace::kNone;
  kernels.slave_pmu[row] = trace::kNone;
}

}  // namespace npuprof::load
