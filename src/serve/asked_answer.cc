#include "serve/asked_answer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analyze/profile_parts.h"
#include "answers/compare_answer.h"
#include "answers/mode.h"
#include "answers/selection.h"
#include "answers/side_by_side.h"
#include "query/answer_tables.h"
#include "serve/block_table.h"
#include "serve/lane_parameters.h"
#include "serve/subject.h"

namespace npuprof::serve {
namespace {

constexpr std::chrono::milliseconds kLongestStatement{30'000};
constexpr std::size_t kMostStatementRows = 100'000;
constexpr std::size_t kLargestResult = std::size_t{256} << 20;  // Bytes.

// Rows with values the other way round; those without stay behind.
void turn_around(answers::Answer& answer, const std::string& sort) {
  for (answers::Table& table : answer.tables) {
    const auto column = table.find(sort);
    if (!column) continue;
    std::vector<std::uint32_t> order = answers::order_by(table, *column);
    const auto absent = std::find_if(order.begin(), order.end(), [&](std::uint32_t row) {
      return table.is_absent(*column, row);
    });
    std::reverse(order.begin(), absent);
    table.reorder(order);
  }
}

Status select_asked_rows(const Parameters& parameters, answers::Answer& answer) {
  answers::Selection selection;
  NPUPROF_ASSIGN_OR_RETURN(selection.name, parameters.text("name"));
  NPUPROF_ASSIGN_OR_RETURN(selection.sort, parameters.text("sort"));
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t falls, parameters.number_or("desc", {0, 1}, 1));
  NPUPROF_RETURN_IF_ERROR(answers::select_rows(answer, selection));
  if (falls == 0 && !selection.sort.empty()) turn_around(answer, selection.sort);
  return ok_status();
}

Result<answers::Answer> ask_mode(const answers::Mode& mode, answers::Request asked,
                                 const Parameters& parameters) {
  for (const answers::ModeOption& option : mode.options) {
    if (!parameters.has(option.name)) continue;
    NPUPROF_ASSIGN_OR_RETURN(asked.options[std::string(option.name)], parameters.text(option.name));
  }
  auto answer = mode.answer(asked);
  if (!answer.ok()) return Error{answer.error().code, query::with_needs(mode, answer.error())};
  return answer;
}

// Tables of several ranks become one.
void append_of_rank(answers::Answer& all, answers::Answer one, std::int32_t rank) {
  for (std::string& sentence : one.sentences) {
    all.sentences.push_back("rank " + std::to_string(rank) + ": " + sentence);
  }
  for (answers::Table& table : one.tables) {
    if (!table.file.empty()) continue;  // For other tools.
    table.put_first("rank", "Rank", rank);
    const auto same =
        std::find_if(all.tables.begin(), all.tables.end(), [&](const answers::Table& known) {
          return known.name() == table.name() && known.columns().size() == table.columns().size();
        });
    if (same == all.tables.end()) {
      all.tables.push_back(std::move(table));
    } else {
      same->append(table);
    }
  }
}

Result<answers::Answer> ask_step_or_all(const answers::Mode& mode, const Request& request,
                                        const ShownProfile& profile,
                                        std::optional<std::int64_t> step) {
  if (!step) return ask_mode(mode, profile.request(), request.parameters);
  if (mode.looks_around) {
    answers::Request asked = profile.request();
    asked.steps = {{*step, *step}};
    return ask_mode(mode, std::move(asked), request.parameters);
  }
  NPUPROF_ASSIGN_OR_RETURN(const auto cut,
                           request.served.store.part_of(profile.number, {.step = *step}));
  return ask_mode(mode, cut->request(), request.parameters);
}

// Of all profiles that have been read; the others begin to be.
Result<AskedAnswer> ask_all(const answers::Mode& mode, const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const auto step, request.parameters.number("step", kAnyStep));
  AskedAnswer asked{.mode = std::string(mode.name)};
  std::optional<Error> failure;
  std::size_t answered = 0;
  for (std::size_t i = 0; i < request.served.store.profiles().size(); ++i) {
    const auto profile = request.served.store.get(i);
    if (profile.ok() && *profile == nullptr) {
      ++asked.pending;
      continue;
    }
    auto answer = profile.ok() ? ask_step_or_all(mode, request, **profile, step)
                               : Result<answers::Answer>(profile.error());
    if (!answer.ok()) {
      ++asked.failed;
      failure = answer.error();
      continue;
    }
    if (answered++ == 0) asked.zero_ns = (*profile)->lanes.zero_ns();
    append_of_rank(asked.answer, std::move(*answer), (*profile)->trace().session.rank);
  }
  if (answered == 0 && asked.pending == 0 && failure) return *failure;
  return asked;
}

std::size_t step_count(const trace::Trace& trace) { return analyze::StepPlaces(trace).count(); }

// The same question to what `q` names, if there is a table that has room for it.
Status put_beside(const Request& request, const answers::Mode& mode, const Subject& base,
                  answers::Answer& answer) {
  const bool can_be =
      std::any_of(answer.tables.begin(), answer.tables.end(),
                  [](const auto& table) { return !table.comparison.names.empty(); });
  if (!can_be) return ok_status();
  NPUPROF_ASSIGN_OR_RETURN(const Subject other,
                           compared_subject(request, "q", "other_step", "other_t0", "other_t1"));
  const auto beside = ask_mode(mode, other.request_of(mode), request.parameters);
  if (beside.ok()) {
    answer = answers::side_by_side(
        std::move(answer), *beside,
        {.base = step_count(base.trace()), .other = step_count(other.trace())});
  } else if (beside.error().code == ErrorCode::kNoData) {
    answer.sentences.push_back("There is nothing to compare it with: " + beside.error().message);
  } else {
    return beside.error();
  }
  return ok_status();
}

// What tells one answer from another: not which of its rows are shown.
std::string key_of(const char* what, const Request& request) {
  std::string key = what;
  for (const auto& [name, value] : request.parameters.all()) {
    if (name == "from" || name == "top" || name == "table") continue;
    key += '\n' + name + '=' + value;
  }
  return key;
}

std::size_t bytes_of(const answers::Answer& answer) {
  std::size_t bytes = 0;
  for (const answers::Table& table : answer.tables) {
    for (const answers::Column& column : table.columns()) {
      bytes += column.texts.size() * sizeof(StringId) +
               (column.numbers.size() + column.reals.size()) * sizeof(std::int64_t);
    }
  }
  return bytes;
}

Result<SharedAnswer> kept(const char* what, const Request& request,
                          Result<AskedAnswer> (*make)(const Request&)) {
  using Answers = KeptValues<AskedAnswer>;
  return request.served.store.kept().answers.get(
      key_of(what, request), [&]() -> Result<Answers::Made> {
        NPUPROF_ASSIGN_OR_RETURN(AskedAnswer asked, make(request));
        const std::size_t bytes = bytes_of(asked.answer);
        const bool is_final = asked.pending == 0 && asked.failed == 0;
        return Answers::Made{.value = std::make_shared<const AskedAnswer>(std::move(asked)),
                             .bytes = bytes,
                             .is_final = is_final};
      });
}

Result<AskedAnswer> make_answer(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const std::string name, request.parameters.text("mode"));
  const answers::Mode* mode = answers::find_mode(name);
  if (mode == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "there is no such mode: /api/session lists them"};
  }
  NPUPROF_ASSIGN_OR_RETURN(const std::string which, request.parameters.text("p"));
  if (which == "all") {
    NPUPROF_ASSIGN_OR_RETURN(AskedAnswer all, ask_all(*mode, request));
    NPUPROF_RETURN_IF_ERROR(select_asked_rows(request.parameters, all.answer));
    return all;
  }
  const bool is_compared = request.parameters.has("q");
  NPUPROF_ASSIGN_OR_RETURN(
      const Subject subject,
      is_compared ? compared_subject(request, "p", "step", "t0", "t1") : subject_of(request));
  AskedAnswer asked{.mode = name, .zero_ns = subject.profile->lanes.zero_ns()};
  NPUPROF_ASSIGN_OR_RETURN(asked.answer,
                           ask_mode(*mode, subject.request_of(*mode), request.parameters));
  if (is_compared) {
    NPUPROF_RETURN_IF_ERROR(put_beside(request, *mode, subject, asked.answer));
  }
  NPUPROF_RETURN_IF_ERROR(select_asked_rows(request.parameters, asked.answer));
  return asked;
}

