#pragma once

// One description for each kind of sample: what it is called in the timeline, in its table of the
// database and in its CSV file. The writers of the three forms know nothing about single kinds.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/samples.h"
#include "format/results/sample_columns.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

// A series of a counter of the timeline. In both texts {unit} and {label} stand for those of the
// row, {unit3} for the unit in three digits, {die} for "die <unit>", or "value" without a unit.
struct SampleCounter {
  std::string_view name;
  std::string_view series;
  std::uint8_t value;
  double scale = 1;
};

struct SampleDescription {
  analyze::SampleKind kind;
  Layer layer{};  // Without a name: not in the timeline.
  std::vector<SampleCounter> counters;
  format::results::SampleTable table;
  format::results::SampleFile file;
};

// A number of a damaged record may be larger than any integer.
std::int64_t whole_number(double value);

std::span<const SampleDescription> sample_descriptions();
// Null for kinds of which there are only summaries.
const SampleDescription* find_sample_description(analyze::SampleKind kind);

}  // namespace npuprof::report
