#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/device/chips.h"
#include "format/device/module_names.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "format/host/msproftx.h"
#include "format/results/communication_columns.h"
#include "format/results/framework_columns.h"
#include "format/results/overlap_names.h"
#include "format/results/session_columns.h"
#include "report/sqlite/cann_tables.h"
#include "report/tables/stored_table.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/tasks.h"

namespace npuprof::report::sqlite {
namespace {

namespace times = format::results::session_time_info;
namespace npu = format::results::npu_info;
namespace host = format::results::host_info;
namespace ranks = format::results::rank_device_map;
namespace enumeration = format::results::enumeration;

struct SessionTimes {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};
constexpr auto kSessionTimeTable = stored_table(times::kTable,  //
                                                column(times::kStart, &SessionTimes::begin_ns),
                                                column(times::kEnd, &SessionTimes::end_ns));

struct DeviceRow {
  std::int64_t id;
  std::string_view product;
  std::int64_t rank;
};
constexpr auto kDeviceTable =
    stored_table(npu::kTable,  //
                 column(npu::kId, &DeviceRow::id), column(npu::kName, &DeviceRow::product));
constexpr auto kRankTable =
    stored_table(ranks::kTable,  //
                 column(ranks::kRank, &DeviceRow::rank), column(ranks::kDevice, &DeviceRow::id));

constexpr auto kHostTable = stored_table(host::kTable,  //
                                         column(host::kUid, &trace::Session::host_uid),
                                         column(host::kName, &trace::Session::host_name));

struct EnumRow {
  std::int64_t id;
  std::string_view name;
};
constexpr auto kEnumTable = stored_table("",  // ENUM_..., named where it is written.
                                         column(enumeration::kId, &EnumRow::id),
                                         column(enumeration::kName, &EnumRow::name));

constexpr std::string_view kUnknownProduct = "UNKNOWN";

// The product of a platform number, as readers of the database expect it.
std::string_view product_name(std::uint32_t number) {
  const format::device::Chip* chip = format::device::find_chip(number);
  return chip == nullptr || chip->database_name.empty() ? kUnknownProduct : chip->database_name;
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
  // A run that was killed has no end of its own: the last thing that happened.
  const std::vector<SessionTimes> run{
      {session.begin_ns, session.end_ns != 0 ? session.end_ns : last_event_ns(trace)}};
  std::vector<DeviceRow> devices;
  for (const trace::DeviceInfo& device : trace.devices) {
    devices.push_back({device.id, product_name(device.chip), session.rank});
  }
  if (devices.empty()) devices.push_back({-1, kUnknownProduct, session.rank});
  write_stored_table<kSessionTimeTable>(run, database);
  write_stored_table<kDeviceTable>(devices, database);
  write_stored_table<kHostTable>(std::span(&session, 1), database);
  write_stored_table<kRankTable>(devices, database);
}

void write_enum_tables(const trace::Session& session, BulkDatabase& database, bool of_framework) {
  namespace api = format::results::pytorch_api;
  using Entries = std::vector<EnumRow>;
  const auto write = [&](std::string_view table, const Entries& entries) {
    write_stored_table<kEnumTable>(entries, database, table);
  };
  Entries api_types;
  for (const std::uint16_t level :
       {format::host::kLevelRuntime, format::host::kLevelHccl, format::host::kLevelNode,
        format::host::kLevelModel, format::host::kLevelAcl}) {
    api_types.push_back({level, format::host::level_name(level)});
  }
  if (of_framework) {
    api_types.insert(api_types.end(), {{api::kTypeOp, "op"},
                                       {api::kTypeQueue, "queue"},
                                       {api::kTypeTrace, "trace"},
                                       {api::kTypeMstx, "mstx"}});
  }
  write("ENUM_API_TYPE", api_types);
  // What records name by one byte.
  const auto write_names = [&](std::string_view table, std::string_view (*name_of)(std::uint32_t)) {
    Entries entries;
    for (std::uint32_t number = 0; number <= 255; ++number) {
      if (const auto name = name_of(number); !name.empty()) entries.push_back({number, name});
    }
    entries.push_back({format::results::kUnknownEnum, kNotAvailable});
    entries.push_back({format::results::kInvalidEnum, "INVALID_TYPE"});
    write(table, entries);
  };
  write_names("ENUM_HCCL_DATA_TYPE", format::host::hccl_data_type_name);
  write_names("ENUM_HCCL_LINK_TYPE", format::host::hccl_link_type_name);
  write_names("ENUM_HCCL_TRANSPORT_TYPE", format::host::hccl_transport_type_name);
  write_names("ENUM_HCCL_RDMA_TYPE", format::host::hccl_rdma_type_name);
  using format::host::Msproftx;
  Entries mark_types;
  for (const std::uint32_t type :
       {Msproftx::kMark, Msproftx::kPushPop, Msproftx::kStartEnd, Msproftx::kMarkEx}) {
    mark_types.push_back({type, Msproftx::event_type_name(type)});
  }
  write("ENUM_MSTX_EVENT_TYPE", mark_types);
  constexpr auto kLastDirection =
      static_cast<std::uint32_t>(format::host::MemcpyDirection::kDeviceToHostEx);
  Entries directions;
  for (std::uint32_t direction = 0; direction <= kLastDirection; ++direction) {
    directions.push_back({direction, format::host::memcpy_direction_name(direction)});
  }
  directions.push_back({format::host::kMemcpyOther,
                        format::host::memcpy_direction_name(format::host::kMemcpyOther)});
  write("ENUM_MEMCPY_OPERATION", directions);
  Entries overlaps;
  for (const auto& name : format::results::kOverlapNames) {
    overlaps.push_back({static_cast<std::int64_t>(overlaps.size()), name.stored});
  }
  overlaps.push_back({format::results::kInvalidEnum, "RESERVE"});
  write("ENUM_OVERLAP_ANALYSIS_TYPE", overlaps);
  std::map<std::int64_t, std::string_view> modules(session.module_names.begin(),
                                                   session.module_names.end());
  for (const format::device::ModuleName& module : format::device::module_names()) {
    modules.try_emplace(module.id, module.name);
  }
  Entries entries;
  for (const auto& [id, name] : modules) entries.push_back({id, name});
  write(enumeration::kModules, entries);
}

}  // namespace npuprof::report::sqlite
