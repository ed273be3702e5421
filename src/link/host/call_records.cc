#include "link/host/call_records.h"

#include <functional>

#include "base/thread_pool.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "trace/host/api_calls.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/context_ids.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/task_tracks.h"

namespace npuprof::link {
namespace {

using trace::kNone;

// Puts each row of `table` into the chain of its call; `nearest` is the forest's column that names
// the nearest call of the wanted level.
template <typename Table, typename Wanted>
void chain_rows(const CallRecords& records, const Table& table,
                const std::vector<std::uint32_t>& nearest, Wanted&& wanted, RecordChains& chains) {
  const ThreadRows rows(records.threads, table.tid);
  for (std::size_t thread = 0; thread < records.threads.size(); ++thread) {
    InnermostCall innermost(records.forest, thread);
    for (const std::uint32_t row : rows.of(thread)) {
      if (!wanted(row)) continue;
      const std::uint32_t position = innermost.at(table.time_ns[row]);
      if (position != kNone && nearest[position] != kNone) chains.add(nearest[position], row);
    }
  }
}

// The innermost call around each row of `table`.
template <typename Table>
std::vector<std::uint32_t> place_rows(const CallRecords& records, const Table& table,
                                      const ThreadRows& rows) {
  std::vector<std::uint32_t> places(table.size(), kNone);
  for (std::size_t thread = 0; thread < records.threads.size(); ++thread) {
    InnermostCall innermost(records.forest, thread);
    for (const std::uint32_t row : rows.of(thread)) {
      places[row] = innermost.at(table.time_ns[row]);
    }
  }
  return places;
}

}  // namespace

CallRecords assign_call_records(const trace::Trace& trace) {
  CallRecords records;
  records.threads.add(trace.api_calls().tid);
  records.threads.add(trace.task_tracks().tid);
  records.track_rows = ThreadRows(records.threads, trace.task_tracks().tid);
  records.forest =
      build_call_forest(trace.api_calls(), ThreadRows(records.threads, trace.api_calls().tid),
                        records.threads.size());

  const CallForest& forest = records.forest;
  const auto any = [](std::uint32_t) { return true; };
  // A description of type FFTS_PLUS marks a graph of operators; it is not one itself.
  const auto is_operator = [&](std::uint32_t row) {
    return trace.node_infos().task_type[row] !=
           static_cast<std::uint32_t>(format::host::GeTaskType::kFftsPlus);
  };
  const auto of_level = [&](std::uint16_t level) {
    return [&trace, level](std::uint32_t row) { return trace.context_ids().level[row] == level; };
  };
  const auto to_nodes = [&](const auto& table, auto&& wanted, RecordChains& chains) {
    chains = RecordChains(forest.nodes.size(), table.size());
    chain_rows(records, table, forest.node, wanted, chains);
  };
  const auto to_collectives = [&](const auto& table, auto&& wanted, RecordChains& chains) {
    chains = RecordChains(forest.collectives.size(), table.size());
    chain_rows(records, table, forest.collective, wanted, chains);
  };
  using format::host::kLevelHccl;
  using format::host::kLevelNode;
  const std::function<void()> steps[] = {
      [&] { records.call_of_track = place_rows(records, trace.task_tracks(), records.track_rows); },
      [&] {
        records.call_of_fusion_op = place_rows(records, trace.fusion_ops(),
                                               ThreadRows(records.threads, trace.fusion_ops().tid));
      },
      [&] { to_nodes(trace.node_infos(), is_operator, records.node_infos); },
      [&] { to_nodes(trace.node_tensors(), any, records.node_tensors); },
      [&] { to_nodes(trace.node_attributes(), any, records.node_attributes); },
      [&] { to_nodes(trace.context_ids(), of_level(kLevelNode), records.node_contexts); },
      [&] { to_nodes(trace.collective_infos(), any, records.collective_infos); },
      [&] { to_collectives(trace.collective_task_infos(), any, records.collective_tasks); },
      [&] {
        to_collectives(trace.context_ids(), of_level(kLevelHccl), records.collective_contexts);
      },
  };
  shared_thread_pool().parallel_for(std::size(steps), [&](std::size_t step) { steps[step](); });
  return records;
}

}  // namespace npuprof::link
