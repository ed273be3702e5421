#pragma once

// What rows of PYTORCH_API are connected to, by numbers: tasks, ends of the queue, other operators.

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/release_memory.h"
#include "format/results/framework_columns.h"
#include "load/result_db/result_database.h"
#include "load/result_order.h"
#include "trace/row.h"

namespace npuprof::load {

inline constexpr std::int64_t kNoId = -1;
inline std::int64_t connection_id(std::uint32_t stored) {
  return stored == trace::kNone ? kNoId : stored;
}

// Rows of CONNECTION_IDS: what each row of PYTORCH_API is connected to. There are several for each
// operator, so they take little room: numbers of 32 bits, which connections have wherever they are
// recorded.
class Connections {
 public:
  explicit Connections(Database& database) {
    namespace connection = results::connection_ids;
    TableReader row(database.file, connection::kTable,
                    {{connection::kId, connection::kConnection}, {}}, database.losses);
    std::uint64_t impossible = 0;
    ids_.reserve(row.expected_rows());
    to_.reserve(row.expected_rows());
    while (row.next()) {
      const std::int64_t id = row.integer(0);
      const std::int64_t to = row.integer(1);
      impossible += is_small(id) && (is_small(to) || to == trace::kNone) ? 0 : 1;
      if (!is_small(id)) continue;
      ids_.push_back(static_cast<std::uint32_t>(id));
      to_.push_back(is_small(to) ? static_cast<std::uint32_t>(to) : trace::kNone);
    }
    group();
    database.add_loss(impossible,
                      "rows of CONNECTION_IDS join nothing: their numbers have more than 32 bits");
  }

  // Whether an id of a row of PYTORCH_API says that it is connected, and nothing says to what.
  bool is_missing(std::int64_t id) const {
    if (id == kNoId) return false;
    const auto [begin, end] = rows_of(id);
    return begin == end;
  }

  template <typename Visit>
  void for_each(std::int64_t id, Visit visit) const {
    const auto [begin, end] = rows_of(id);
    for (std::size_t row = begin; row < end; ++row) visit(number_at(row));
  }
  // trace::kNone if there is none.
  std::uint32_t first(std::int64_t id) const {
    const auto [begin, end] = rows_of(id);
    return begin == end ? trace::kNone : to_[begin];
  }

 private:
  static bool is_small(std::int64_t number) { return number >= 0 && number < trace::kNone; }
  std::int64_t number_at(std::size_t row) const {
    return to_[row] == trace::kNone ? kNoId : std::int64_t{to_[row]};
  }

  // Puts rows in order of their ids, in which they usually are.
  void group() {
    if (!std::is_sorted(ids_.begin(), ids_.end())) {
      std::vector<std::uint32_t> order(ids_.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return ids_[a] < ids_[b]; });
      apply_order(order, ids_);
      apply_order(order, to_);
    }
    if (ids_.empty()) return;
    least_ = ids_.front();
    const std::size_t range = std::size_t{ids_.back()} - least_ + 1;
    if (range / 4 > ids_.size()) return;
    begins_.assign(range + 1, static_cast<std::uint32_t>(ids_.size()));
    for (std::size_t row = ids_.size(); row-- > 0;) {
      begins_[ids_[row] - least_] = static_cast<std::uint32_t>(row);
    }
    // Numbers that no row has begin where the next one does.
    for (std::size_t i = range; i-- > 0;) begins_[i] = std::min(begins_[i], begins_[i + 1]);
    release_memory(ids_);
  }

  std::pair<std::size_t, std::size_t> rows_of(std::int64_t id) const {
    if (!is_small(id)) return {0, 0};
    if (!ids_.empty()) {
      const auto number = static_cast<std::uint32_t>(id);
      const auto rows = std::equal_range(ids_.begin(), ids_.end(), number);
      return {static_cast<std::size_t>(rows.first - ids_.begin()),
              static_cast<std::size_t>(rows.second - ids_.begin())};
    }
    const std::uint64_t place = static_cast<std::uint64_t>(id) - least_;
    if (place + 1 >= begins_.size()) return {0, 0};
    return {begins_[place], begins_[place + 1]};
  }

  std::vector<std::uint32_t> ids_;  // Ascending; empty if they are dense, as they usually are.
  std::uint64_t least_ = 0;
  std::vector<std::uint32_t> begins_;  // By id - least_: the first row.
  std::vector<std::uint32_t> to_;
};

// The operators that hold each of the framework's own links, which are usually dense.
class LinkHolders {
 public:
  struct Holders {
    std::uint32_t first = trace::kNone;
    std::uint32_t second = trace::kNone;
    bool are_more = false;

    bool are_two() const { return second != trace::kNone && !are_more; }
  };

  // ops[i] is what row i of FrameworkOps is connected by.
  LinkHolders(const Connections& connections, const std::vector<std::uint32_t>& ops,
              std::int64_t first_own)
      : first_(first_own) {
    std::int64_t last = first_own - 1;
    const auto for_each_link = [&](const auto& visit) {
      for (std::uint32_t op = 0; op < ops.size(); ++op) {
        connections.for_each(connection_id(ops[op]), [&](std::int64_t to) {
          if (to >= first_own) visit(to, op);
        });
      }
    };
    for_each_link([&](std::int64_t to, std::uint32_t) { last = std::max(last, to); });
    const auto range = static_cast<std::uint64_t>(last - first_own) + 1;
    if (range / 4 <= ops.size()) dense_.resize(range);
    for_each_link([&](std::int64_t to, std::uint32_t op) {
      add(dense_.empty() ? sparse_[to] : dense_[offset(to)], op);
    });
  }

  bool are_two(std::int64_t link) const {
    if (link < first_) return false;
    if (!dense_.empty()) return offset(link) < dense_.size() && dense_[offset(link)].are_two();
    const auto found = sparse_.find(link);
    return found != sparse_.end() && found->second.are_two();
  }

  // Calls visit(link, first, second) for each link that two operators hold, in order of links.
  template <typename Visit>
  void for_each_pair(const Visit& visit) const {
    const auto see = [&](std::int64_t link, const Holders& holders) {
      if (holders.are_two()) visit(link, holders.first, holders.second);
    };
    std::int64_t link = first_;
    for (const Holders& holders : dense_) see(link++, holders);
    for (const auto& [number, holders] : sparse_) see(number, holders);
  }

 private:
  std::size_t offset(std::int64_t link) const { return static_cast<std::size_t>(link - first_); }
  static void add(Holders& holders, std::uint32_t op) {
    holders.are_more = holders.second != trace::kNone;
    (holders.first == trace::kNone ? holders.first : holders.second) = op;
  }

  std::int64_t first_;
  std::vector<Holders> dense_;
  std::map<std::int64_t, Holders> sparse_;
};

}  // namespace npuprof::load
