#include "load/cann_host/cann_host.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "base/thread_pool.h"
#include "format/device/chips.h"
#include "format/host/api_event.h"
#include "format/host/msproftx.h"
#include "load/cann_host/api_records.h"
#include "load/cann_host/ccu_records.h"
#include "load/cann_host/collective_records.h"
#include "load/cann_host/decode.h"
#include "load/cann_host/dpu_records.h"
#include "load/cann_host/host_session.h"
#include "load/cann_host/host_usage_records.h"
#include "load/cann_host/mark_records.h"
#include "load/cann_host/node_records.h"
#include "load/cann_host/system_usage.h"
#include "load/cann_host/task_records.h"
#include "load/done_marks.h"
#include "load/impossible_times.h"
#include "trace/host/api_calls.h"
#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"
#include "trace/host/ccu_infos.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/communicator_streams.h"
#include "trace/host/context_ids.h"
#include "trace/host/copy_infos.h"
#include "trace/host/dpu_tasks.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/graph_names.h"
#include "trace/host/host_usage.h"
#include "trace/host/logical_streams.h"
#include "trace/host/marks.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/operator_memory.h"
#include "trace/host/os_calls.h"
#include "trace/host/static_memory.h"
#include "trace/host/task_tracks.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"
#include "trace/table_list.h"

namespace npuprof::load {
namespace {

using format::host::Module;

// Makes jobs that fill a table each.
class Decoders {
 public:
  Decoders(const HostFacts& facts, bool has_wide_task_ids, LoadJobs& jobs)
      : facts_(facts), has_wide_task_ids_(has_wide_task_ids), jobs_(jobs) {}

  // `modules`: the families of files with which the table may have rows from before the collection:
  // what was reported once and for all lies in files of its own.
  template <typename Table, typename Decode>
  void add(Table& table, std::initializer_list<Module> modules, Decode decode) {
    const HostFiles& files = *facts_.files;
    const bool may_be_older = std::any_of(modules.begin(), modules.end(), [&](Module module) {
      return files.has_older_records(module);
    });
    const TimeWindow window{.begin_ns = facts_.session.begin_ns,
                            .before_ns = may_be_older ? kLoadedBeforeNs : kFarNs,
                            .is_clock_sure = facts_.session.is_clock_sure};
    const std::size_t first_row = table.size();
    LoadJob job;
    job.read = [this_facts = &facts_, is_wide = has_wide_task_ids_, &table, decode, first_row,
                window](StringPool& strings, trace::Losses& losses) {
      const HostFiles& opened = *this_facts->files;
      DecodeContext context{opened, this_facts->clock, is_wide, Names(this_facts->names, strings),
                            losses};
      decode(context, table);
      report_impossible_times(drop_impossible_times(table, first_row, window),
                              opened.directory().native(), losses);
    };
    job.translate = [&table, first_row](std::span<const StringId> ids) {
      adopt_names(table, first_row, ids);
    };
    jobs_.add(std::move(job));
  }

