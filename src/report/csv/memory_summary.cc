#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "report/csv/sample_summary.h"
#include "report/csv/value_range.h"
#include "report/tables/text_table.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using analyze::Samples;

// Two means, of reading and writing or of hit rate and throughput, per unit of a device.
using Units = std::map<std::uint32_t, std::array<Range, 2>>;

// The mean over the units of a device of the mean of each.
double mean_of_units(const Units& units, std::size_t value) {
  Range all;
  for (const auto& [unit, means] : units) all.add(means[value].mean());
  return all.mean();
}

constexpr std::string_view kAverage = "Average";

// A unit of memory, or all of a device together.
struct BandwidthRow {
  std::uint16_t device;
  std::string unit;
  double read;
  double write;
};
constexpr auto kBandwidthDevice = column(TextColumn{"Device_id"}, &BandwidthRow::device);
constexpr auto kBandwidthUnit = column(TextColumn{"Metric"}, &BandwidthRow::unit);

constexpr auto kDdr = text_table("ddr", kBandwidthDevice, kBandwidthUnit,
                                 column(number_column("Read(MB/s)"), &BandwidthRow::read),
                                 column(number_column("Write(MB/s)"), &BandwidthRow::write));

// Here the average has three decimals.
constexpr auto hbm_column(std::string_view header, double BandwidthRow::*value) {
  return column(TextColumn{header}, [value](TextBuffer& out, const BandwidthRow& row) {
    const bool is_average = row.unit == kAverage;
    put_cell(out, {"", is_average ? Print::kFixed3 : Print::kRoundedPoint}, row.*value);
  });
}
constexpr auto kHbm = text_table("hbm", kBandwidthDevice, kBandwidthUnit,
                                 hbm_column("Read(MB/s)", &BandwidthRow::read),
                                 hbm_column("Write(MB/s)", &BandwidthRow::write));

std::vector<BandwidthRow> hbm_rows(const Samples& samples) {
  std::vector<BandwidthRow> rows;
  std::map<std::uint16_t, Units> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t direction = samples.labels[samples.label[i]] == "Read" ? 0 : 1;
    devices[samples.device[i]][samples.unit[i]][direction].add(samples.row(i)[0]);
  }
  for (const auto& [device, units] : devices) {
    rows.push_back(
        {device, std::string(kAverage), mean_of_units(units, 0), mean_of_units(units, 1)});
    for (const auto& [unit, means] : units) {
      rows.push_back({device, std::to_string(unit), means[0].mean(), means[1].mean()});
    }
  }
  return rows;
}

std::vector<BandwidthRow> ddr_rows(const Samples& samples) {
  std::vector<BandwidthRow> rows;
  std::map<std::uint16_t, std::array<Range, 2>> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    devices[samples.device[i]][0].add(samples.row(i)[0]);
    devices[samples.device[i]][1].add(samples.row(i)[1]);
  }
  for (const auto& [device, means] : devices) {
    rows.push_back({device, std::string(kAverage), means[0].mean(), means[1].mean()});
  }
  return rows;
}

struct CacheSliceRow {
  std::uint16_t device;
  std::string_view mode;
  std::string slice;
  double hit_percent;
  double throughput;
};
constexpr auto kLlc =
    text_table("llc_read_write",  //
               column(TextColumn{"Device_id"}, &CacheSliceRow::device),
               column(TextColumn{"Mode"}, &CacheSliceRow::mode),
               column(TextColumn{"Task"}, &CacheSliceRow::slice),
               column(number_column("Hit Rate(%)"), &CacheSliceRow::hit_percent),
               column(number_column("Throughput(MB/s)"), &CacheSliceRow::throughput));

std::vector<CacheSliceRow> llc_rows(const Samples& samples) {
  std::vector<CacheSliceRow> rows;
  std::map<std::uint16_t, std::pair<std::uint32_t, Units>> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& [label, units] = devices[samples.device[i]];
    label = samples.label[i];
    units[samples.unit[i]][0].add(samples.row(i)[0] * kPercent);
    units[samples.unit[i]][1].add(samples.row(i)[1]);
  }
  for (const auto& [device, slices] : devices) {
    const auto& [label, units] = slices;
    const std::string_view mode = samples.labels[label] == "Read" ? "read" : "write";
    rows.push_back(
        {device, mode, std::string(kAverage), mean_of_units(units, 0), mean_of_units(units, 1)});
    for (const auto& [slice, means] : units) {
      rows.push_back({device, mode, std::to_string(slice), means[0].mean(), means[1].mean()});
    }
  }
  return rows;
}

// Time and frames are counted on, the utilisation is the last.
struct DvppRow {
  std::uint16_t device;
  std::uint32_t unit;
  std::string_view engine;
  double engine_id;
  double time_us;
  double frames;
  double utilization;
};
constexpr auto kDvpp =
    text_table("dvpp",  //
               column(TextColumn{"Device_id"}, &DvppRow::device),
               column(TextColumn{"Dvpp Id"}, &DvppRow::unit),
               column(or_not_available("Engine Type"), &DvppRow::engine),
               column(TextColumn{"Engine ID", Print::kFixed0}, &DvppRow::engine_id),
               column(TextColumn{"All Time(us)", Print::kFixed0}, &DvppRow::time_us),
               column(TextColumn{"All Frame", Print::kFixed0}, &DvppRow::frames),
               column(number_column("All Utilization(%)"), &DvppRow::utilization));

std::vector<DvppRow> dvpp_rows(const Samples& samples) {
  static constexpr std::string_view kEngines[] = {"VDEC", "JPEGD", "PNGD", "JPEGE",
                                                  "VPC",  "VENC",  "SCD"};
  struct Engine {
    Range time;
    Range frames;
    double utilization = 0;
  };
  std::map<std::tuple<std::uint16_t, std::uint32_t, double, double>, Engine> engines;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto row = samples.row(i);
    Engine& engine = engines[{samples.device[i], samples.unit[i], row[0], row[1]}];
    engine.time.add(row[2]);
    engine.frames.add(row[3]);
    engine.utilization = row[4];
  }
  std::vector<DvppRow> rows;
  for (const auto& [key, engine] : engines) {
    const auto [device, unit, type, id] = key;
    const bool is_known = type >= 0 && type < static_cast<double>(std::size(kEngines));
    rows.push_back({.device = device,
                    .unit = unit,
                    .engine = is_known ? kEngines[static_cast<std::size_t>(type)] : "",
                    .engine_id = id,
                    .time_us = engine.time.greatest() - engine.time.least(),
                    .frames = engine.frames.greatest() - engine.frames.least(),
                    .utilization = engine.utilization});
  }
  return rows;
}

}  // namespace

Status write_memory_summaries(std::span<const Samples> samples, const CsvTarget& target,
                              ThreadPool& pool) {
  for (const Samples& table : samples) {
    switch (table.kind) {
      case SampleKind::kHbm:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kHbm>(hbm_rows(table), target, pool));
        break;
      case SampleKind::kDdr:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kDdr>(ddr_rows(table), target, pool));
        break;
      case SampleKind::kLlc:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kLlc>(llc_rows(table), target, pool));
        break;
      case SampleKind::kDvpp:
        NPUPROF_RETURN_IF_ERROR(write_text_table<kDvpp>(dvpp_rows(table), target, pool));
        break;
      default:
        break;
    }
  }
  return ok_status();
}

}  // namespace npuprof::report
