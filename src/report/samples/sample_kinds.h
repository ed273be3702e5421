#pragma once

// One description for each kind of sample: what it is called in the timeline, in its table of the
// database and in its CSV file. The writers of the three forms know nothing about single kinds.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/samples.h"
#include "format/results/column.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

// Where a column takes its content from.
enum class From : std::uint8_t {
  kDevice,
  kDeviceName,  // "NPU:0"
  kTime,
  kUnit,
  kLabel,
  kLowerLabel,  // "read" of the label "Read".
  kValue,
};

// A series of a counter of the timeline. In both texts {unit} and {label} stand for those of the
// row, {unit3} for the unit in three digits, {die} for "die <unit>", or "value" without a unit.
struct SampleCounter {
  std::string_view name;
  std::string_view series;
  std::uint8_t value;
  double scale = 1;
};

// A column of the database.
struct SampleColumn {
  std::string_view name;
  format::results::Affinity affinity;
  From from;
  std::uint8_t value = 0;
  double scale = 1;
};

// A column of a CSV file with a line per sample.
struct SampleCell {
  std::string_view header;
  From from;
  std::uint8_t value = 0;
  double scale = 1;       // Not of negative values, which say that nothing is known.
  bool shortest = false;  // All digits ("48.0"), else three decimals without zeros at the end.
};

struct SampleDescription {
  analyze::SampleKind kind;
  Layer layer{};  // Without a name: not in the timeline.
  std::vector<SampleCounter> counters;
  std::string_view table;  // Empty: not in the database.
  std::vector<SampleColumn> columns;
  std::string_view csv;  // Stem of the CSV file; empty: no such file.
  std::vector<SampleCell> cells;
};

// A number of a damaged record may be larger than any integer.
std::int64_t whole_number(double value);

std::span<const SampleDescription> sample_descriptions();
// Null for kinds of which there are only summaries.
const SampleDescription* find_sample_description(analyze::SampleKind kind);

}  // namespace npuprof::report
