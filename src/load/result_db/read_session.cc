#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"
#include "format/device/chips.h"
#include "format/results/session_columns.h"
#include "load/result_db/result_database.h"
#include "trace/device/device_memory.h"
#include "trace/device/frequencies.h"
#include "trace/device/module_memory.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

constexpr std::uint32_t kUnknownChip = trace::kNone;

// The platform number of a name in NPU_INFO.
std::uint32_t chip_of(std::string_view name) {
  const format::device::Chip* chip = format::device::find_chip_of_database(name);
  return chip == nullptr ? kUnknownChip : static_cast<std::uint32_t>(chip->id);
}

void read_devices(Database& database) {
  TableReader row(database.file, results::npu_info::kTable,
                  {{results::npu_info::kId}, {results::npu_info::kName}}, database.losses);
  std::uint64_t impossible = 0;
  while (row.next()) {
    const std::int64_t id = row.integer(0);
    if (id < 0) continue;  // Only the host was profiled.
    if (id > 0xFFFF) {
      ++impossible;
      continue;
    }
    trace::DeviceInfo device;
    device.id = static_cast<std::uint16_t>(id);
    device.chip = chip_of(row.text(1));
    database.trace.devices.push_back(std::move(device));
  }
  database.add_loss(impossible, "rows of NPU_INFO are left out: no device has such a number");
}

// Nothing is known if a fact is missing or cannot be true.
void take_device_facts(std::string_view device_number, const nlohmann::ordered_json& facts,
                       trace::Trace& trace) {
  namespace meta = results::meta_data;
  constexpr double kMost = 0xFFFF;
  const auto fact = [&](const char* name) {
    const auto found = facts.is_object() ? facts.find(name) : facts.end();
    const double value =
        facts.is_object() && found != facts.end() && found->is_number() ? found->get<double>() : 0;
    return value > 0 && value <= kMost ? value : 0;
  };
  const auto id = parse_number<std::uint16_t>(device_number);
  for (trace::DeviceInfo& device : trace.devices) {
    if (device.id != id) continue;
    device.ai_core_count = static_cast<std::uint32_t>(fact(meta::kAiCores));
    device.vector_core_count = static_cast<std::uint32_t>(fact(meta::kVectorCores));
    device.aic_mhz = fact(meta::kMegahertz);
  }
}

// The framework's notes on the run, collected into the object they came from.
void read_meta_data(Database& database) {
  namespace meta = results::meta_data;
  TableReader row(database.file, meta::kTable, {{}, {meta::kName, meta::kValue}}, database.losses);
  row.expect_column(0, meta::kName);
  row.expect_column(1, meta::kValue);
  auto metadata = nlohmann::ordered_json::object();
  while (row.next()) {
    const std::string name(row.text(0));
    if (name.empty() || name.starts_with("SCHEMA_VERSION")) continue;
    const std::string_view text = row.text(1);
    if (name == "simulated") {
      database.trace.session.simulated = text == "true";
      continue;
    }
    auto value = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (name.starts_with(meta::kDeviceFacts)) {
      take_device_facts(std::string_view(name).substr(meta::kDeviceFacts.size()), value,
                        database.trace);
      continue;
    }
    if (value.is_discarded()) value = std::string(text);
    metadata[name] = std::move(value);
  }
  if (metadata.empty()) return;
  constexpr auto kKeepBadText = nlohmann::ordered_json::error_handler_t::replace;
  database.trace.session.profiler_metadata = metadata.dump(-1, ' ', false, kKeepBadText);
}

}  // namespace

void add_unlisted_devices(Database& database) {
  trace::Trace& trace = database.trace;
  std::vector<bool> is_used(std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1);
  const std::vector<std::uint16_t>* const columns[] = {
      &trace.tasks().device,          &trace.device_marks().device,
      &trace.collective_ops().device, &trace.overlap_intervals().device,
      &trace.frequencies().device,    &trace.device_memory().device,
      &trace.module_memory().device};
  for (const auto* devices : columns) {
    for (const std::uint16_t id : *devices) is_used[id] = true;
  }
  for (const trace::DeviceInfo& device : trace.devices) is_used[device.id] = false;
  std::uint64_t unlisted = 0;
  for (std::size_t id = 0; id < is_used.size(); ++id) {
    if (!is_used[id]) continue;
    ++unlisted;
    trace::DeviceInfo device;
    device.id = static_cast<std::uint16_t>(id);
    device.chip = kUnknownChip;
    trace.devices.push_back(std::move(device));
  }
  database.add_loss(unlisted, "devices are not in NPU_INFO: what chips they are is not known");
}

void read_session(Database& database) {
  trace::Session& session = database.trace.session;
  {
    namespace times = results::session_time_info;
    TableReader row(database.file, times::kTable, {{times::kStart, times::kEnd}, {}},
                    database.losses);
    if (row.next()) {
      session.begin_ns = row.integer(0);
      session.end_ns = row.integer(1);
    }
  }
  read_devices(database);
  {
    namespace host = results::host_info;
    TableReader row(database.file, host::kTable, {{}, {host::kUid, host::kName}}, database.losses);
    if (row.next()) {
      session.host_uid = clean_text(row.text(0));
      session.host_name = clean_text(row.text(1));
    }
  }
  {
    TableReader row(database.file, results::rank_device_map::kTable,
                    {{results::rank_device_map::kRank}, {}}, database.losses);
    if (row.next() && session.rank < 0) session.rank = row.number<std::int32_t>(0, -1);
  }
  read_meta_data(database);
}

}  // namespace npuprof::load
