#include "serve/answer_json.h"

#include <algorithm>

namespace npuprof::serve {
namespace {

std::string_view kind_name(answers::Kind kind) {
  static constexpr std::string_view kNames[] = {"text",  "integer", "duration", "moment",
                                                "bytes", "real",    "share"};
  return kNames[static_cast<std::size_t>(kind)];
}

void write_columns(const answers::Table& table, JsonWriter& json) {
  json.key("columns").begin_array();
  for (const answers::Column& column : table.columns()) {
    json.begin_object().member("key", column.key).member("title", column.title);
    json.member("kind", kind_name(column.kind)).member("unit", column.unit).end_object();
  }
  json.end_array();
}

void write_cell(const answers::Table& table, std::size_t place, std::size_t row,
                std::int64_t zero_ns, JsonWriter& json) {
  const answers::Column& column = table.column(place);
  if (table.is_absent(place, row)) {
    json.null();
  } else if (column.kind == answers::Kind::kText) {
    json.value(table.text_at(place, row));
  } else if (answers::is_real(column.kind)) {
    json.value(column.reals[row]);
  } else if (column.kind == answers::Kind::kMoment) {
    json.value(column.numbers[row] - zero_ns);
  } else {
    json.value(column.numbers[row]);
  }
}

}  // namespace

void write_table(const answers::Table& table, const ShownRows& shown, JsonWriter& json) {
  json.begin_object().member("name", table.name()).member("title", table.title());
  json.key("notes").begin_array();
  for (const std::string& note : table.notes) json.value(note);
  json.end_array().member("usual_rows", table.usual_rows);
  json.member("on_page", table.on_terminal);
  write_columns(table, json);
  const std::size_t end = std::min(table.size(), shown.from + shown.count);
  json.key("rows").begin_array();
  for (std::size_t row = shown.from; row < end; ++row) {
    json.begin_array();
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      write_cell(table, i, row, shown.zero_ns, json);
    }
    json.end_array();
  }
  json.end_array().member("total_rows", table.size()).end_object();
}

void write_answer(const answers::Answer& answer, const ShownRows& shown, JsonWriter& json) {
  json.key("sentences").begin_array();
  for (const std::string& sentence : answer.sentences) json.value(sentence);
  json.end_array().key("tables").begin_array();
  for (const answers::Table& table : answer.tables) write_table(table, shown, json);
  json.end_array();
}

}  // namespace npuprof::serve