 private:
  const HostFacts& facts_;
  bool has_wide_task_ids_;
  LoadJobs& jobs_;
};

// Without a file that ties the counter to a time, the first call or mark is taken to be at the
// begin of the collection.
HostClock guess_anchor(const HostFiles& files, const HostClock& clock, std::int64_t begin_ns) {
  using format::host::ApiEvent;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  trace::Losses ignored;  // The calls are read again.
  for_each_host_record<ApiEvent>(files.open(format::host::Module::kApiEvent, "data", ignored),
                                 RecordMark::kChecked, ignored,
                                 [&](const ApiEvent& event, const HostSlice&) {
                                   if (event.begin != 0) first = std::min(first, event.begin.get());
                                 });
  using format::host::Msproftx;  // A program may do nothing but set marks.
  for_each_host_record<Msproftx>(files.open(Msproftx::kKind, ignored), RecordMark::kIgnored,
                                 ignored, [&](const Msproftx& mark, const HostSlice&) {
                                   if (mark.start != 0) first = std::min(first, mark.start.get());
                                 });
  if (first == std::numeric_limits<std::uint64_t>::max()) first = 0;
  TickClock ticks = clock.ticks();
  ticks.ticks_at_anchor = first;
  if (__builtin_sub_overflow(begin_ns, clock.monotonic_to_wall_ns(), &ticks.ns_at_anchor)) {
    ticks.ns_at_anchor = 0;
  }
  return HostClock(ticks, clock.monotonic_to_wall_ns());
}

// By the first column of times, if there is one: when a row happened or began.
void sort_by_time(trace::AnyTable table) {
  for (const trace::ColumnFacts& facts : table.columns()) {
    if (facts.kind != trace::ColumnKind::kTime) continue;
    const auto& times = trace::Values<std::int64_t>::of(table.column(facts));
    const auto order = stable_order(std::span<const std::int64_t>(times));
    if (!is_identity(order)) trace::reorder_rows(table, order);
    return;
  }
}

void sort_tables(trace::Trace& trace) {
  auto tables = trace::tables_of(trace);
  shared_thread_pool().parallel_for(tables.size(), [&](std::size_t number) {
    if (trace::table_facts(number).room != trace::Room::kHost) return;
    if (number == trace::kTableNumber<trace::ApiCalls>) {
      sort_api_calls(trace.api_calls());
    } else {
      sort_by_time(tables[number]);
    }
  });
}

}  // namespace

HostFacts read_host_facts(const CannDirectory& directory, const HostSession& session,
                          trace::Trace& trace, trace::Losses& losses) {
  HostFacts facts;
  facts.session = session;
  if (directory.host.empty()) {
    losses.add((directory.path / "host").native(), 0, 0,
               "There is no host data: tasks have no names and no launching calls.");
    return facts;
  }
  const HostFiles& files = facts.files.emplace(directory.host / "data", losses);
  // Listed first: a file that is removed meanwhile is missed here or when it is opened.
  check_done_marks(directory.host, losses);
  check_done_marks(directory.host / "data", losses);
  facts.clock = session.has_anchor ? session.clock
                                   : guess_anchor(files, session.clock, trace.session.begin_ns);
  facts.names = HostDictionaries(files, trace.strings, losses);
  facts.has_expanded_stream_ids = has_expanded_stream_ids(files, losses);
  return facts;
}

void add_host_jobs(const HostFacts& facts, trace::Trace& trace, LoadJobs& jobs) {
  trace::Session& session = trace.session;
  session.expanded_stream_ids = session.expanded_stream_ids || facts.has_expanded_stream_ids;
  if (!facts.files) return;
  Decoders decoders(facts, format::device::has_wide_task_ids(session.chip), jobs);
  const auto kRecords = {Module::kCompact, Module::kAdditional};
  // What is only recorded when it happens.
  const std::initializer_list<Module> kNeverOlder = {};
  // The longest come first, so that they do not start when all others are done.
  decoders.add(trace.api_calls(), {Module::kApiEvent}, decode_api_calls);
  decoders.add(trace.node_tensors(), kRecords, decode_node_tensors);
  decoders.add(trace.collective_task_infos(), kRecords, decode_collective_task_infos);
  decoders.add(trace.task_tracks(), kRecords, decode_task_tracks);
  decoders.add(trace.node_infos(), kRecords, decode_node_infos);
  decoders.add(trace.marks(), kNeverOlder, decode_marks);
  decoders.add(trace.node_attributes(), kRecords, decode_node_attributes);
  decoders.add(trace.context_ids(), kRecords, decode_context_ids);
  decoders.add(trace.fusion_ops(), kRecords, decode_fusion_ops);
  decoders.add(trace.collective_infos(), kRecords, decode_collective_infos);
  decoders.add(trace.ccu_infos(), kRecords, decode_ccu_infos);
  decoders.add(trace.dpu_tasks(), kRecords, decode_dpu_tasks);
  decoders.add(trace.copy_infos(), kRecords, decode_copy_infos);
  decoders.add(trace.operator_memory(), kRecords, decode_operator_memory);
  decoders.add(trace.static_memory(), kRecords, decode_static_memory);
  decoders.add(trace.graph_names(), kRecords, decode_graph_names);
  decoders.add(trace.logical_streams(), kRecords, decode_logical_streams);
  decoders.add(trace.communicator_streams(), kRecords, decode_communicator_streams);
  decoders.add(trace.captured_streams(), kRecords, decode_captured_streams);
  decoders.add(trace.captured_ops(), kRecords, decode_captured_ops);
  decoders.add(trace.host_usage(), kNeverOlder,
               [&](DecodeContext& context, trace::HostUsage& usage) {
                 decode_host_usage(context, facts.session.info, session.disk_sample_hz, usage);
               });
  decoders.add(trace.os_calls(), kNeverOlder, [&](DecodeContext& context, trace::OsCalls& calls) {
    decode_os_calls(context, session.begin_ns, session.pid, calls);
  });
  decoders.add(trace.system_cpu_times(), kNeverOlder, decode_system_cpu_times);
  decoders.add(trace.process_cpu_times(), kNeverOlder, decode_process_cpu_times);
  decoders.add(trace.system_memory(), kNeverOlder, decode_system_memory);
  decoders.add(trace.process_memory(), kNeverOlder, decode_process_memory);
}

void finish_host_tables(trace::Trace& trace) {
  sort_tables(trace);
  add_captured_communicators(trace.captured_streams(), trace.communicator_streams());
}

}  // namespace npuprof::load
