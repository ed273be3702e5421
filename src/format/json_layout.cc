#include "format/json_layout.h"

#include <cstddef>
#include <utility>

#include "base/text.h"
#include "format/json_text.h"

namespace npuprof::format {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view blanks_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of(kBlanks, at);
  return text.substr(at, end == std::string_view::npos ? end : end - at);
}

// Reads the style off the first comma and the first colon.
JsonStyle style_of(std::string_view text) {
  JsonStyle style{.after_comma = "", .after_colon = ""};
  bool in_string = false;
  bool seen_comma = false;
  bool seen_colon = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        style.escapes_non_ascii = style.escapes_non_ascii || text[i + 1] == 'u';
        ++i;
      } else if (text[i] == '"') {
        in_string = false;
      }
      continue;
    }
    in_string = text[i] == '"';
    if (text[i] == ',' && !std::exchange(seen_comma, true)) {
      style.after_comma = blanks_at(text, i + 1);
    }
    if (text[i] == ':' && !std::exchange(seen_colon, true)) {
      style.after_colon = blanks_at(text, i + 1);
    }
  }
  const std::string_view first = blanks_at(text, text.find('{') + 1);
  if (first.starts_with('\n')) style.indent = static_cast<int>(first.size() - 1);
  return style;
}

// A value as the model has it where both mean the same: 5, 5.0 or "5".
Json in_notation_of(Json value, const Json& model) {
  if (value == model) return model;
  if (value.is_string() && model.is_number()) {
    auto number = parse_json(value.get_ref<const std::string&>());
    if (number && number->is_number()) return in_notation_of(std::move(*number), model);
  }
  if (value.is_number() && model.is_string()) return Json(value.dump());
  return value;
}

Json arranged(Json value, const Json& model, const Json& defaults) {
  static const Json none;
  if (value.is_array() && model.is_array()) {
    const Json& element = defaults.is_array() && !defaults.empty() ? defaults.front() : none;
    for (std::size_t i = 0; i < value.size() && i < model.size(); ++i) {
      value[i] = arranged(std::move(value[i]), model[i], element);
    }
    return value;
  }
  if (!value.is_object() || !model.is_object()) return in_notation_of(std::move(value), model);
  const auto member = [](const Json& object, const std::string& key) -> const Json& {
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
  };
  Json result = Json::object();
  for (const auto& item : model.items()) {
    const auto found = value.find(item.key());
    if (found == value.end()) continue;
    result[item.key()] = arranged(std::move(*found), item.value(), member(defaults, item.key()));
  }
  for (const auto& item : value.items()) {
    if (model.contains(item.key())) continue;
    if (defaults.is_object() && defaults.contains(item.key()) &&
        defaults[item.key()] == item.value()) {
      continue;
    }
    result[item.key()] = item.value();
  }
  return result;
}

}  // namespace

JsonLayout JsonLayout::of(std::string_view text) {
  JsonLayout layout;
  const auto model = parse_json(text);
  if (model && model->is_object()) layout.model_ = text;
  return layout;
}

std::string JsonLayout::apply(std::string json, std::string_view defaults) const {
  if (model_.empty()) return json;
  auto value = parse_json(json);
  const auto model = parse_json(model_);
  if (!value || !model) return json;
  const Json arranged_value =
      arranged(std::move(*value), *model, parse_json(defaults).value_or(Json()));
  std::string text = to_text(arranged_value, style_of(model_));
  text += model_.substr(model_.find_last_not_of(kBlanks) + 1);
  return text;
}

}  // namespace npuprof::format
