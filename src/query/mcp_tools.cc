#include "query/mcp_tools.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "answers/compare_answer.h"
#include "answers/gate_answer.h"
#include "answers/option_values.h"
#include "answers/selection.h"
#include "query/answer_tables.h"
#include "query/answer_text.h"
#include "query/mcp_arguments.h"
#include "query/views.h"

namespace npuprof::query {

struct McpTools::Asked {
  ReadArguments arguments;
  std::size_t top = 20;
};

namespace {

using nlohmann::json;

constexpr std::int64_t kMostRows = 1000;
constexpr std::size_t kMostOpened = 3;  // Profiles that are kept; each may take gigabytes.
constexpr std::size_t kShownLosses = 3;
constexpr std::chrono::milliseconds kLongestStatement{60'000};
constexpr std::size_t kLargestResult = std::size_t{64} << 20;  // Bytes.

std::vector<ToolArgument> which_profile() {
  return {{"rank", true, "Which of several profiles, by its rank (default: the first)"},
          {"path", false, "Which of several profiles, by a path that list_profiles shows"}};
}

std::vector<ToolArgument> mode_arguments(const answers::Mode& mode) {
  std::vector<ToolArgument> arguments = which_profile();
  arguments.push_back({"top", true, "Rows of each table, 1 to 1000 (default 20)"});
  arguments.push_back({"step", true, "Only this step (default: all)"});
  arguments.push_back(
      {"name", false, "Only rows with a text in which this extended regular expression is found"});
  arguments.push_back({"sort", false, "Order by this column, largest first"});
  for (const answers::ModeOption& option : mode.options) {
    const bool is_known =
        std::any_of(arguments.begin(), arguments.end(),
                    [&](const ToolArgument& one) { return one.name == option.name; });
    if (!is_known) {
      arguments.push_back({std::string(option.name), false, std::string(option.help)});
    }
  }
  return arguments;
}

struct PlainTool {
  const char* name;
  std::string description;
  std::vector<ToolArgument> arguments;
};

std::string view_names() {
  std::string names;
  for (const View& view : all_views())
    names += (names.empty() ? "" : ", ") + std::string(view.name);
  return names;
}

std::vector<ToolArgument> compare_arguments() {
  std::vector<ToolArgument> arguments = which_profile();
  arguments.push_back({"step", true, "Only this step (default: all)"});
  arguments.push_back({"base_rank", true, "Which of several profiles is the base, by its rank"});
  arguments.push_back({"base_path", false, "The same by a path that list_profiles shows"});
  arguments.push_back({"base_step", true, "Only this step of the base (default: all)"});
  arguments.push_back({"top", true, "Rows of each table, 1 to 1000 (default 20)"});
  arguments.push_back(
      {"name", false, "Only rows with a text in which this extended regular expression is found"});
  arguments.push_back({"sort", false, "Order by this column, largest first"});
  return arguments;
}

std::vector<ToolArgument> gate_arguments() {
  std::vector<ToolArgument> arguments = compare_arguments();
  std::erase_if(arguments,
                [](const ToolArgument& one) { return one.name == "name" || one.name == "sort"; });
  arguments.push_back({"max_regression", false, "How much longer a step may take (default 5%)"});
  arguments.push_back({"max_family_regression", false,
                       "How much longer a module or a kind of kernel may take (default 10%)"});
  return arguments;
}

// As of the command line: what is allowed for steps holds for all, unless the rest is given too.
Result<answers::GateLimits> gate_limits(const ReadArguments& given) {
  answers::GateLimits limits;
  for (const char* name : {"max_regression", "max_family_regression"}) {
    const std::string text = given.text(name);
    if (text.empty()) continue;
    const auto share = answers::read_share(text);
    if (!share) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{}: '{}' is no share: write 5% or 0.05", name, text)};
    }
    const bool is_of_steps = name == std::string_view("max_regression");
    if (is_of_steps) limits.max_regression = *share;
    limits.max_family_regression = *share;
  }
  return limits;
}

// All that are not modes.
const std::vector<PlainTool>& plain_tools() {
  static const std::vector<PlainTool> tools = [] {
    std::vector<ToolArgument> sql = which_profile();
    sql.push_back({"query", false, "One statement, in the dialect of SQLite", true});
    sql.push_back({"top", true, "Rows to show, 1 to 1000 (default 20)"});
    std::vector<ToolArgument> describe = which_profile();
    describe.push_back({"table", false, "Show the columns of this view or table"});
    return std::vector<PlainTool>{
        {"sql",
         fmt::format(
             "Reads a profile with SQL. Views: {}; describe_tables lists tables and columns. "
             "Times are wall-clock ns; names of columns have units.",
             view_names()),
         std::move(sql)},
        {"compare",
         "What of one profile takes longer in another, and because of which kernels: times of "
         "steps, modules, operators, kernels, collectives, calls, memory. rank, path and step say "
         "which profile is in question, base_rank, base_path and base_step what it is compared "
         "with; two steps of one profile can be compared too.",
         compare_arguments()},
        {"gate",
         "Whether one profile is slower than another by more than is allowed and chance explains: "
         "steps, modules, kinds of kernels, each with a verdict. Arguments as of compare.",
         gate_arguments()},
        {"list_profiles", "Which profiles there are: rank and path.", {}},
        {"describe_tables",
         "Which views and tables `sql` can read and what is in them; with `table`, its columns.",
         std::move(describe)},
    };
  }();
  return tools;
}

json tool_entry(std::string_view name, std::string description,
                const std::vector<ToolArgument>& arguments) {
  return {{"name", name},
          {"description", std::move(description)},
          {"inputSchema", schema_of(arguments)},
          {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

std::optional<std::vector<ToolArgument>> arguments_of(std::string_view name) {
  if (const answers::Mode* mode = answers::find_mode(name)) return mode_arguments(*mode);
  for (const PlainTool& tool : plain_tools()) {
    if (name == tool.name) return tool.arguments;
  }
  return std::nullopt;
}

std::string after_colon(const std::string& about) { return about.empty() ? "" : ": " + about; }

std::string columns_text(const std::string& name, const std::vector<SqlColumn>& columns) {
  std::string text = name + " has these columns, and rowid:\n";
  for (const SqlColumn& column : columns) {
    text += fmt::format("{} {}{}\n", column.name, column.type, after_colon(column.about));
  }
  return text;
}

// Views come first.
std::string names_text(const std::vector<SqlName>& names) {
  std::string text = "Views:\n";
  bool is_of_views = true;
  for (const SqlName& name : names) {
    const bool is_view = name.kind == SqlName::Kind::kView;
    if (is_of_views && !is_view) text += "Tables that have rows, and how many:\n";
    is_of_views = is_view;
    if (name.rows == 0) continue;
    const std::string rows = name.rows ? fmt::format(" {}", *name.rows) : "";
    text += name.name + rows + after_colon(name.about) + "\n";
  }
  text += "Answers, made when they are first read (answer_<tool>_<table> for further tables):\n";
  for (const answers::Mode* mode : answers::all_modes()) {
    text += fmt::format("{}: {}\n", answer_table_name(*mode), mode->question);
  }
  return text;
}

}  // namespace

json McpTools::list() const {
  json tools = json::array();
  for (const answers::Mode* mode : answers::all_modes()) {
    tools.push_back(tool_entry(
        mode->name, fmt::format("{} {} Needs: {}.", mode->question, mode->explains, mode->needs),
        mode_arguments(*mode)));
  }
  for (const PlainTool& tool : plain_tools()) {
    tools.push_back(tool_entry(tool.name, tool.description, tool.arguments));
  }
  return tools;
}

std::optional<ToolResult> McpTools::call(std::string_view name, const json& arguments) {
  if (!arguments_of(name)) return std::nullopt;
  try {
    Result<std::string> text = run(name, arguments);
    if (text.ok()) return ToolResult{std::move(*text)};
    return ToolResult{.text = text.error().message, .is_error = true};
  } catch (const std::bad_alloc&) {
    opened_.clear();
    return ToolResult{.text = "there is not enough memory", .is_error = true};
  }
}

Result<std::string> McpTools::run(std::string_view name, const json& arguments) {
  NPUPROF_ASSIGN_OR_RETURN(ReadArguments read, read_arguments(*arguments_of(name), arguments));
  Asked asked{.arguments = std::move(read)};
  if (const auto top = asked.arguments.integer("top")) {
    if (*top < 1 || *top > kMostRows) {
      return Error{ErrorCode::kInvalidArgument, "top has to be a number from 1 to 1000"};
    }
    asked.top = static_cast<std::size_t>(*top);
  }
  if (name == "list_profiles") return list_profiles();
  if (name == "sql") return run_sql(asked);
  if (name == "describe_tables") return describe_tables(asked);
  if (name == "compare") return compare(asked);
  if (name == "gate") return gate(asked);
  return ask_mode(*answers::find_mode(name), asked);
}

Result<std::size_t> McpTools::find_number(std::optional<std::int64_t> rank,
                                          const std::string& path) const {
  const std::vector<ProfileFacts>& profiles = source_.profiles();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    // Of a single profile it may not be known which rank it is of.
    const bool has_rank =
        !rank || profiles[i].rank == *rank || (profiles.size() == 1 && profiles[i].rank < 0);
    if (has_rank && (path.empty() || profiles[i].path == path)) return i;
  }
  return Error{ErrorCode::kNotFound,
               "there is no such profile: list_profiles says which ones there are"};
}

Result<McpTools::Opened*> McpTools::open(const Asked& asked, std::optional<std::int64_t> step) {
  NPUPROF_ASSIGN_OR_RETURN(const std::size_t number, find_number(asked.arguments.integer("rank"),
                                                                 asked.arguments.text("path")));
  return open(number, step);
}

Result<McpTools::Opened*> McpTools::open(std::size_t number, std::optional<std::int64_t> step) {
  const auto known = std::find_if(opened_.begin(), opened_.end(), [&](const Opened& opened) {
    return opened.number == number && opened.step == step;
  });
  if (known != opened_.end()) {
    opened_.splice(opened_.begin(), opened_, known);
    return &opened_.front();
  }
  // What goes makes room before the next one comes.
  if (opened_.size() >= kMostOpened) opened_.pop_back();
  NPUPROF_ASSIGN_OR_RETURN(OpenedProfile profile, source_.open(number, {.step = step}));
  opened_.push_front({number, step, std::move(profile), nullptr});
  return &opened_.front();
}

Result<SqlSession*> McpTools::session_of(Opened& opened) const {
  if (opened.session == nullptr) {
    NPUPROF_ASSIGN_OR_RETURN(SqlSession session, SqlSession::open(opened.profile.request));
    opened.session = std::make_unique<SqlSession>(std::move(session));
  }
  return opened.session.get();
}

// Which of several profiles it is about, and what it lacks.
std::string McpTools::heading(const Opened& opened) const {
  std::string text;
  const std::vector<ProfileFacts>& profiles = source_.profiles();
  const ProfileFacts& facts = profiles[opened.number];
  if (profiles.size() > 1) {
    const std::string rank = facts.rank < 0 ? "" : fmt::format("rank {}, ", facts.rank);
    text += fmt::format("About {}{} ({} profiles; rank or path choose).\n", rank, facts.path,
                        profiles.size());
  }
  if (opened.profile.request.trace.session.simulated) {
    text += "This profile comes from a simulated NPU.\n";
  }
  const std::vector<std::string>& losses = opened.profile.losses;
  for (std::size_t i = 0; i < std::min(losses.size(), kShownLosses); ++i) {
    text += fmt::format("Not all of it could be read: {}\n", losses[i]);
  }
  if (losses.size() > kShownLosses) {
    text += fmt::format("... and {} more losses.\n", losses.size() - kShownLosses);
  }
  return text;
}

Result<std::string> McpTools::ask_mode(const answers::Mode& mode, const Asked& asked) {
  const auto step = asked.arguments.integer("step");
  const bool is_cut = step && !mode.looks_around;
  NPUPROF_ASSIGN_OR_RETURN(Opened * opened, open(asked, is_cut ? step : std::nullopt));
  answers::Request request = opened->profile.request;
  if (step && !is_cut) request.steps = {{*step, *step}};
  for (const answers::ModeOption& option : mode.options) {
    const auto given = asked.arguments.texts.find(option.name);
    if (given != asked.arguments.texts.end()) request.options[given->first] = given->second;
  }
  Result<answers::Answer> answer = mode.answer(request);
  if (!answer.ok()) return Error{answer.error().code, with_needs(mode, answer.error())};
  const answers::Selection selection{.name = asked.arguments.text("name"),
                                     .sort = asked.arguments.text("sort")};
  NPUPROF_RETURN_IF_ERROR(answers::select_rows(*answer, selection));
  return heading(*opened) + answer_text(mode, *answer, asked.top);
}

// Without a base it is the same profile: then other steps of it.
Result<McpTools::OpenedPair> McpTools::open_pair(const Asked& asked) {
  const ReadArguments& given = asked.arguments;
  NPUPROF_ASSIGN_OR_RETURN(const std::size_t number,
                           find_number(given.integer("rank"), given.text("path")));
  const bool has_base = given.integer("base_rank") || !given.text("base_path").empty();
  std::size_t base_number = number;
  if (has_base) {
    NPUPROF_ASSIGN_OR_RETURN(base_number,
                             find_number(given.integer("base_rank"), given.text("base_path")));
  }
  const auto step = given.integer("step");
  const auto base_step = given.integer("base_step");
  if (number == base_number && step == base_step) {
    return Error{ErrorCode::kInvalidArgument,
                 "there is nothing to compare with: give base_rank or base_path, or step and "
                 "base_step"};
  }
  NPUPROF_ASSIGN_OR_RETURN(Opened * base, open(base_number, base_step));
  NPUPROF_ASSIGN_OR_RETURN(Opened * other, open(number, step));
  return OpenedPair{base, other};
}

Result<std::string> McpTools::gate(const Asked& asked) {
  NPUPROF_ASSIGN_OR_RETURN(const answers::GateLimits limits, gate_limits(asked.arguments));
  NPUPROF_ASSIGN_OR_RETURN(const auto pair, open_pair(asked));
  NPUPROF_ASSIGN_OR_RETURN(
      const answers::GateResult result,
      answers::gate_profiles(pair.base->profile.request, pair.other->profile.request, limits));
  return heading(*pair.base) + heading(*pair.other) +
         answer_text(answers::gate_answer(result), asked.top);
}

Result<std::string> McpTools::compare(const Asked& asked) {
  const ReadArguments& given = asked.arguments;
  NPUPROF_ASSIGN_OR_RETURN(const auto pair, open_pair(asked));
  NPUPROF_ASSIGN_OR_RETURN(
      answers::Answer answer,
      answers::compare_profiles(pair.base->profile.request, pair.other->profile.request));
  const answers::Selection selection{.name = given.text("name"), .sort = given.text("sort")};
  NPUPROF_RETURN_IF_ERROR(answers::select_rows(answer, selection));
  return heading(*pair.base) + heading(*pair.other) + answer_text(answer, asked.top);
}

Result<std::string> McpTools::run_sql(const Asked& asked) {
  NPUPROF_ASSIGN_OR_RETURN(Opened * opened, open(asked));
  NPUPROF_ASSIGN_OR_RETURN(SqlSession * session, session_of(*opened));
  session->set_limits({.time = kLongestStatement, .rows = asked.top, .bytes = kLargestResult});
  NPUPROF_ASSIGN_OR_RETURN(const SqlAnswer answer, session->ask(asked.arguments.text("query")));
  std::string text = heading(*opened);
  append_table_text(text, answer.table, asked.top, answer.rows);
  return text;
}

Result<std::string> McpTools::describe_tables(const Asked& asked) {
  NPUPROF_ASSIGN_OR_RETURN(Opened * opened, open(asked));
  NPUPROF_ASSIGN_OR_RETURN(SqlSession * session, session_of(*opened));
  const std::string name = asked.arguments.text("table");
  if (name.empty()) return heading(*opened) + names_text(session->names());
  NPUPROF_ASSIGN_OR_RETURN(const auto columns, session->columns_of(name));
  return heading(*opened) + columns_text(name, columns);
}

std::string McpTools::list_profiles() const {
  std::string text;
  for (const ProfileFacts& facts : source_.profiles()) {
    text +=
        fmt::format("rank {}: {}\n", facts.rank < 0 ? "?" : std::to_string(facts.rank), facts.path);
  }
  return text;
}

}  // namespace npuprof::query