Result<AskedAnswer> make_comparison(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const Subject base, compared_subject(request, "p", "step", "t0", "t1"));
  NPUPROF_ASSIGN_OR_RETURN(const Subject other,
                           compared_subject(request, "q", "other_step", "other_t0", "other_t1"));
  AskedAnswer asked{.mode = "compare", .zero_ns = other.profile->lanes.zero_ns()};
  NPUPROF_ASSIGN_OR_RETURN(asked.answer,
                           answers::compare_profiles(base.request(), other.request()));
  NPUPROF_RETURN_IF_ERROR(select_asked_rows(request.parameters, asked.answer));
  return asked;
}

Result<AskedAnswer> make_statement(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const std::string sql, request.parameters.text("sql"));
  if (sql.empty()) return Error{ErrorCode::kInvalidArgument, "parameter 'sql' is missing"};
  NPUPROF_ASSIGN_OR_RETURN(const Subject subject, subject_of(request));
  AskedAnswer asked{.mode = "sql", .zero_ns = 0};
  const auto ask = [&](query::SqlSession& session) {
    session.set_limits({.time = kLongestStatement,
                        .rows = kMostStatementRows,
                        .bytes = kLargestResult,
                        .stop = &request.served.store.is_stopping()});
    return session.ask(sql);
  };
  NPUPROF_ASSIGN_OR_RETURN(auto result, subject.sql().with(subject.request(), ask));
  asked.all_rows = result.rows;
  asked.answer.tables.push_back(std::move(result.table));
  return asked;
}

