#include "trace/any_table.h"

namespace npuprof::trace {

template struct Values<std::uint8_t>;
template struct Values<std::uint16_t>;
template struct Values<std::uint32_t>;
template struct Values<std::uint64_t>;
template struct Values<std::int64_t>;
template struct Values<double>;
template struct Values<StringId>;

std::size_t memory_bytes(AnyConstTable table) {
  std::size_t bytes = 0;
  for (const ColumnFacts& facts : table.columns()) {
    bytes += facts.values->memory_bytes(table.column(facts));
  }
  return bytes;
}

void reserve_rows(AnyTable table, std::size_t rows) {
  for (const ColumnFacts& facts : table.columns()) {
    facts.values->reserve(table.column(facts), rows);
  }
}

void resize_rows(AnyTable table, std::size_t rows) {
  for (const ColumnFacts& facts : table.columns()) facts.values->resize(table.column(facts), rows);
}

void reorder_rows(AnyTable table, std::span<const std::uint32_t> order) {
  for (const ColumnFacts& facts : table.columns()) {
    void* const column = table.column(facts);
    if (facts.values->size(column) > 0) facts.values->reorder(column, order);
  }
}

void take_rows(AnyTable table, AnyTable added) {
  for (const ColumnFacts& facts : table.columns()) {
    facts.values->take(table.column(facts), added.column(facts));
  }
}

void translate_texts(AnyTable table, std::span<const StringId> ids) {
  for_each_text(table, [&](std::vector<StringId>& texts) {
    for (StringId& text : texts) text = ids[to_index(text)];
  });
}

}  // namespace npuprof::trace
