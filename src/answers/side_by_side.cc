#include "answers/side_by_side.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_text.h"
#include "base/saturated.h"
#include "trace/table.h"

namespace npuprof::answers {
namespace {

using trace::kNone;

constexpr std::size_t kIndent = 2;  // Of names in a tree, for each level.
constexpr char kBetween = '\0';     // In keys: no name has it.

// Names in a tree with those of the rows around them.
class TreePaths {
 public:
  // Rows are to be asked for in their order.
  const std::vector<std::string>& next(std::string_view text) {
    const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
    path_.resize(std::min(path_.size(), indent / kIndent));
    path_.emplace_back(text.substr(indent));
    return path_;
  }

 private:
  std::vector<std::string> path_;
};

// What tells a row from all others.
class RowKeys {
 public:
  RowKeys(const Table& table, const std::vector<std::string>& columns) : table_(table) {
    for (const std::string& key : columns) {
      if (const auto place = table.find(key)) places_.push_back(*place);
    }
  }

  // Rows are to be asked for in their order.
  std::string next(std::size_t row) {
    std::string key;
    for (const std::size_t place : places_) {
      const bool is_text = table_.column(place).kind == Kind::kText;
      key += is_text ? path_of(place, table_.text_at(place, row))
                     : std::to_string(table_.column(place).numbers[row]);
      key += kBetween;
    }
    return key;
  }

 private:
  std::string path_of(std::size_t place, std::string_view text) {
    std::string path;
    for (const std::string& name : paths_[place].next(text)) path += name + kBetween;
    return path;
  }

  const Table& table_;
  std::vector<std::size_t> places_;
  std::map<std::size_t, TreePaths> paths_;  // By column.
};

std::vector<std::string> keys_of(const Table& table, const std::vector<std::string>& columns) {
  RowKeys keys(table, columns);
  std::vector<std::string> all;
  all.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) all.push_back(keys.next(row));
  return all;
}

// For each row of the base the row of the other that is about the same, kNone = there is none.
// Where several rows have one name, those that are equal in everything else belong together; of the
// others, those that are alone with their name on both sides.
std::vector<std::uint32_t> rows_beside(const Table& base, const Table& other) {
  using Places = std::map<std::string, std::vector<std::uint32_t>>;
  const TableComparison& how = base.comparison;
  std::vector<std::string> all = how.names;
  all.insert(all.end(), how.also.begin(), how.also.end());
  std::vector<std::uint32_t> beside(base.size(), kNone);
  std::vector<std::uint8_t> is_taken(other.size());
  const auto join = [&](const std::vector<std::string>& columns, bool must_be_alone) {
    const std::vector<std::string> base_keys = keys_of(base, columns);
    const std::vector<std::string> other_keys = keys_of(other, columns);
    std::map<std::string, std::size_t> wanted;
    for (std::size_t i = 0; i < base.size(); ++i) wanted[base_keys[i]] += beside[i] == kNone;
    Places free;
    for (std::uint32_t i = 0; i < other.size(); ++i) {
      if (is_taken[i] == 0) free[other_keys[i]].push_back(i);
    }
    for (std::size_t i = 0; i < base.size(); ++i) {
      const auto found = free.find(base_keys[i]);
      if (beside[i] != kNone || found == free.end() || found->second.empty()) continue;
      if (must_be_alone && (found->second.size() > 1 || wanted[base_keys[i]] > 1)) continue;
      beside[i] = found->second.front();
      found->second.erase(found->second.begin());
      is_taken[beside[i]] = 1;
    }
  };
  join(all, false);
  join(how.names, true);
  return beside;
}

// Names of a column; those in a tree are told with those around them, as a row that stands alone
// needs them.
std::vector<std::string> whole_names(const Table& table, std::size_t place) {
  std::vector<std::string> names;
  TreePaths paths;
  for (std::size_t row = 0; row < table.size(); ++row) {
    names.push_back(fmt::format("{}", fmt::join(paths.next(table.text_at(place, row)), "/")));
  }
  return names;
}

double number_at(const Table& table, std::size_t place, std::size_t row) {
  const Column& column = table.column(place);
  return is_real(column.kind) ? column.reals[row] : static_cast<double>(column.numbers[row]);
}

void copy_cell(const Table& from, std::size_t place, std::size_t row, Table& to) {
  if (row == kNone || from.is_absent(place, row)) {
    to.skip();
  } else if (from.column(place).kind == Kind::kText) {
    to.add(from.text_at(place, row));
  } else if (is_real(from.column(place).kind)) {
    to.add(from.column(place).reals[row]);
  } else {
    to.add(from.column(place).numbers[row]);
  }
}

class TableJoiner {
 public:
  TableJoiner(const Table& base, const Table& other, const ComparedSteps& steps)
      : base_(base), other_(other), steps_(steps), joined_(base.name(), base.title()) {
    beside_ = rows_beside(base, other);
    for (std::size_t i = 0; i < base.columns().size(); ++i) declare(i);
  }

