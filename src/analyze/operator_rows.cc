#include "analyze/operator_rows.h"

#include <algorithm>
#include <tuple>

#include "base/saturated.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

void add(OperatorRows& rows, std::uint32_t row, bool is_collective, std::int64_t start_ns,
         std::int64_t end_ns, std::uint16_t device) {
  rows.row.push_back(row);
  rows.is_collective.push_back(is_collective ? 1 : 0);
  rows.start_ns.push_back(start_ns);
  rows.duration_ns.push_back(saturated_difference(end_ns, start_ns));
  rows.wait_ns.push_back(0);
  rows.device.push_back(device);
}

void set_waits(OperatorRows& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows.device[i] != rows.device[i - 1]) continue;
    const std::int64_t previous_end = saturated_sum(rows.start_ns[i - 1], rows.duration_ns[i - 1]);
    rows.wait_ns[i] =
        std::max<std::int64_t>(saturated_difference(rows.start_ns[i], previous_end), 0);
  }
}

}  // namespace

OperatorRows operator_rows(const trace::Trace& trace) {
  OperatorRows rows;
  const auto& kernels = trace.kernels();
  const auto& tasks = trace.tasks();
  const auto& collectives = trace.collective_ops();
  trace::reserve_rows(rows, kernels.size() + collectives.size());

  // Both tables are sorted by (device, start) already, so a merge is enough.
  std::size_t collective = 0;
  const auto add_collectives_before = [&](std::uint16_t device, std::int64_t start_ns) {
    while (collective < collectives.size() &&
           std::tie(collectives.device[collective], collectives.start_ns[collective]) <
               std::tie(device, start_ns)) {
      add(rows, static_cast<std::uint32_t>(collective), true, collectives.start_ns[collective],
          collectives.end_ns[collective], collectives.device[collective]);
      ++collective;
    }
  };
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    if (kernels.kind[kernel] != static_cast<std::uint8_t>(trace::KernelKind::kCompute)) continue;
    const auto task = kernels.task[kernel];
    add_collectives_before(tasks.device[task], tasks.start_ns[task]);
    add(rows, static_cast<std::uint32_t>(kernel), false, tasks.start_ns[task], tasks.end_ns[task],
        tasks.device[task]);
  }
  for (; collective < collectives.size(); ++collective) {
    add(rows, static_cast<std::uint32_t>(collective), true, collectives.start_ns[collective],
        collectives.end_ns[collective], collectives.device[collective]);
  }
  set_waits(rows);
  return rows;
}

}  // namespace npuprof::analyze
