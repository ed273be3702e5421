#pragma once

// A regular expression that a user looks for names with: extended, as of grep -E. With (?i) in
// front small and capital letters are the same.

#include <string>
#include <string_view>

#include <regex.h>

#include "base/result.h"

namespace npuprof::answers {

class NameExpression {
 public:
  NameExpression() = default;
  NameExpression(const NameExpression&) = delete;
  NameExpression& operator=(const NameExpression&) = delete;
  ~NameExpression() {
    if (is_compiled_) regfree(&expression_);
  }

  // Once. Fails if the text is no expression, or one that could take all memory or never end.
  Status compile(const std::string& text);
  // Whether the expression is found anywhere in the text.
  bool is_in(std::string_view text) const;

 private:
  regex_t expression_{};
  bool is_compiled_ = false;
};

}  // namespace npuprof::answers
