#include "load/result_db/result_db.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <malloc.h>

#include "base/nearby_search.h"
#include "format/host/levels.h"
#include "format/results/framework_columns.h"
#include "format/results/session_columns.h"
#include "format/results/task_columns.h"
#include "load/cleaned_texts.h"
#include "load/collection_clock.h"
#include "load/launch_times.h"
#include "load/result_db/result_database.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
std::uint32_t Database::find_call(std::int64_t connection, std::int64_t begun_ns) {
  const std::vector<std::int64_t>& starts = trace.api_calls().start_ns;
  const std::uint32_t call = last_call_before(calls, starts, connection, begun_ns);
  if (call == trace::kNone) {
    missing_calls += connection >= 0 && connection < trace::kNone ? 1 : 0;
  } else if (is_backward_in_time(starts[call], begun_ns)) {
    ++backward_links;
    return trace::kNone;
  }
  return call;
}

namespace {

using trace::Part;

// A writer that was interrupted leaves changes beside the database, which are not read.
void note_unfinished_changes(const std::filesystem::path& path, trace::Losses& losses) {
  for (const char* suffix : {"-wal", "-journal"}) {
    const std::filesystem::path beside = path.native() + suffix;
    std::error_code error;
    if (std::filesystem::file_size(beside, error) == 0 || error) continue;
    losses.add(beside.native(), 0, 0,
               "changes that were not finished are not read; open the database with its writer "
               "once to complete them");
  }
}

// Tables of which every profile has one, with the times of their rows.
constexpr std::string_view kTimedTables[] = {
    results::task::kTable, results::cann_api::kTable, results::pytorch_api::kTable,
    results::pytorch_api::kMindSporeTable, results::mstx_events::kTable};

bool is_profile(const SqliteFile& file) {
  return file.has_table(results::session_time_info::kTable) ||
         std::any_of(std::begin(kTimedTables), std::end(kTimedTables),
                     [&](std::string_view name) { return file.has_table(name); });
}

// Single damaged rows do not count.
void expect_times_of_profile(SqliteFile& file) {
  std::vector<std::int64_t> times;
  for (const std::string_view table : kTimedTables) {
    const std::vector<std::int64_t> some = file.sample(table, results::task::kStart);
    times.insert(times.end(), some.begin(), some.end());
  }
  if (!times.empty()) file.expect_times_near(median_of(std::move(times)));
}

}  // namespace

DatabaseTexts::DatabaseTexts(const SqliteFile& file, StringPool& strings, trace::Losses& losses) {
  namespace text = results::string_ids;
  TableReader row(file, text::kTable, {{text::kId}, {text::kValue}}, losses);
  row.expect_column(1, text::kValue);
  std::vector<std::int64_t> ids;
  while (row.next()) {
    ids.push_back(row.integer(0));
    texts_.push_back(strings.intern(row.text(1)));
  }
  not_available_ = strings.find(kNotAvailable).value_or(kEmptyString);
  rows_ = IdRows(ids);
  std::uint64_t ambiguous = 0;
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    if (texts_[rows_.find(ids[i])] != texts_[i]) ++ambiguous;
  }
  if (ambiguous > 0) {
    losses.add(file.path().native(), 0, ambiguous,
               std::to_string(ambiguous) +
                   " rows of STRING_IDS are left out: another text has the same number");
  }
}

void KeptLaunches::sort() {
  std::sort(connections_.begin(), connections_.end());
  for (auto& [tid, moments] : moments_) {
    std::sort(moments.times_ns.begin(), moments.times_ns.end());
  }
}

bool KeptLaunches::has_moment_in(std::uint32_t tid, std::int64_t start_ns, std::int64_t end_ns) {
  const auto thread = moments_.find(tid);
  if (thread == moments_.end()) return false;
  Moments& moments = thread->second;
  const std::vector<std::int64_t>& times_ns = moments.times_ns;
  const auto is_before = [&](std::size_t i) { return times_ns[i] < start_ns; };
  moments.place = count_started(times_ns.size(), moments.place, is_before);
  return moments.place < times_ns.size() && times_ns[moments.place] <= end_ns;
}

