#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/table.h"

namespace npuprof::load {

// Rows of a table by the number that other tables know them by. Numbers are usually dense, but need
// not be.
class IdRows {
 public:
  IdRows() = default;
  // Row i has the number ids[i]; `absent` is that of rows without one. Of rows with one number
  // find() gives the first.
  explicit IdRows(std::span<const std::int64_t> ids, std::int64_t absent = kNoAbsent) {
    least_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (const std::int64_t id : ids) {
      if (id == absent) continue;
      least_ = std::min(least_, id);
      greatest = std::max(greatest, id);
    }
    if (least_ > greatest) return;
    const std::uint64_t range =
        static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least_);
    if (range / 4 <= ids.size()) dense_.assign(static_cast<std::size_t>(range) + 1, trace::kNone);
    // From the back, so that chains are in order of rows.
    for (std::size_t i = ids.size(); i-- > 0;) {
      if (ids[i] == absent) continue;
      std::uint32_t& first = place(ids[i]);
      if (first != trace::kNone) {
        if (next_.empty()) next_.assign(ids.size(), trace::kNone);
        next_[i] = first;
      }
      first = static_cast<std::uint32_t>(i);
    }
  }

  // kNone if there is no such row.
  std::uint32_t find(std::int64_t id) const {
    const std::uint64_t offset =
        static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least_);
    if (!dense_.empty()) return offset < dense_.size() ? dense_[offset] : trace::kNone;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? trace::kNone : found->second;
  }
  // The next row with the same number, kNone after the last.
  std::uint32_t next(std::uint32_t row) const { return next_.empty() ? trace::kNone : next_[row]; }

 private:
  // No number of a profile is so great.
  static constexpr std::int64_t kNoAbsent = std::numeric_limits<std::int64_t>::min();

  std::uint32_t& place(std::int64_t id) {
    if (!dense_.empty()) {
      return dense_[static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least_)];
    }
    return sparse_.try_emplace(id, trace::kNone).first->second;
  }

  std::int64_t least_ = 0;
  std::vector<std::uint32_t> dense_;  // By id - least_; empty if the numbers lie too far apart.
  std::unordered_map<std::int64_t, std::uint32_t> sparse_;
  std::vector<std::uint32_t> next_;  // Empty if each number is that of one row.
};

}  // namespace npuprof::load
