#include "report/sqlite/mindspore_tables.h"

#include <cstdint>
#include <optional>

#include "format/results/framework_columns.h"
#include "report/sqlite/cann_tables.h"
#include "report/tables/stored_table.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/pipeline_ops.h"

namespace npuprof::report::sqlite {
namespace {

namespace host_kernel = format::results::mindspore_cpu_op;
namespace pipeline_op = format::results::minddata_op;
namespace pipeline_queue = format::results::minddata_queue;
namespace pipeline_cpu = format::results::minddata_cpu;
namespace pipeline_batch = format::results::minddata_batch;

using trace::CpuOps;
using trace::PipelineBatches;
using trace::PipelineOps;

struct CpuOpRows {
  const CpuOps& table;
  std::uint32_t pid;

  struct Row {
    const CpuOps& table;
    std::uint32_t pid;
    std::size_t i;

    std::int64_t start_ns() const { return table.start_ns[i]; }
    std::int64_t end_ns() const { return table.end_ns[i]; }
    std::int64_t thread() const { return global_tid(pid, table.tid[i]); }
    std::int64_t name() const { return to_index(table.name[i]); }
  };
  std::size_t size() const { return table.size(); }
  Row operator[](std::size_t i) const { return {table, pid, i}; }
};
constexpr auto kCpuOpTable = stored_table(host_kernel::kTable,  //
                                          column(host_kernel::kStart, &CpuOpRows::Row::start_ns),
                                          column(host_kernel::kEnd, &CpuOpRows::Row::end_ns),
                                          column(host_kernel::kThread, &CpuOpRows::Row::thread),
                                          column(host_kernel::kName, &CpuOpRows::Row::name));

constexpr auto kPipelineTable = stored_table(
    pipeline_op::kTable,  //
    column(pipeline_op::kId, cell(&PipelineOps::id)),
    column(pipeline_op::kType,
           [](const TraceRow<PipelineOps>& row) {
             return static_cast<std::int64_t>(to_index(row.table.type[row.i]));
           }),
    column(pipeline_op::kWorkers, cell(&PipelineOps::workers)),
    column(pipeline_op::kQueueLength, cell(&PipelineOps::queue_length)),
    column(pipeline_op::kInterval, cell(&PipelineOps::sample_interval_ms)),
    column(pipeline_op::kParent, [](const TraceRow<PipelineOps>& row) {
      const auto parent = row.table.parent[row.i];
      return parent == trace::kNone ? std::nullopt : std::optional(row.table.id[parent]);
    }));

// Samples of a table whose rows are parts of operators, which are told by their id.
template <typename Samples>
struct PipelineSampleRows {
  const Samples& samples;
  const PipelineOps& ops;

  struct Row {
    const Samples& samples;
    const PipelineOps& ops;
    std::size_t i;

    std::int64_t id() const { return ops.id[samples.op[i]]; }
  };
  std::size_t size() const { return samples.size(); }
  Row operator[](std::size_t i) const { return {samples, ops, i}; }
};
template <typename Samples, typename Column>
constexpr auto sampled(Column Samples::*column) {
  return [column](const typename PipelineSampleRows<Samples>::Row& row) {
    return (row.samples.*column)[row.i];
  };
}
using QueueRows = PipelineSampleRows<trace::PipelineQueues>;
constexpr auto kQueueTable = stored_table(
    pipeline_queue::kTable, column(pipeline_queue::kId, &QueueRows::Row::id),
    column(pipeline_queue::kItems, sampled<trace::PipelineQueues>(&trace::PipelineQueues::items)));
using CpuRows = PipelineSampleRows<trace::PipelineCpus>;
constexpr auto kCpuTable = stored_table(
    pipeline_cpu::kTable, column(pipeline_cpu::kId, &CpuRows::Row::id),
    column(pipeline_cpu::kUser, sampled<trace::PipelineCpus>(&trace::PipelineCpus::user_percent)),
    column(pipeline_cpu::kSystem,
           sampled<trace::PipelineCpus>(&trace::PipelineCpus::system_percent)));

constexpr auto kBatchTable =
    stored_table(pipeline_batch::kTable,  //
                 column(pipeline_batch::kBatch, cell(&PipelineBatches::batch)),
                 column(pipeline_batch::kKind, cell(&PipelineBatches::kind)),
                 column(pipeline_batch::kExtra, cell(&PipelineBatches::extra)),
                 column(pipeline_batch::kValue, cell(&PipelineBatches::value)),
                 column(pipeline_batch::kStamp, cell(&PipelineBatches::stamp_ms)),
                 column(pipeline_batch::kIsDeviceQueue, cell(&PipelineBatches::is_device_queue)));

}  // namespace

void write_mindspore_tables(const trace::Trace& trace, DatabaseStrings& strings,
                            BulkDatabase& database) {
  if (trace.cpu_ops().size() > 0) {
    strings.use(trace.cpu_ops().name);
    write_stored_table<kCpuOpTable>(CpuOpRows{trace.cpu_ops(), trace.session.pid}, database);
  }
  const PipelineOps& ops = trace.pipeline_ops();
  if (ops.size() == 0) return;
  strings.use(ops.type);
  write_stored_table<kPipelineTable>(AllRows<PipelineOps>{ops}, database);
  write_stored_table<kQueueTable>(QueueRows{trace.pipeline_queues(), ops}, database);
  write_stored_table<kCpuTable>(CpuRows{trace.pipeline_cpus(), ops}, database);
  write_stored_table<kBatchTable>(AllRows<PipelineBatches>{trace.pipeline_batches()}, database);
}

}  // namespace npuprof::report::sqlite
