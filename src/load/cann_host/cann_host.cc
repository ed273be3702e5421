#include "load/cann_host/cann_host.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/sort_order.h"
#include "base/thread_pool.h"
#include "format/device/chips.h"
#include "format/host/api_event.h"
#include "format/host/msproftx.h"
#include "load/cann_host/api_calls.h"
#include "load/cann_host/ccu_records.h"
#include "load/cann_host/collective_records.h"
#include "load/cann_host/decode.h"
#include "load/cann_host/dpu_records.h"
#include "load/cann_host/host_usage.h"
#include "load/cann_host/mark_records.h"
#include "load/cann_host/node_records.h"
#include "load/cann_host/session.h"
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

namespace npuprof::load {
namespace {

// Work that runs at the same time as the others, and what is left to do in a fixed order
// afterwards.
struct Job {
  std::unique_ptr<DecodeContext> context;
  std::function<void(DecodeContext&)> decode;
  std::function<void(std::span<const StringId>)> adopt;
};

class Decoders {
 public:
  Decoders(const HostFiles& files, const HostClock& clock, const HostSession& session,
           const HostDictionaries& dictionaries, bool has_wide_task_ids)
      : files_(files),
        clock_(clock),
        session_(session),
        dictionaries_(dictionaries),
        has_wide_task_ids_(has_wide_task_ids) {}

  template <typename Table, typename Decode>
  void add(Table& table, Decode decode) {
    jobs_.push_back(
        {std::make_unique<DecodeContext>(DecodeContext{files_, clock_, has_wide_task_ids_,
                                                       Names(dictionaries_), trace::Losses()}),
         [this, &table, decode, first_row = table.size()](DecodeContext& context) {
           decode(context, table);
           using format::host::Module;
           const bool may_be_older = std::is_same_v<Table, trace::ApiCalls>
                                         ? files_.has_older_records(Module::kApiEvent)
                                         : files_.has_older_records(Module::kCompact) ||
                                               files_.has_older_records(Module::kAdditional);
           const std::int64_t before_ns = may_be_older ? kLoadedBeforeNs : kFarNs;
           const std::uint64_t dropped = drop_impossible_times(
               table, first_row, {session_.begin_ns, before_ns, session_.is_clock_sure});
           if (dropped == 0) return;
           context.losses.add(files_.directory().native(), 0, dropped,
                              fmt::format("{} {}", dropped, kImpossibleTimes));
         },
         [&table, first_row = table.size()](std::span<const StringId> merged) {
           adopt_names(table, first_row, merged);
         }});
  }

  void run(StringPool& strings, trace::Losses& losses) {
    auto& pool = shared_thread_pool();
    pool.parallel_for(jobs_.size(), [&](std::size_t i) { jobs_[i].decode(*jobs_[i].context); });
    std::vector<std::vector<StringId>> merged;
    for (Job& job : jobs_) {
      merged.push_back(strings.merge(job.context->names.texts()));
      losses.append(std::move(job.context->losses));
    }
    pool.parallel_for(jobs_.size(), [&](std::size_t i) {
      if (merged[i].size() > 1) jobs_[i].adopt(merged[i]);  // The empty text is always there.
    });
  }

