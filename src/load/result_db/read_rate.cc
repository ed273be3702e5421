#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "format/results/sample_columns.h"
#include "load/result_db/result_database.h"
#include "trace/device/link_samples.h"
#include "trace/device/rate_samples.h"
#include "trace/host/host_usage.h"

namespace npuprof::load {
namespace {

using results::From;
using results::SampledColumn;
using results::SampleTable;
using trace::HostUsageKind;
using trace::kNone;
using trace::LinkKind;
using trace::RateKind;

// Calls visit(time, device, unit, label, values) for each row of the table.
template <typename Visit>
void read_table(Database& database, const SampleTable& table, Visit visit) {
  enum : int { kTime, kDevice, kUnit, kLabel, kFirstValue };
  // A name that no table has stands for a column that is not there.
  constexpr std::string_view kNoColumn = "-";
  const SampledColumn* device = table.find(From::kDevice);
  const SampledColumn* unit = table.find(From::kUnit);
  const SampledColumn* label = table.find(From::kLabel);
  if (label == nullptr) label = table.find(From::kLowerLabel);
  TableReader::Columns columns{{table.name_of(From::kTime)}, {}};
  for (const SampledColumn* column : {device, unit, label}) {
    columns.optional.push_back(column == nullptr ? kNoColumn : column->name);
  }
  std::vector<const SampledColumn*> value_columns;
  for (const SampledColumn& column : table.columns) {
    if (column.from != From::kValue) continue;
    value_columns.push_back(&column);
    columns.optional.push_back(column.name);
  }
  TableReader row(database.file, table.name, columns, database.losses);
  if (device != nullptr) row.expect_column(kDevice, device->name);
  if (unit != nullptr) row.expect_column(kUnit, unit->name);
  if (label != nullptr) row.expect_column(kLabel, label->name);
  std::vector<double> values(value_columns.size());
  while (row.next()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const SampledColumn& column = *value_columns[i];
      values[column.value] = row.real(kFirstValue + static_cast<int>(i)) / column.scale;
    }
    visit(row.integer(kTime), row.number<std::uint16_t>(kDevice, 0),
          row.number<std::uint32_t>(kUnit, kNone), database.text(row, kLabel),
          std::span<const double>(values));
  }
}

void read_rate_table(Database& database, RateKind kind, const SampleTable& table) {
  trace::RateSamples& samples = database.trace.rate_samples();
  // Timelines and analyses write these with a capital letter.
  StringPool& strings = database.trace.strings;
  const StringId read = strings.intern("read");
  const StringId write = strings.intern("write");
  const StringId shown_read = strings.intern("Read");
  const StringId shown_write = strings.intern("Write");
  read_table(
      database, table,
      [&](std::int64_t time_ns, std::uint16_t device, std::uint32_t unit, StringId label,
          std::span<const double> values) {
        samples.time_ns.push_back(time_ns);
        samples.device.push_back(device);
        samples.kind.push_back(static_cast<std::uint8_t>(kind));
        samples.unit.push_back(unit);
        samples.label.push_back(label == read ? shown_read : label == write ? shown_write : label);
        trace::RateValues row{};
        std::copy(values.begin(), values.end(), row.begin());
        samples.values.push_back(row);
      });
}

void read_links(Database& database, LinkKind kind, const SampleTable& table) {
  trace::LinkSamples& samples = database.trace.link_samples();
  read_table(database, table,
             [&](std::int64_t time_ns, std::uint16_t device, std::uint32_t unit, StringId,
                 std::span<const double> values) {
               samples.time_ns.push_back(time_ns);
               samples.device.push_back(device);
               samples.kind.push_back(static_cast<std::uint8_t>(kind));
               samples.unit.push_back(unit == kNone ? 0 : unit);
               trace::LinkValues row{};
               std::copy(values.begin(), values.end(), row.begin());
               samples.values.push_back(row);
             });
}

// `values` are the percentage and at most two rates.
void read_host_usage(Database& database, HostUsageKind kind, const SampleTable& table) {
  trace::HostUsage& samples = database.trace.host_usage();
  read_table(database, table,
             [&](std::int64_t time_ns, std::uint16_t, std::uint32_t unit, StringId,
                 std::span<const double> values) {
               samples.time_ns.push_back(time_ns);
               samples.kind.push_back(static_cast<std::uint8_t>(kind));
               samples.unit.push_back(unit);
               samples.usage_percent.push_back(values[0]);
               samples.first_rate.push_back(values.size() > 1 ? values[1] : 0);
               samples.second_rate.push_back(values.size() > 2 ? values[2] : 0);
             });
}

}  // namespace

void read_rates(Database& database) {
  namespace samples = results::samples;
  read_rate_table(database, RateKind::kHbm, samples::kHbm);
  read_rate_table(database, RateKind::kLlc, samples::kLlc);
  read_rate_table(database, RateKind::kDdr, samples::kDdr);
  read_rate_table(database, RateKind::kHccs, samples::kHccs);
  read_rate_table(database, RateKind::kUb, samples::kUb);
  read_rate_table(database, RateKind::kSio, samples::kSio);
  read_rate_table(database, RateKind::kQos, samples::kQos);
  read_rate_table(database, RateKind::kNetdev, samples::kNetdev);
  read_links(database, LinkKind::kNic, samples::kNic);
  read_links(database, LinkKind::kRoce, samples::kRoce);
  read_links(database, LinkKind::kPcie, samples::kPcie);
  read_links(database, LinkKind::kAccPmu, samples::kAccPmu);
  read_links(database, LinkKind::kSocLevel, samples::kSocLevel);
  read_host_usage(database, HostUsageKind::kCpu, samples::kCpu);
  read_host_usage(database, HostUsageKind::kMemory, samples::kHostMemory);
  read_host_usage(database, HostUsageKind::kDisk, samples::kDisk);
  read_host_usage(database, HostUsageKind::kNetwork, samples::kNetwork);
}

}  // namespace npuprof::load
