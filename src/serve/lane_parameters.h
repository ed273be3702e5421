#pragma once

// Parameters that say which part of the lanes is meant.

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/lane_index.h"
#include "serve/parameters.h"

namespace npuprof::serve {

inline constexpr NumberRange kAnyId{0, std::numeric_limits<std::uint32_t>::max()};
inline constexpr NumberRange kAnyTime{-(std::int64_t{1} << 60),
                                      std::int64_t{1} << 60};  // 36 years.

// `t0` and `t1`, or parameters of other names; without them all there is.
Result<Span> span_parameter(const Parameters& parameters, const LaneIndex& index,
                            std::string_view begin_name = "t0", std::string_view end_name = "t1");
// `lanes`; without them all lanes of slices and counters. Unknown ones are left out.
Result<std::vector<std::uint32_t>> lanes_parameter(const Parameters& parameters,
                                                   const LaneIndex& index);
// `lane` and `event`.
Result<SliceId> slice_parameter(const Parameters& parameters, const LaneIndex& index);

}  // namespace npuprof::serve
