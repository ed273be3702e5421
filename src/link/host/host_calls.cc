#include "link/host/host_calls.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "format/device/chips.h"
#include "format/host/levels.h"
#include "link/host/call_records.h"
#include "link/host/captured_graphs.h"
#include "link/host/copy_sizes.h"
#include "link/host/launch_operators.h"
#include "link/host/stream_order.h"
#include "link/host/task_kinds.h"
#include "trace/host/api_calls.h"
#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/context_ids.h"
#include "trace/host/copy_infos.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/node_infos.h"
#include "trace/host/task_tracks.h"
#include "trace/launched/launched_collectives.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"

namespace npuprof::link {
namespace {

using trace::kNone;
using trace::Trace;

// If a call has at most this many records about contexts, each of its tasks gets the contexts.
// Else only the first does: real calls have one such task, and damaged data must not multiply.
constexpr std::size_t kSharedRecords = 64;

// Where a task stands among the calls; kNone where there is no such call.
struct Place {
  std::uint32_t track = kNone;
  std::uint32_t position = kNone;         // Innermost call, in the forest.
  std::uint32_t node = kNone;             // Index into forest.nodes.
  std::uint32_t collective_call = kNone;  // Index into forest.collectives, if a node encloses it.
  std::uint32_t collective_node = kNone;  // That node.
};

Place place_of(const CallRecords& records, std::uint32_t track) {
  const CallForest& forest = records.forest;
  Place place{.track = track, .position = records.call_of_track[track]};
  if (place.position == kNone) return place;
  place.node = forest.node[place.position];
  const std::uint32_t collective = forest.collective[place.position];
  if (collective != kNone) {
    place.collective_node = forest.node[forest.collectives[collective]];
    if (place.collective_node != kNone) place.collective_call = collective;
  }
  return place;
}

class LaunchBuilder {
 public:
  LaunchBuilder(Trace& trace, const CallRecords& records, std::span<const std::uint32_t> tracks)
      : trace_(trace),
        records_(records),
        tracks_(tracks),
        kinds_(trace.strings),
        models_(trace.captured_streams()),
        captured_ops_(trace.captured_ops()),
        copies_(trace.copy_infos(), ThreadRows(records.threads, trace.copy_infos().tid),
                trace.task_tracks(), records.track_rows, records.threads.size()),
        ops_(trace, records) {
    const auto find = [&](std::string_view name) { return trace.strings.find(name); };
    step_info_ = find("step_info");
    master_ = find("master");
    has_contexts_ = format::device::has_contexts(trace.session.chip);
  }

  void run() {
    trace::reserve_rows(trace_.launches(), tracks_.size() + trace_.context_ids().size());
    trace::reserve_rows(trace_.launched_ops(), tracks_.size());
    if (!records_.forest.collectives.empty()) collect_collectives();
    for (const std::uint32_t track : tracks_) add_task(track);
    if (has_context_rows_) sort_contexts();
  }

 private:
  struct Target {
    std::uint32_t api = kNone;
    std::uint32_t model_id = kNone;
    std::uint32_t request_id = kNone;
    CopySizes::Share copy;
  };

  void collect_collectives();
  void add_task(std::uint32_t track);
  void add_compute(const Place& place, const TaskKind& kind, const Target& target);
  void add_communication(const Place& place, const Target& target);
  void add_other(const Place& place, const TaskKind& kind, const Target& target);

  bool is_operator(const Place& place, const TaskKind& kind) const;
  Target target_of(const Place& place, std::uint32_t caller) const;
  std::uint32_t add_row(const Place& place, const Target& target, std::uint32_t context);
  void set_collective(const Place& place, std::uint32_t launch, std::uint32_t task_info);
  bool take_contexts(std::vector<std::uint8_t>& taken,
                     std::initializer_list<const RecordChains*> chains, std::uint32_t call);
  void sort_contexts();

  Trace& trace_;
  const CallRecords& records_;
  std::span<const std::uint32_t> tracks_;
  TaskKinds kinds_;
  CapturedModels models_;
  CapturedOpIndex captured_ops_;
  CopySizes copies_;
  OpDescriber ops_;

