#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/device/module_names.h"
#include "format/host/enumerations.h"
#include "report/sqlite/cann_tables.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/tasks.h"

namespace npuprof::report::sqlite {
namespace {

// Writes a small table from rows of numbers and texts.
void write_pairs(BulkDatabase& database, std::string_view name, std::string_view first_column,
                 Affinity first_affinity, std::string_view second_column,
                 const std::vector<std::pair<std::string, std::string>>& rows) {
  database.table({name, {{first_column, first_affinity}, {second_column, kT}}}, rows.size(),
                 [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     if (first_affinity == kI) {
                       row.integer(std::stoll(rows[i].first));
                     } else {
                       row.text(rows[i].first);
                     }
                     row.text(rows[i].second);
                     row.end_row();
                   }
                 });
}

// The product of a platform number, as readers of the database expect it.
std::string_view product_name(std::uint32_t chip) {
  switch (chip) {
    case 0:
      return "Ascend310";
    case 1:
      return "Ascend910A";
    case 4:
      return "Ascend310P";
    case 5:
      return "Ascend910B";
    case 7:
      return "Ascend310B";
    case 15:
      return "Ascend950";
    default:
      return "UNKNOWN";
  }
}

std::int64_t last_event_ns(const trace::Trace& trace) {
  std::int64_t last = trace.session.begin_ns;
  for (const std::int64_t end : trace.tasks().end_ns) last = std::max(last, end);
  for (const std::int64_t end : trace.api_calls().end_ns) last = std::max(last, end);
  for (const std::int64_t end : trace.framework_ops().end_ns) last = std::max(last, end);
  return last;
}

}  // namespace

void write_session_tables(const trace::Trace& trace, BulkDatabase& database) {
  const trace::Session& session = trace.session;
  database.table({"SESSION_TIME_INFO", {{"startTimeNs", kI}, {"endTimeNs", kI}}}, 1,
                 [&](RowSink& sink, std::size_t, std::size_t) {
                   auto& row = sink.row();
                   row.integer(session.begin_ns);
                   // A run that was killed has no end of its own: the last thing that happened.
                   row.integer(session.end_ns != 0 ? session.end_ns : last_event_ns(trace));
                   row.end_row();
                 });
  std::vector<std::pair<std::string, std::string>> devices;
  for (const trace::DeviceInfo& device : trace.devices) {
    devices.emplace_back(std::to_string(device.id), product_name(device.chip));
  }
  if (devices.empty()) devices.emplace_back("-1", "UNKNOWN");
  write_pairs(database, "NPU_INFO", "id", kI, "name", devices);
  write_pairs(database, "HOST_INFO", "hostUid", kT, "hostName",
              {{session.host_uid, session.host_name}});
  const std::size_t device_rows = std::max<std::size_t>(trace.devices.size(), 1);
  database.table({"RANK_DEVICE_MAP", {{"rankId", kI}, {"deviceId", kI}}}, device_rows,
                 [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     row.integer(session.rank);
                     row.integer(trace.devices.empty() ? -1 : trace.devices[i].id);
                     row.end_row();
                   }
                 });
}

void write_enum_tables(const trace::Session& session, BulkDatabase& database, bool of_framework) {
  struct Entry {
    std::int64_t id;
    std::string_view name;
  };
  const auto write = [&](std::string_view table, const std::vector<Entry>& entries) {
    database.table({table, {{"id", kI, true}, {"name", kT}}}, entries.size(),
                   [&](RowSink& sink, std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) {
                       auto& row = sink.row(entries[i].id);
                       row.null();
                       row.text(entries[i].name);
                       row.end_row();
                     }
                   });
  };
  std::vector<Entry> api_types{{5000, "runtime"},
                               {5500, "communication"},
                               {10000, "node"},
                               {15000, "model"},
                               {20000, "acl"}};
  if (of_framework) {
    api_types.insert(api_types.end(),
                     {{50001, "op"}, {50002, "queue"}, {50003, "trace"}, {50004, "mstx"}});
  }
  write("ENUM_API_TYPE", api_types);
  // What records name by one byte; the numbers for "none" and "invalid" are the database's own.
  const auto write_names = [&](std::string_view table, std::string_view (*name_of)(std::uint32_t)) {
    std::vector<Entry> entries;
    for (std::uint32_t number = 0; number <= 255; ++number) {
      if (const auto name = name_of(number); !name.empty()) entries.push_back({number, name});
    }
    entries.push_back({65534, "N/A"});
    entries.push_back({65535, "INVALID_TYPE"});
    write(table, entries);
  };
  write_names("ENUM_HCCL_DATA_TYPE", format::host::hccl_data_type_name);
  write_names("ENUM_HCCL_LINK_TYPE", format::host::hccl_link_type_name);
  write_names("ENUM_HCCL_TRANSPORT_TYPE", format::host::hccl_transport_type_name);
  write_names("ENUM_HCCL_RDMA_TYPE", format::host::hccl_rdma_type_name);
  write("ENUM_MSTX_EVENT_TYPE",
        {{0, "marker"}, {1, "push/pop"}, {2, "start/end"}, {3, "marker_ex"}});
  write("ENUM_MEMCPY_OPERATION", {{0, "host to host"},
                                  {1, "host to device"},
                                  {2, "device to host"},
                                  {3, "device to device"},
                                  {4, "managed memory"},
                                  {5, "addr device to device"},
                                  {6, "host to device ex"},
                                  {7, "device to host ex"},
                                  {65535, "other"}});
  write("ENUM_OVERLAP_ANALYSIS_TYPE", {{0, "COMPUTE"},
                                       {1, "COMMUNICATION"},
                                       {2, "COMM_NOT_OVERLAP_COMP"},
                                       {3, "FREE"},
                                       {65535, "RESERVE"}});
  std::map<std::int64_t, std::string_view> modules(session.module_names.begin(),
                                                   session.module_names.end());
  for (const format::device::ModuleName& module : format::device::module_names()) {
    modules.try_emplace(module.id, module.name);
  }
  std::vector<Entry> entries;
  for (const auto& [id, name] : modules) entries.push_back({id, name});
  write("ENUM_MODULE", entries);
}

}  // namespace npuprof::report::sqlite
