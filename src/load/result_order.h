#pragma once

// Rows of results in the order that the tables of a trace promise.

#include <cstdint>
#include <vector>

#include "base/sort_order.h"
#include "trace/linked/kernels.h"
#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::load {

// The order by (device, start); rows with both equal keep theirs.
std::vector<std::uint32_t> device_order(const std::vector<std::uint16_t>& device,
                                        const std::vector<std::int64_t>& start_ns);

// Puts what ran on devices in that order. Returns it: new row i was row result[i].
template <trace::Columnar Table>
std::vector<std::uint32_t> sort_by_device(Table& table) {
  std::vector<std::uint32_t> order = device_order(table.device, table.start_ns);
  if (!is_identity(order)) reorder_rows(table, order);
  return order;
}

// Puts collectives in order of (device, start), and their tasks by collective and start.
void sort_collectives(trace::Trace& trace);

// Sets Tasks::host_type from the names that results show; names of sub-tasks are none of the
// host's.
void set_host_types(trace::Trace& trace);

// More metrics than any collector writes: a bound for the memory that a damaged file can ask for.
inline constexpr std::size_t kMaxMetrics = 128;

// A kernel of which only the name is known.
void append_kernel(trace::Kernels& kernels, trace::KernelKind kind, StringId name);

template <typename T>
void apply_order(const std::vector<std::uint32_t>& order, std::vector<T>& column) {
  if (is_identity(order)) return;
  std::vector<T> moved;
  moved.reserve(order.size());
  for (const std::uint32_t row : order) moved.push_back(column[row]);
  column = std::move(moved);
}

}  // namespace npuprof::load
