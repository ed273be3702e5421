#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/sort_order.h"
#include "base/text.h"
#include "base/utf8.h"
#include "format/device/module_names.h"
#include "format/framework/memory_usage.h"
#include "format/results/memory_columns.h"
#include "format/results/sample_columns.h"
#include "load/collection_clock.h"
#include "load/csv_reader.h"
#include "load/framework_memory.h"
#include "load/plausible.h"
#include "load/result_text/result_tables.h"
#include "trace/device/device_memory.h"
#include "trace/device/module_memory.h"
#include "trace/framework/pool_totals.h"
#include "trace/host/operator_memory.h"

namespace npuprof::load {
namespace {

using format::framework::MemoryComponent;
using format::results::From;
using format::results::SampleFile;
using format::results::SharedColumn;
using trace::Trace;

constexpr std::string_view kCannPrefix = "cann::";
// What CANN calls the device in its own files.
constexpr std::string_view kCannDevice = "Device";
constexpr std::string_view kNoTime = "their time is no number";

// A column of sizes, whose title says the unit: that of the header, or another one.
class SizeColumn {
 public:
  SizeColumn(const CsvFile& csv, std::string_view header) {
    constexpr std::int64_t kKilobyte = 1024;
    const std::string title(header.substr(0, header.find('(')));
    for (const auto& [unit, bytes] :
         {std::pair("(KB)", kKilobyte), std::pair("(MB)", kKilobyte * kKilobyte)}) {
      const std::size_t found = csv.column(title + unit);
      if (found == CsvFile::kNoColumn) continue;
      column_ = found;
      bytes_ = static_cast<double>(bytes);
    }
  }

  std::optional<std::int64_t> bytes(const CsvFile& csv) const {
    const auto value = csv.real(column_);
    constexpr double kLimit = 9e18;
    if (!value || !(std::abs(*value * bytes_) < kLimit)) return std::nullopt;
    return std::llround(*value * bytes_);
  }
  bool exists() const { return column_ != CsvFile::kNoColumn; }

 private:
  std::size_t column_ = CsvFile::kNoColumn;
  double bytes_ = 1;
};

struct TotalColumns {
  TotalColumns(const CsvFile& csv, const SharedColumn& allocated_column,
               const SharedColumn& reserved_column, const SharedColumn& active_column)
      : allocated(csv, allocated_column.text),
        reserved(csv, reserved_column.text),
        active(csv, active_column.text) {}

  MemoryTotals read(const CsvFile& csv) const {
    return {allocated.bytes(csv).value_or(0), reserved.bytes(csv).value_or(0),
            active.bytes(csv).value_or(0)};
  }

  SizeColumn allocated;
  SizeColumn reserved;
  SizeColumn active;
};

// "NPU:0"
std::int64_t device_number(std::string_view text) {
  return parse_number<std::int64_t>(text.substr(text.rfind(':') + 1)).value_or(0);
}

class MemoryReader {
 public:
  MemoryReader(Trace& trace, trace::Losses& losses)
      : trace_(trace), losses_(losses), middle_ns_(middle_of_timeline(trace)) {}

  void read(const MemoryTables& tables) {
    for (const auto& path : tables.totals) with(path, [&](CsvFile& csv) { read_totals(csv); });
    for (const auto& path : tables.blocks) with(path, [&](CsvFile& csv) { read_blocks(csv); });
    for (const auto& path : tables.modules) with(path, [&](CsvFile& csv) { read_modules(csv); });
    for (const auto& path : tables.devices) with(path, [&](CsvFile& csv) { read_devices(csv); });
    restore_memory_events(totals_, blocks_, trace_);
    reorder_rows(trace_.operator_memory(), stable_order(trace_.operator_memory().time_ns));
  }

 private:
  template <typename Read>
  void with(const std::filesystem::path& path, Read read) {
    auto csv = CsvFile::open(path);
    if (!csv.ok()) {
      losses_.add(path.native(), 0, 0, csv.error().message);
      return;
    }
    path_ = path.native();
    read(*csv);
    csv->report_losses(losses_);
  }

