#include "report/lanes/lane_rows.h"

#include <algorithm>

namespace npuprof::report {

LaneRows nesting_rows(std::span<const std::int64_t> starts, std::span<const std::int64_t> ends,
                      std::span<const std::uint32_t> order) {
  LaneRows lane{.row = std::vector<std::uint16_t>(starts.size())};
  std::vector<std::int64_t> last_end;  // Of each row.
  for (const std::uint32_t slice : order) {
    std::size_t row = 0;
    for (; row < last_end.size() && last_end[row] > starts[slice]; ++row) {
      lane.nests = lane.nests && last_end[row] >= ends[slice];
    }
    row = std::min<std::size_t>(row, kMostRows - 1);
    if (row == last_end.size()) last_end.push_back(ends[slice]);
    last_end[row] = std::max(last_end[row], ends[slice]);
    lane.row[slice] = static_cast<std::uint16_t>(row);
  }
  return lane;
}

}  // namespace npuprof::report
