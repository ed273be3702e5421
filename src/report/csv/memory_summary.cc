#include <array>
#include <map>
#include <string>
#include <tuple>

#include "base/units.h"
#include "report/csv/sample_summary.h"
#include "report/csv/summary_text.h"

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

SummaryTable hbm(const Samples& samples) {
  SummaryTable table{"hbm", "Device_id,Metric,Read(MB/s),Write(MB/s)", {}};
  std::map<std::uint16_t, Units> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t direction = samples.labels[samples.label[i]] == "Read" ? 0 : 1;
    devices[samples.device[i]][samples.unit[i]][direction].add(samples.row(i)[0]);
  }
  for (const auto& [device, units] : devices) {
    SummaryLine average(std::uint64_t{device});
    average.text("Average").fixed(mean_of_units(units, 0)).fixed(mean_of_units(units, 1));
    table.rows.push_back(average.take());
    for (const auto& [unit, means] : units) {
      SummaryLine line(std::uint64_t{device});
      table.rows.push_back(
          line.integer(unit).number(means[0].mean()).number(means[1].mean()).take());
    }
  }
  return table;
}

SummaryTable ddr(const Samples& samples) {
  SummaryTable table{"ddr", "Device_id,Metric,Read(MB/s),Write(MB/s)", {}};
  std::map<std::uint16_t, std::array<Range, 2>> devices;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    devices[samples.device[i]][0].add(samples.row(i)[0]);
    devices[samples.device[i]][1].add(samples.row(i)[1]);
  }
  for (const auto& [device, means] : devices) {
    SummaryLine line(std::uint64_t{device});
    line.text("Average").number(means[0].mean()).number(means[1].mean());
    table.rows.push_back(line.take());
  }
  return table;
}

SummaryTable llc(const Samples& samples) {
  SummaryTable table{"llc_read_write", "Device_id,Mode,Task,Hit Rate(%),Throughput(MB/s)", {}};
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
    SummaryLine average(std::uint64_t{device});
    average.text(mode).text("Average");
    average.number(mean_of_units(units, 0)).number(mean_of_units(units, 1));
    table.rows.push_back(average.take());
    for (const auto& [slice, means] : units) {
      SummaryLine line(std::uint64_t{device});
      line.text(mode).integer(slice).number(means[0].mean()).number(means[1].mean());
      table.rows.push_back(line.take());
    }
  }
  return table;
}

// Time and frames are counted on, the utilisation is the last.
SummaryTable dvpp(const Samples& samples) {
  static constexpr std::string_view kEngines[] = {"VDEC", "JPEGD", "PNGD", "JPEGE",
                                                  "VPC",  "VENC",  "SCD"};
  SummaryTable table{"dvpp",
                     "Device_id,Dvpp Id,Engine Type,Engine ID,All Time(us),All Frame,"
                     "All Utilization(%)",
                     {}};
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
  for (const auto& [key, engine] : engines) {
    const auto [device, unit, type, id] = key;
    SummaryLine line(std::uint64_t{device});
    line.integer(unit);
    const bool is_known = type >= 0 && type < static_cast<double>(std::size(kEngines));
    line.text(is_known ? kEngines[static_cast<std::size_t>(type)] : "N/A");
    line.whole(id).whole(engine.time.greatest() - engine.time.least());
    line.whole(engine.frames.greatest() - engine.frames.least()).number(engine.utilization);
    table.rows.push_back(line.take());
  }
  return table;
}

}  // namespace

std::vector<SummaryTable> memory_summaries(std::span<const Samples> samples) {
  std::vector<SummaryTable> tables;
  for (const Samples& table : samples) {
    switch (table.kind) {
      case SampleKind::kHbm:
        tables.push_back(hbm(table));
        break;
      case SampleKind::kDdr:
        tables.push_back(ddr(table));
        break;
      case SampleKind::kLlc:
        tables.push_back(llc(table));
        break;
      case SampleKind::kDvpp:
        tables.push_back(dvpp(table));
        break;
      default:
        break;
    }
  }
  return tables;
}

}  // namespace npuprof::report
