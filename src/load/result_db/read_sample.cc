#include <set>
#include <tuple>

#include "base/utf8.h"
#include "format/results/memory_columns.h"
#include "format/results/sample_columns.h"
#include "format/results/session_columns.h"
#include "load/result_db/result_database.h"
#include "trace/device/device_memory.h"
#include "trace/device/frequencies.h"
#include "trace/device/module_memory.h"
#include "trace/host/operator_memory.h"

namespace npuprof::load {
namespace {

using results::From;
using results::SampleTable;

void read_device_memory(Database& database) {
  enum : int { kTime, kDevice, kType, kDdr, kHbm };
  const SampleTable& table = results::samples::kDeviceMemory;
  TableReader row(database.file, table.name,
                  {{table.name_of(From::kTime), table.name_of(From::kDevice)},
                   {table.name_of(From::kLowerLabel), table.name_of(From::kValue, 0),
                    table.name_of(From::kValue, 1)}},
                  database.losses);
  trace::DeviceMemory& samples = database.trace.device_memory();
  while (row.next()) {
    const std::string_view type = database.trace.strings.view(database.text(row, kType));
    samples.time_ns.push_back(row.integer(kTime));
    samples.device.push_back(row.number<std::uint16_t>(kDevice, 0));
    samples.event.push_back(type == "device" ? 1 : 0);
    samples.ddr_bytes.push_back(row.number<std::uint64_t>(kDdr, 0));
    samples.hbm_bytes.push_back(row.number<std::uint64_t>(kHbm, 0));
  }
}

void read_module_memory(Database& database) {
  enum : int { kTime, kDevice, kModule, kReserved };
  const SampleTable& table = results::samples::kModuleMemory;
  TableReader row(
      database.file, table.name,
      {{table.name_of(From::kTime), table.name_of(From::kDevice), table.name_of(From::kUnit)},
       {table.name_of(From::kValue)}},
      database.losses);
  trace::ModuleMemory& samples = database.trace.module_memory();
  while (row.next()) {
    samples.time_ns.push_back(row.integer(kTime));
    samples.device.push_back(row.number<std::uint16_t>(kDevice, 0));
    samples.module.push_back(row.number<std::uint32_t>(kModule, 0));
    samples.reserved_bytes.push_back(row.integer(kReserved, -1));
  }
  namespace names = results::enumeration;
  TableReader name(database.file, names::kModules, {{names::kId}, {names::kName}}, database.losses);
  name.expect_column(1, names::kName);
  while (name.next()) {
    const auto id = name.number<std::uint32_t>(0, trace::kNone);
    const std::string_view text = name.text(1);
    if (!text.empty()) database.trace.session.module_names[id] = clean_text(text);
  }
}

void read_operator_memory(Database& database) {
  enum : int { kTime, kAddress, kSize, kName, kType, kThread, kAllocated, kReserved, kDevice };
  namespace event = results::npu_op_mem;
  TableReader row(database.file, event::kTable,
                  {{event::kTime, event::kAddress, event::kSize},
                   {event::kName, event::kType, event::kThread, event::kAllocated, event::kReserved,
                    event::kDevice}},
                  database.losses);
  trace::OperatorMemory& memory = database.trace.operator_memory();
  while (row.next()) {
    const std::string_view type = database.trace.strings.view(database.text(row, kType));
    const std::int64_t size = row.integer(kSize);
    memory.time_ns.push_back(row.integer(kTime));
    memory.tid.push_back(static_cast<std::uint32_t>(row.integer(kThread)));
    memory.address.push_back(static_cast<std::uint64_t>(row.integer(kAddress)));
    memory.size_bytes.push_back(type == "release" && size > 0 ? -size : size);
    memory.op_name.push_back(database.text(row, kName));
    memory.total_allocated_bytes.push_back(row.number<std::uint64_t>(kAllocated, 0));
    memory.total_reserved_bytes.push_back(row.number<std::uint64_t>(kReserved, 0));
    memory.device.push_back(row.number<std::uint32_t>(kDevice, 0));
    memory.device_type.push_back(0);
  }
}

}  // namespace

void read_frequencies(Database& database) {
  enum : int { kDevice, kTime, kMhz, kDie };
  const SampleTable& table = results::samples::kFrequency;
  TableReader row(
      database.file, table.name,
      {{table.name_of(From::kDevice), table.name_of(From::kTime), table.name_of(From::kValue)},
       {table.name_of(From::kUnit)}},
      database.losses);
  trace::Frequencies& samples = database.trace.frequencies();
  std::set<std::tuple<std::uint16_t, std::int64_t, std::uint32_t, std::uint8_t>> seen;
  while (row.next()) {
    const auto device = row.number<std::uint16_t>(kDevice, 0);
    const auto mhz = row.number<std::uint32_t>(kMhz, 0);
    const auto die = row.number<std::uint8_t>(kDie, 0);
    // The vendor writes every row twice.
    if (!seen.emplace(device, row.integer(kTime), mhz, die).second) continue;
    samples.time_ns.push_back(row.integer(kTime));
    samples.device.push_back(device);
    samples.kind.push_back(0);
    samples.value.push_back(mhz);
    samples.die.push_back(die);
  }
}

void read_memory_samples(Database& database) {
  read_device_memory(database);
  read_module_memory(database);
  read_operator_memory(database);
}

}  // namespace npuprof::load
