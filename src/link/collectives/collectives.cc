#include "link/collectives/collectives.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "link/collectives/collective_bandwidth.h"
#include "link/collectives/collective_drafts.h"
#include "link/collectives/device_expansion.h"
#include "trace/device/device_collectives.h"
#include "trace/host/api_calls.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/launched/launched_collectives.h"
#include "trace/launched/launches.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using trace::kNone;

constexpr std::uint64_t kNoNotify = ~std::uint64_t{0};

// Collectives that the host expanded.
class HostCollectives {
 public:
  HostCollectives(const trace::Trace& trace, CollectiveDrafts& drafts)
      : trace_(trace), drafts_(drafts) {}

  void run() {
    executions_.assign(trace_.launches().size(), 0);
    ops_of_collective_.resize(trace_.launched_collectives().size());
    const trace::Tasks& tasks = trace_.tasks();
    for (std::uint32_t row = 0; row < tasks.size(); ++row) {
      const auto launch = tasks.launch[row];
      if (launch == kNone || trace_.launches().collective[launch] == kNone) continue;
      add_task(row, launch);
    }
    set_times();
  }

 private:
  void add_task(std::uint32_t row, std::uint32_t launch) {
    const std::uint32_t execution = ++executions_[launch];
    const std::uint32_t op =
        find_op(trace_.launches().collective[launch], execution, trace_.tasks().device[row]);
    const auto details = trace_.launches().collective_task[launch];
    CollectiveTaskDraft task;
    task.op = op;
    task.task = row;
    task.details = details;
    task.is_master = trace_.launches().is_master[launch] != 0;
    if (details != kNone) {
      task.plane = trace_.collective_task_infos().plane[details];
      CollectiveDraft& draft = drafts_.ops[op];
      draft.rank_size = trace_.collective_task_infos().rank_size[details];
      if (draft.group_hash == 0) {
        draft.group_hash = trace_.collective_task_infos().group_hash[details];
        draft.group_name = trace_.collective_task_infos().group[details];
      }
    }
    drafts_.tasks.push_back(task);
  }

  std::uint32_t find_op(std::uint32_t collective, std::uint32_t execution, std::uint16_t device) {
    std::vector<std::uint32_t>& ops = ops_of_collective_[collective];
    while (ops.size() < execution) {
      ops.push_back(static_cast<std::uint32_t>(drafts_.ops.size()));
      drafts_.ops.push_back(draft_of(collective, static_cast<std::uint32_t>(ops.size()), device));
    }
    return ops[execution - 1];
  }

  CollectiveDraft draft_of(std::uint32_t collective, std::uint32_t execution,
                           std::uint16_t device) const {
    const trace::LaunchedCollectives& launched = trace_.launched_collectives();
    CollectiveDraft draft;
    draft.device = device;
    draft.launched = collective;
    draft.execution = execution;
    draft.name = launched.name[collective];
    draft.type = launched.op_type[collective];
    draft.api = launched.api[collective];
    draft.model_id = launched.model_id[collective];
    if (draft.api < trace_.api_calls().size()) {
      draft.launch_ns = trace_.api_calls().start_ns[draft.api];
      draft.tid = trace_.api_calls().tid[draft.api];
    }
    const auto info = launched.info[collective];
    if (info == kNone) return draft;
    const trace::CollectiveInfos& infos = trace_.collective_infos();
    draft.relay = infos.relay[info];
    draft.retry = infos.retry[info];
    draft.data_type = infos.data_type[info];
    draft.algorithm = infos.algorithm[info];
    draft.count = infos.count[info];
    draft.group_hash = infos.group_hash[info];
    draft.group_name = infos.group[info];
    return draft;
  }

