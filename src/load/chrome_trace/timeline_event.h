#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "format/results/timeline_names.h"

namespace npuprof::load {

namespace argument = format::results::argument;
namespace category = format::results::category;
namespace layer = format::results::layer;

// A value of an event.
struct EventValue {
  enum class Kind : std::uint8_t { kAbsent, kNumber, kText, kOther, kNested };
  Kind kind = Kind::kAbsent;
  // Digits as they stand in the file, text without escapes, or the JSON of a list or object.
  std::string_view text;

  bool is_present() const { return kind != Kind::kAbsent; }
};

// One event of a timeline. Texts are valid until the next one is parsed.
struct Event {
  struct Argument {
    std::string_view key;
    EventValue value;
  };

  char phase = 0;  // X slice, C counter, s/t/f arrow, M name of a lane, ...
  std::string_view name;
  std::string_view category;
  EventValue process;
  EventValue thread;
  EventValue time;
  EventValue duration;
  EventValue id;
  std::vector<Argument> arguments;
  // Values that were asked for and are of no use: no number where there should be one.
  mutable std::uint32_t odd_values = 0;

  // An absent value if there is no such argument.
  EventValue argument(std::string_view key) const;
  // Also of numbers.
  std::string_view text(std::string_view key) const;
  // Also of numbers that are written as text. Absent values, null and "N/A" are none, and not odd.
  std::optional<std::int64_t> integer(std::string_view key) const;
  // The same of 32 bits; `absent` if there is none or it is out of range.
  std::uint32_t number(std::string_view key, std::uint32_t absent) const;
  double real(std::string_view key) const;  // 0 if absent.
};

// Whether a value can tell lanes or arrows apart.
bool is_id(const EventValue& value);
// The number of a lane or arrow. Ids that are texts become numbers that no process has.
std::uint64_t lane_number(const EventValue& id);

// Microseconds, as number or text, in nanoseconds.
std::optional<std::int64_t> event_time_ns(const EventValue& time);

class EventParser {
 public:
  EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;
  ~EventParser();

  // Reads the object at `json`. Null if it is no valid event. The event is valid until the next.
  const Event* parse(std::string_view json);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  Event event_;
};

}  // namespace npuprof::load