  Table run() {
    std::vector<std::uint8_t> is_shown(other_.size());
    for (std::size_t row = 0; row < base_.size(); ++row) {
      put(static_cast<std::uint32_t>(row), beside_[row]);
      if (beside_[row] != kNone) is_shown[beside_[row]] = 1;
    }
    for (std::uint32_t row = 0; row < other_.size(); ++row) {
      if (is_shown[row] == 0) put(kNone, row);
    }
    joined_.on_terminal = base_.on_terminal;
    joined_.in_files = base_.in_files;
    joined_.usual_rows = base_.usual_rows;
    joined_.file = base_.file;
    joined_.notes = base_.notes;
    return std::move(joined_);
  }

 private:
  struct Plan {
    bool is_name = false;      // Of a row that the base has not: from the other.
    bool is_compared = false;  // Followed by two columns.
    bool is_per_step = false;
    std::size_t other = 0;           // Place of its column there,
    std::vector<std::string> names;  // and its texts.
  };

  void declare(std::size_t place) {
    const Column& column = base_.column(place);
    const TableComparison& how = base_.comparison;
    const auto is_in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), column.key) != list.end();
    };
    const auto found = other_.find(column.key);
    Plan plan{.other = found.value_or(0)};
    plan.is_name = found && (is_in(how.names) || is_in(how.also));
    plan.is_compared =
        found && (is_in(how.sums) || is_in(how.values)) && !is_equal_count(place, *found);
    plan.is_per_step = is_in(how.sums) && steps_.base != steps_.other;
    if (plan.is_name && column.kind == Kind::kText) plan.names = whole_names(other_, *found);
    joined_.like(column, column.key, column.title);
    plans_.push_back(plan);
    if (!plan.is_compared) return;
    std::string title = column.title;
    title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
    // MFU and the like stay as they are written.
    if (column.title.size() > 1 && std::isupper(static_cast<unsigned char>(column.title[1])) != 0)
      title = column.title;
    joined_.like(column, "compared_" + column.key, "Compared " + title);
    joined_.like(column, column.key + "_difference",
                 column.title + (plan.is_per_step ? " difference per step" : " difference"));
  }

  // Counts that are the same on both sides say nothing.
  bool is_equal_count(std::size_t place, std::size_t other) const {
    if (base_.column(place).kind != Kind::kInteger || base_.size() != other_.size()) return false;
    for (std::size_t row = 0; row < base_.size(); ++row) {
      if (beside_[row] == kNone ||
          base_.column(place).numbers[row] != other_.column(other).numbers[beside_[row]])
        return false;
    }
    return true;
  }

  void put(std::uint32_t base_row, std::uint32_t other_row) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const Plan& plan = plans_[i];
      if (base_row == kNone && !plan.names.empty()) {
        joined_.add(plan.names[other_row]);
      } else if (base_row == kNone && plan.is_name) {
        copy_cell(other_, plan.other, other_row, joined_);
      } else {
        copy_cell(base_, i, base_row, joined_);
      }
      if (!plan.is_compared) continue;
      copy_cell(other_, plan.other, other_row, joined_);
      put_difference(i, base_row, other_row);
    }
  }

  // What one side does not have at all is nothing there, if it is a sum.
  void put_difference(std::size_t place, std::uint32_t base_row, std::uint32_t other_row) {
    const Plan& plan = plans_[place];
    const Column& column = base_.column(place);
    const bool is_sum = std::find(base_.comparison.sums.begin(), base_.comparison.sums.end(),
                                  column.key) != base_.comparison.sums.end();
    const bool has_base = base_row != kNone && !base_.is_absent(place, base_row);
    const bool has_other = other_row != kNone && !other_.is_absent(plan.other, other_row);
    if (is_sum ? !has_base && !has_other : !has_base || !has_other) {
      joined_.skip();
      return;
    }
    if (!plan.is_per_step && !is_real(column.kind)) {
      joined_.add(saturated_difference(has_other ? other_.column(plan.other).numbers[other_row] : 0,
                                       has_base ? column.numbers[base_row] : 0));
      return;
    }
    const double steps_base = plan.is_per_step ? static_cast<double>(steps_.base) : 1;
    const double steps_other = plan.is_per_step ? static_cast<double>(steps_.other) : 1;
    const double difference =
        (has_other ? number_at(other_, plan.other, other_row) / steps_other : 0) -
        (has_base ? number_at(base_, place, base_row) / steps_base : 0);
    if (is_real(column.kind)) {
      joined_.add(difference);
    } else {
      joined_.add(static_cast<std::int64_t>(std::llround(difference)));
    }
  }

  const Table& base_;
  const Table& other_;
  ComparedSteps steps_;
  Table joined_;
  std::vector<std::uint32_t> beside_;  // By row of the base.
  std::vector<Plan> plans_;            // By column of the base.
};

}  // namespace

Answer side_by_side(Answer base, const Answer& other, const ComparedSteps& steps) {
  bool is_joined = false;
  for (Table& table : base.tables) {
    const auto same = std::find_if(other.tables.begin(), other.tables.end(),
                                   [&](const Table& one) { return one.name() == table.name(); });
    if (table.comparison.names.empty() || same == other.tables.end()) continue;
    table = TableJoiner(table, *same, steps).run();
    is_joined = true;
  }
  if (is_joined && steps.base != steps.other) {
    base.sentences.push_back(fmt::format(
        "Totals are of {} here and of {} in what is compared: their differences are per step.",
        count_text(steps.base, "step"), count_text(steps.other, "step")));
  }
  return base;
}

}  // namespace npuprof::answers
