#include "serve/lane_search.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "answers/name_expression.h"

namespace npuprof::serve {
namespace {

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = folded(c);
  return result;
}

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool contains_text(std::string_view text, std::string_view wanted, bool as_word) {
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    const bool is_whole = (at == 0 || !is_word_part(text[at - 1])) &&
                          (end == text.size() || !is_word_part(text[end]));
    if (!as_word || is_whole) return true;
  }
  return false;
}

Result<std::vector<std::uint8_t>> matching_names(const LaneIndex& index, const SearchQuery& query) {
  std::vector<std::uint8_t> hits(index.name_count());
  if (query.text.empty()) return hits;
  answers::NameExpression expression;
  if (query.is_regular) NPUPROF_RETURN_IF_ERROR(expression.compile(query.text));
  const std::string wanted = query.with_case ? query.text : folded(query.text);
  for (std::uint32_t i = 0; i < hits.size(); ++i) {
    const std::string_view name = index.name(i);
    if (query.is_regular) {
      hits[i] = expression.is_in(name);
    } else if (query.with_case) {
      hits[i] = contains_text(name, wanted, query.is_word);
    } else {
      hits[i] = contains_text(folded(name), wanted, query.is_word);
    }
  }
  return hits;
}

}  // namespace

Result<LaneSearch> LaneSearch::run(const LaneIndex& index, const SearchQuery& query) {
  LaneSearch search(index);
  NPUPROF_ASSIGN_OR_RETURN(search.is_hit_, matching_names(index, query));
  for (std::uint32_t i = 0; i < search.is_hit_.size(); ++i) {
    if (search.is_hit_[i] != 0) search.names_.push_back(i);
  }
  search.count_hits(query.spans);
  return search;
}

void LaneSearch::count_hits(const StepSpans& spans) {
  counts_.resize(is_hit_.size());
  if (names_.empty()) return;
  for (std::uint32_t number = 0; number < index_->lanes().size(); ++number) {
    const report::Lane& lane = index_->lanes()[number];
    const Span& span = spans.of(*index_, lane);
    for (std::uint32_t i = 0; i < lane.rows(); ++i) {
      Row row{.lane = number, .begin = lane.row_begin[i], .end = lane.row_begin[i + 1]};
      row.end = first_after(row, span.end_ns + index_->zero_ns());
      row.begin = std::min(row.end, first_after(row, span.begin_ns + index_->zero_ns()));
      std::uint32_t hits = 0;
      for (std::uint32_t slice = row.begin; slice < row.end; ++slice) {
        if ((slice - row.begin) % kBlock == 0) row.hits_before.push_back(hits);
        const std::uint32_t name = lane.name_number[slice];
        hits += is_hit_[name];
        counts_[name] += is_hit_[name];
      }
      row.hits_before.push_back(hits);
      count_ += hits;
      if (hits > 0) rows_.push_back(std::move(row));
    }
  }
}

// Of the row, in front of a slice.
std::uint32_t LaneSearch::hits_until(const Row& row, std::uint32_t slice) const {
  const auto& names = index_->lanes()[row.lane].name_number;
  const std::uint32_t block = (slice - row.begin) / kBlock;
  if (slice == row.end) return row.hits_before.back();
  std::uint32_t hits = row.hits_before[block];
  for (std::uint32_t i = row.begin + block * kBlock; i < slice; ++i) hits += is_hit_[names[i]];
  return hits;
}

// The first slice that begins at a time or later.
std::uint32_t LaneSearch::first_after(const Row& row, std::int64_t wall_ns) const {
  const auto& starts = index_->lanes()[row.lane].start_ns;
  const auto at = std::lower_bound(starts.begin() + row.begin, starts.begin() + row.end, wall_ns);
  return static_cast<std::uint32_t>(at - starts.begin());
}

std::vector<std::uint32_t> LaneSearch::map_of(std::uint32_t lane, Span span,
                                              std::size_t parts) const {
  std::vector<std::uint32_t> map;
  const double length = static_cast<double>(span.end_ns - span.begin_ns);
  for (const Row& row : rows_) {
    if (row.lane != lane) continue;
    map.resize(parts);
    std::uint32_t before = hits_until(row, first_after(row, span.begin_ns + index_->zero_ns()));
    for (std::size_t part = 0; part < parts; ++part) {
      const auto end_ns =
          span.begin_ns + static_cast<std::int64_t>(length * static_cast<double>(part + 1) /
                                                    static_cast<double>(parts));
      const std::uint32_t until = hits_until(row, first_after(row, end_ns + index_->zero_ns()));
      map[part] += until - std::exchange(before, until);
    }
  }
  return map;
}

std::uint64_t LaneSearch::count_before(std::int64_t time_ns) const {
  std::uint64_t count = 0;
  for (const Row& row : rows_) {
    count += hits_until(row, first_after(row, time_ns + index_->zero_ns()));
  }
  return count;
}

std::int64_t LaneSearch::time_of_hit(std::uint64_t number) const {
  std::int64_t low = index_->span().begin_ns;
  for (const Row& row : rows_) {
    low = std::min(low, index_->from_zero(index_->lanes()[row.lane].start_ns[row.begin]));
  }
  std::int64_t high = index_->span().end_ns + 1;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (count_before(middle) <= number ? low : high) = middle;
  }
  return low;
}

std::optional<SliceId> LaneSearch::hit(std::uint64_t number) const {
  const std::vector<SliceId> found = hits(number, 1);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<SliceId> LaneSearch::hits(std::uint64_t from, std::size_t most) const {
  if (from >= count_) return {};
  const std::int64_t begin_ns = time_of_hit(from);
  // There may be several at this time, some of them in front of the one that is wanted.
  const std::uint64_t skipped = from - count_before(begin_ns);
  const std::size_t wanted = static_cast<std::size_t>(skipped) + most;
  std::vector<SliceId> found;
  for (const Row& row : rows_) {
    const report::Lane& lane = index_->lanes()[row.lane];
    std::size_t of_row = 0;
    for (std::uint32_t i = first_after(row, begin_ns + index_->zero_ns());
         i < row.end && of_row < wanted; ++i) {
      if (is_hit_[lane.name_number[i]] == 0) continue;
      found.push_back({row.lane, i});
      ++of_row;
    }
  }
  std::stable_sort(found.begin(), found.end(), [&](const SliceId& a, const SliceId& b) {
    return index_->lanes()[a.lane].start_ns[a.slice] < index_->lanes()[b.lane].start_ns[b.slice];
  });
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(
                                                 std::min<std::uint64_t>(skipped, found.size())));
  if (found.size() > most) found.resize(most);
  return found;
}

Result<std::shared_ptr<const LaneSearch>> SearchCache::find(const LaneIndex& index,
                                                            const SearchQuery& query) {
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].query != query) continue;
      std::rotate(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(i),
                  entries_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return entries_.front().search;
    }
  }
  NPUPROF_ASSIGN_OR_RETURN(LaneSearch made, LaneSearch::run(index, query));
  auto search = std::make_shared<const LaneSearch>(std::move(made));
  const std::lock_guard lock(mutex_);
  entries_.insert(entries_.begin(), {query, search});
  if (entries_.size() > kKept) entries_.pop_back();
  return search;
}

}  // namespace npuprof::serve
