#include "serve/parallel_place.h"

#include <array>
#include <string_view>
#include <utility>

#include "format/framework/profiler_metadata.h"

namespace npuprof::serve {

std::optional<ParallelPlace> parallel_place(const trace::Trace& trace) {
  using Axis = std::pair<std::string_view, std::int64_t ParallelPlace::*>;
  static constexpr std::array kAxes = {
      Axis{"tp", &ParallelPlace::tensor}, Axis{"cp", &ParallelPlace::context},
      Axis{"dp", &ParallelPlace::data}, Axis{"pp", &ParallelPlace::pipeline}};
  const auto metadata = format::framework::parse_profiler_metadata(trace.session.profiler_metadata);
  if (!metadata.ok() || !metadata->parallel_groups) return std::nullopt;
  ParallelPlace place;
  bool is_told = false;
  for (const auto& group : *metadata->parallel_groups) {
    for (const auto& [name, axis] : kAxes) {
      if (group.group_name != name || group.group_rank < 0) continue;
      place.*axis = group.group_rank;
      is_told = true;
    }
  }
  return is_told ? std::optional(place) : std::nullopt;
}

}  // namespace npuprof::serve
