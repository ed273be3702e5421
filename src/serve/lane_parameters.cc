#include "serve/lane_parameters.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace npuprof::serve {

Result<Span> span_parameter(const Parameters& parameters, const LaneIndex& index,
                            std::string_view begin_name, std::string_view end_name) {
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t begin,
                           parameters.number_or(begin_name, kAnyTime, index.span().begin_ns));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t end,
                           parameters.number_or(end_name, kAnyTime, index.span().end_ns + 1));
  if (end <= begin) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("parameter '{}' has to be greater than '{}'", end_name, begin_name)};
  }
  return Span{begin, end};
}

Result<std::vector<std::uint32_t>> lanes_parameter(const Parameters& parameters,
                                                   const LaneIndex& index) {
  NPUPROF_ASSIGN_OR_RETURN(auto lanes, parameters.ids("lanes"));
  std::erase_if(lanes, [&](std::uint32_t lane) { return lane >= index.size(); });
  if (!parameters.has("lanes")) {
    lanes.resize(index.size());
    std::iota(lanes.begin(), lanes.end(), 0U);
  }
  return lanes;
}

Result<SliceId> slice_parameter(const Parameters& parameters, const LaneIndex& index) {
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t number, parameters.needed_number("lane", kAnyId));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t event, parameters.needed_number("event", kAnyId));
  const SliceId id{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(event)};
  const report::Lane* lane = index.lane(id.lane);
  if (lane == nullptr || id.slice >= lane->size()) {
    return Error{ErrorCode::kNotFound, "there is no such slice"};
  }
  return id;
}

}  // namespace npuprof::serve
