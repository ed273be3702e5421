#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "analyze/core_metrics.h"
#include "report/samples/sample_kinds.h"
#include "report/sqlite/cann_tables.h"
#include "trace/host/operator_memory.h"
#include "trace/host/os_calls.h"

namespace npuprof::report::sqlite {
namespace {

using analyze::Samples;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void put_number(PageBuilder& row, Affinity affinity, double value) {
  switch (affinity) {
    case Affinity::kInteger:
      return row.integer(whole_number(value));
    case Affinity::kReal:
      return row.real(value);
    default:
      return row.numeric(value);
  }
}

// Writes the table of one kind of sample.
class SampleTable {
 public:
  SampleTable(const Samples& samples, const SampleDescription& description,
              DatabaseStrings& strings)
      : samples_(samples), description_(description) {
    for (const SampleColumn& column : description.columns) {
      if (column.from != From::kLabel && column.from != From::kLowerLabel) continue;
      for (const std::string& label : samples.labels) {
        label_ids_.push_back(strings.id(column.from == From::kLabel ? label : lower_case(label)));
      }
    }
  }

  void write(BulkDatabase& database) const {
    TableSchema schema{description_.table, {}};
    for (const SampleColumn& column : description_.columns) {
      schema.columns.push_back({column.name, column.affinity});
    }
    database.table(schema, samples_.size(),
                   [&](RowSink& sink, std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) put(sink.row(), i);
                   });
  }

 private:
  void put(PageBuilder& row, std::size_t i) const {
    for (const SampleColumn& column : description_.columns) {
      switch (column.from) {
        case From::kDevice:
        case From::kDeviceName:
          row.integer(samples_.device[i]);
          break;
        case From::kTime:
          row.integer(samples_.time_ns[i]);
          break;
        case From::kUnit:
          row.integer(samples_.unit[i] == trace::kNone ? -1 : std::int64_t{samples_.unit[i]});
          break;
        case From::kLabel:
        case From::kLowerLabel:
          row.integer(label_ids_[samples_.label[i]]);
          break;
        case From::kValue: {
          const double value = samples_.row(i)[column.value];
          put_number(row, column.affinity, std::isnan(value) ? 0 : value * column.scale);
          break;
        }
      }
    }
    row.end_row();
  }

  const Samples& samples_;
  const SampleDescription& description_;
  std::vector<std::int64_t> label_ids_;  // By label; no table has two columns of them.
};

// Memory that operators of CANN allocate and release.
void write_operator_memory_table(const trace::Trace& trace, DatabaseStrings& strings,
                                 BulkDatabase& database) {
  const auto& operators = trace.operator_memory();
  if (operators.size() > 0) {
    strings.use(operators.op_name);
    const std::int64_t allocate = strings.id("allocate");
    const std::int64_t release = strings.id("release");
    const std::int64_t component = strings.id("GE");
    database.table({"NPU_OP_MEM",
                    {{"operatorName", kI},
                     {"addr", kI},
                     {"type", kI},
                     {"size", kI},
                     {"timestampNs", kI},
                     {"globalTid", kI},
                     {"totalAllocate", kN},
                     {"totalReserve", kN},
                     {"component", kI},
                     {"deviceId", kI}}},
                   operators.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) {
                       auto& row = sink.row();
                       row.integer(strings.id(operators.op_name[i]));
                       row.integer(static_cast<std::int64_t>(operators.address[i]));
                       row.integer(operators.size_bytes[i] < 0 ? release : allocate);
                       row.integer(operators.size_bytes[i] < 0 ? -operators.size_bytes[i]
                                                               : operators.size_bytes[i]);
                       row.integer(operators.time_ns[i]);
                       row.integer(global_tid(trace.session.pid, operators.tid[i]));
                       row.integer(static_cast<std::int64_t>(operators.total_allocated_bytes[i]));
                       row.integer(static_cast<std::int64_t>(operators.total_reserved_bytes[i]));
                       row.integer(component);
                       row.integer(operators.device[i]);
                       row.end_row();
                     }
                   });
  }
}

// One row of SAMPLE_PMU_SUMMARY.
struct CoreMetric {
  std::uint16_t device;
  std::int64_t name;
  double value;
  std::uint8_t core;
  std::int64_t core_type;
};

// Metrics of sampled cores, in ns and bytes/s.
std::vector<CoreMetric> core_metrics(const trace::Trace& trace, DatabaseStrings& strings) {
  constexpr double kBytesPerGigabyte = 1024.0 * 1024.0 * 1024.0;
  std::vector<CoreMetric> rows;
  for (const analyze::CoreMetrics& table : analyze::core_metrics(trace)) {
    const std::int64_t type = strings.id(table.on_vector_cores ? "AIV" : "AIC");
    const std::size_t width = table.names.size();
    for (std::size_t c = 0; c < table.cores.size(); ++c) {
      const std::uint8_t core = table.cores[c];
      rows.push_back({table.device, strings.id("total_time"), table.total_ns[c], core, type});
      for (std::size_t i = 0; i < width; ++i) {
        const bool is_rate = table.kinds[i] == format::device::MetricKind::kBandwidth;
        const double value = table.values[c * width + i] * (is_rate ? kBytesPerGigabyte : 1);
        rows.push_back({table.device, strings.id(table.names[i]), value, core, type});
      }
    }
  }
  return rows;
}

void write_core_metrics(const trace::Trace& trace, DatabaseStrings& strings,
                        BulkDatabase& database) {
  const std::vector<CoreMetric> rows = core_metrics(trace, strings);
  if (rows.empty()) return;
  database.table(
      {"SAMPLE_PMU_SUMMARY",
       {{"deviceId", kI}, {"metric", kI}, {"value", kN}, {"coreId", kI}, {"coreType", kI}}},
      rows.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          auto& row = sink.row();
          row.integer(rows[i].device);
          row.integer(rows[i].name);
          row.numeric(rows[i].value);
          row.integer(rows[i].core);
          row.integer(rows[i].core_type);
          row.end_row();
        }
      });
}

// System and pthread calls of the host process.
void write_os_calls(const trace::Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  const auto& calls = trace.os_calls();
  if (calls.size() == 0) return;
  strings.use(calls.name);
  database.table({"OSRT_API", {{"name", kI}, {"globalTid", kN}, {"startNs", kN}, {"endNs", kN}}},
                 calls.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row();
                     row.integer(strings.id(calls.name[i]));
                     row.integer(global_tid(calls.pid[i], calls.tid[i]));
                     row.integer(calls.start_ns[i]);
                     row.integer(calls.end_ns[i]);
                     row.end_row();
                   }
                 });
}

}  // namespace

void write_sample_tables(const trace::Trace& trace, DatabaseStrings& strings,
                         BulkDatabase& database) {
  for (const Samples& samples : analyze::samples(trace)) {
    const SampleDescription* description = find_sample_description(samples.kind);
    if (description == nullptr || description->table.empty()) continue;
    SampleTable(samples, *description, strings).write(database);
  }
  write_core_metrics(trace, strings, database);
  write_operator_memory_table(trace, strings, database);
  write_os_calls(trace, strings, database);
}

}  // namespace npuprof::report::sqlite