  // From the tasks on the master plane; if none of them was recorded, from all.
  void set_times() {
    for (const bool masters : {true, false}) {
      std::vector<bool> is_set(drafts_.ops.size());
      for (std::size_t i = 0; i < drafts_.ops.size(); ++i) {
        is_set[i] = drafts_.ops[i].start_ns <= drafts_.ops[i].end_ns;
      }
      for (const CollectiveTaskDraft& task : drafts_.tasks) {
        if (is_set[task.op] || (masters && !task.is_master)) continue;
        drafts_.ops[task.op].extend(trace_.tasks().start_ns[task.task],
                                    trace_.tasks().end_ns[task.task]);
      }
    }
  }

  const trace::Trace& trace_;
  CollectiveDrafts& drafts_;
  std::vector<std::uint32_t> executions_;                      // By launch.
  std::vector<std::vector<std::uint32_t>> ops_of_collective_;  // Drafts by execution.
};

// Numbers the collectives of each group in order of launch.
std::vector<std::int64_t> number_in_group(const CollectiveDrafts& drafts, const StringPool& strings,
                                          std::int64_t collection_begin_ns) {
  const auto identity = [](const CollectiveDraft& op) {
    return std::tuple(op.device, op.launch_ns, op.launched, op.kernel_launch);
  };
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < drafts.ops.size(); ++i) {
    if (!drafts.ops[i].is_replaced) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple_cat(identity(drafts.ops[a]), std::tuple(drafts.ops[a].execution)) <
           std::tuple_cat(identity(drafts.ops[b]), std::tuple(drafts.ops[b].execution));
  });
  std::map<std::tuple<std::uint16_t, std::uint64_t, bool>, std::int64_t> last_numbers;
  std::vector<std::int64_t> numbers(drafts.ops.size());
  bool is_counted = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const CollectiveDraft& op = drafts.ops[order[i]];
    const bool on_ai_cpu = strings.view(op.name).find("AicpuKernel") != std::string_view::npos;
    std::int64_t& last =
        last_numbers.try_emplace({op.device, op.group_hash, on_ai_cpu}, -1).first->second;
    if (i == 0 || identity(op) != identity(drafts.ops[order[i - 1]])) is_counted = false;
    if (!is_counted && op.start_ns > collection_begin_ns) {
      ++last;
      is_counted = true;
    }
    numbers[order[i]] = last;
  }
  return numbers;
}

// Writes the finished tables.
class CollectiveWriter {
 public:
  CollectiveWriter(CollectiveDrafts& drafts, trace::Trace& trace)
      : drafts_(drafts), trace_(trace) {}

