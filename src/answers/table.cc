#include "answers/table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace npuprof::answers {

std::size_t Column::size() const {
  if (kind == Kind::kText) return texts.size();
  return is_real(kind) ? reals.size() : numbers.size();
}

std::size_t Table::add_column(std::string key, std::string title, Kind kind) {
  Column& column = columns_.emplace_back();
  column.key = std::move(key);
  column.title = std::move(title);
  column.kind = kind;
  return columns_.size() - 1;
}

std::size_t Table::text(std::string key, std::string title) {
  return add_column(std::move(key), std::move(title), Kind::kText);
}
std::size_t Table::integer(std::string key, std::string title) {
  return add_column(std::move(key), std::move(title), Kind::kInteger);
}
std::size_t Table::duration(std::string key, std::string title) {
  return add_column(std::move(key), std::move(title), Kind::kDuration);
}
std::size_t Table::moment(std::string key, std::string title) {
  return add_column(std::move(key), std::move(title), Kind::kMoment);
}
std::size_t Table::bytes(std::string key, std::string title) {
  return add_column(std::move(key), std::move(title), Kind::kBytes);
}
std::size_t Table::share(std::string key, std::string title) {
  return add_column(std::move(key), std::move(title), Kind::kShare);
}
std::size_t Table::real(std::string key, std::string title, std::string unit) {
  const std::size_t place = add_column(std::move(key), std::move(title), Kind::kReal);
  columns_[place].unit = std::move(unit);
  return place;
}

std::size_t Table::like(const Column& column, std::string key, std::string title) {
  const std::size_t place = add_column(std::move(key), std::move(title), column.kind);
  columns_[place].unit = column.unit;
  return place;
}

Table& Table::add(std::string_view text) {
  columns_[next_].texts.push_back(strings_.intern(text));
  next_ = (next_ + 1) % columns_.size();
  return *this;
}

Table& Table::add_number(std::int64_t number) {
  Column& column = columns_[next_];
  if (is_real(column.kind)) {
    column.reals.push_back(static_cast<double>(number));
  } else {
    column.numbers.push_back(number);
  }
  next_ = (next_ + 1) % columns_.size();
  return *this;
}

Table& Table::add(double value) {
  columns_[next_].reals.push_back(value);
  next_ = (next_ + 1) % columns_.size();
  return *this;
}

Table& Table::skip() {
  Column& column = columns_[next_];
  if (column.kind == Kind::kText) return add(std::string_view());
  if (is_real(column.kind)) return add(std::nan(""));
  return add_number(Column::kNoNumber);
}

std::optional<std::size_t> Table::find(std::string_view key_or_title) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].key == key_or_title || columns_[i].title == key_or_title) return i;
  }
  return std::nullopt;
}

bool Table::is_absent(std::size_t column, std::size_t row) const {
  const Column& values = columns_[column];
  if (values.kind == Kind::kText) return values.texts[row] == kEmptyString;
  return is_real(values.kind) ? std::isnan(values.reals[row])
                              : values.numbers[row] == Column::kNoNumber;
}

void Table::reorder(const std::vector<std::uint32_t>& order) {
  const auto reordered = [&](auto& values) {
    if (values.empty()) return;
    std::remove_reference_t<decltype(values)> moved;
    moved.reserve(order.size());
    for (const std::uint32_t row : order) moved.push_back(values[row]);
    values = std::move(moved);
  };
  for (Column& column : columns_) {
    reordered(column.texts);
    reordered(column.numbers);
    reordered(column.reals);
  }
}

void Table::append(const Table& other) {
  std::vector<StringId> ids(other.strings_.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    ids[i] = strings_.intern(other.strings_.view(StringId{i}));
  }
  const auto append_values = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& from = other.columns_[i];
    for (const StringId text : from.texts) columns_[i].texts.push_back(ids[to_index(text)]);
    append_values(columns_[i].numbers, from.numbers);
    append_values(columns_[i].reals, from.reals);
  }
  for (const std::string& note : other.notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

void Table::put_first(std::string key, std::string title, std::int64_t value) {
  const std::size_t rows = size();
  Column& column = columns_.emplace_front();
  column.key = std::move(key);
  column.title = std::move(title);
  column.kind = Kind::kInteger;
  column.numbers.assign(rows, value);
}

}  // namespace npuprof::answers
