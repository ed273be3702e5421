#include <atomic>
#include <csignal>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/loaded_profile.h"
#include "cli/run_options.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "cli/validators.h"
#include "query/answer_tables.h"
#include "query/sql_session.h"
#include "report/answers/text_forms.h"

namespace npuprof::cli {
namespace {

constexpr const char* kSqlHelp =
    "Statements end with a semicolon. Profiles are read, never changed.\n"
    "  .views          views: what most questions are about, joined\n"
    "  .tables         tables of the profile, how many rows they have, and tables of answers\n"
    "  .schema NAME    the columns of a view or table\n"
    "  .help           this\n"
    "  .quit           the end; so is the end of input\n"
    "Names can be looked for with regular expressions: name regexp '(?i)matmul|conv'.\n"
    "Times are ns. rowid is the number of a row, which columns of other tables refer to;\n"
    "answer_MODE_TABLE has a table of the answer of `npuprof analyze -m MODE`.\n";

constexpr const char* kSqlExamples =
    "Without a statement, statements are read from standard input, at a prompt if that is a\n"
    "terminal: .help lists what else can be asked there.\n"
    "\n"
    "Examples:\n"
    "  npuprof sql worker_ascend_pt\n"
    "  npuprof sql worker_ascend_pt \"select type, count(*), sum(duration_ns) / 1e6 as ms from "
    "kernel\n"
    "      group by type order by ms desc limit 10\"\n"
    "  npuprof sql runs/ --rank 3 \"select * from answer_step_time\" --format csv > steps.csv\n"
    "  npuprof sql worker_ascend_pt --file questions.sql --format json\n"
    "  echo .views | npuprof sql worker_ascend_pt\n"
    "\n"
    "Exit status: 0 all well, 1 finished with losses, 2 wrong arguments or statements, 3 nothing\n"
    "could be read, or the profile has no data for the answer that a statement names.";

struct SqlArguments : RunOptions {
  std::string path;
  std::string statement;
  std::string file;
  std::string format = "table";
  std::optional<std::int32_t> rank;
};

std::atomic<bool> stop_statement{false};

void stop_on_signal(int) { stop_statement = true; }

std::string statement_result(const answers::Table& table, AnswerFormat format) {
  switch (format) {
    case AnswerFormat::kTable:
      return report::terminal_text(table, {.rows = 0});
    case AnswerFormat::kCsv:
      return report::csv_text(table);
    case AnswerFormat::kJson:
      return report::json_text(table) + "\n";
  }
  return "";
}

// Statements and dot commands of a prompt, a script or a pipe.
class SqlPrompt {
 public:
  SqlPrompt(query::SqlSession& session, AnswerFormat format) : session_(session), format_(format) {}

  // Of the command line: dot commands too. False if one failed.
  bool run_argument(const std::string& text) {
    if (!trim(text).starts_with('.')) return run_statements(text);
    take_line(text, true);
    return !failed_;
  }

  // False if one of the statements failed; those behind it are not run.
  bool run_statements(std::string_view sql) {
    while (true) {
      stop_statement = false;
      auto answer = session_.run_next(sql);
      if (!answer.ok()) {
        log::error("{}", answer.error().message);
        lacks_data_ = answer.error().code == ErrorCode::kNoData;
        return false;
      }
      if (!answer->has_value()) return true;
      print(statement_result((*answer)->table, format_));
      if (!printed().ok()) return false;
    }
  }

  // A line; statements run when they are complete. False after .quit, or at the first error if
  // `stops_at_errors`.
  bool take_line(const std::string& line, bool stops_at_errors) {
    const std::string_view command = trim(line);
    if (pending_.empty() && command.starts_with('.')) {
      return run_command(command) && !(stops_at_errors && failed_);
    }
    if (pending_.empty() && command.empty()) return true;
    pending_ += line + "\n";
    if (!query::is_complete_statement(pending_)) return true;
    return finish() || !stops_at_errors;
  }

  // Runs what is pending, though it has no semicolon.
  bool finish() {
    const std::string sql = std::exchange(pending_, "");
    const bool done = run_statements(sql);
    failed_ = failed_ || !done;
    return done;
  }

  bool has_pending() const { return !pending_.empty(); }
  void forget_pending() { pending_.clear(); }
  bool has_failed() const { return failed_; }
  // The last statement that failed asked for what the profile does not have.
  bool lacks_data() const { return lacks_data_; }

 private:
  // False for .quit.
  bool run_command(std::string_view line) {
    const std::size_t blank = line.find_first_of(" \t");
    const std::string_view command = line.substr(0, blank);
    std::string_view argument = blank == std::string_view::npos ? "" : trim(line.substr(blank));
    if (argument.ends_with(';')) argument.remove_suffix(1);
    if (command == ".quit" || command == ".exit") return false;
    if (command == ".help") {
      print(kSqlHelp);
      print("\nViews:\n");
      list(query::SqlName::Kind::kView);
    } else if (command == ".views") {
      list(query::SqlName::Kind::kView);
    } else if (command == ".tables") {
      list(query::SqlName::Kind::kTable);
    } else if (command == ".schema") {
      show_columns_of(argument);
    } else {
      failed_ = true;
      log::error("there is no '{}': .help lists what there is", command);
    }
    return true;
  }

  void list(query::SqlName::Kind kind) {
    const bool is_of_views = kind == query::SqlName::Kind::kView;
    answers::Table table("names", "");
    table.text("name", "name");
    if (!is_of_views) table.integer("rows", "rows");
    table.text("about", "about");
    for (const query::SqlName& name : session_.names()) {
      if ((name.kind == query::SqlName::Kind::kView) != is_of_views || name.rows == 0) continue;
      table.add(name.name);
      if (!is_of_views) table.add(name.rows);
      table.add(name.about);
    }
    print(report::terminal_text(table, {.rows = 0, .text_width = 0}));
    if (!is_of_views) list_answers();
  }

