#include "link/device/device_mark_pairs.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "trace/device/step_marks.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"

namespace npuprof::link {
namespace {

constexpr std::uint16_t kMarkTag = 11;
constexpr std::uint16_t kRangeTag = 12;  // From CANN 9.1 on; before, ranges had kMarkTag as well.

bool tells_ranges(std::string_view cann_version) {
  const std::vector<std::string_view> parts = split(cann_version, '.');
  const int major = parse_number<int>(parts[0]).value_or(0);
  const int minor = parts.size() > 1 ? parse_number<int>(parts[1]).value_or(0) : 0;
  return std::pair(major, minor) >= std::pair(9, 1);
}

void append(const trace::StepMarks& marks, std::uint32_t start, std::uint32_t end,
            trace::DeviceMarks& out) {
  out.start_ns.push_back(marks.time_ns[start]);
  out.end_ns.push_back(marks.time_ns[end]);
  out.device.push_back(marks.device[start]);
  out.stream.push_back(marks.stream[start]);
  out.task.push_back(marks.task[start]);
  out.mark.push_back(trace::kNone);
  out.mark_id.push_back(marks.index[start]);
  out.model_id.push_back(static_cast<std::uint32_t>(marks.model_id[start]));
}

// Host rows by mark id; the first wins should an id occur twice.
void find_host_marks(const trace::Marks& host, trace::DeviceMarks& table) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id;
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    if (host.is_mstx[row] != 0) by_id.emplace_back(host.mark_id[row], row);
  }
  std::sort(by_id.begin(), by_id.end());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto found = std::lower_bound(by_id.begin(), by_id.end(),
                                        std::pair(table.mark_id[row], std::uint32_t{0}));
    if (found != by_id.end() && found->first == table.mark_id[row]) {
      table.mark[row] = found->second;
    }
  }
}

void sort_by_start(trace::DeviceMarks& table) {
  std::vector<std::uint32_t> order(table.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) order[row] = row;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(table.device[a], table.start_ns[a]) <
           std::pair(table.device[b], table.start_ns[b]);
  });
  trace::reorder_rows(table, order);
}

}  // namespace

void link_device_marks(trace::Trace& trace) {
  trace::clear_rows(trace.device_marks());
  const trace::StepMarks& marks = trace.step_marks();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < marks.size(); ++row) {
    if (marks.tag[row] == kMarkTag || marks.tag[row] == kRangeTag) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(marks.device[a], marks.index[a], marks.tag[a], marks.time_ns[a]) <
           std::tuple(marks.device[b], marks.index[b], marks.tag[b], marks.time_ns[b]);
  });
  const bool has_range_tag = tells_ranges(trace.session.cann_version);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t row = rows[i];
    const bool can_be_range = marks.tag[row] == kRangeTag || !has_range_tag;
    const bool has_partner =
        i + 1 < rows.size() && marks.device[rows[i + 1]] == marks.device[row] &&
        marks.index[rows[i + 1]] == marks.index[row] && marks.tag[rows[i + 1]] == marks.tag[row];
    if (can_be_range && has_partner) {
      append(marks, row, rows[++i], trace.device_marks());
    } else if (marks.tag[row] == kMarkTag) {
      append(marks, row, row, trace.device_marks());
    }
  }
  sort_by_start(trace.device_marks());
  find_host_marks(trace.marks(), trace.device_marks());
}

}  // namespace npuprof::link
