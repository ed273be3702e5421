#pragma once

// What a request asks for: numbers and texts within bounds. Whatever is sent, a parameter is either
// used as it is or refused with a sentence.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/http_message.h"

namespace npuprof::serve {

inline constexpr std::size_t kLongestText = 2000;
inline constexpr std::size_t kMostLanes = 2000;
inline constexpr std::int64_t kMostPixels = 16384;

struct NumberRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

class Parameters {
 public:
  explicit Parameters(const HttpRequest& request) : request_(request) {}

  // All that were given, by name.
  const std::multimap<std::string, std::string>& all() const { return request_.parameters; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Empty where it is not given. The first one counts.
  Result<std::string> text(std::string_view name) const;
  Result<std::optional<std::int64_t>> number(std::string_view name, NumberRange range) const;
  Result<std::int64_t> number_or(std::string_view name, NumberRange range,
                                 std::int64_t otherwise) const;
  Result<std::int64_t> needed_number(std::string_view name, NumberRange range) const;
  // "1,2,3"
  Result<std::vector<std::uint32_t>> ids(std::string_view name) const;

 private:
  const std::string* find(std::string_view name) const;

  const HttpRequest& request_;
};

}  // namespace npuprof::serve
