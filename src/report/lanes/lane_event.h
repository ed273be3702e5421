#pragma once

// What a layer says of a slice, see timeline.h: its name and category when lanes are made, all of
// it when somebody looks at the slice.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

struct SliceArgument {
  std::string key;
  std::variant<std::int64_t, std::uint64_t, double, std::string> value;
};

struct SliceDetails {
  std::string name;
  std::string category;
  std::vector<SliceArgument> arguments;
  // Texts of several lines (shapes, call stacks).
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
};

struct EventArrow {
  ArrowKind kind{};
  bool is_out = false;
  std::uint64_t id = 0;
};

class LaneEvent {
 public:
  // Without `details` arguments are passed over.
  explicit LaneEvent(SliceDetails* details = nullptr) : details_(details) {}

  void begin() {
    name_.clear();
    category_ = {};
    arrows_.clear();
  }
  LaneEvent& name(std::string_view name) {
    name_.assign(name);
    return *this;
  }
  LaneEvent& name(std::string_view first, std::string_view second) {
    name_.assign(first).append(second);
    return *this;
  }
  // A text that lives as long as the program.
  LaneEvent& category(std::string_view category) {
    category_ = category;
    return *this;
  }
  template <Integer T>
  LaneEvent& argument(std::string_view key, T value) {
    using Wide = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;
    if (details_ != nullptr) add(key, static_cast<Wide>(value));
    return *this;
  }
  LaneEvent& argument(std::string_view key, std::string_view value) {
    if (details_ != nullptr) add(key, std::string(value));
    return *this;
  }
  LaneEvent& argument(std::string_view key, double value) {
    if (details_ != nullptr) add(key, value);
    return *this;
  }
  LaneEvent& lines(std::string_view key, std::string_view joined) {
    if (details_ != nullptr) add_lines(key, joined);
    return *this;
  }
  void arrow_out(ArrowKind kind, std::uint64_t id) { arrows_.push_back({kind, true, id}); }
  void arrow_in(ArrowKind kind, std::uint64_t id) { arrows_.push_back({kind, false, id}); }

  std::string_view shown_name() const { return name_; }
  std::string_view shown_category() const { return category_; }
  const std::vector<EventArrow>& arrows() const { return arrows_; }

 private:
  void add(std::string_view key,
           std::variant<std::int64_t, std::uint64_t, double, std::string> value);
  void add_lines(std::string_view key, std::string_view joined);

  SliceDetails* details_;
  std::string name_;
  std::string_view category_;
  std::vector<EventArrow> arrows_;
};

}  // namespace npuprof::report
