#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/device/links.h"
#include "load/result_db/database.h"
#include "trace/device/link_samples.h"
#include "trace/device/rate_samples.h"
#include "trace/host/host_usage.h"

namespace npuprof::load {
namespace {

using trace::HostUsageKind;
using trace::kNone;
using trace::LinkKind;
using trace::RateKind;

constexpr double kMillion = 1e6;

struct ValueColumn {
  std::string_view name;
  double divisor = 1;
};

// A table of samples: when, where, and some values.
struct SampleTable {
  std::string_view name;
  std::string_view unit;   // Column of the unit; empty = there is none.
  std::string_view label;  // Column of a text; empty = there is none.
  std::vector<ValueColumn> values;
};

std::vector<ValueColumn> all_divided(std::initializer_list<std::string_view> names,
                                     double divisor) {
  std::vector<ValueColumn> columns;
  for (const std::string_view name : names) columns.push_back({name, divisor});
  return columns;
}

// Calls visit(row, unit, label, values) for each row of the table.
template <typename Visit>
void read_table(Database& database, const SampleTable& table, Visit visit) {
  enum : int { kTime, kDevice, kUnit, kLabel, kFirstValue };
  // A name that no table has stands for a column that is not there.
  constexpr std::string_view kNoColumn = "-";
  TableReader::Columns columns{{"timestampNs"},
                               {"deviceId", table.unit.empty() ? kNoColumn : table.unit,
                                table.label.empty() ? kNoColumn : table.label}};
  for (const ValueColumn& column : table.values) columns.optional.push_back(column.name);
  TableReader row(database.file, table.name, columns, database.losses);
  row.expect_column(kDevice, "deviceId");
  if (!table.unit.empty()) row.expect_column(kUnit, table.unit);
  if (!table.label.empty()) row.expect_column(kLabel, table.label);
  std::vector<double> values(table.values.size());
  while (row.next()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = row.real(kFirstValue + static_cast<int>(i)) / table.values[i].divisor;
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

std::vector<ValueColumn> network_columns() {
  auto columns = all_divided(
      {"bandwidth", "rxPacketRate", "rxByteRate", "rxPackets", "rxBytes", "rxErrors", "rxDropped",
       "txPacketRate", "txByteRate", "txPackets", "txBytes", "txErrors", "txDropped"},
      1);
  columns.front().divisor = kMegabyte;
  return columns;
}

std::vector<ValueColumn> pcie_columns() {
  std::vector<ValueColumn> columns;
  columns.reserve(std::size(format::device::kPcieValueNames));
  for (const std::string_view name : format::device::kPcieValueNames) {
    columns.push_back({name, name.starts_with("txNonpostLatency") ? 1 : kMillion});
  }
  return columns;
}

}  // namespace

void read_rates(Database& database) {
  read_rate_table(database, RateKind::kHbm, {"HBM", "hbmId", "type", {{"bandwidth", kMegabyte}}});
  read_rate_table(database, RateKind::kLlc,
                  {"LLC", "llcId", "mode", {{"hitRate", kPercent}, {"throughput", kMegabyte}}});
  read_rate_table(database, RateKind::kDdr,
                  {"DDR", "", "", all_divided({"read", "write"}, kMegabyte)});
  read_rate_table(database, RateKind::kHccs,
                  {"HCCS", "", "", all_divided({"txThroughput", "rxThroughput"}, kMegabyte)});
  read_rate_table(database, RateKind::kUb,
                  {"UB", "portId", "", all_divided({"rxUdmaBind", "txUdmaBind"}, 1)});
  read_rate_table(
      database, RateKind::kSio,
      {"SIO", "", "name",
       all_divided({"rxReq", "rxRsp", "rxSnp", "rxDat", "txReq", "txRsp", "txSnp", "txDat"},
                   kMegabyte)});
  read_rate_table(database, RateKind::kQos,
                  {"QOS", "dieId", "eventName", {{"bandwidth", kMegabyte}}});
  read_rate_table(
      database, RateKind::kNetdev,
      {"NETDEV_STATS", "", "",
       all_divided({"macTxPfcPkt", "macRxPfcPkt", "macTxByte", "macTxBandwidth", "macRxByte",
                    "macRxBandwidth", "macTxBadByte", "macRxBadByte", "roceTxPkt", "roceRxPkt",
                    "roceTxErrPkt", "roceRxErrPkt", "roceTxCnpPkt", "roceRxCnpPkt", "roceNewPktRty",
                    "nicTxByte", "nicTxBandwidth", "nicRxByte", "nicRxBandwidth"},
                   1)});
  read_links(database, LinkKind::kNic, {"NIC", "funcId", "", network_columns()});
  read_links(database, LinkKind::kRoce, {"ROCE", "funcId", "", network_columns()});
  read_links(database, LinkKind::kPcie, {"PCIE", "", "", pcie_columns()});
  read_links(database, LinkKind::kAccPmu,
             {"ACC_PMU", "accId", "",
              all_divided({"readBwLevel", "writeBwLevel", "readOstLevel", "writeOstLevel"}, 1)});
  read_links(database, LinkKind::kSocLevel,
             {"SOC_BANDWIDTH_LEVEL", "", "", all_divided({"l2BufferBwLevel", "mataBwLevel"}, 1)});
  read_host_usage(database, HostUsageKind::kCpu, {"CPU_USAGE", "cpuId", "", {{"usage"}}});
  read_host_usage(database, HostUsageKind::kMemory, {"HOST_MEM_USAGE", "", "", {{"usage"}}});
  read_host_usage(database, HostUsageKind::kDisk,
                  {"HOST_DISK_USAGE", "", "", {{"usage"}, {"readRate"}, {"writeRate"}}});
  read_host_usage(database, HostUsageKind::kNetwork,
                  {"HOST_NETWORK_USAGE", "", "", {{"usage"}, {"speed"}}});
}

}  // namespace npuprof::load
