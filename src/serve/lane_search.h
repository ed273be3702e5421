#pragma once

// Slices by name, over all lanes: how many, where, and each of them in order of time. Names are
// compared once, then only their numbers are looked at.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/lane_index.h"
#include "serve/step_spans.h"

namespace npuprof::serve {

struct SearchQuery {
  std::string text;
  bool with_case = false;   // Capitals matter.
  bool is_word = false;     // Nothing that could be part of a word before and behind.
  bool is_regular = false;  // An extended regular expression.
  StepSpans spans = {};     // In which slices begin.

  friend bool operator==(const SearchQuery&, const SearchQuery&) = default;
};

class LaneSearch {
 public:
  // Fails if the expression is none.
  static Result<LaneSearch> run(const LaneIndex& index, const SearchQuery& query);

  std::uint64_t count() const { return count_; }
  bool matches(std::uint32_t name) const { return is_hit_[name] != 0; }
  const std::vector<std::uint32_t>& names() const { return names_; }

  std::uint64_t count_of(std::uint32_t name) const { return counts_[name]; }
  // Those from a number on, in order of time; below `most`.
  std::vector<SliceId> hits(std::uint64_t from, std::size_t most) const;

  // How many hits of a lane begin in each of `parts` equal parts of a time span.
  std::vector<std::uint32_t> map_of(std::uint32_t lane, Span span, std::size_t parts) const;
  // How many begin before a time, counted from zero.
  std::uint64_t count_before(std::int64_t time_ns) const;
  // In order of time; below count().
  std::optional<SliceId> hit(std::uint64_t number) const;

 private:
  static constexpr std::uint32_t kBlock = 512;

  // The part of a lane's row that is searched and has hits.
  struct Row {
    std::uint32_t lane = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> hits_before;  // Before each kBlock slices of the row, and in all.
  };

  explicit LaneSearch(const LaneIndex& index) : index_(&index) {}
  void count_hits(const StepSpans& spans);
  std::uint32_t hits_until(const Row& row, std::uint32_t slice) const;
  std::uint32_t first_after(const Row& row, std::int64_t wall_ns) const;
  // The last moment before which there are no more than `number` hits, counted from zero.
  std::int64_t time_of_hit(std::uint64_t number) const;

  const LaneIndex* index_;
  std::vector<std::uint8_t> is_hit_;  // By name.
  std::vector<std::uint32_t> names_;
  std::vector<std::uint32_t> counts_;  // Of hits, by name.
  std::vector<Row> rows_;
  std::uint64_t count_ = 0;
};

// The last searches of one profile.
class SearchCache {
 public:
  Result<std::shared_ptr<const LaneSearch>> find(const LaneIndex& index, const SearchQuery& query);

 private:
  static constexpr std::size_t kKept = 4;
  struct Entry {
    SearchQuery query;
    std::shared_ptr<const LaneSearch> search;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;  // The last one used first.
};

}  // namespace npuprof::serve
