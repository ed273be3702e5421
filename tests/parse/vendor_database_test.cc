// Databases beside those of the vendor's parsers for the same raw directories: all tables, their
// columns and their rows. Numbers that differ from run to run (of strings, connections and tasks)
// are replaced by what they stand for. Each difference that is allowed here has its row in
// docs/compatibility.md.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "parse/row_compare.h"
#include "parse/vendor_case.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::cell;
using npuprof::testing::Differences;
using npuprof::testing::kNotCompared;
using npuprof::testing::Row;
using npuprof::testing::Rows;

// A database in memory: all tables as texts.
class Database {
 public:
  explicit Database(const fs::path& path) {
    // The reference may lie in a directory that cannot be written to.
    const std::string uri = "file:" + path.native() + "?immutable=1";
    EXPECT_EQ(
        sqlite3_open_v2(uri.c_str(), &handle_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr),
        SQLITE_OK)
        << path;
    for (const Row& table : query("SELECT name FROM sqlite_master WHERE type = 'table'")) {
      const std::string& name = table.at("name");
      schemas_[name] = query("SELECT cid, name, type, pk FROM pragma_table_info('" + name + "')");
      tables_[name] = query("SELECT * FROM " + name);
    }
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(handle_); }

  const std::map<std::string, Rows>& tables() const { return tables_; }
  const std::map<std::string, Rows>& schemas() const { return schemas_; }
  Rows table(const std::string& name) const {
    const auto found = tables_.find(name);
    return found == tables_.end() ? Rows() : found->second;
  }
  Rows query(const std::string& sql) const {
    Rows rows;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sql;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      Row& row = rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        row[sqlite3_column_name(statement, i)] = text_of(statement, i);
      }
    }
    sqlite3_finalize(statement);
    return rows;
  }

 private:
  static std::string text_of(sqlite3_stmt* statement, int column) {
    if (sqlite3_column_type(statement, column) == SQLITE_NULL) return "NULL";
    if (sqlite3_column_type(statement, column) == SQLITE_FLOAT) {
      return npuprof::testing::number_text(sqlite3_column_double(statement, column));
    }
    return reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  }

  sqlite3* handle_ = nullptr;
  std::map<std::string, Rows> tables_;
  std::map<std::string, Rows> schemas_;
};

// Columns that hold numbers of STRING_IDS.
const std::map<std::string, std::vector<std::string>> kTextColumns{
    {"TASK", {"taskType"}},
    {"COMPUTE_TASK_INFO",
     {"name", "taskType", "opType", "inputFormats", "inputDataTypes", "inputShapes",
      "outputFormats", "outputDataTypes", "outputShapes", "attrInfo", "opState", "hf32Eligible",
      "gridDim", "blockDim"}},
    {"COMMUNICATION_TASK_INFO", {"name", "taskType", "groupName"}},
    {"COMMUNICATION_SCHEDULE_TASK_INFO", {"name", "taskType", "opType"}},
    {"COMMUNICATION_OP", {"opName", "groupName", "algType", "opType"}},
    {"CANN_API", {"name"}},
    {"TASK_PMU_INFO", {"name"}},
    {"NPU_MEM", {"type"}},
    {"NPU_OP_MEM", {"operatorName", "type", "component"}},
    {"HBM", {"type"}},
    {"PYTORCH_API", {"name", "inputDtypes", "inputShapes"}},
    {"PYTORCH_CALLCHAINS", {"stack"}},
    {"MEMORY_RECORD", {"component"}},
    {"OP_MEMORY", {"name"}}};

// Replaces numbers by what they stand for.
class Resolver {
 public:
  explicit Resolver(const Database& database) : database_(database) {
    for (const Row& row : database.table("STRING_IDS")) strings_[row.at("id")] = row.at("value");
    for (const Row& row : database.table("CANN_API")) {
      const std::string& id = row.at("connectionId");
      calls_[id] = row.at("globalTid") + " at " + row.at("startNs");
      if (row.at("type") == "20000") copies_.insert(id);
    }
    for (const Row& row : database.table("TASK")) {
      tasks_.try_emplace(row.at("globalTaskId"), row.at("startNs") + " " + row.at("streamId") +
                                                     " " + row.at("taskId") + " " +
                                                     row.at("contextId"));
    }
    for (const Row& row : database.table("COMMUNICATION_OP")) {
      collectives_[row.at("opId")] = string(row.at("opName"));
    }
    gather_links();
    for (const Row& row : database.table("PYTORCH_CALLCHAINS")) {
      chains_[row.at("id")] += row.at("stackDepth") + " " + string(row.at("stack")) + "; ";
    }
  }

  Rows rows(const std::string& table) const {
    Rows rows = database_.table(table);
    const auto texts = kTextColumns.find(table);
    for (Row& row : rows) {
      if (texts != kTextColumns.end()) {
        for (const std::string& column : texts->second) row.at(column) = string(row.at(column));
      }
      replace(row, "connectionId", table == "PYTORCH_API" ? links_ : calls_);
      replace(row, "callchainId", chains_);
      replace(row, "globalTaskId", tasks_);
      replace(row, "opId", collectives_);
      if (table == "OVERLAP_ANALYSIS") row.erase("id");
    }
    return rows;
  }

 private:
  using Names = std::map<std::string, std::string>;

  std::string string(const std::string& id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? id : found->second;
  }

  static void replace(Row& row, const std::string& column, const Names& names) {
    const auto place = row.find(column);
    if (place == row.end()) return;
    const auto name = names.find(place->second);
    if (name != names.end()) place->second = name->second;
  }

