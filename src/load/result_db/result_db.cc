#include "load/result_db/result_db.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "load/result_db/database.h"

namespace npuprof::load {
namespace {

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

bool is_profile(const SqliteFile& file) {
  const auto names = file.table_names();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "TASK" || name == "CANN_API" || name == "PYTORCH_API" || name == "MSTX_EVENTS" ||
           name == "SESSION_TIME_INFO";
  });
}

}  // namespace

DatabaseTexts::DatabaseTexts(const SqliteFile& file, StringPool& strings, trace::Losses& losses) {
  TableReader row(file, "STRING_IDS", {{"id"}, {"value"}}, losses);
  std::vector<std::int64_t> ids;
  while (row.next()) {
    ids.push_back(row.integer(0));
    texts_.push_back(strings.intern(row.text(1)));
  }
  rows_ = IdRows(ids);
}

Status load_result_db(const std::filesystem::path& path, trace::Trace& trace,
                      trace::Losses& losses) {
  NPUPROF_ASSIGN_OR_RETURN(const SqliteFile file, SqliteFile::open(path));
  if (!is_profile(file)) {
    return Error{ErrorCode::kUnsupported,
                 "'" + path.native() +
                     "' is no database of a profile: it has none of the tables TASK, CANN_API, "
                     "PYTORCH_API, MSTX_EVENTS and SESSION_TIME_INFO"};
  }
  note_unfinished_changes(path, losses);
  trace.session.origin = trace::Origin::kResults;
  Database database{file, trace, losses, DatabaseTexts(file, trace.strings, losses), {}, {}, {}};
  if (database.texts.empty()) {
    losses.add(path.native(), 0, 0,
               "there is no table STRING_IDS, which is written last: the export was interrupted, "
               "and names are not known");
  }
  read_session(database);
  read_host_calls(database);
  read_tasks(database);
  read_kernels(database);
  read_collectives(database);
  read_overlap(database);
  read_marks(database);
  read_samples(database);
  read_rates(database);
  read_framework(database);
  read_framework_memory(database);
  return ok_status();
}

}  // namespace npuprof::load
