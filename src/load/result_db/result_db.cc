#include "load/result_db/result_db.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "format/results/framework.h"
#include "format/results/session.h"
#include "format/results/tasks.h"
#include "load/cleaned_texts.h"
#include "load/collection_clock.h"
#include "load/result_db/database.h"
#include "trace/host/api_calls.h"

namespace npuprof::load {
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
  Database database{file, trace, losses, wanted, DatabaseTexts(file, trace.strings, losses),
                    {},   {},    {}};
  if (database.texts.empty()) {
    losses.add(path.native(), 0, 0,
               "there is no table STRING_IDS, which is written last: the export was interrupted, "
               "and names are not known");
  }
  read_session(database);
  read_host_calls(database);
  read_tasks(database);
  add_unlisted_devices(database);
  read_kernels(database);
  read_collectives(database);
  if (wanted.has(Part::kOverlap)) read_overlap(database);
  read_marks(database);
  read_frequencies(database);
  if (wanted.has(Part::kMemory)) read_memory_samples(database);
  if (wanted.has(Part::kSamples)) read_rates(database);
  read_framework(database);
  if (trace.session.framework == trace::Framework::kMindSpore) read_mindspore(database);
  if (wanted.has(Part::kMemory)) read_framework_memory(database);
  add_unlisted_devices(database);
  database.add_loss(database.texts.unknown(),
                    "names are shown empty: their numbers are not in STRING_IDS");
  if (trace.api_calls().size() == 0) {
    database.add_loss(database.missing_calls,
                      "tasks and collectives were launched by calls that are not known: CANN_API "
                      "is missing or empty");
  }
  report_cleaned_texts(trace.strings, path.native(), losses);
  return ok_status();
}

}  // namespace npuprof::load
