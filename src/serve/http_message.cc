#include "serve/http_message.h"

#include <algorithm>

namespace npuprof::serve {
namespace {

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return small_letter(x) == small_letter(y); });
}

}  // namespace

std::vector<std::string_view> HttpRequest::header(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : headers) {
    if (is_same_name(key, name)) values.push_back(value);
  }
  return values;
}

}  // namespace npuprof::serve
