#include "report/sqlite/database.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/stage_timer.h"
#include "report/sqlite/cann_tables.h"
#include "report/sqlite/framework_tables.h"

namespace npuprof::report::sqlite {
namespace {

// The layout of the tables; readers choose by it.
constexpr std::string_view kSchemaVersion = "1.2.0";

// Schema version and what the profiler noted about the run, each value as JSON.
void write_meta_data(const trace::Trace& trace, BulkDatabase& database) {
  std::vector<std::pair<std::string, std::string>> rows{
      {"SCHEMA_VERSION", std::string(kSchemaVersion)},
      {"SCHEMA_VERSION_MAJOR", "1"},
      {"SCHEMA_VERSION_MINOR", "2"},
      {"SCHEMA_VERSION_MICRO", "0"}};
  const auto metadata = nlohmann::ordered_json::parse(trace.session.profiler_metadata, nullptr,
                                                      /*allow_exceptions=*/false);
  if (metadata.is_object()) {
    constexpr auto kKeepBadText = nlohmann::ordered_json::error_handler_t::replace;
    for (const auto& [key, value] : metadata.items()) {
      rows.emplace_back(key, value.dump(-1, ' ', false, kKeepBadText));
    }
  }
  if (trace.session.simulated) rows.emplace_back("simulated", "true");
  database.table({"META_DATA", {{"name", Affinity::kText}, {"value", Affinity::kText}}},
                 rows.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     row.text(rows[i].first);
                     row.text(rows[i].second);
                     row.end_row();
                   }
                 });
}

}  // namespace

Status write_database(const trace::Trace& trace, const std::filesystem::path& path,
                      ThreadPool& pool) {
  const StageTimer timer("db");
  NPUPROF_ASSIGN_OR_RETURN(auto database, BulkDatabase::create(path, pool));
  DatabaseStrings strings(trace.strings);
  write_meta_data(trace, database);
  write_session_tables(trace, database);
  write_enum_tables(database);
  write_task_tables(trace, strings, database);
  write_sample_tables(trace, strings, database);
  if (trace.session.framework == trace::Framework::kPyTorch) {
    write_framework_tables(trace, strings, database);
  }
  strings.write(database);
  return database.close();
}

}  // namespace npuprof::report::sqlite
