#include "database_rows.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace npuprof::testing {
namespace {

void run(sqlite3* handle, const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    const std::string text = message != nullptr ? message : "";
    sqlite3_free(message);
    throw std::runtime_error(sql + ": " + text);
  }
}

// Columns that hold numbers of strings.
const std::map<std::string, std::set<std::string>> kTexts = {
    {"TASK", {"taskType"}},
    {"COMPUTE_TASK_INFO",
     {"name", "taskType", "opType", "inputFormats", "inputDataTypes", "inputShapes",
      "outputFormats", "outputDataTypes", "outputShapes", "attrInfo", "opState", "hf32Eligible",
      "gridDim"}},
    {"COMMUNICATION_SCHEDULE_TASK_INFO", {"name", "taskType", "opType"}},
    {"COMMUNICATION_TASK_INFO", {"name", "taskType", "groupName"}},
    {"COMMUNICATION_OP", {"opName", "groupName", "algType", "opType"}},
    {"CANN_API", {"name"}},
    {"MSTX_EVENTS", {"message", "domainId"}},
    {"TASK_PMU_INFO", {"name"}},
    {"NPU_MEM", {"type"}},
    {"HBM", {"type"}},
    {"LLC", {"mode"}},
    {"QOS", {"eventName"}},
    {"SIO", {"name"}},
    {"NPU_OP_MEM", {"operatorName", "type", "component"}},
    {"PYTORCH_API", {"name", "inputDtypes", "inputShapes"}},
    {"OP_MEMORY", {"name"}},
    {"MEMORY_RECORD", {"component"}}};

const std::string kCallOf =
    "(SELECT a.startNs || '/' || a.endNs || '/' || a.type || '/' || a.globalTid FROM CANN_API a "
    "WHERE a.connectionId = ";
const std::string kTaskOf =
    "(SELECT t.startNs || '/' || t.streamId || '/' || t.taskId || '/' || t.contextId FROM TASK t "
    "WHERE t.globalTaskId = ";

// What a row of PYTORCH_API is connected to: the queue's number, the other operator, or calls.
const std::string kConnectionsOf =
    "(SELECT group_concat(x, ' ') FROM (SELECT CASE WHEN PYTORCH_API.type = 50002 THEN "
    "k.connectionId % 1342177280 ELSE coalesce((SELECT group_concat(s, '+') FROM (SELECT p.startNs "
    "s FROM CONNECTION_IDS k2 JOIN PYTORCH_API p ON p.connectionId = k2.id WHERE k2.connectionId = "
    "k.connectionId AND p.type = 50001 AND p.startNs <> PYTORCH_API.startNs ORDER BY 1)), " +
    kCallOf +
    "k.connectionId)) END x FROM CONNECTION_IDS k WHERE k.id = PYTORCH_API.connectionId ORDER BY "
    "1))";
const std::string kStackOf =
    "(SELECT group_concat(v, ';') FROM (SELECT s.value v FROM PYTORCH_CALLCHAINS c JOIN STRING_IDS "
    "s ON s.id = c.stack WHERE c.id = PYTORCH_API.callchainId ORDER BY c.stackDepth))";

// The SQL that gives the meaning of a column.
std::string meaning(const std::string& table, const std::string& column) {
  const std::string full = table + "." + column;
  const auto texts = kTexts.find(table);
  if (texts != kTexts.end() && texts->second.contains(column)) {
    return "(SELECT s.value FROM STRING_IDS s WHERE s.id = " + full + ")";
  }
  if (full == "PYTORCH_API.connectionId") return kConnectionsOf;
  if (column == "callchainId") return kStackOf;
  if (column == "connectionId" && table != "MSTX_EVENTS") return kCallOf + full + ")";
  if (column == "globalTaskId") return kTaskOf + full + " LIMIT 1)";
  if (column == "opId" && table != "COMMUNICATION_OP") {
    return "(SELECT o.startNs FROM COMMUNICATION_OP o WHERE o.opId = " + full + ")";
  }
  return "CASE typeof(" + full + ") WHEN 'real' THEN printf('%.9g', " + full + ") ELSE " + full +
         " END";
}

}  // namespace

