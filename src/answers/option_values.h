#pragma once

// Values of options that users write: lists of ranks and steps, ranges, shares. Nothing = the text
// is none.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/keep_steps.h"

namespace npuprof::answers {

// "0,3".
std::optional<std::vector<std::int32_t>> read_ranks(std::string_view text);

// "3", "3-7", "3..7" or "1-3,8".
std::optional<std::vector<analyze::StepRange>> read_step_ranges(std::string_view text);

// "3", "3-7" or "3..7": first and last.
std::optional<std::pair<std::uint32_t, std::uint32_t>> read_range(std::string_view text);

// "5%" or "0.05"; not negative, and at most 100 times as much. From 1 on only with the sign.
std::optional<double> read_share(std::string_view text);

}  // namespace npuprof::answers