Result<AskedAnswer> make_blocks(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const Subject subject, subject_of(request));
  const LaneIndex& lanes = subject.profile->lanes;
  std::optional<Span> range;
  if (request.parameters.has("t0") || request.parameters.has("t1")) {
    NPUPROF_ASSIGN_OR_RETURN(range, span_parameter(request.parameters, lanes));
    range->begin_ns += lanes.zero_ns();
    range->end_ns += lanes.zero_ns();
  }
  AskedAnswer asked{.mode = "blocks", .zero_ns = lanes.zero_ns()};
  asked.answer.tables.push_back(block_table(subject.trace(), range));
  NPUPROF_RETURN_IF_ERROR(select_asked_rows(request.parameters, asked.answer));
  return asked;
}

}  // namespace

Result<SharedAnswer> asked_answer(const Request& request) {
  return kept("answer", request, make_answer);
}

Result<SharedAnswer> asked_comparison(const Request& request) {
  return kept("compare", request, make_comparison);
}

// Statements may ask for what changes: the time, chance.
Result<SharedAnswer> asked_statement(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(AskedAnswer asked, make_statement(request));
  return std::make_shared<const AskedAnswer>(std::move(asked));
}

Result<SharedAnswer> asked_blocks(const Request& request) {
  return kept("blocks", request, make_blocks);
}

Result<SharedAnswer> asked_of(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const std::string what, request.parameters.text("of"));
  if (what == "compare") return asked_comparison(request);
  if (what == "sql") return asked_statement(request);
  if (what == "blocks") return asked_blocks(request);
  return asked_answer(request);
}

}  // namespace npuprof::serve