DatabaseRows::DatabaseRows(const std::filesystem::path& path) {
  sqlite3_open_v2(":memory:", &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nullptr);
  run(handle_, "ATTACH 'file:" + path.native() + "?immutable=1' AS source");
  for (const std::string& table :
       query("SELECT name FROM source.sqlite_master WHERE type = 'table' AND name NOT LIKE "
             "'sqlite%'")) {
    run(handle_, "CREATE TABLE main." + table + " AS SELECT * FROM source." + table);
  }
  // Tables that meanings are looked up in.
  run(handle_,
      "CREATE TABLE IF NOT EXISTS main.PYTORCH_CALLCHAINS (id, stack, stackDepth);"
      "CREATE TABLE IF NOT EXISTS main.CONNECTION_IDS (id, connectionId)");
  for (const char* index :
       {"STRING_IDS(id)", "CANN_API(connectionId)", "TASK(globalTaskId)", "CONNECTION_IDS(id)",
        "CONNECTION_IDS(connectionId)", "PYTORCH_API(connectionId)", "PYTORCH_CALLCHAINS(id)"}) {
    const std::string table(index, std::string(index).find('('));
    if (columns(table).empty()) continue;
    std::string name = index;
    std::replace(name.begin(), name.end(), '(', '_');
    name.pop_back();
    run(handle_, "CREATE INDEX main.by_" + name + " ON " + index);
  }
}

DatabaseRows::~DatabaseRows() { sqlite3_close(handle_); }

std::multiset<std::string> DatabaseRows::query(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle_));
  }
  std::multiset<std::string> rows;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::string row;
    for (int column = 0; column < sqlite3_column_count(statement); ++column) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      if (column > 0) row += " | ";
      row += text != nullptr ? text : "NULL";
    }
    rows.insert(std::move(row));
  }
  sqlite3_finalize(statement);
  return rows;
}

std::set<std::string> DatabaseRows::columns(const std::string& table) const {
  const auto names = query("SELECT name FROM pragma_table_info('" + table + "', 'main')");
  return {names.begin(), names.end()};
}

std::multiset<std::string> DatabaseRows::rows(const std::string& table,
                                              const std::set<std::string>& columns,
                                              const std::string& where) const {
  std::string sql;
  for (const std::string& column : columns) {
    sql += sql.empty() ? "SELECT '" : ", '";
    sql += column + "=' || coalesce(" + meaning(table, column) + ", 'NULL')";
  }
  return query(sql + " FROM main." + table + " WHERE " + where);
}

void expect_same_rows(const DatabaseRows& ours, const DatabaseRows& theirs,
                      const std::string& table, const std::set<std::string>& but,
                      const std::string& where) {
  SCOPED_TRACE(table);
  std::set<std::string> shared;
  const auto their_columns = theirs.columns(table);
  for (const std::string& column : ours.columns(table)) {
    if (their_columns.contains(column) && !but.contains(column)) shared.insert(column);
  }
  if (shared.empty()) {
    EXPECT_EQ(ours.columns(table).empty(), their_columns.empty()) << "only one has the table";
    return;
  }
  const auto our_rows = ours.rows(table, shared, where);
  const auto their_rows = theirs.rows(table, shared, where);
  EXPECT_EQ(our_rows.size(), their_rows.size());
  std::vector<std::string> only_ours;
  std::vector<std::string> only_theirs;
  std::set_difference(our_rows.begin(), our_rows.end(), their_rows.begin(), their_rows.end(),
                      std::back_inserter(only_ours));
  std::set_difference(their_rows.begin(), their_rows.end(), our_rows.begin(), our_rows.end(),
                      std::back_inserter(only_theirs));
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, only_ours.size()); ++i) {
    ADD_FAILURE() << only_ours.size() << " rows are only ours: " << only_ours[i];
  }
  for (std::size_t i = 0; i < std::min(kShown, only_theirs.size()); ++i) {
    ADD_FAILURE() << only_theirs.size() << " rows are only theirs: " << only_theirs[i];
  }
}

}  // namespace npuprof::testing
