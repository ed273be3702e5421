#include "answers/option_values.h"

#include "base/text.h"

namespace npuprof::answers {
namespace {

template <typename T>
std::optional<std::pair<T, T>> ends_of(std::string_view text) {
  std::string_view first = text;
  std::string_view last = text;
  for (const std::string_view sign : {"..", "-"}) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    first = text.substr(0, at);
    last = text.substr(at + sign.size());
    break;
  }
  const auto begin = parse_number<T>(first);
  const auto end = parse_number<T>(last);
  if (!begin || !end || *begin > *end) return std::nullopt;
  return std::pair(*begin, *end);
}

}  // namespace

std::optional<std::vector<std::int32_t>> read_ranks(std::string_view text) {
  std::vector<std::int32_t> ranks;
  for (const std::string_view part : split(text, ',')) {
    const auto rank = parse_number<std::int32_t>(part);
    if (!rank) return std::nullopt;
    ranks.push_back(*rank);
  }
  return ranks;
}

std::optional<std::vector<analyze::StepRange>> read_step_ranges(std::string_view text) {
  std::vector<analyze::StepRange> ranges;
  for (const std::string_view part : split(text, ',')) {
    const auto range = ends_of<std::int64_t>(part);
    if (!range || range->first < 0) return std::nullopt;
    ranges.push_back({range->first, range->second});
  }
  return ranges;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> read_range(std::string_view text) {
  return ends_of<std::uint32_t>(text);
}

std::optional<double> read_share(std::string_view text) {
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.remove_suffix(1);
  const auto number = parse_number<double>(text);
  if (!number) return std::nullopt;
  // Who writes 5 means 5 %, not five times as much.
  if (!is_percent && *number >= 1) return std::nullopt;
  const double share = is_percent ? *number / 100 : *number;
  return share >= 0 && share <= 100 ? std::optional(share) : std::nullopt;
}

}  // namespace npuprof::answers
