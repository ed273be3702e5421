#include "format/json_text.h"

#include <cstddef>

namespace npuprof::format {
namespace {

// The files nest five deep and have some hundred keys. Writing a value recurses, and an ordered
// object looks keys up one by one, so input far beyond that is refused instead of exhausting the
// stack or the user's patience.
constexpr int kDeepest = 64;
constexpr std::size_t kMostKeys = 8192;

class TextWriter {
 public:
  TextWriter(const JsonStyle& style, std::string& out) : style_(style), out_(out) {}

  void write(const Json& value) {
    if (!value.is_structured() || value.empty()) {
      out_ += value.dump(-1, ' ', style_.escapes_non_ascii, Json::error_handler_t::replace);
      return;
    }
    out_ += value.is_object() ? '{' : '[';
    ++depth_;
    bool first = true;
    for (const auto& item : value.items()) {
      if (!first) out_ += ',';
      if (style_.indent > 0) {
        break_line();
      } else if (!first) {
        out_ += style_.after_comma;
      }
      first = false;
      if (value.is_object()) {
        write(Json(item.key()));
        out_ += ':';
        out_ += style_.after_colon;
      }
      write(item.value());
    }
    --depth_;
    if (style_.indent > 0) break_line();
    out_ += value.is_object() ? '}' : ']';
  }

 private:
  void break_line() {
    out_ += '\n';
    out_.append(depth_ * static_cast<std::size_t>(style_.indent), ' ');
  }

  const JsonStyle& style_;
  std::string& out_;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  bool refused = false;
  std::size_t keys = 0;
  const auto check = [&](int depth, Json::parse_event_t event, Json&) {
    if (event == Json::parse_event_t::key) ++keys;
    refused = refused || depth > kDeepest || keys > kMostKeys;
    return !refused;
  };
  Json value = Json::parse(text, check, /*allow_exceptions=*/false);
  if (refused || value.is_discarded()) return std::nullopt;
  return value;
}

std::string to_text(const Json& value, const JsonStyle& style) {
  std::string text;
  TextWriter(style, text).write(value);
  return text;
}

}  // namespace npuprof::format
