#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "format/results/framework_columns.h"
#include "load/result_db/result_database.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/pipeline_ops.h"

namespace npuprof::load {
namespace {

using trace::kNone;

void read_cpu_ops(Database& database) {
  namespace op = results::mindspore_cpu_op;
  TableReader row(database.file, op::kTable, {{op::kStart, op::kEnd}, {op::kThread, op::kName}},
                  database.losses);
  trace::CpuOps& ops = database.trace.cpu_ops();
  while (row.next()) {
    ops.start_ns.push_back(row.integer(0));
    ops.end_ns.push_back(std::max(row.integer(0), row.integer(1)));
    ops.tid.push_back(static_cast<std::uint32_t>(row.integer(2, 0)));
    ops.name.push_back(database.text(row, 3));
  }
}

using PipelineRows = std::unordered_map<std::int64_t, std::uint32_t>;

PipelineRows read_pipeline_ops(Database& database) {
  namespace op = results::minddata_op;
  TableReader row(
      database.file, op::kTable,
      {{op::kId}, {op::kType, op::kWorkers, op::kQueueLength, op::kInterval, op::kParent}},
      database.losses);
  trace::PipelineOps& ops = database.trace.pipeline_ops();
  PipelineRows rows;
  std::vector<std::pair<std::uint32_t, std::int64_t>> parents;
  while (row.next()) {
    const auto place = static_cast<std::uint32_t>(ops.size());
    if (!rows.emplace(row.integer(0), place).second) continue;
    ops.id.push_back(row.integer(0));
    ops.type.push_back(database.text(row, 1));
    ops.workers.push_back(row.integer(2, 0));
    ops.queue_length.push_back(row.integer(3, trace::PipelineOps::kNoQueue));
    ops.sample_interval_ms.push_back(row.integer(4, 0));
    ops.parent.push_back(kNone);
    if (!row.is_null(5)) parents.emplace_back(place, row.integer(5));
  }
  for (const auto& [child, id] : parents) {
    const auto parent = rows.find(id);
    // The ids go down the tree.
    if (parent != rows.end() && ops.id[child] > id) ops.parent[child] = parent->second;
  }
  return rows;
}

void read_pipeline_samples(Database& database, const PipelineRows& rows) {
  namespace queue = results::minddata_queue;
  namespace cpu = results::minddata_cpu;
  TableReader length(database.file, queue::kTable, {{queue::kId, queue::kItems}, {}},
                     database.losses);
  while (length.next()) {
    const auto op = rows.find(length.integer(0));
    if (op == rows.end()) continue;
    database.trace.pipeline_queues().op.push_back(op->second);
    database.trace.pipeline_queues().items.push_back(length.integer(1));
  }
  TableReader usage(database.file, cpu::kTable, {{cpu::kId, cpu::kUser, cpu::kSystem}, {}},
                    database.losses);
  while (usage.next()) {
    const auto op = rows.find(usage.integer(0));
    if (op == rows.end()) continue;
    database.trace.pipeline_cpus().op.push_back(op->second);
    database.trace.pipeline_cpus().user_percent.push_back(usage.integer(1));
    database.trace.pipeline_cpus().system_percent.push_back(usage.integer(2));
  }
}

void read_batches(Database& database) {
  namespace batch = results::minddata_batch;
  TableReader row(database.file, batch::kTable,
                  {{batch::kBatch, batch::kKind, batch::kExtra, batch::kValue, batch::kStamp},
                   {batch::kIsDeviceQueue}},
                  database.losses);
  trace::PipelineBatches& batches = database.trace.pipeline_batches();
  while (row.next()) {
    batches.batch.push_back(row.integer(0));
    batches.kind.push_back(row.number<std::uint8_t>(1, 0));
    batches.extra.push_back(row.integer(2));
    batches.value.push_back(row.integer(3));
    batches.stamp_ms.push_back(row.integer(4));
    batches.is_device_queue.push_back(row.number<std::uint8_t>(5, 0));
  }
}

// Tables of the pipeline are written together.
void miss_pipeline_tables(Database& database) {
  constexpr std::array kTables = {results::minddata_op::kTable, results::minddata_queue::kTable,
                                  results::minddata_cpu::kTable, results::minddata_batch::kTable};
  const auto is_there = [&](std::string_view table) { return database.file.has_table(table); };
  if (std::none_of(kTables.begin(), kTables.end(), is_there)) return;
  for (const std::string_view table : kTables) {
    if (is_there(table)) continue;
    database.losses.add(database.file.path().native(), 0, 0,
                        fmt::format("there is no table {}, which is written with the others of the "
                                    "data pipeline",
                                    table));
  }
}

}  // namespace

bool has_mindspore_tables(const SqliteFile& file) {
  constexpr std::array kTables = {results::pytorch_api::kMindSporeTable,
                                  results::mindspore_cpu_op::kTable, results::minddata_op::kTable,
                                  results::minddata_queue::kTable};
  return std::any_of(kTables.begin(), kTables.end(),
                     [&](std::string_view table) { return file.has_table(table); });
}

void read_mindspore(Database& database) {
  if (!database.file.has_table(results::pytorch_api::kMindSporeTable)) {
    database.losses.add(database.file.path().native(), 0, 0,
                        fmt::format("there is no table {}, which is written with the others of "
                                    "MindSpore: operators are missing",
                                    results::pytorch_api::kMindSporeTable));
  }
  read_cpu_ops(database);
  miss_pipeline_tables(database);
  const PipelineRows rows = read_pipeline_ops(database);
  if (rows.empty()) return;
  read_pipeline_samples(database, rows);
  read_batches(database);
}

}  // namespace npuprof::load
