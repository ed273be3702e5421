#include "link/collectives/payload_runs.h"

#include <algorithm>
#include <cctype>

#include "format/host/enumerations.h"

namespace npuprof::link {
namespace {

bool contains_ignoring_case(std::string_view text, std::string_view lower_case) {
  const auto found = std::search(
      text.begin(), text.end(), lower_case.begin(), lower_case.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
      });
  return found != text.end();
}

}  // namespace

std::size_t closing_task_count(std::string_view op_name) {
  const bool is_point_to_point =
      contains_ignoring_case(op_name, "send") || contains_ignoring_case(op_name, "receive");
  return is_point_to_point ? 3 : 5;  // Point to point needs no barrier.
}

bool is_payload(const trace::CollectiveTasks& tasks, std::uint32_t row) {
  return tasks.rdma_type[row] == static_cast<std::uint32_t>(format::host::HcclRdma::kSendPayload);
}

PayloadRun payload_run(const trace::CollectiveTasks& tasks, std::span<const std::uint32_t> rows,
                       std::size_t first, std::size_t closing_tasks) {
  PayloadRun run{.end = first};
  for (; run.end < rows.size() && is_payload(tasks, rows[run.end]); ++run.end) {
    run.bytes += tasks.size_bytes[rows[run.end]];
  }
  run.close = run.end + closing_tasks - 2;
  run.is_closed = run.close < rows.size();
  return run;
}

}  // namespace npuprof::link
