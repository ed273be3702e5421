#include "load/chrome_trace/timeline_event.h"

#include <functional>
#include <utility>

#include <simdjson.h>

#include "base/text.h"
#include "base/units.h"
#include "load/plausible.h"

namespace npuprof::load {
namespace {

using simdjson::ondemand::json_type;
using Kind = EventValue::Kind;

// False if the value is no valid JSON.
bool read_value(simdjson::ondemand::value& value, EventValue& out) {
  json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  switch (type) {
    case json_type::string:
      out.kind = Kind::kText;
      return value.get_string().get(out.text) == simdjson::SUCCESS;
    case json_type::number:
      out.kind = Kind::kNumber;
      out.text = trim(value.raw_json_token());
      return true;
    case json_type::array: {
      out.kind = Kind::kNested;
      simdjson::ondemand::array array;
      return value.get_array().get(array) == simdjson::SUCCESS &&
             array.raw_json().get(out.text) == simdjson::SUCCESS;
    }
    case json_type::object: {
      out.kind = Kind::kNested;
      simdjson::ondemand::object object;
      return value.get_object().get(object) == simdjson::SUCCESS &&
             object.raw_json().get(out.text) == simdjson::SUCCESS;
    }
    default:
      out.kind = Kind::kOther;
      out.text = trim(value.raw_json_token());
      return true;
  }
}

// What stands for no value.
bool is_none(const EventValue& value) {
  return !value.is_present() || (value.kind == Kind::kOther && value.text == "null") ||
         (value.kind == Kind::kText && (known_text(value.text).empty()));
}

bool read_arguments(simdjson::ondemand::value& value, Event& event) {
  simdjson::ondemand::object object;
  // Some writers put a list or null here; the event is good without it.
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    EventValue other;
    if (!read_value(value, other)) return false;
    if (other.text != "[]" && !is_none(other)) ++event.odd_values;
    return true;
  }
  for (auto field : object) {
    Event::Argument argument;
    simdjson::ondemand::value content;
    if (field.unescaped_key().get(argument.key) != simdjson::SUCCESS ||
        field.value().get(content) != simdjson::SUCCESS || !read_value(content, argument.value)) {
      return false;
    }
    event.arguments.push_back(argument);
  }
  return true;
}

// Null for keys that do not matter.
EventValue* target_of(std::string_view key, Event& event) {
  if (key == "pid") return &event.process;
  if (key == "tid") return &event.thread;
  if (key == "ts") return &event.time;
  if (key == "dur") return &event.duration;
  return key == "id" ? &event.id : nullptr;
}

}  // namespace

EventValue Event::argument(std::string_view key) const {
  for (const Argument& argument : arguments) {
    if (argument.key == key) return argument.value;
  }
  return {};
}

std::string_view Event::text(std::string_view key) const {
  const EventValue value = argument(key);
  if (value.kind != Kind::kNested && value.kind != Kind::kOther) return value.text;
  if (!is_none(value)) ++odd_values;
  return {};
}

std::optional<std::int64_t> Event::integer(std::string_view key) const {
  const EventValue value = argument(key);
  if (is_none(value)) return std::nullopt;
  if (const auto number = parse_number<std::int64_t>(value.text)) return number;
  // All ones is how "none" is written; and "12.0" is a whole number too.
  if (const auto number = parse_number<std::uint64_t>(value.text)) {
    return static_cast<std::int64_t>(*number);
  }
  if (value.kind == Kind::kNumber) {
    if (const auto number = parse_scaled(value.text, 0)) return number;
    constexpr double kAllOnes = 18446744073709551616.0;  // 2^64 - 1, rounded.
    if (parse_number<double>(value.text) == kAllOnes) return -1;
  }
  ++odd_values;
  return std::nullopt;
}

std::uint32_t Event::number(std::string_view key, std::uint32_t absent) const {
  const auto value = integer(key);
  if (!value) return absent;
  if (std::in_range<std::uint32_t>(*value)) return static_cast<std::uint32_t>(*value);
  if (*value != -1) ++odd_values;  // Another way to write "none".
  return absent;
}

double Event::real(std::string_view key) const {
  const EventValue value = argument(key);
  if (is_none(value)) return 0;
  const auto number = parse_number<double>(value.text);
  if (!number) ++odd_values;
  return number.value_or(0);
}

bool is_id(const EventValue& value) {
  return value.kind == Kind::kNumber || (value.kind == Kind::kText && !value.text.empty());
}

std::uint64_t lane_number(const EventValue& id) {
  if (const auto number = parse_number<std::int64_t>(id.text)) {
    return static_cast<std::uint64_t>(*number);
  }
  constexpr std::uint64_t kNoProcess = std::uint64_t{1} << 63;
  return std::hash<std::string_view>{}(id.text) | kNoProcess;
}

std::optional<std::int64_t> event_time_ns(const EventValue& time) {
  constexpr int kNsDigits = 3;
  return time.is_present() ? plausible(parse_scaled(time.text, kNsDigits)) : std::nullopt;
}

struct EventParser::Parser {
  simdjson::ondemand::parser parser;
  std::string copy;  // Of the event, which must not change while it is parsed, and its padding.
};

EventParser::EventParser() : parser_(std::make_unique<Parser>()) {}
EventParser::~EventParser() = default;

const Event* EventParser::parse(std::string_view json) {
  std::vector<Event::Argument> arguments = std::move(event_.arguments);
  arguments.clear();
  event_ = Event{};
  event_.arguments = std::move(arguments);
  // Another process may write to the mapped file.
  parser_->copy.assign(json).append(simdjson::SIMDJSON_PADDING, '\0');
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  const simdjson::padded_string_view padded(parser_->copy.data(), json.size(),
                                            parser_->copy.size());
  if (parser_->parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS) {
    return nullptr;
  }
  for (auto field : object) {
    std::string_view key;
    simdjson::ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS) {
      return nullptr;
    }
    if (key == "args") {
      if (!read_arguments(value, event_)) return nullptr;
      continue;
    }
    EventValue* target = target_of(key, event_);
    EventValue other;
    if (!read_value(value, target != nullptr ? *target : other)) return nullptr;
    if (key == "name") event_.name = other.text;
    if (key == "cat") event_.category = other.text;
    const bool is_text = key == "name" || key == "cat";
    if (is_text && other.kind != Kind::kText && !is_none(other)) ++event_.odd_values;
    if (key == "ph" && other.text.size() == 1) event_.phase = other.text[0];
  }
  return event_.phase != 0 ? &event_ : nullptr;
}

}  // namespace npuprof::load