  std::optional<StringId> step_info_;
  std::optional<StringId> master_;
  bool has_contexts_ = true;                       // Whether the chip has contexts at all.
  bool has_context_rows_ = false;                  // Whether any launch has one.
  std::vector<std::uint32_t> collective_of_node_;  // Row in LaunchedCollectives.
  std::vector<std::uint8_t> node_contexts_taken_;
  std::vector<std::uint8_t> collective_contexts_taken_;
  std::vector<std::uint32_t> contexts_;                                   // Scratch.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> task_of_context_;  // Scratch.
};

// A collective is a node-level call with tasks under a collective-level call in it. The first of
// them says for which device and model it is.
void LaunchBuilder::collect_collectives() {
  const CallForest& forest = records_.forest;
  collective_of_node_.assign(forest.nodes.size(), kNone);
  std::vector<Place> firsts;
  for (std::uint32_t track = 0; track < trace_.task_tracks().size(); ++track) {
    const Place place = place_of(records_, track);
    if (place.collective_call == kNone) continue;
    if (collective_of_node_[place.collective_node] != kNone) continue;
    collective_of_node_[place.collective_node] = static_cast<std::uint32_t>(firsts.size());
    firsts.push_back(place);
  }
  const auto call_of = [&](const Place& place) {
    return forest.call[forest.nodes[place.collective_node]];
  };
  std::sort(firsts.begin(), firsts.end(),
            [&](const Place& a, const Place& b) { return call_of(a) < call_of(b); });

  std::vector<std::uint32_t> nested_node(firsts.size(), kNone);
  for (std::uint32_t row = 0; row < firsts.size(); ++row) {
    collective_of_node_[firsts[row].collective_node] = row;
  }
  for (std::uint32_t node = 0; node < forest.nodes.size(); ++node) {
    const std::uint32_t parent = forest.parent[forest.nodes[node]];
    if (parent == kNone || forest.node[parent] == kNone) continue;
    if (forest.nodes[forest.node[parent]] != parent) continue;  // Something lies between them.
    const std::uint32_t row = collective_of_node_[forest.node[parent]];
    if (row != kNone) nested_node[row] = node;
  }

  auto& out = trace_.launched_collectives();
  for (std::uint32_t row = 0; row < firsts.size(); ++row) {
    const Place& first = firsts[row];
    const std::uint32_t call = call_of(first);
    const Target target = target_of(first, call);
    const std::uint32_t info = records_.node_infos.first(first.collective_node);
    std::uint32_t collective_info = records_.collective_infos.first(first.collective_node);
    if (collective_info == kNone && nested_node[row] != kNone) {
      collective_info = records_.collective_infos.first(nested_node[row]);
    }
    out.api.push_back(call);
    out.name.push_back(trace_.api_calls().item_name[call]);
    out.op_type.push_back(info == kNone ? kEmptyString : trace_.node_infos().op_type[info]);
    out.info.push_back(collective_info);
    out.kfc_api.push_back(nested_node[row] == kNone ? kNone
                                                    : forest.call[forest.nodes[nested_node[row]]]);
    out.device.push_back(trace_.task_tracks().device[first.track]);
    out.model_id.push_back(target.model_id);
    out.request_id.push_back(target.request_id);
  }
}

bool LaunchBuilder::is_operator(const Place& place, const TaskKind& kind) const {
  if (place.node == kNone) return false;
  if (!kind.is_kernel && !kind.is_stars_common &&
      !(kind.is_ffts_plus && place.collective_call == kNone)) {
    return false;
  }
  const std::uint32_t call = records_.forest.call[records_.forest.nodes[place.node]];
  if (step_info_ && trace_.api_calls().name[call] == *step_info_) return false;
  // Kernels of this communication library are not operators of the model.
  return !trace_.strings.view(trace_.api_calls().item_name[call]).starts_with("Lccl");
}

void LaunchBuilder::add_task(std::uint32_t track) {
  const auto& tracks = trace_.task_tracks();
  const CallForest& forest = records_.forest;
  const TaskKind& kind = kinds_.of(tracks.type[track], tracks.type_name[track]);
  const Place place = place_of(records_, track);
  const CopySizes::Share copy = copies_.take(track);
  const auto target = [&](std::uint32_t position) {
    Target result = target_of(place, position == kNone ? kNone : forest.call[position]);
    result.copy = copy;
    return result;
  };
  if (is_operator(place, kind)) {
    add_compute(place, kind, target(forest.nodes[place.node]));
  } else if (place.collective_call != kNone) {
    add_communication(place, target(forest.nodes[place.collective_node]));
  } else {
    add_other(place, kind, target(place.position));
  }
}

LaunchBuilder::Target LaunchBuilder::target_of(const Place& place, std::uint32_t caller) const {
  const auto& tracks = trace_.task_tracks();
  Target target{.api = caller};
  const std::uint32_t model =
      place.position == kNone ? kNone : records_.forest.model[place.position];
  if (model != kNone) {
    const std::uint32_t call = records_.forest.call[records_.forest.models[model]];
    target.model_id = static_cast<std::uint32_t>(trace_.api_calls().item[call]);
    target.request_id = trace_.api_calls().request_id[call];
  } else {
    target.model_id = models_.find(tracks.device[place.track], tracks.stream[place.track],
                                   tracks.time_ns[place.track]);
  }
  return target;
}

std::uint32_t LaunchBuilder::add_row(const Place& place, const Target& target,
                                     std::uint32_t context) {
  const auto& tracks = trace_.task_tracks();
  auto& out = trace_.launches();
  const std::uint32_t track = place.track;
  has_context_rows_ = has_context_rows_ || context != kNone;
  out.device.push_back(tracks.device[track]);
  out.stream.push_back(tracks.stream[track]);
  out.batch.push_back(tracks.batch[track]);
  out.task.push_back(tracks.task[track]);
  out.context.push_back(context);
  out.time_ns.push_back(tracks.time_ns[track]);
  out.tid.push_back(tracks.tid[track]);
  out.type.push_back(tracks.type[track]);
  out.track.push_back(track);
  out.api.push_back(target.api);
  out.model_id.push_back(target.model_id);
  out.request_id.push_back(target.request_id);
  out.op.push_back(kNone);
  out.collective.push_back(kNone);
  out.collective_task.push_back(kNone);
  out.is_master.push_back(0);
  out.copy_direction.push_back(target.copy.direction);
  out.copy_bytes.push_back(target.copy.bytes);
  return static_cast<std::uint32_t>(out.size() - 1);
}

void LaunchBuilder::set_collective(const Place& place, std::uint32_t launch,
                                   std::uint32_t task_info) {
  const CallForest& forest = records_.forest;
  const std::uint32_t call = forest.call[forest.collectives[place.collective_call]];
  trace_.launches().collective[launch] = collective_of_node_[place.collective_node];
  trace_.launches().collective_task[launch] = task_info;
  trace_.launches().is_master[launch] = master_ && trace_.api_calls().name[call] == *master_;
}

// Whether a task may have the contexts of its call, see kSharedRecords.
bool LaunchBuilder::take_contexts(std::vector<std::uint8_t>& taken,
                                  std::initializer_list<const RecordChains*> chains,
                                  std::uint32_t call) {
  std::size_t count = 0;
  for (const RecordChains* chain : chains) {
    for (std::uint32_t row = chain->first(call); row != kNone; row = chain->next(row)) {
      if (++count > kSharedRecords) break;
    }
  }
  if (count <= kSharedRecords) return true;
  if (taken.size() <= call) taken.resize(call + 1, 0);
  return std::exchange(taken[call], 1) == 0;
}

void LaunchBuilder::add_compute(const Place& place, const TaskKind& kind, const Target& target) {
  const OpSite site{.track = place.track,
                    .node = place.node,
                    .collective_call = place.collective_call,
                    .kind = &kind};
  const auto add = [&](std::uint32_t context, std::uint32_t op) {
    const std::uint32_t launch = add_row(place, target, context);
    trace_.launches().op[launch] = op;
    if (place.collective_call == kNone || op == kNone) return;
    set_collective(place, launch, records_.collective_tasks.last(place.collective_call));
  };
  if (!kind.may_have_contexts || !has_contexts_ ||
      records_.node_contexts.first(place.node) == kNone ||
      !take_contexts(node_contexts_taken_,
                     {&records_.node_contexts, &records_.node_infos, &records_.node_tensors,
                      &records_.node_attributes},
                     place.node)) {
    add(kNone, ops_.describe(site));
    return;
  }
  add(kNone, kNone);  // The task as a whole; its parts are the operators.
  for (const auto& [op, context] : ops_.describe_contexts(site)) add(context, op);
}

void LaunchBuilder::add_communication(const Place& place, const Target& target) {
  const std::uint32_t call = place.collective_call;
  const RecordChains& tasks = records_.collective_tasks;
  const RecordChains& contexts = records_.collective_contexts;
  if (!take_contexts(collective_contexts_taken_, {&tasks, &contexts}, call)) {
    set_collective(place, add_row(place, target, kNone), tasks.last(call));
    return;
  }
  task_of_context_.clear();
  tasks.for_each(call, [&](std::uint32_t row) {
    task_of_context_.emplace_back(trace_.collective_task_infos().context[row], row);
  });
  std::sort(task_of_context_.begin(), task_of_context_.end());
  // The last description of a context counts.
  const auto task_of = [&](std::uint32_t context) {
    const auto after = std::upper_bound(task_of_context_.begin(), task_of_context_.end(),
                                        std::pair(context, kNone));
    const bool found = after != task_of_context_.begin() && (after - 1)->first == context;
    return found ? (after - 1)->second : kNone;
  };

  contexts_.clear();
  if (has_contexts_) {
    contexts.for_each(
        call, [&](std::uint32_t row) { contexts_.push_back(trace_.context_ids().context[row]); });
  }
  if (contexts_.empty()) {
    for (const auto& [context, row] : task_of_context_) contexts_.push_back(context);
  }
  if (contexts_.empty()) contexts_.push_back(kNone);
  std::sort(contexts_.begin(), contexts_.end());
  contexts_.erase(std::unique(contexts_.begin(), contexts_.end()), contexts_.end());
  for (const std::uint32_t context : contexts_) {
    set_collective(place, add_row(place, target, context), task_of(context));
  }
  if (contexts_.back() != kNone) add_row(place, target, kNone);  // The task as a whole.
}

void LaunchBuilder::add_other(const Place& place, const TaskKind& kind, const Target& target) {
  const auto& tracks = trace_.task_tracks();
  const std::uint32_t track = place.track;
  // A MIX kernel runs as context 0 of its task even if nothing on the host says so.
  const std::uint32_t context = kind.is_mix && has_contexts_ ? 0 : kNone;
  const std::uint32_t launch = add_row(place, target, context);
  if (!kind.is_plain_kernel) return;
  const std::uint32_t captured = captured_ops_.find(
      tracks.device[track], {.stream = tracks.stream[track], .task = tracks.task[track]});
  trace_.launches().op[launch] = ops_.describe_without_node(track, kind, captured);
}

// Rows come by (device, stream, batch, task, time); those of one task are put in order of context.
void LaunchBuilder::sort_contexts() {
  const auto& launches = trace_.launches();
  const auto same_task = [&](std::size_t a, std::size_t b) {
    return launches.task[a] == launches.task[b] && launches.batch[a] == launches.batch[b] &&
           launches.stream[a] == launches.stream[b] && launches.device[a] == launches.device[b];
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(launches.context[a], launches.time_ns[a]) <
           std::pair(launches.context[b], launches.time_ns[b]);
  };
  std::vector<std::uint32_t> order(launches.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  bool changed = false;
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= order.size(); ++end) {
    if (end < order.size() && same_task(begin, end)) continue;
    const auto run = std::span(order).subspan(begin, end - begin);
    if (!std::is_sorted(run.begin(), run.end(), before)) {
      std::stable_sort(run.begin(), run.end(), before);
      changed = true;
    }
    begin = end;
  }
  if (changed) trace::reorder_rows(trace_.launches(), order);
}

// Fused operators are reported while their model is loaded.
void set_fusion_models(const CallRecords& records, Trace& trace) {
  for (std::size_t row = 0; row < trace.fusion_ops().size(); ++row) {
    const std::uint32_t position = records.call_of_fusion_op[row];
    const std::uint32_t model = position == kNone ? kNone : records.forest.model[position];
    trace.fusion_ops().model_id[row] =
        model == kNone
            ? kNone
            : static_cast<std::uint32_t>(
                  trace.api_calls().item[records.forest.call[records.forest.models[model]]]);
  }
}

}  // namespace

void link_host_calls(Trace& trace) {
  trace::clear_rows(trace.launches());
  trace::clear_rows(trace.launched_ops());
  trace::clear_rows(trace.launched_collectives());
  const CallRecords records = assign_call_records(trace);
  const bool use_flips =
      format::device::writes_flips(trace.session.chip, trace.session.driver_version);
  const auto tracks = order_tracks(trace.task_tracks(), use_flips);
  LaunchBuilder(trace, records, tracks).run();
  set_fusion_models(records, trace);
}

}  // namespace npuprof::link