  // What operators and queue rows are connected to. Theirs are never connected to copies.
  void gather_links() {
    std::map<std::string, std::set<std::string>> links;
    for (const Row& row : database_.table("CONNECTION_IDS")) {
      const std::string& to = row.at("connectionId");
      if (copies_.contains(to)) continue;
      const auto call = calls_.find(to);
      links[row.at("id")].insert(call == calls_.end() ? to : call->second);
    }
    for (const Row& row : database_.table("CONNECTION_IDS")) {
      std::string& text = links_[row.at("id")];
      text.clear();
      for (const std::string& link : links[row.at("id")]) text += link + "; ";
      if (text.empty()) text = "NULL";
    }
  }

  const Database& database_;
  Names strings_;
  Names calls_;
  std::set<std::string> copies_;  // Calls of the runtime: copies.
  Names tasks_;
  Names collectives_;
  Names links_;
  Names chains_;
};

Differences table_differences_of(const std::string& table, int level, bool of_framework) {
  Differences allowed;
  if (table == "AICORE_FREQ") {
    allowed.once = true;
  } else if (table == "ENUM_MODULE") {
    allowed.skip = [](const Row& row) { return cell(row, "id") == "59"; };
  } else if (table == "HBM") {
    // One sample of each, too few for a rate; times of samples are rounded to 256 ns.
    allowed.tolerance = {{"timestampNs", 256}, {"bandwidth", kNotCompared}};
  } else if (table == "NPU_MEM") {
    allowed.tolerance = {{"timestampNs", 256}};
  } else if (table == "MEMCPY_INFO") {
    // Copies inside collectives.
    allowed.skip = [](const Row& row) { return cell(row, "memcpyOperation") == "65535"; };
  } else if (table == "META_DATA") {
    // Environment of the process that parses; what we say of devices besides.
    allowed.skip = [](const Row& row) {
      return cell(row, "value").find("HCCL_RDMA_TC") != std::string::npos ||
             cell(row, "name").starts_with("DEVICE_INFO_");
    };
  } else if (table == "RANK_DEVICE_MAP" && !of_framework) {
    allowed.tolerance = {{"rankId", kNotCompared}};
  } else if (table == "CommAnalyzerTime") {
    allowed.tolerance = {{"start_timestamp", 0.26}};
  }
  if (level > 0) return allowed;
  // At level 0 they show the whole task of a MIX kernel, we the kernel itself.
  if (table == "TASK") {
    allowed.skip = [](const Row& row) { return cell(row, "contextId") == "0"; };
  } else if (table == "OVERLAP_ANALYSIS") {
    allowed.tolerance = {{"startNs", kNotCompared}, {"endNs", kNotCompared}};
  } else if (table == "COMPUTE_TASK_INFO") {
    allowed.skip = [](const Row& row) {
      return cell(row, "name").ends_with("_FlashAttentionScore_FlashAttentionScore");
    };
  } else if (table == "COMMUNICATION_TASK_INFO") {
    allowed.tolerance = {{"bandwidth", kNotCompared}};  // Of an unknown size, negative.
  } else if (table == "StepTraceTime") {
    for (const char* column : {"computing", "communication_not_overlapped", "overlapped", "stage",
                               "communication_not_overlapped_and_exclude_receive"}) {
      allowed.tolerance[column] = 0.21;
    }
  }
  return allowed;
}

class VendorDatabase : public npuprof::testing::VendorTest {
 protected:
  static void compare(const fs::path& their_path, const fs::path& our_path, bool of_framework) {
    ASSERT_TRUE(fs::exists(our_path)) << our_path;
    const Database theirs(their_path);
    const Database ours(our_path);
    const std::string indexes =
        "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL";
    npuprof::testing::expect_same_rows(theirs.query(indexes), ours.query(indexes));
    for (const auto& [name, schema] : ours.schemas()) {
      EXPECT_TRUE(theirs.schemas().contains(name)) << "they have no " << name;
    }
    const Resolver their_names(theirs);
    const Resolver our_names(ours);
    for (const auto& [name, schema] : theirs.schemas()) {
      SCOPED_TRACE(name);
      ASSERT_TRUE(ours.schemas().contains(name));
      npuprof::testing::expect_same_rows(schema, ours.schemas().at(name));
      // What these hold is part of the rows that refer to them.
      if (name == "STRING_IDS" || name == "CONNECTION_IDS" || name == "PYTORCH_CALLCHAINS")
        continue;
      npuprof::testing::expect_same_rows(their_names.rows(name), our_names.rows(name),
                                         table_differences_of(name, level(), of_framework));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(LevelAndRank, VendorDatabase, npuprof::testing::kAllLevelsAndRanks);

TEST_P(VendorDatabase, ProfileOfTheFrameworkIsTheSame) {
  const std::string file = "ascend_pytorch_profiler_" + std::to_string(rank()) + ".db";
  compare(results_->their_framework(rank()) / file, results_->our_framework(rank()) / file, true);
}

TEST_P(VendorDatabase, AnalysisIsTheSame) {
  compare(results_->their_framework(rank()) / "analysis.db",
          results_->our_framework(rank()) / "analysis.db", true);
}

TEST_P(VendorDatabase, ProfileOfCannIsTheSame) {
  compare(results_->their_cann(rank()) / "msprof.db", results_->our_cann(rank()) / "msprof.db",
          false);
}

}  // namespace
}  // namespace npuprof
