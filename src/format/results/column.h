#pragma once

// What a result table is made of: columns of databases and of text files, as data. The tables are
// in the files beside this one, one constant for each column, for those who write them (report/)
// and those who read them (load/result_db, load/result_text).

#include <cstdint>
#include <string_view>

namespace npuprof::format::results {

// How SQLite's column affinity changes a stored value.
enum class Affinity : std::uint8_t { kInteger, kNumeric, kReal, kText };
// Short names for lists of columns.
inline constexpr auto kI = Affinity::kInteger;
inline constexpr auto kN = Affinity::kNumeric;
inline constexpr auto kR = Affinity::kReal;
inline constexpr auto kT = Affinity::kText;

// What a number of a database stands for. Times are wall-clock times, the others are spans.
enum class Unit : std::uint8_t {
  kNone,    // A number without unit, an id, a text.
  kTextId,  // The number of a text in STRING_IDS.
  kTimeNs,
  kNs,
  kUs,  // Whole numbers come in nanoseconds.
  kMs,
  kBytes,
  kMb,
  kBytesPerSecond,
  kGbPerSecond,
};

// A column of a database.
struct StoredColumn {
  std::string_view name;
  Affinity affinity = Affinity::kInteger;
  Unit unit = Unit::kNone;
  bool is_key = false;  // INTEGER PRIMARY KEY: the row id itself.

  // Readers ask for columns by name.
  // NOLINTNEXTLINE(google-explicit-constructor): a column stands for its name.
  constexpr operator std::string_view() const { return name; }
};

constexpr StoredColumn key_column(std::string_view name, Unit unit = Unit::kNone) {
  return {name, Affinity::kInteger, unit, true};
}
constexpr StoredColumn text_id_column(std::string_view name) {
  return {name, Affinity::kInteger, Unit::kTextId};
}

// How a value is written into a text file. Times and spans come in nanoseconds, sizes in bytes.
enum class Print : std::uint8_t {
  kPlain,            // A text, or a whole number.
  kLines,            // A text whose parts, joined by ';', each have a line.
  kUs,               // "1234.567"
  kTimeUs,           // The same with a tab behind it, so that spreadsheets do not round it.
  kUsOrZero,         // "1234.567", of none a bare "0".
  kTrimmedUs,        // "1234.5", "3.0"
  kTrimmedUsOrZero,  // The same, of none a bare "0".
  kRoundedUs,        // As kRounded.
  kKb,               // All digits.
  kMb,               // All digits.
  kRoundedKb,        // As kRoundedPoint.
  kDigits,           // All digits: "48.0", "1e-05".
  kRounded,          // At most three decimals, none if there are only zeros: "302", "3.775".
  kRoundedPoint,     // The same with one decimal at least: "302.0".
  kRoundedPoint6,    // The same with at most six.
  kFixed0,           // Without decimals.
  kFixed3,           // With three.
  kDevice,           // "NPU:0"
};

// What stands in a cell without a value, or with an empty text.
enum class IfAbsent : std::uint8_t {
  kNothing,
  kNotAvailable,
  kHost,  // "host" in place of the number of a device.
};

// A column of a text file.
struct TextColumn {
  std::string_view header;
  Print print = Print::kPlain;
  IfAbsent if_absent = IfAbsent::kNothing;

  // NOLINTNEXTLINE(google-explicit-constructor): a column stands for its header.
  constexpr operator std::string_view() const { return header; }
};

// A text, or N/A where there is none.
constexpr TextColumn or_not_available(std::string_view header, Print print = Print::kPlain) {
  return {header, print, IfAbsent::kNotAvailable};
}

// The device that a row is about, "host" if it is about none.
inline constexpr TextColumn kDeviceOrHost{"Device_id", Print::kPlain, IfAbsent::kHost};

// A column that text file and database have alike.
struct SharedColumn {
  TextColumn text;
  StoredColumn stored;
};

}  // namespace npuprof::format::results