 private:
  const HostFiles& files_;
  const HostClock& clock_;
  const HostSession& session_;
  const HostDictionaries& dictionaries_;
  bool has_wide_task_ids_;
  std::vector<Job> jobs_;
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

void load_collection(const CannDirectory& directory, const HostSession& host, trace::Trace& trace,
                     trace::Losses& losses) {
  trace::Session& session = trace.session;
  if (directory.host.empty()) {
    losses.add((directory.path / "host").native(), 0, 0,
               "There is no host data: tasks have no names and no launching calls.");
    return;
  }
  check_done_marks(directory.host, losses);
  check_done_marks(directory.host / "data", losses);
  const HostFiles files(directory.host / "data", losses);
  const HostClock clock =
      host.has_anchor ? host.clock : guess_anchor(files, host.clock, session.begin_ns);
  const HostDictionaries dictionaries(files, trace.strings, losses);
  session.expanded_stream_ids =
      session.expanded_stream_ids || has_expanded_stream_ids(files, losses);

  const bool has_wide_task_ids = format::device::has_wide_task_ids(session.chip);
  Decoders decoders(files, clock, host, dictionaries, has_wide_task_ids);
  // The longest come first, so that they do not start when all others are done.
  decoders.add(trace.api_calls(), decode_api_calls);
  decoders.add(trace.node_tensors(), decode_node_tensors);
  decoders.add(trace.collective_task_infos(), decode_collective_task_infos);
  decoders.add(trace.task_tracks(), decode_task_tracks);
  decoders.add(trace.node_infos(), decode_node_infos);
  decoders.add(trace.marks(), decode_marks);
  decoders.add(trace.node_attributes(), decode_node_attributes);
  decoders.add(trace.context_ids(), decode_context_ids);
  decoders.add(trace.fusion_ops(), decode_fusion_ops);
  decoders.add(trace.collective_infos(), decode_collective_infos);
  decoders.add(trace.ccu_infos(), decode_ccu_infos);
  decoders.add(trace.dpu_tasks(), decode_dpu_tasks);
  decoders.add(trace.copy_infos(), decode_copy_infos);
  decoders.add(trace.operator_memory(), decode_operator_memory);
  decoders.add(trace.static_memory(), decode_static_memory);
  decoders.add(trace.graph_names(), decode_graph_names);
  decoders.add(trace.logical_streams(), decode_logical_streams);
  decoders.add(trace.communicator_streams(), decode_communicator_streams);
  decoders.add(trace.captured_streams(), decode_captured_streams);
  decoders.add(trace.captured_ops(), decode_captured_ops);
  decoders.add(trace.host_usage(), [&](DecodeContext& context, trace::HostUsage& usage) {
    decode_host_usage(context, host.info, session.disk_sample_hz, usage);
  });
  decoders.add(trace.os_calls(), [&](DecodeContext& context, trace::OsCalls& calls) {
    decode_os_calls(context, session.begin_ns, session.pid, calls);
  });
  decoders.add(trace.system_cpu_times(), decode_system_cpu_times);
  decoders.add(trace.process_cpu_times(), decode_process_cpu_times);
  decoders.add(trace.system_memory(), decode_system_memory);
  decoders.add(trace.process_memory(), decode_process_memory);
  decoders.run(trace.strings, losses);
}

template <typename Table>
void sort_by(Table& table, const std::vector<std::int64_t>& times) {
  const auto order = stable_order(std::span<const std::int64_t>(times));
  if (!is_identity(order)) trace::reorder_rows(table, order);
}
template <typename Table>
void sort_by_time(Table& table) {
  sort_by(table, table.time_ns);
}
template <typename Table>
void sort_by_start(Table& table) {
  sort_by(table, table.start_ns);
}

void sort_tables(trace::Trace& trace) {
  const std::function<void()> steps[] = {
      [&] { sort_api_calls(trace.api_calls()); },
      [&] { sort_by_time(trace.node_tensors()); },
      [&] { sort_by_time(trace.collective_task_infos()); },
      [&] { sort_by_time(trace.task_tracks()); },
      [&] { sort_by_time(trace.node_infos()); },
      [&] { sort_by_start(trace.marks()); },
      [&] { sort_by_time(trace.node_attributes()); },
      [&] { sort_by_time(trace.context_ids()); },
      [&] { sort_by_time(trace.fusion_ops()); },
      [&] { sort_by_time(trace.collective_infos()); },
      [&] { sort_by_start(trace.dpu_tasks()); },
      [&] { sort_by_time(trace.copy_infos()); },
      [&] { sort_by_time(trace.operator_memory()); },
      [&] { sort_by_time(trace.captured_streams()); },
      [&] { sort_by_time(trace.host_usage()); },
      [&] { sort_by_start(trace.os_calls()); },
  };
  shared_thread_pool().parallel_for(std::size(steps), [&](std::size_t step) { steps[step](); });
}

}  // namespace

void load_cann_host(std::span<const CannDirectory> collections,
                    std::span<const HostSession> sessions, trace::Trace& trace,
                    trace::Losses& losses) {
  for (std::size_t i = 0; i < collections.size(); ++i) {
    load_collection(collections[i], sessions[i], trace, losses);
  }
  sort_tables(trace);
  add_captured_communicators(trace.captured_streams(), trace.communicator_streams());
}

}  // namespace npuprof::load
