#pragma once

// The lanes of a timeline in memory, compact, for a page that asks for parts of them: 20 bytes for
// a slice. Names stand once; what else is known of a slice is described again when somebody asks.

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/string_pool.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

// A process of the timeline.
struct LaneGroup {
  std::uint64_t pid = 0;
  std::string name;
  std::string label;  // "NPU 0", "CPU".
  std::uint32_t sort_index = 0;
  std::uint32_t device = 0;
  bool is_host = false;
};

// Where slices of a name come from: their layer, and the category that the layer gives them.
struct NameOrigin {
  std::string layer;
  std::string category;

  friend bool operator==(const NameOrigin&, const NameOrigin&) = default;
};

// Slices of equal name and origin have one number.
struct SliceName {
  StringId text{};
  std::uint16_t origin = 0;
};

// A thread of the timeline. Slices stand row by row, those of a row by start; the slices of a row
// do not overlap, and what is nested in a slice is in rows below it. The place of a slice is its
// number.
class Lane {
 public:
  static constexpr std::uint32_t kLongDuration = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t group = 0;
  std::uint64_t tid = 0;
  std::string name;
  std::uint64_t sort_index = 0;
  bool is_python = false;  // Frames of Python, apart from the operators of their thread.
  bool nests = true;       // No slice ends inside of another: rows are depths of calls.

  std::vector<std::uint32_t> row_begin;  // The first slice of each row, and one more.
  std::vector<std::int64_t> start_ns;
  std::vector<std::uint32_t> duration_ns;                          // kLongDuration = see below.
  std::unordered_map<std::uint32_t, std::int64_t> long_durations;  // By slice.
  std::vector<std::uint32_t> name_number;
  std::vector<std::uint32_t> source;  // For LaneSet::describe.

  std::size_t size() const { return start_ns.size(); }
  std::size_t rows() const { return row_begin.empty() ? 0 : row_begin.size() - 1; }
  std::int64_t duration(std::uint32_t slice) const {
    const std::uint32_t known = duration_ns[slice];
    return known == kLongDuration ? long_durations.at(slice) : known;
  }
  std::int64_t end_ns(std::uint32_t slice) const { return start_ns[slice] + duration(slice); }
  std::uint32_t row_of(std::uint32_t slice) const;
};

// A counter: values of each series by time, NaN where a series has none then.
struct CounterLane {
  std::uint32_t group = 0;
  std::string name;
  std::vector<std::string> series;
  std::vector<std::int64_t> time_ns;
  std::vector<double> values;  // Those of one time side by side.
};

// One arrow between two slices, which are numbered through all lanes (LaneSet::number_of).
struct LaneArrow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  ArrowKind kind{};
};

}  // namespace npuprof::report