namespace {

// Whether the rows of the database itself say which operator asked for what. Runs of graphs and
// operators of MindSpore are joined with tasks by calls and times.
bool needs_details(const SqliteFile& file, const Database& database) {
  constexpr auto kGraphRun = static_cast<std::uint64_t>(format::host::TaskType::kModelExecute);
  const auto graph_run = database.trace.strings.find(format::host::task_type_name(kGraphRun));
  return graph_run.has_value() || has_mindspore_tables(file) ||
         !file.has_table(results::connection_ids::kTable);
}

// Whether no task has an operator though there are both, or no operator of the backward pass its
// forward one: only calls, times and sequence numbers can join them.
bool lacks_joins(const Database& database) {
  const trace::Trace& trace = database.trace;
  const bool has_both = trace.framework_ops().size() > 0 && trace.tasks().size() > 0;
  return (has_both && trace.kernel_ops().size() == 0) || database.lacks_backward_pairs;
}

void read_tables(Database& database) {
  read_session(database);
  find_kept_launches(database);
  read_host_calls(database);
  read_tasks(database);
  add_unlisted_devices(database);
  read_kernels(database);
  read_collectives(database);
  if (database.wanted.has(Part::kOverlap)) read_overlap(database);
  read_marks(database);
  read_frequencies(database);
  if (database.wanted.has(Part::kMemory)) read_memory_samples(database);
  if (database.wanted.has(Part::kSamples)) read_rates(database);
  // The largest table comes last: what reading the others needed goes back to the system first.
  database.calls = {};
  database.tasks = {};
  ::malloc_trim(0);
  read_framework(database);
  const bool is_mindspore = database.trace.session.framework == trace::Framework::kMindSpore;
  if (is_mindspore) read_mindspore(database);
  if (database.wanted.has(Part::kMemory)) read_framework_memory(database);
  add_unlisted_devices(database);
}

// Returns whether details are needed that were not wanted.
bool load_tables(const SqliteFile& file, trace::Trace& trace, trace::Losses& losses,
                 trace::Parts wanted) {
  const std::string& path = file.path().native();
  Database database{file, trace, losses, wanted, DatabaseTexts(file, trace.strings, losses)};
  if (needs_details(file, database)) database.wanted = wanted.with(Part::kDetails);
  if (database.texts.empty()) {
    losses.add(path, 0, 0,
               "there is no table STRING_IDS, which is written last: the export was interrupted, "
               "and names are not known");
  }
  read_tables(database);
  database.add_loss(database.texts.unknown(),
                    "names are shown empty: their numbers are not in STRING_IDS");
  if (trace.api_calls().size() == 0 && database.has_details()) {
    database.add_loss(database.missing_calls,
                      "tasks and collectives were launched by calls that are not known: CANN_API "
                      "is missing or empty");
  }
  database.add_loss(database.backward_links,
                    "links are left out: they lead from a call or an operator to what had begun "
                    "before it");
  report_cleaned_texts(trace.strings, path, losses);
  return !database.has_details() && lacks_joins(database);
}

}  // namespace

Status load_result_db(const std::filesystem::path& path, trace::Trace& trace, trace::Losses& losses,
                      trace::Parts wanted) {
  NPUPROF_ASSIGN_OR_RETURN(SqliteFile file, SqliteFile::open(path));
  expect_times_of_profile(file);
  if (!is_profile(file)) {
    return Error{ErrorCode::kUnsupported,
                 "'" + path.native() +
                     "' is no database of a profile: it has none of the tables TASK, CANN_API, "
                     "PYTORCH_API, MINDSPORE_API, MSTX_EVENTS and SESSION_TIME_INFO"};
  }
  note_unfinished_changes(path, losses);
  trace.session.origin = trace::Origin::kResults;
  if (!wanted.has(Part::kDetails)) {
    trace::Trace least;
    trace::Losses of_least;
    least.session = trace.session;
    if (!load_tables(file, least, of_least, wanted)) {
      trace = std::move(least);
      losses.append(of_least, {});
      return ok_status();
    }
  }
  load_tables(file, trace, losses, wanted.with(Part::kDetails));
  return ok_status();
}

}  // namespace npuprof::load
