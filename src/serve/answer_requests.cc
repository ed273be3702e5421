#include <algorithm>

#include "base/json_writer.h"
#include "report/answers/text_forms.h"
#include "serve/answer_json.h"
#include "serve/asked_answer.h"
#include "serve/error_reply.h"
#include "serve/requests.h"
#include "serve/subject.h"

namespace npuprof::serve {
namespace {

constexpr std::int64_t kMostRows = 100'000;  // Of a table in one reply.

Result<HttpReply> reply_to(const Request& request, const AskedAnswer& asked) {
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t from,
                           request.parameters.number_or("from", {0, kMostRows * 100}, 0));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t top,
                           request.parameters.number_or("top", {0, kMostRows}, 0));
  const ShownRows shown{.from = static_cast<std::size_t>(from),
                        .count = static_cast<std::size_t>(top == 0 ? kMostRows : top),
                        .zero_ns = asked.zero_ns};
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("mode", asked.mode).member("pending", asked.pending);
  json.member("failed", asked.failed);
  if (asked.all_rows) json.member("all_rows", *asked.all_rows);
  write_answer(asked.answer, shown, json);
  json.end_object();
  return json_reply(std::move(text));
}

}  // namespace

Result<HttpReply> ask_answer(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const SharedAnswer asked, asked_answer(request));
  return reply_to(request, *asked);
}

Result<HttpReply> ask_compare(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const SharedAnswer asked, asked_comparison(request));
  return reply_to(request, *asked);
}

Result<HttpReply> ask_sql(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const SharedAnswer asked, asked_statement(request));
  return reply_to(request, *asked);
}

Result<HttpReply> ask_memory_blocks(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const SharedAnswer asked, asked_blocks(request));
  return reply_to(request, *asked);
}

Result<HttpReply> ask_csv(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const SharedAnswer asked, asked_of(request));
  NPUPROF_ASSIGN_OR_RETURN(const std::string name, request.parameters.text("table"));
  const auto& tables = asked->answer.tables;
  const auto table = std::find_if(tables.begin(), tables.end(), [&](const answers::Table& one) {
    return name.empty() || one.name() == name;
  });
  if (table == tables.end()) {
    return Error{ErrorCode::kNotFound, "the answer has no such table"};
  }
  return HttpReply{.type = "text/csv; charset=utf-8", .body = report::csv_text(*table)};
}

Result<HttpReply> ask_tables(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const Subject subject, subject_of(request));
  std::string text;
  JsonWriter json(text);
  const auto write = [&](query::SqlSession& session) -> Status {
    json.begin_object().key("tables").begin_array();
    for (const query::SqlName& name : session.names()) {
      if (name.rows == 0) continue;
      json.begin_object().member("name", name.name).member("about", name.about);
      json.member("is_view", name.kind == query::SqlName::Kind::kView);
      json.member("rows", name.rows).key("columns").begin_array();
      NPUPROF_ASSIGN_OR_RETURN(const auto columns, session.columns_of(name.name));
      for (const query::SqlColumn& column : columns) {
        json.begin_object().member("name", column.name).member("type", column.type);
        json.member("about", column.about).end_object();
      }
      json.end_array().end_object();
    }
    json.end_array().end_object();
    return ok_status();
  };
  NPUPROF_RETURN_IF_ERROR(subject.sql().with(subject.request(), write));
  return json_reply(std::move(text));
}

}  // namespace npuprof::serve
