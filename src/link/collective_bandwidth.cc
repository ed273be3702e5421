#include "link/collective_bandwidth.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "format/host/enumerations.h"

namespace npuprof::link {
namespace {

double gigabytes_per_second(double bytes, std::int64_t duration_ns) {
  return duration_ns <= 0 ? 0 : bytes / static_cast<double>(duration_ns);
}

bool contains_ignoring_case(std::string_view text, std::string_view lower_case) {
  const auto found = std::search(
      text.begin(), text.end(), lower_case.begin(), lower_case.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
      });
  return found != text.end();
}

// How many tasks lie from the last payload of a run to the one that closes it, both included.
std::size_t closing_tasks(std::string_view op_name) {
  const bool is_point_to_point =
      contains_ignoring_case(op_name, "send") || contains_ignoring_case(op_name, "receive");
  return is_point_to_point ? 3 : 5;  // Point to point needs no barrier.
}

bool is_payload(const trace::CollectiveTasks& tasks, std::uint32_t row) {
  return tasks.rdma_type[row] == static_cast<std::uint32_t>(format::host::HcclRdma::kSendPayload);
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
    std::size_t last = first;
    double bytes = 0;
    for (; last < rows.size() && is_payload(tasks, rows[last]); ++last) {
      bytes += static_cast<double>(tasks.size_bytes[rows[last]]);
    }
    const std::size_t close = last + closing - 2;
    if (close >= rows.size()) {  // The closing task was not recorded.
      first = last;
      continue;
    }
    const double bandwidth =
        gigabytes_per_second(bytes, tasks.end_ns[rows[close]] - tasks.start_ns[rows[first]]);
    for (std::size_t i = first; i < last; ++i) tasks.bandwidth_gb_s[rows[i]] = bandwidth;
    first = close + 1;
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
    const std::size_t closing = closing_tasks(strings.view(ops.name[tasks.op[begin]]));
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
