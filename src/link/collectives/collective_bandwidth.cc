#include "link/collectives/collective_bandwidth.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "link/collectives/payload_runs.h"

namespace npuprof::link {
namespace {

double gigabytes_per_second(double bytes, std::int64_t duration_ns) {
  return duration_ns <= 0 ? 0 : bytes / static_cast<double>(duration_ns);
}

// `rows` are the tasks of one plane of one op by time.
void set_plane(std::span<const std::uint32_t> rows, std::size_t closing,
               trace::CollectiveTasks& tasks) {
  for (const std::uint32_t row : rows) {
    tasks.bandwidth_gb_s[row] = gigabytes_per_second(static_cast<double>(tasks.size_bytes[row]),
                                                     tasks.end_ns[row] - tasks.start_ns[row]);
  }
  for (std::size_t first = 0; first < rows.size();) {
    if (!is_payload(tasks, rows[first])) {
      ++first;
      continue;
    }
    const PayloadRun run = payload_run(tasks, rows, first, closing);
    if (run.is_closed) {
      const double bandwidth =
          gigabytes_per_second(static_cast<double>(run.bytes),
                               tasks.end_ns[rows[run.close]] - tasks.start_ns[rows[first]]);
      for (std::size_t i = first; i < run.end; ++i) tasks.bandwidth_gb_s[rows[i]] = bandwidth;
    }
    first = run.next();
  }
}

}  // namespace

void set_bandwidths(const trace::CollectiveOps& ops, const StringPool& strings,
                    trace::CollectiveTasks& tasks) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t begin = 0; begin < tasks.size();) {
    std::uint32_t end = begin;
    rows.clear();
    while (end < tasks.size() && tasks.op[end] == tasks.op[begin]) rows.push_back(end++);
    // By plane; rows of an op are in order of time already.
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return tasks.plane[a] < tasks.plane[b];
    });
    const std::size_t closing = closing_task_count(strings.view(ops.name[tasks.op[begin]]));
    for (std::size_t first = 0; first < rows.size();) {
      std::size_t last = first;
      while (last < rows.size() && tasks.plane[rows[last]] == tasks.plane[rows[first]]) ++last;
      set_plane(std::span(rows).subspan(first, last - first), closing, tasks);
      first = last;
    }
    begin = end;
  }
}

}  // namespace npuprof::link