  // Made when they are first asked for, so nobody knows yet how many rows they have.
  static void list_answers() {
    answers::Table table("answers", "");
    for (const char* title : {"answer", "about"}) table.text(title, title);
    for (const answers::Mode* mode : answers::all_modes()) {
      table.row(query::answer_table_name(*mode), mode->question);
    }
    print("\n" + report::terminal_text(table, {.rows = 0, .text_width = 0}));
  }

  void show_columns_of(std::string_view name) {
    if (name.empty()) {
      failed_ = true;
      log::error("of which table or view? .schema NAME; .views and .tables list names");
      return;
    }
    const auto columns = session_.columns_of(name);
    if (!columns.ok()) {
      failed_ = true;
      lacks_data_ = columns.error().code == ErrorCode::kNoData;
      log::error("{}", columns.error().message);
      return;
    }
    answers::Table table("columns", "");
    for (const char* title : {"column", "type", "about"}) table.text(title, title);
    for (const query::SqlColumn& column : *columns)
      table.row(column.name, column.type, column.about);
    print(report::terminal_text(table, {.rows = 0, .text_width = 0}));
  }

  query::SqlSession& session_;
  AnswerFormat format_;
  std::string pending_;
  bool failed_ = false;
  bool lacks_data_ = false;
};

// A statement that takes too long is stopped with Control-C; the prompt stays.
bool converse(SqlPrompt& prompt) {
  struct sigaction action {};
  action.sa_handler = stop_on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  print("npuprof sql: .help says what can be asked.\n");
  std::string line;
  while (true) {
    print(prompt.has_pending() ? "   ...> " : "npuprof> ");
    if (!printed().ok()) return true;
    if (std::getline(std::cin, line)) {
      if (!prompt.take_line(line, false)) return true;
    } else if (stop_statement.exchange(false)) {
      std::cin.clear();
      std::clearerr(stdin);
      prompt.forget_pending();
      print("\n");
    } else {
      print("\n");
      return true;
    }
  }
}

bool read_lines(SqlPrompt& prompt, std::istream& input) {
  std::string line;
  while (std::getline(input, line)) {
    if (!prompt.take_line(line, true)) return !prompt.has_failed();
  }
  return prompt.finish() && !prompt.has_failed();
}

bool answer_statements(SqlPrompt& prompt, const SqlArguments& arguments) {
  if (!arguments.statement.empty()) return prompt.run_argument(arguments.statement);
  if (::isatty(STDIN_FILENO) == 1) return converse(prompt);
  return read_lines(prompt, std::cin);
}

Result<load::Profile> the_one_profile(const SqlArguments& arguments, trace::Losses& losses) {
  std::vector<std::int32_t> ranks;
  if (arguments.rank) ranks.push_back(*arguments.rank);
  NPUPROF_ASSIGN_OR_RETURN(auto profiles, find_profiles(arguments.path, ranks, losses));
  if (profiles.size() == 1) return std::move(profiles.front());
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("'{}' holds {} profiles; statements are about one: give its directory "
                           "or --rank",
                           arguments.path, profiles.size())};
}

int run_sql(SqlArguments arguments) {
  arguments.take_effect();
  const AnswerFormat format = answer_format(arguments.format);
  if (!arguments.file.empty()) {
    if (!arguments.statement.empty()) fail("--file", "give a statement or a file, not both");
    auto text = read_file(arguments.file);
    if (!text.ok()) {
      log::error("{}", text.error().message);
      return kUnreadable;
    }
    arguments.statement = std::move(*text);
    if (trim(arguments.statement).empty()) fail("--file", "there is no statement in it");
  }
  trace::Losses losses;
  const auto profile = the_one_profile(arguments, losses);
  if (!profile.ok()) {
    log::error("{}", profile.error().message);
    return profile.error().code == ErrorCode::kInvalidArgument ? kUsage : kUnreadable;
  }
  const auto loaded = load_linked(*profile, {}, losses);
  warn_of(losses);
  if (!loaded.ok()) {
    log::error("'{}': {}", profile->path.native(), loaded.error().message);
    return kUnreadable;
  }
  auto session = query::SqlSession::open((*loaded)->request());
  if (!session.ok()) {
    log::error("{}", session.error().message);
    return kUnreadable;
  }
  session->set_limits({.stop = &stop_statement});
  SqlPrompt prompt(*session, format);
  if (!answer_statements(prompt, arguments)) return prompt.lacks_data() ? kUnreadable : kUsage;
  return losses.empty() ? kOk : kLosses;
}

}  // namespace

void add_sql_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<SqlArguments>();
  CLI::App* command = app.add_subcommand("sql", "Questions about a profile in SQL");
  command
      ->add_option("path", arguments->path,
                   "A profile, raw or results (directory, .db, .json), or a folder above some")
      ->required();
  command->add_option("statement", arguments->statement,
                      "One or more statements, or a command of the prompt: .tables");
  command->add_option("--rank", arguments->rank, "Which of several profiles");
  command->add_option("--format", arguments->format, "What is printed: table, csv or json");
  command->add_option("--file", arguments->file, "Read the statements from this file")
      ->check(not_empty());
  add_run_options(*command, *arguments);
  command->footer(kSqlExamples);
  command->callback([arguments, &status] { status = run_sql(*arguments); });
}

}  // namespace npuprof::cli
