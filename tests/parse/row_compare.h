#pragma once

// Compares two tables of texts as multisets of rows. CSV files, database tables and timeline events
// all become such tables first.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"

namespace npuprof::testing {

using Row = std::map<std::string, std::string>;  // Cells by column.
using Rows = std::vector<Row>;

// How two tables may differ; each use names the reason.
struct Differences {
  // Columns of numbers, and how far apart they may be. Other columns must be equal.
  std::map<std::string, double> tolerance;
  // Rows that are left out of both tables.
  std::function<bool(const Row&)> skip = nullptr;
  // Rows that repeat count once.
  bool once = false;
};
inline constexpr double kNotCompared = std::numeric_limits<double>::infinity();

// The cell of a column, empty if there is none.
inline std::string cell(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  return found == row.end() ? std::string() : found->second;
}

// A whole number has no decimals, whoever wrote it.
inline std::string number_text(double value) {
  std::string text;
  append_double(text, value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

class RowComparison {
 public:
  explicit RowComparison(const Differences& allowed) : allowed_(allowed) {}

  void expect_same(const Rows& theirs, const Rows& ours) const {
    const Keyed their_rows = keyed(theirs);
    const Keyed our_rows = keyed(ours);
    int shown = 0;
    for (const auto& [key, soft] : their_rows) {
      const auto found = our_rows.find(key);
      const std::size_t count = found == our_rows.end() ? 0 : found->second.size();
      if (count < soft.size() && ++shown <= kMostShown) {
        ADD_FAILURE() << "of theirs, " << soft.size() - count << " missing in ours: " << key;
      } else if (count == soft.size()) {
        expect_close(key, soft, found->second);
      }
    }
    for (const auto& [key, soft] : our_rows) {
      const auto found = their_rows.find(key);
      const std::size_t count = found == their_rows.end() ? 0 : found->second.size();
      if (count < soft.size() && ++shown <= kMostShown) {
        ADD_FAILURE() << "of ours, " << soft.size() - count << " not in theirs: " << key;
      }
    }
    EXPECT_LE(shown, 0) << "rows that differ, the first " << kMostShown << " are shown";
  }

 private:
  static constexpr int kMostShown = 6;
  using Numbers = std::map<std::string, double>;
  // Cells that are compared by tolerance, of all rows that are equal in the others.
  using Keyed = std::map<std::string, std::vector<Numbers>>;

  Keyed keyed(const Rows& rows) const {
    Keyed result;
    for (const Row& row : rows) {
      if (allowed_.skip && allowed_.skip(row)) continue;
      std::string key;
      Numbers numbers;
      for (const auto& [column, text] : row) {
        const auto soft = allowed_.tolerance.find(column);
        const auto value = parse_number<double>(trim(text));
        if (soft != allowed_.tolerance.end() && (value || soft->second == kNotCompared)) {
          key += column + "=~ ";
          if (soft->second != kNotCompared) numbers[column] = *value;
        } else {
          key += column + "=" + text + " ";
        }
      }
      std::vector<Numbers>& same = result[key];
      if (!allowed_.once || same.empty()) same.push_back(numbers);
    }
    for (auto& [key, soft] : result) std::sort(soft.begin(), soft.end());
    return result;
  }

  void expect_close(const std::string& key, const std::vector<Numbers>& theirs,
                    const std::vector<Numbers>& ours) const {
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      for (const auto& [column, value] : theirs[i]) {
        EXPECT_NEAR(ours[i].at(column), value, allowed_.tolerance.at(column))
            << column << " of " << key;
      }
    }
  }

  const Differences& allowed_;
};

inline void expect_same_rows(const Rows& theirs, const Rows& ours,
                             const Differences& allowed = {}) {
  RowComparison(allowed).expect_same(theirs, ours);
}

}  // namespace npuprof::testing
