#include "format/framework/json_object.h"

#include <cmath>
#include <utility>

#include "base/text.h"

namespace npuprof::format::framework::internal {
namespace {

std::optional<std::int64_t> integer_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (std::in_range<std::int64_t>(number)) return static_cast<std::int64_t>(number);
  } else if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  } else if (value.is_string()) {
    return parse_number<std::int64_t>(value.get_ref<const std::string&>());
  }
  return std::nullopt;
}

}  // namespace

Result<Json> parse_object(std::string_view text, std::string_view what) {
  auto value = parse_json(text);
  if (!value) return Error{ErrorCode::kCorrupt, std::string(what) + " is not valid JSON"};
  if (!value->is_object()) {
    return Error{ErrorCode::kCorrupt, std::string(what) + " does not hold a JSON object"};
  }
  return std::move(*value);
}

std::string to_indented_text(const Json& value) { return to_text(value, {.indent = 4}); }

std::string to_one_line_text(const Json& value) { return to_text(value, {}); }

ObjectReader::ObjectReader(Json object) : object_(std::move(object)) {}

const Json* ObjectReader::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

void ObjectReader::take(const char* key, bool& member) {
  const Json* value = find(key);
  if (value == nullptr || !value->is_boolean()) return;
  member = value->get<bool>();
  erase(key);
}

void ObjectReader::take(const char* key, std::int64_t& member) {
  const Json* value = find(key);
  if (value == nullptr) return;
  const auto number = integer_of(*value);
  if (!number) return;
  member = *number;
  erase(key);
}

void ObjectReader::take(const char* key, double& member) {
  const Json* value = find(key);
  if (value == nullptr || !value->is_number()) return;
  member = value->get<double>();
  erase(key);
}

void ObjectReader::take(const char* key, std::string& member) {
  const Json* value = find(key);
  if (value == nullptr || !value->is_string()) return;
  member = value->get<std::string>();
  erase(key);
}

void ObjectReader::take(const char* key, std::vector<std::string>& member) {
  const Json* value = find(key);
  if (value == nullptr || !value->is_array()) return;
  std::vector<std::string> items;
  for (const Json& item : *value) {
    if (!item.is_string()) return;
    items.push_back(item.get<std::string>());
  }
  member = std::move(items);
  erase(key);
}

void ObjectReader::take(const char* key, std::vector<std::int64_t>& member) {
  const Json* value = find(key);
  if (value == nullptr || !value->is_array()) return;
  std::vector<std::int64_t> items;
  for (const Json& item : *value) {
    const auto number = integer_of(item);
    if (!number) return;
    items.push_back(*number);
  }
  member = std::move(items);
  erase(key);
}

std::optional<Json> ObjectReader::take_object(const char* key) {
  const auto found = object_.find(key);
  if (found == object_.end() || !found->is_object()) return std::nullopt;
  Json object = std::move(*found);
  erase(key);
  return object;
}

bool ObjectReader::take_null(const char* key) {
  const Json* value = find(key);
  if (value == nullptr || !value->is_null()) return false;
  erase(key);
  return true;
}

std::vector<ExtraKey> ObjectReader::rest() const {
  std::vector<ExtraKey> extra;
  for (const auto& item : object_.items()) {
    extra.push_back({item.key(), to_one_line_text(item.value())});
  }
  return extra;
}

void put_extra(Json& object, const std::vector<ExtraKey>& extra) {
  for (const ExtraKey& key : extra) {
    if (object.contains(key.name)) continue;
    if (auto value = parse_json(key.json)) object[key.name] = std::move(*value);
  }
}

Json number_value(double number) {
  // Past 2^53 a double is always whole, but its exponent form is the shorter text.
  if (std::nearbyint(number) == number && std::abs(number) < 0x1p53) {
    return Json(static_cast<std::int64_t>(number));
  }
  return Json(number);
}

}  // namespace npuprof::format::framework::internal