  void run() {
    const std::vector<std::int64_t> numbers =
        number_in_group(drafts_, trace_.strings, trace_.session.begin_ns);
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < drafts_.ops.size(); ++i) {
      if (!drafts_.ops[i].is_replaced) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto key = [&](std::uint32_t i) {
        const CollectiveDraft& op = drafts_.ops[i];
        return std::tuple(op.device, op.start_ns, op.end_ns, op.launch_ns);
      };
      return key(a) < key(b);
    });
    row_of_draft_.assign(drafts_.ops.size(), kNone);
    trace::reserve_rows(trace_.collective_ops(), order.size());
    for (const std::uint32_t draft : order) {
      row_of_draft_[draft] = static_cast<std::uint32_t>(trace_.collective_ops().size());
      add_op(drafts_.ops[draft], numbers[draft]);
    }
    add_tasks();
    set_bandwidths(trace_.collective_ops(), trace_.strings, trace_.collective_tasks());
  }

 private:
  // Ids of groups are shown as decimal numbers.
  StringId group_text(std::uint64_t hash) {
    if (hash == 0) return kEmptyString;
    const auto [entry, is_new] = group_texts_.try_emplace(hash, kEmptyString);
    if (is_new) entry->second = trace_.strings.intern(fmt::format("{}", hash));
    return entry->second;
  }

  StringId full_name(const CollectiveDraft& op, StringId group, std::int64_t number) {
    const std::string_view text = result_text(trace_.strings.view(group));
    const std::string_view ending =
        text.substr(text.size() - std::min<std::size_t>(text.size(), 3));
    return trace_.strings.intern(
        fmt::format("{}_{}_{}_{}", trace_.strings.view(op.name), ending, number, op.execution));
  }

  void add_op(const CollectiveDraft& op, std::int64_t number) {
    trace::CollectiveOps& out = trace_.collective_ops();
    const StringId group = group_text(op.group_hash);
    out.start_ns.push_back(op.start_ns);
    out.end_ns.push_back(op.end_ns);
    out.device.push_back(op.device);
    out.name.push_back(full_name(op, group, number));
    out.type.push_back(op.type);
    out.api.push_back(op.api);
    out.group.push_back(group);
    out.group_name.push_back(op.group_name);
    out.relay.push_back(op.relay);
    out.retry.push_back(op.retry);
    out.data_type.push_back(op.data_type);
    out.algorithm.push_back(op.algorithm);
    out.count.push_back(op.count);
    out.rank_size.push_back(op.rank_size);
    out.model_id.push_back(op.model_id);
    out.tid.push_back(op.tid);
  }

  void add_tasks() {
    std::vector<std::uint32_t> order(drafts_.tasks.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    // Rows of Tasks are in order of start.
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto key = [&](std::uint32_t i) {
        return std::pair(row_of_draft_[drafts_.tasks[i].op], drafts_.tasks[i].task);
      };
      return key(a) < key(b);
    });
    trace::reserve_rows(trace_.collective_tasks(), order.size());
    for (const std::uint32_t i : order) add_task(drafts_.tasks[i]);
  }

  void add_task(const CollectiveTaskDraft& task) {
    trace::CollectiveTasks& out = trace_.collective_tasks();
    trace::resize_rows(out, out.size() + 1);
    const std::uint32_t op = row_of_draft_[task.op];
    out.op.back() = op;
    out.task.back() = task.task;
    out.start_ns.back() = trace_.tasks().start_ns[task.task];
    out.end_ns.back() = trace_.tasks().end_ns[task.task];
    out.is_master.back() = task.is_master ? 1 : 0;
    out.plane.back() = task.plane;
    out.group.back() = trace_.collective_ops().group[op];
    if (task.details == kNone) {
      add_unknown(out);
    } else if (task.from_device) {
      add_details(trace_.device_collectives(), task.details, out);
    } else {
      const trace::CollectiveTaskInfos& infos = trace_.collective_task_infos();
      add_details(infos, task.details, out);
      out.tag.back() = infos.tag[task.details];
      out.stage.back() = infos.stage[task.details];
    }
  }

  static void add_unknown(trace::CollectiveTasks& out) {
    out.notify_id.back() = kNoNotify;
    out.rdma_type.back() = kNone;
    out.source_rank.back() = kNone;
    out.destination_rank.back() = kNone;
    out.transport_type.back() = kNone;
    out.data_type.back() = kNone;
    out.link_type.back() = kNone;
  }

  template <typename Table>
  static void add_details(const Table& table, std::uint32_t row, trace::CollectiveTasks& out) {
    out.name.back() = table.name[row];
    out.notify_id.back() = table.notify_id[row];
    out.rdma_type.back() = table.rdma_type[row];
    out.source_rank.back() = table.local_rank[row];
    out.destination_rank.back() = table.remote_rank[row];
    out.transport_type.back() = table.transport_type[row];
    out.size_bytes.back() = table.size_bytes[row];
    out.data_type.back() = table.data_type[row];
    out.link_type.back() = table.link_type[row];
    out.estimated_us.back() = table.estimated_us[row];
  }

  CollectiveDrafts& drafts_;
  trace::Trace& trace_;
  std::map<std::uint64_t, StringId> group_texts_;
  std::vector<std::uint32_t> row_of_draft_;
};

}  // namespace

void link_collectives(trace::Trace& trace) {
  trace::clear_rows(trace.collective_ops());
  trace::clear_rows(trace.collective_tasks());
  CollectiveDrafts drafts;
  HostCollectives(trace, drafts).run();
  add_device_collectives(trace, drafts);
  CollectiveWriter(drafts, trace).run();
}

}  // namespace npuprof::link
