#include "report/sqlite/database.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/stage_timer.h"
#include "format/results/session_columns.h"
#include "report/sqlite/cann_tables.h"
#include "report/sqlite/framework_tables.h"
#include "report/tables/stored_table.h"

namespace npuprof::report::sqlite {
namespace {

// The layout of the tables; readers choose by it.
constexpr std::string_view kSchemaVersion = "1.2.0";

// JSON with a blank after each comma and colon, and without characters beyond ASCII: the same bytes
// that Python writes.
void append_spaced_json(std::string& out, const nlohmann::ordered_json& value) {
  auto separate = [&, first = true]() mutable {
    if (!first) out += ", ";
    first = false;
  };
  constexpr auto kKeepBadText = nlohmann::ordered_json::error_handler_t::replace;
  if (value.is_object()) {
    out += '{';
    for (const auto& [key, member] : value.items()) {
      separate();
      out += nlohmann::ordered_json(key).dump(-1, ' ', true, kKeepBadText) + ": ";
      append_spaced_json(out, member);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (const auto& element : value) {
      separate();
      append_spaced_json(out, element);
    }
    out += ']';
  } else {
    out += value.dump(-1, ' ', true, kKeepBadText);
  }
}

struct MetaDataRow {
  std::string name;
  std::string value;
};
constexpr auto kMetaDataTable =
    stored_table(format::results::meta_data::kTable,
                 column(format::results::meta_data::kName, &MetaDataRow::name),
                 column(format::results::meta_data::kValue, &MetaDataRow::value));

void write_meta_data(const trace::Trace& trace, BulkDatabase& database) {
  std::vector<MetaDataRow> rows{{"SCHEMA_VERSION", std::string(kSchemaVersion)},
                                {"SCHEMA_VERSION_MAJOR", "1"},
                                {"SCHEMA_VERSION_MINOR", "2"},
                                {"SCHEMA_VERSION_MICRO", "0"}};
  const auto metadata = nlohmann::ordered_json::parse(trace.session.profiler_metadata, nullptr,
                                                      /*allow_exceptions=*/false);
  if (metadata.is_object()) {
    for (const auto& [key, value] : metadata.items()) {
      append_spaced_json(rows.emplace_back(MetaDataRow{key, ""}).value, value);
    }
  }
  if (trace.session.simulated) rows.push_back({"simulated", "true"});
  // What the peaks of a device follow from: no table of the vendor's has it.
  for (const trace::DeviceInfo& device : trace.devices) {
    if (device.ai_core_count == 0) continue;
    namespace meta = format::results::meta_data;
    const nlohmann::ordered_json facts = {{meta::kAiCores, device.ai_core_count},
                                          {meta::kVectorCores, device.vector_core_count},
                                          {meta::kMegahertz, device.aic_mhz}};
    MetaDataRow& row = rows.emplace_back();
    row.name = std::string(meta::kDeviceFacts) + std::to_string(device.id);
    append_spaced_json(row.value, facts);
  }
  write_stored_table<kMetaDataTable>(rows, database);
}

}  // namespace

Status write_database(const analyze::SharedResults& results, const std::filesystem::path& path,
                      ThreadPool& pool) {
  const trace::Trace& trace = results.trace();
  const StageTimer timer("db");
  NPUPROF_ASSIGN_OR_RETURN(auto database, BulkDatabase::create(path, pool));
  DatabaseStrings strings(trace.strings);
  write_meta_data(trace, database);
  write_session_tables(trace, database);
  const bool of_framework = trace.session.framework != trace::Framework::kNoFramework;
  write_enum_tables(trace.session, database, of_framework);
  write_task_tables(trace, strings, database);
  write_mark_table(trace, strings, database);
  write_sample_tables(trace, results.samples(), strings, database);
  if (of_framework) write_framework_tables(trace, strings, database);
  strings.write(database);
  return database.close();
}

}  // namespace npuprof::report::sqlite
