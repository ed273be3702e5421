#pragma once

// Helpers shared by the readers and writers of the small JSON files. Included by .cc files only, so
// that the JSON library stays out of public headers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/framework/extra_key.h"
#include "format/json_text.h"

namespace npuprof::format::framework::internal {

using format::Json;

// Parses text that must be one JSON object. `what` names the file in the error.
Result<Json> parse_object(std::string_view text, std::string_view what);

// The value as text: over several lines, indented by 4, or on one line with ", " and ": ".
std::string to_indented_text(const Json& value);
std::string to_one_line_text(const Json& value);

// Moves known keys out of an object. A key that is missing, or of a type that its member cannot
// take, leaves the member as it is; what was not taken ends up in rest().
class ObjectReader {
 public:
  explicit ObjectReader(Json object);

  void take(const char* key, bool& member);
  void take(const char* key, std::int64_t& member);  // Also a number as text.
  void take(const char* key, double& member);
  void take(const char* key, std::string& member);
  void take(const char* key, std::vector<std::string>& member);
  void take(const char* key, std::vector<std::int64_t>& member);

  template <typename T>
  void take(const char* key, std::optional<T>& member) {
    T value{};
    if (!contains(key)) return;
    take(key, value);
    if (!contains(key)) member = std::move(value);
  }

  // The object under `key`; nothing (and the key stays) if it is missing or no object.
  std::optional<Json> take_object(const char* key);
  bool take_null(const char* key);
  const Json* find(const char* key) const;
  bool contains(const char* key) const { return find(key) != nullptr; }
  void erase(const char* key) { object_.erase(key); }

  std::vector<ExtraKey> rest() const;

 private:
  Json object_;
};

// Adds the keys that `object` does not have yet.
void put_extra(Json& object, const std::vector<ExtraKey>& extra);

// A whole number as JSON integer, any other as JSON real number.
Json number_value(double number);

}  // namespace npuprof::format::framework::internal
