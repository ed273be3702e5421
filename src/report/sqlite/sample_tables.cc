#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "analyze/core_metrics.h"
#include "format/results/memory_columns.h"
#include "report/samples/sample_kinds.h"
#include "report/sqlite/cann_tables.h"
#include "report/tables/stored_table.h"
#include "trace/host/operator_memory.h"
#include "trace/host/os_calls.h"

namespace npuprof::report::sqlite {
namespace {

using analyze::Samples;
using format::results::From;
using format::results::SampledColumn;
using format::results::text_id_column;
using format::results::Unit;
using trace::OperatorMemory;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void put_sampled(PageBuilder& row, Affinity affinity, double value) {
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
class SampleRows {
 public:
  SampleRows(const Samples& samples, const format::results::SampleTable& table,
             DatabaseStrings& strings)
      : samples_(samples), table_(table) {
    for (const SampledColumn& column : table.columns) {
      if (column.from != From::kLabel && column.from != From::kLowerLabel) continue;
      for (const std::string& label : samples.labels) {
        label_ids_.push_back(strings.id(column.from == From::kLabel ? label : lower_case(label)));
      }
    }
  }

  void write(BulkDatabase& database) const {
    TableSchema schema{table_.name, {}};
    for (const SampledColumn& column : table_.columns) {
      schema.columns.push_back({column.name, column.affinity});
    }
    database.table(schema, samples_.size(),
                   [&](RowSink& sink, std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) put(sink.row(), i);
                   });
  }

 private:
  void put(PageBuilder& row, std::size_t i) const {
    for (const SampledColumn& column : table_.columns) {
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
          put_sampled(row, column.affinity, std::isnan(value) ? 0 : value * column.scale);
          break;
        }
      }
    }
    row.end_row();
  }

  const Samples& samples_;
  const format::results::SampleTable& table_;
  std::vector<std::int64_t> label_ids_;  // By label; no table has two columns of them.
};

// NPU_OP_MEM: memory that operators of CANN allocate and release.
class PoolEventRows {
 public:
  PoolEventRows(const trace::Trace& trace, DatabaseStrings& strings)
      : events_(trace.operator_memory()), pid_(trace.session.pid) {
    strings.use(events_.op_name);
    allocate_ = strings.id("allocate");
    release_ = strings.id("release");
    component_ = strings.id("GE");
  }

  struct Row {
    const PoolEventRows& all;
    std::size_t i;

    const OperatorMemory& events() const { return all.events_; }
    bool is_release() const { return events().size_bytes[i] < 0; }
    std::int64_t type() const { return is_release() ? all.release_ : all.allocate_; }
    std::int64_t size() const {
      return is_release() ? -events().size_bytes[i] : events().size_bytes[i];
    }
    std::int64_t thread() const { return global_tid(all.pid_, events().tid[i]); }
    std::int64_t component() const { return all.component_; }
  };
  std::size_t size() const { return events_.size(); }
  Row operator[](std::size_t i) const { return {*this, i}; }

 private:
  const OperatorMemory& events_;
  std::uint32_t pid_;
  std::int64_t allocate_;
  std::int64_t release_;
  std::int64_t component_;
};

template <typename Column>
constexpr auto of_pool_event(Column OperatorMemory::*column) {
  return [column](const PoolEventRows::Row& row) { return (row.events().*column)[row.i]; };
}

namespace pool_event = format::results::npu_op_mem;
constexpr auto kPoolEventTable = stored_table(
    pool_event::kTable,  //
    column(pool_event::kName, of_pool_event(&OperatorMemory::op_name)),
    column(pool_event::kAddress, of_pool_event(&OperatorMemory::address)),
    column(pool_event::kType, &PoolEventRows::Row::type),
    column(pool_event::kSize, &PoolEventRows::Row::size),
    column(pool_event::kTime, of_pool_event(&OperatorMemory::time_ns)),
    column(pool_event::kThread, &PoolEventRows::Row::thread),
    column(pool_event::kAllocated, of_pool_event(&OperatorMemory::total_allocated_bytes)),
    column(pool_event::kReserved, of_pool_event(&OperatorMemory::total_reserved_bytes)),
    column(pool_event::kComponent, &PoolEventRows::Row::component),
    column(pool_event::kDevice, of_pool_event(&OperatorMemory::device)));

// Means of sampled cores.
struct CoreMetric {
  std::uint16_t device;
  std::int64_t name;
  double value;
  std::uint8_t core;
  std::int64_t core_type;
};
constexpr auto kCoreMetricTable =
    stored_table("SAMPLE_PMU_SUMMARY",  //
                 column(StoredColumn{"deviceId", kI}, &CoreMetric::device),
                 column(text_id_column("metric"), &CoreMetric::name),
                 column(StoredColumn{"value", kN}, &CoreMetric::value),
                 column(StoredColumn{"coreId", kI}, &CoreMetric::core),
                 column(text_id_column("coreType"), &CoreMetric::core_type));

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

// System and pthread calls of the host process.
using trace::OsCalls;
constexpr auto kOsCallTable =
    stored_table("OSRT_API",  //
                 column(text_id_column("name"), cell(&OsCalls::name)),
                 column(StoredColumn{"globalTid", kN},
                        [](const TraceRow<OsCalls>& row) {
                          return global_tid(row.table.pid[row.i], row.table.tid[row.i]);
                        }),
                 column(StoredColumn{"startNs", kN, Unit::kTimeNs}, cell(&OsCalls::start_ns)),
                 column(StoredColumn{"endNs", kN, Unit::kTimeNs}, cell(&OsCalls::end_ns)));

}  // namespace

void write_sample_tables(const trace::Trace& trace, std::span<const Samples> samples,
                         DatabaseStrings& strings, BulkDatabase& database) {
  for (const Samples& table : samples) {
    const SampleDescription* description = find_sample_description(table.kind);
    if (description == nullptr || description->table.name.empty()) continue;
    SampleRows(table, description->table, strings).write(database);
  }
  const std::vector<CoreMetric> metrics = core_metrics(trace, strings);
  if (!metrics.empty()) write_stored_table<kCoreMetricTable>(metrics, database);
  if (trace.operator_memory().size() > 0) {
    write_stored_table<kPoolEventTable>(PoolEventRows(trace, strings), database);
  }
  if (trace.os_calls().size() == 0) return;
  strings.use(trace.os_calls().name);
  write_stored_table<kOsCallTable>(AllRows<OsCalls>{trace.os_calls()}, database);
}

}  // namespace npuprof::report::sqlite
