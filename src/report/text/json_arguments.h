#pragma once

#include <string_view>

#include "report/text/json_number.h"

namespace npuprof::report {

// A JSON object under construction, for cells of databases that hold what the timeline shows as
// arguments of a slice: takes the same calls as the event of a timeline.
class JsonArguments {
 public:
  JsonArguments() : text_(256) {}

  template <Integer T>
  JsonArguments& argument(std::string_view key, T value) {
    put_key(key).integer(value);
    return *this;
  }
  JsonArguments& argument(std::string_view key, std::string_view value) {
    put_key(key).json(value);
    return *this;
  }
  JsonArguments& argument(std::string_view key, double value) {
    put_json_number(put_key(key), value);
    return *this;
  }

  // Ends the object; it is valid until the next one is begun with an argument.
  std::string_view finish() {
    if (is_empty_) text_.clear();
    text_.text(is_empty_ ? "{}" : "}");
    is_empty_ = true;
    return text_.view();
  }

 private:
  TextBuffer& put_key(std::string_view key) {
    if (is_empty_) text_.clear();
    text_.character(is_empty_ ? '{' : ',').json(key).character(':');
    is_empty_ = false;
    return text_;
  }

  TextBuffer text_;
  bool is_empty_ = true;
};

}  // namespace npuprof::report
