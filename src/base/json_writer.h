#pragma once

// Writes JSON front to back into a string. The order of the output is the order of the calls, so
// equal input gives equal bytes. The caller keeps the structure right (a key before each member, an
// end for each begin); text of any bytes gives valid JSON.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace npuprof {

// Appends `text` without quotes, escaped for use inside a JSON string. Bytes that are not UTF-8
// become U+FFFD, the replacement character.
void append_json_escaped(std::string& out, std::string_view text);

class JsonWriter {
 public:
  // Appends to `out`, which must outlive the writer. With indent 0 everything is on one line and
  // without blanks; otherwise each member and element has its line.
  explicit JsonWriter(std::string& out, int indent = 0) : out_(out), indent_(indent) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }

  JsonWriter& key(std::string_view name) {
    separate();
    append_quoted(name);
    out_ += indent_ > 0 ? ": " : ":";
    after_key_ = true;
    return *this;
  }

  JsonWriter& value(std::string_view text) {
    separate();
    append_quoted(text);
    return *this;
  }
  // Without this overload a string literal would rather convert to bool than to string_view.
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  template <Integer T>
  JsonWriter& value(T number) {
    separate();
    append_integer(out_, number);
    return *this;
  }
  // JSON has no infinities and no NaN: these become null.
  JsonWriter& value(double number);
  JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  template <typename T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }

  // A value that is JSON already, such as a number written with fixed decimals.
  JsonWriter& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }

  template <typename T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

 private:
  JsonWriter& begin(char bracket) {
    separate();
    out_ += bracket;
    has_content_.push_back(false);
    return *this;
  }
  JsonWriter& end(char bracket);
  // Puts the comma and the line break that belong before the next key or value.
  void separate();
  void append_quoted(std::string_view text) {
    out_ += '"';
    append_json_escaped(out_, text);
    out_ += '"';
  }
  void break_line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(has_content_.size() * static_cast<std::size_t>(indent_), ' ');
  }

  std::string& out_;
  int indent_;
  bool after_key_ = false;
  std::vector<bool> has_content_;  // One entry for each open object or array.
};

}  // namespace npuprof
