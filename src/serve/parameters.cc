#include "serve/parameters.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/utf8.h"

namespace npuprof::serve {
namespace {

Error bad_parameter(std::string_view name, const std::string& why) {
  return {ErrorCode::kInvalidArgument, fmt::format("parameter '{}' {}", name, why)};
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

const std::string* Parameters::find(std::string_view name) const {
  const auto found = request_.parameters.find(std::string(name));
  return found == request_.parameters.end() ? nullptr : &found->second;
}

Result<std::string> Parameters::text(std::string_view name) const {
  const std::string* given = find(name);
  if (given == nullptr) return std::string();
  if (given->size() > kLongestText) {
    return bad_parameter(name, fmt::format("is longer than {} bytes", kLongestText));
  }
  return *given;
}

Result<std::optional<std::int64_t>> Parameters::number(std::string_view name,
                                                       NumberRange range) const {
  const std::string* given = find(name);
  if (given == nullptr || given->empty()) return std::optional<std::int64_t>();
  const auto value = whole_number<std::int64_t>(*given);
  if (!value || *value < range.least || *value > range.most) {
    return bad_parameter(
        name, fmt::format("has to be a whole number from {} to {}", range.least, range.most));
  }
  return std::optional(*value);
}

Result<std::int64_t> Parameters::number_or(std::string_view name, NumberRange range,
                                           std::int64_t otherwise) const {
  NPUPROF_ASSIGN_OR_RETURN(const auto given, number(name, range));
  return given.value_or(otherwise);
}

Result<std::int64_t> Parameters::needed_number(std::string_view name, NumberRange range) const {
  NPUPROF_ASSIGN_OR_RETURN(const auto given, number(name, range));
  if (!given) return bad_parameter(name, "is missing");
  return *given;
}

Result<std::vector<std::uint32_t>> Parameters::ids(std::string_view name) const {
  const std::string* given = find(name);
  std::vector<std::uint32_t> ids;
  if (given == nullptr || given->empty()) return ids;
  std::string_view rest = *given;
  while (true) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto id = whole_number<std::uint32_t>(rest.substr(0, end));
    if (!id) return bad_parameter(name, "has to be numbers with commas between them");
    if (ids.size() == kMostLanes) {
      return bad_parameter(name, fmt::format("has more than {} numbers", kMostLanes));
    }
    ids.push_back(*id);
    if (end == rest.size()) return ids;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace npuprof::serve
