#include "answers/name_expression.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <vector>

namespace npuprof::answers {
namespace {

// The C library calls itself once for each parenthesis that is open and for each place of the
// expression that may be skipped, and needs memory for the square of the latter.
constexpr std::size_t kMostOpenGroups = 50;
constexpr std::uint64_t kMostPlaces = 1'000;  // Characters, with repetitions written out.

constexpr std::string_view kIgnoreCase = "(?i)";  // As other languages write it.

// Follows an expression as far as needed to tell how large it becomes. What is no expression at all
// is left to the C library to refuse.
class ExpressionSize {
 public:
  explicit ExpressionSize(std::string_view text) : text_(text) {}

  // Why it is not taken; nothing if it is.
  std::optional<std::string> objection() {
    for (std::size_t i = 0; i < text_.size();) {
      i = next(i);
      if (has_back_reference_) return "it refers back to a group, which can take forever";
      if (repeats_repetition_) return "a repetition follows another, as in a+*";
      if (groups_.size() > kMostOpenGroups) return "its groups are nested too deeply";
      if (groups_.back().all > kMostPlaces) return "it is too long";
    }
    return std::nullopt;
  }

 private:
  struct Group {
    std::uint64_t all = 0;
    std::uint64_t last = 0;  // What a repetition behind it repeats.
  };

  void add(std::uint64_t places) {
    groups_.back().all += places;
    groups_.back().last = places;
    is_after_repetition_ = false;
  }

  // Takes what begins at `i`; where it ends.
  std::size_t next(std::size_t i) {
    switch (text_[i]) {
      case '\\':
        has_back_reference_ = i + 1 < text_.size() && text_[i + 1] >= '1' && text_[i + 1] <= '9';
        add(1);
        return i + 2;
      case '[':
        add(1);
        return end_of_bracket(i);
      case '(':
        groups_.emplace_back();
        is_after_repetition_ = false;
        return i + 1;
      case ')':
        close();
        return i + 1;
      case '{':
        return repeat(i);
      case '*':
      case '?':
        write_out(1);
        return i + 1;
      case '+':
        write_out(2);  // x+ is xx*.
        return i + 1;
      default:
        add(1);
        return i + 1;
    }
  }

  void close() {
    if (groups_.size() == 1) return add(1);
    const std::uint64_t places = groups_.back().all + 1;
    groups_.pop_back();
    add(places);
  }

  // "[]a]" and "[^]a]" contain the bracket, "[[:alpha:]]" has brackets of its own.
  std::size_t end_of_bracket(std::size_t i) const {
    ++i;
    if (i < text_.size() && text_[i] == '^') ++i;
    if (i < text_.size() && text_[i] == ']') ++i;
    while (i < text_.size() && text_[i] != ']') {
      const bool is_class = text_[i] == '[' && i + 1 < text_.size() &&
                            std::string_view(":.=").find(text_[i + 1]) != std::string_view::npos;
      if (is_class) {
        const char closing[] = {text_[i + 1], ']'};
        const std::size_t end = text_.find(std::string_view(closing, 2), i + 2);
        if (end == std::string_view::npos) return text_.size();
        i = end + 1;
      }
      ++i;
    }
    return i + 1;
  }

  // What can be repeated at the end is there so many times, and something that says so. Repetitions
  // of repetitions mean nothing more, and cost the C library twice to four times as much each.
  void write_out(std::uint64_t times) {
    repeats_repetition_ = repeats_repetition_ || is_after_repetition_;
    is_after_repetition_ = true;
    Group& group = groups_.back();
    group.all += group.last * (times - 1) + 1;
    group.last *= times;
  }

  // "{3}" or "{3,5}": the largest number counts; "{3,}" has one more, which may repeat.
  std::size_t repeat(std::size_t i) {
    std::uint64_t most = 1;
    std::uint64_t number = 0;
    bool is_open = false;
    for (++i; i < text_.size() && text_[i] != '}'; ++i) {
      const char c = text_[i];
      if (c != ',' && std::isdigit(static_cast<unsigned char>(c)) == 0) return i;  // No repetition.
      const auto digit = static_cast<std::uint64_t>(c - '0');
      number = c == ',' ? 0 : std::min(number * 10 + digit, kMostPlaces + 1);
      is_open = c == ',';
      most = std::max(most, number);
    }
    write_out(is_open ? most + 1 : most);
    return i + 1;
  }

  std::string_view text_;
  std::vector<Group> groups_ = std::vector<Group>(1);
  bool has_back_reference_ = false;
  bool is_after_repetition_ = false;
  bool repeats_repetition_ = false;
};

Error refusal(const std::string& text, const std::string& reason) {
  constexpr std::size_t kShown = 200;
  const std::string shown = text.size() > kShown ? text.substr(0, kShown) + "..." : text;
  return {ErrorCode::kInvalidArgument, "'" + shown + "' is no regular expression: " + reason};
}

}  // namespace

Status NameExpression::compile(const std::string& text) {
  const bool ignores_case = text.starts_with(kIgnoreCase);
  const std::string expression = text.substr(ignores_case ? kIgnoreCase.size() : 0);
  if (const auto objection = ExpressionSize(expression).objection()) {
    return refusal(text, *objection);
  }
  const int code = regcomp(&expression_, expression.c_str(),
                           REG_EXTENDED | REG_NOSUB | (ignores_case ? REG_ICASE : 0));
  if (code != 0) {
    char reason[128] = "";
    regerror(code, &expression_, reason, sizeof(reason));
    return refusal(text, reason);
  }
  is_compiled_ = true;
  return ok_status();
}

bool NameExpression::is_in(std::string_view text) const {
  return regexec(&expression_, std::string(text).c_str(), 0, nullptr, 0) == 0;
}

}  // namespace npuprof::answers
