#include "serve/slice_marks.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>

#include "analyze/unfinished_calls.h"
#include "serve/idle_lane.h"
#include "trace/framework/python_calls.h"

namespace npuprof::serve {

SliceMarks::SliceMarks(const trace::Trace& trace, const report::LaneTimeline& timeline,
                       const std::vector<analyze::IdleRow>& idle_rows)
    : unfinished_(timeline.lanes().size()), doubtful_(timeline.lanes().size()) {
  const trace::PythonCalls& calls = trace.python_calls();
  std::set<std::tuple<std::uint64_t, std::int64_t, std::int64_t>> open;  // Thread, begin, end.
  for (const std::uint32_t row : analyze::unfinished_python_calls(trace)) {
    open.emplace(calls.tid[row], calls.start_ns[row], calls.end_ns[row]);
  }
  for (std::uint32_t number = 0; number < timeline.lanes().size(); ++number) {
    const report::Lane& lane = timeline.lanes()[number];
    const bool is_idle = timeline.groups()[lane.group].name == kIdleLayerName;
    if (!is_idle && (!lane.is_python || open.empty())) continue;
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (is_idle && idle_rows[timeline.described_row(lane, i)].is_guess) {
        doubtful_[number].push_back(i);
      } else if (!is_idle && open.contains({lane.tid, lane.start_ns[i], lane.end_ns(i)})) {
        unfinished_[number].push_back(i);
      }
    }
  }
}

bool SliceMarks::has(const std::vector<std::uint32_t>& slices, std::uint32_t slice) {
  return !slices.empty() && std::binary_search(slices.begin(), slices.end(), slice);
}

std::string guessed_clock(const std::vector<std::string>& losses) {
  static constexpr std::array<std::string_view, 5> kSigns = {
      "may not fit device times", "its times may be off", "times count from when it was switched",
      "host times may be wrong", "A clock is missing"};
  for (const std::string& loss : losses) {
    for (const std::string_view sign : kSigns) {
      if (loss.find(sign) != std::string::npos) return loss;
    }
  }
  return {};
}

}  // namespace npuprof::serve