  bool lacks(std::size_t column, std::string_view title) {
    if (column != CsvFile::kNoColumn) return false;
    losses_.add(path_, 0, 0, "there is no column " + std::string(title) + ": the file is left out");
    return true;
  }

  void expect_device(std::size_t column, std::string_view title) {
    if (column != CsvFile::kNoColumn) return;
    losses_.add(path_, 0, 0,
                "there is no column " + std::string(title) + ": all rows are taken for device 0");
  }

  bool is_far(std::int64_t time_ns) const { return middle_ns_ && !is_near(time_ns, *middle_ns_); }

  void read_totals(CsvFile& csv);
  void read_blocks(CsvFile& csv);
  void add_cann_event(std::int64_t time_ns, std::int64_t bytes, StringId name,
                      const MemoryTotals& totals, std::int64_t device, std::uint64_t address);
  void read_modules(CsvFile& csv);
  std::uint32_t module_of(std::string_view component);
  void read_devices(CsvFile& csv);

  Trace& trace_;
  trace::Losses& losses_;
  std::optional<std::int64_t> middle_ns_;
  std::string path_;
  std::vector<MemoryTotalsRow> totals_;
  std::vector<MemoryBlockRow> blocks_;
  std::uint64_t next_address_ = 1;
  std::map<std::string, std::uint32_t, std::less<>> unnumbered_modules_;
};

void MemoryReader::read_totals(CsvFile& csv) {
  namespace record = format::results::memory_record;
  const std::size_t component = csv.column(record::kComponent.text);
  const std::size_t time = csv.column(record::kTime.text);
  const std::size_t stream = csv.column(record::kStream.text);
  const std::size_t device = csv.column({record::kDevice.text, kCannDevice});
  const TotalColumns totals(csv, record::kAllocated, record::kReserved, record::kActive);
  if (lacks(component, record::kComponent.text) || lacks(time, record::kTime.text)) return;
  expect_device(device, record::kDevice.text);
  // The timeline has the process' memory too, and that of the device.
  const bool lacks_process = trace_.device_memory().size() == 0;
  while (csv.next()) {
    const auto time_ns = csv.scaled(time, kNsDigits);
    if (!time_ns || is_far(*time_ns)) {
      csv.leave_out(time_ns ? kDaysAway : kNoTime);
      continue;
    }
    const std::string_view kind = csv.cell(component);
    const std::int64_t number = device_number(csv.cell(device));
    const MemoryTotals values = totals.read(csv);
    if (kind == "APP" && lacks_process) {
      trace::DeviceMemory& memory = trace_.device_memory();
      memory.time_ns.push_back(*time_ns);
      memory.device.push_back(static_cast<std::uint16_t>(number));
      memory.event.push_back(0);
      memory.ddr_bytes.push_back(0);
      memory.hbm_bytes.push_back(static_cast<std::uint64_t>(values.reserved_bytes));
    }
    if (kind == "MindSpore") {
      trace::PoolTotals& pool = trace_.pool_totals();
      pool.time_ns.push_back(*time_ns);
      pool.allocated_bytes.push_back(values.allocated_bytes);
      pool.reserved_bytes.push_back(values.reserved_bytes);
      pool.active_bytes.push_back(values.active_bytes);
    }
    const bool is_workspace = kind == "WORKSPACE";
    // Memory of CANN is listed with its operators, sums follow from both.
    if (kind != "PTA" && !is_workspace) continue;
    const auto of =
        is_workspace ? MemoryComponent::kWorkspaceAllocator : MemoryComponent::kCachingAllocator;
    totals_.push_back({.time_ns = *time_ns,
                       .totals = values,
                       .stream = csv.integer(stream).value_or(0),
                       .device = static_cast<std::int8_t>(number),
                       .component = static_cast<std::uint8_t>(of)});
  }
}

void MemoryReader::read_blocks(CsvFile& csv) {
  namespace block = format::results::operator_memory;
  const std::size_t name = csv.column(block::kName.text);
  const std::size_t malloc = csv.column(block::kAllocation.text);
  const std::size_t free = csv.column(block::kRelease.text);
  const std::size_t block_free = csv.column(block::kActiveRelease.text);
  const std::size_t duration = csv.column(block::kDuration.text);
  const std::size_t stream = csv.column(block::kStream.text);
  const std::size_t device = csv.column({block::kDevice.text, kCannDevice});
  // CANN's own files list only memory of CANN. (Streams are new: those of 2023 have none.)
  const bool is_of_cann = csv.column(block::kDevice.text) == CsvFile::kNoColumn;
  const SizeColumn size(csv, block::kSize.text);
  const TotalColumns at_malloc(csv, block::kAllocationAllocated, block::kAllocationReserved,
                               block::kAllocationActive);
  const TotalColumns at_release(csv, block::kReleaseAllocated, block::kReleaseReserved,
                                block::kReleaseActive);
  if (lacks(name, block::kName.text) || lacks(malloc, block::kAllocation.text)) return;
  expect_device(device, block::kDevice.text);
  while (csv.next()) {
    const auto malloc_ns = csv.scaled(malloc, kNsDigits);
    auto free_ns = csv.scaled(free, kNsDigits);
    const auto bytes = size.bytes(csv);
    if (!bytes || (!malloc_ns && !free_ns)) {
      csv.leave_out("their size or their times are no numbers");
      continue;
    }
    const auto block_free_ns = csv.scaled(block_free, kNsDigits);
    const auto is_time_far = [&](const auto& time_ns) { return time_ns && is_far(*time_ns); };
    if (is_time_far(malloc_ns) || is_time_far(free_ns) || is_time_far(block_free_ns)) {
      csv.leave_out(kDaysAway);
      continue;
    }
    const std::int64_t number = device_number(csv.cell(device));
    std::string_view owner = csv.cell(name);
    if (is_of_cann || owner.starts_with(kCannPrefix)) {
      if (owner.starts_with(kCannPrefix)) owner.remove_prefix(kCannPrefix.size());
      const StringId op = trace_.strings.intern(owner);
      if (!free_ns && malloc_ns) {
        if (const auto life = csv.scaled(duration, kNsDigits))
          free_ns = plausible(*malloc_ns + *life);
      }
      const std::uint64_t address = next_address_++;
      const std::int64_t magnitude = std::abs(*bytes);
      if (malloc_ns) {
        add_cann_event(*malloc_ns, magnitude, op, at_malloc.read(csv), number, address);
      }
      if (free_ns) add_cann_event(*free_ns, -magnitude, op, at_release.read(csv), number, address);
      continue;
    }
    if (!malloc_ns) {
      csv.leave_out("it is not known when they were allocated");
      continue;
    }
    blocks_.push_back({.owner = trace_.strings.intern(owner),
                       .size_bytes = *bytes,
                       .malloc_ns = *malloc_ns,
                       .free_ns = free_ns,
                       .block_free_ns = block_free_ns,
                       .at_malloc = at_malloc.read(csv),
                       .at_release = at_release.read(csv),
                       .stream = csv.integer(stream).value_or(0),
                       .device = static_cast<std::int8_t>(number)});
  }
}

// Addresses are not listed; a number in their place keeps allocation and release together.
void MemoryReader::add_cann_event(std::int64_t time_ns, std::int64_t bytes, StringId name,
                                  const MemoryTotals& totals, std::int64_t device,
                                  std::uint64_t address) {
  trace::OperatorMemory& memory = trace_.operator_memory();
  memory.time_ns.push_back(time_ns);
  memory.tid.push_back(0);
  memory.address.push_back(address);
  memory.size_bytes.push_back(bytes);
  memory.op_name.push_back(name);
  memory.total_allocated_bytes.push_back(static_cast<std::uint64_t>(totals.allocated_bytes));
  memory.total_reserved_bytes.push_back(static_cast<std::uint64_t>(totals.reserved_bytes));
  memory.device.push_back(static_cast<std::uint32_t>(device));
  memory.device_type.push_back(0);
}

// The number of a component. Its name is kept, as it may not be that of today; a component that
// nobody knows has a number that none of the known ones will reach.
std::uint32_t MemoryReader::module_of(std::string_view component) {
  auto& names = trace_.session.module_names;
  const auto known = unnumbered_modules_.find(component);
  if (known != unnumbered_modules_.end()) return known->second;
  constexpr std::uint32_t kFirstUnnumbered = 1 << 20;
  auto id = format::device::module_from_name(component);
  if (!id) id = parse_number<std::uint32_t>(component);  // As the vendor shows unknown ones.
  if (!id) {
    id = kFirstUnnumbered + static_cast<std::uint32_t>(unnumbered_modules_.size());
    unnumbered_modules_.emplace(component, *id);
  }
  names[*id] = clean_text(component);
  return *id;
}

void MemoryReader::read_modules(CsvFile& csv) {
  const SampleFile& file = format::results::samples::kModuleMemoryFile;
  const std::string_view device_title = file.header_of(From::kDeviceName);
  const std::size_t component = csv.column(file.header_of(From::kLabel));
  const std::size_t time = csv.column(file.header_of(From::kTime));
  const std::size_t device =
      csv.column({device_title, format::results::memory_record::kDevice.text});
  const SizeColumn reserved(csv, file.header_of(From::kValue));
  if (lacks(component, file.header_of(From::kLabel)) || lacks(time, file.header_of(From::kTime))) {
    return;
  }
  expect_device(device, device_title);
  trace::ModuleMemory& memory = trace_.module_memory();
  while (csv.next()) {
    const auto time_ns = csv.scaled(time, kNsDigits);
    if (!time_ns || is_far(*time_ns)) {
      csv.leave_out(time_ns ? kDaysAway : kNoTime);
      continue;
    }
    memory.time_ns.push_back(*time_ns);
    memory.device.push_back(static_cast<std::uint16_t>(device_number(csv.cell(device))));
    memory.module.push_back(module_of(csv.cell(component)));
    memory.reserved_bytes.push_back(reserved.bytes(csv).value_or(-1));
  }
}

void MemoryReader::read_devices(CsvFile& csv) {
  if (trace_.device_memory().size() > 0) return;  // The timeline has them.
  const SampleFile& file = format::results::samples::kDeviceMemoryFile;
  const std::size_t event = csv.column(file.header_of(From::kLabel));
  const std::size_t time = csv.column(file.header_of(From::kTime));
  const std::size_t device = csv.column(file.header_of(From::kDevice));
  const SizeColumn ddr(csv, file.header_of(From::kValue, 0));
  const SizeColumn hbm(csv, file.header_of(From::kValue, 1));
  if (lacks(event, file.header_of(From::kLabel)) || lacks(time, file.header_of(From::kTime))) {
    return;
  }
  expect_device(device, file.header_of(From::kDevice));
  trace::DeviceMemory& memory = trace_.device_memory();
  while (csv.next()) {
    const auto time_ns = csv.scaled(time, kNsDigits);
    if (!time_ns || is_far(*time_ns)) {
      csv.leave_out(time_ns ? kDaysAway : kNoTime);
      continue;
    }
    memory.time_ns.push_back(*time_ns);
    memory.device.push_back(static_cast<std::uint16_t>(csv.integer(device).value_or(0)));
    memory.event.push_back(csv.cell(event) == "Device" ? 1 : 0);
    memory.ddr_bytes.push_back(static_cast<std::uint64_t>(ddr.bytes(csv).value_or(0)));
    memory.hbm_bytes.push_back(static_cast<std::uint64_t>(hbm.bytes(csv).value_or(0)));
  }
}

}  // namespace

void read_memory_tables(const MemoryTables& tables, Trace& trace, trace::Losses& losses) {
  MemoryReader(trace, losses).read(tables);
}

}  // namespace npuprof::load
