#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <malloc.h>

#include "base/release_memory.h"
#include "base/sort_order.h"
#include "format/results/framework_columns.h"
#include "load/launch_times.h"
#include "load/mindspore/range_details.h"
#include "load/result_db/connections.h"
#include "load/result_db/result_database.h"
#include "load/shown_text.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using trace::kNone;

namespace api = results::pytorch_api;
using api::kTypeQueue;
using api::kTypeTrace;
// Older databases have no such offset.
using results::connection_ids::kFirstOfFramework;
constexpr std::string_view kEnqueue = "Enqueue";
constexpr std::string_view kDequeue = "Dequeue";

// Stacks by the number of their chain: frames, innermost first, joined by ';'.
class StoredCallChains {
 public:
  explicit StoredCallChains(Database& database)
      : strings_(database.trace.strings), is_wanted_(database.wanted.has(trace::Part::kStacks)) {
    if (!is_wanted_) return;
    namespace chain = results::pytorch_callchains;
    TableReader row(database.file, chain::kTable, {{chain::kId, chain::kFrame, chain::kDepth}, {}},
                    database.losses);
    while (row.next()) {
      frames_.push_back({row.integer(0), row.integer(2), database.texts.find(row.integer(1))});
    }
    const auto before = [](const Frame& a, const Frame& b) {
      return std::pair(a.chain, a.depth) < std::pair(b.chain, b.depth);
    };
    if (!std::is_sorted(frames_.begin(), frames_.end(), before)) {
      std::stable_sort(frames_.begin(), frames_.end(), before);
    }
  }

  StringId find(std::int64_t chain) {
    if (chain == kNoId || !is_wanted_) return kEmptyString;
    auto frame = std::lower_bound(frames_.begin(), frames_.end(), chain,
                                  [](const Frame& a, std::int64_t id) { return a.chain < id; });
    text_.clear();
    if (frame == frames_.end() || frame->chain != chain) ++missing_;
    for (; frame != frames_.end() && frame->chain == chain; ++frame) {
      if (!text_.empty()) text_ += ';';
      text_ += strings_.view(frame->text);
    }
    return strings_.intern(text_);
  }
  // How often a chain was asked for that is not there.
  std::uint64_t missing() const { return missing_; }

 private:
  struct Frame {
    std::int64_t chain;
    std::int64_t depth;
    StringId text;
  };
  StringPool& strings_;
  bool is_wanted_;
  std::vector<Frame> frames_;
  std::string text_;
  std::uint64_t missing_ = 0;
};

class FrameworkReader {
 public:
  explicit FrameworkReader(Database& database)
      : database_(database), trace_(database.trace), connections_(database), chains_(database) {}

  void read() {
    read_api();
    finish_queues();
    link_ops();
    database_.add_loss(missing_connections_,
                       "rows of PYTORCH_API are not joined with others: CONNECTION_IDS does not "
                       "have their connection");
    database_.add_loss(chains_.missing(),
                       "operators have no stack: PYTORCH_CALLCHAINS does not have it");
  }

 private:
  enum Column : int { kStart, kEnd, kThread, kConnection, kName, kSequence, kForwardThread };
  enum MoreColumns : int { kDtypes = kForwardThread + 1, kShapes, kChain, kType, kCustomInfo };

  bool is_mindspore() const { return trace_.session.framework == trace::Framework::kMindSpore; }

  void read_api();
  void reserve(std::size_t rows);
  void append_op(const TableReader& row, StringId name, std::int64_t connection);
  StringId input_text(const TableReader& row, int column);
  struct StoredRange {
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::uint32_t link;  // kNone if there is none.
    std::uint32_t tid;
  };
  StoredRange range_of(const TableReader& row, std::int64_t connection) const;
  void read_enqueue(const TableReader& row, std::int64_t connection);
  void read_dequeue(const TableReader& row, std::int64_t connection);
  void append_task_name(auto& ranges, const TableReader& row);
  void append_queue(auto& ranges, std::vector<std::int64_t>& links, const StoredRange& range,
                    std::uint32_t pid);
  void append_call(const TableReader& row);
  void finish_queue(auto& ranges, std::vector<std::int64_t>& links) const;
  void finish_queues();
  void link_ops();
  void link_forward_backward(const LinkHolders& holders);
  void link_flows(const LinkHolders& holders);

  Database& database_;
  trace::Trace& trace_;
  Connections connections_;
  StoredCallChains chains_;
  std::uint64_t missing_connections_ = 0;
  std::unordered_map<StringId, StringId> input_texts_;
  // By row of FrameworkOps: its id in CONNECTION_IDS, kNone if there is none.
  std::vector<std::uint32_t> op_connections_;
  std::unordered_map<std::uint32_t, std::uint32_t> waiting_pids_;  // By thread.
  std::vector<bool> is_backward_;                                  // By row of FrameworkOps.
  std::deque<StoredRange> waiting_enqueues_;                       // Grows without being copied.
  std::vector<std::int64_t> enqueue_links_;
  std::vector<std::int64_t> dequeue_links_;
  std::int64_t first_own_ = 0;  // The framework's connections come after those of the queue.
};

void FrameworkReader::read_api() {
  if (has_mindspore_tables(database_.file)) {
    trace_.session.framework = trace::Framework::kMindSpore;
  }
  TableReader row(
      database_.file, is_mindspore() ? api::kMindSporeTable : api::kTable,
      {{api::kStart, api::kEnd, api::kThread},
       {api::kConnection, api::kName, api::kSequence, api::kForwardThread, api::kInputDtypes,
        api::kInputShapes, api::kCallChain, api::kType, api::kCustomInfo}},
      database_.losses);
  row.expect_column(kName, api::kName);
  row.expect_column(kConnection, api::kConnection);
  if (database_.wanted.has(trace::Part::kStacks) &&
      database_.file.has_table(results::pytorch_callchains::kTable)) {
    row.expect_column(kChain, api::kCallChain);
  }
  reserve(row.expected_rows());
  const bool has_types = row.has_column(kType);
  while (row.next()) {
    const std::int64_t connection = row.integer(kConnection, kNoId);
    missing_connections_ += connections_.is_missing(connection) ? 1 : 0;
    const StringId name = database_.text(row, kName);
    const auto begins_with = [&](std::string_view start) {
      return trace_.strings.view(name).starts_with(start);
    };
    std::int64_t type = row.integer(kType, 0);
    // The first releases do not say of what sort a row is.
    if (!has_types && (begins_with(kEnqueue) || begins_with(kDequeue))) type = kTypeQueue;
    if (type == kTypeQueue && begins_with(kEnqueue)) {
      read_enqueue(row, connection);
    } else if (type == kTypeQueue) {
      read_dequeue(row, connection);
    } else if (type == kTypeTrace) {
      append_call(row);
    } else {
      append_op(row, name, connection);
    }
  }
}

// Room for more rows than there are costs nothing as long as it is not used.
void FrameworkReader::reserve(std::size_t rows) {
  trace::FrameworkOps& ops = trace_.framework_ops();
  op_connections_.reserve(rows);
  if (database_.has_details()) return trace::reserve_rows(ops, rows);
  for (auto* column : {&ops.start_ns, &ops.end_ns}) column->reserve(rows);
  ops.tid.reserve(rows);
  ops.name.reserve(rows);
}

void FrameworkReader::append_op(const TableReader& row, StringId name, std::int64_t connection) {
  trace::FrameworkOps& ops = trace_.framework_ops();
  const std::int64_t thread = row.integer(kThread);
  const auto forward_thread = row.number<std::uint32_t>(kForwardThread, 0);
  ops.start_ns.push_back(row.integer(kStart));
  ops.end_ns.push_back(row.integer(kEnd));
  ops.tid.push_back(static_cast<std::uint32_t>(thread));
  is_backward_.push_back(forward_thread != 0);
  ops.name.push_back(name);
  op_connections_.push_back(
      std::in_range<std::uint32_t>(connection) ? static_cast<std::uint32_t>(connection) : kNone);
  if (!database_.has_details()) return;
  ops.sequence.push_back(row.integer(kSequence, -1));
  ops.pid.push_back(pid_of(thread));
  ops.forward_thread.push_back(forward_thread);
  ops.scope.push_back(0);
  ops.is_async.push_back(0);
  ops.input_dtypes.push_back(input_text(row, kDtypes));
  ops.input_shapes.push_back(input_text(row, kShapes));
  ops.stack.push_back(chains_.find(row.integer(kChain, kNoId)));
  for (auto* column : {&ops.module_hierarchy, &ops.extra_args, &ops.input_tensors,
                       &ops.input_tensor_lists, &ops.input_scalars}) {
    column->push_back(kEmptyString);
  }
  ops.has_inputs.push_back(row.is_null(kDtypes) && row.is_null(kShapes) ? 0 : 1);
  ops.parent.push_back(kNone);
  if (is_mindspore()) {
    append_range_details(trace_.strings.view(database_.text(row, kCustomInfo)), trace_);
  }
}

// One line for each input; the same few texts come again and again.
StringId FrameworkReader::input_text(const TableReader& row, int column) {
  const StringId lines = database_.text(row, column);
  const auto [place, is_new] = input_texts_.try_emplace(lines, lines);
  if (is_new) {
    place->second = trace_.strings.intern(without_line_breaks(trace_.strings.view(lines)));
  }
  return place->second;
}

FrameworkReader::StoredRange FrameworkReader::range_of(const TableReader& row,
                                                       std::int64_t connection) const {
  const std::int64_t thread = row.integer(kThread);
  return {.start_ns = row.integer(kStart),
          .end_ns = row.integer(kEnd),
          .link = connections_.first(connection),
          .tid = tid_of(thread)};
}

// Without details enqueues wait until it is known which dequeues are kept.
void FrameworkReader::read_enqueue(const TableReader& row, std::int64_t connection) {
  const StoredRange range = range_of(row, connection);
  if (range.link != kNone) first_own_ = std::max(first_own_, std::int64_t{range.link} + 1);
  const std::uint32_t pid = pid_of(row.integer(kThread));
  if (database_.has_details()) {
    append_queue(trace_.enqueues(), enqueue_links_, range, pid);
    append_task_name(trace_.enqueues(), row);
  } else {
    waiting_enqueues_.push_back(range);
    waiting_pids_.try_emplace(range.tid, pid);
  }
}

void FrameworkReader::read_dequeue(const TableReader& row, std::int64_t connection) {
  const StoredRange range = range_of(row, connection);
  if (!database_.has_details() &&
      !database_.kept.has_moment_in(range.tid, range.start_ns, range.end_ns)) {
    return;
  }
  append_queue(trace_.dequeues(), dequeue_links_, range, pid_of(row.integer(kThread)));
  if (database_.has_details()) append_task_name(trace_.dequeues(), row);
}

// "Dequeue@aclnnMatmul"
void FrameworkReader::append_task_name(auto& ranges, const TableReader& row) {
  const std::string_view name = trace_.strings.view(database_.text(row, kName));
  const std::size_t at = name.find('@');
  const std::string_view task = at == std::string_view::npos ? name : name.substr(at + 1);
  ranges.name.push_back(trace_.strings.intern(task));
}

// `ranges`: enqueues or dequeues.
void FrameworkReader::append_queue(auto& ranges, std::vector<std::int64_t>& links,
                                   const StoredRange& range, std::uint32_t pid) {
  ranges.start_ns.push_back(range.start_ns);
  ranges.end_ns.push_back(range.end_ns);
  ranges.correlation.push_back(0);
  ranges.tid.push_back(range.tid);
  ranges.pid.push_back(pid);
  ranges.partner.push_back(kNone);
  ranges.op.push_back(kNone);
  links.push_back(connection_id(range.link));
}

void FrameworkReader::append_call(const TableReader& row) {
  trace::PythonCalls& calls = trace_.python_calls();
  const std::int64_t thread = row.integer(kThread);
  calls.start_ns.push_back(row.integer(kStart));
  calls.end_ns.push_back(row.integer(kEnd));
  calls.tid.push_back(static_cast<std::uint32_t>(thread));
  calls.pid.push_back(pid_of(thread));
  calls.name.push_back(database_.text(row, kName));
  calls.id.push_back(kNone);
  calls.parent_id.push_back(0);
  calls.module_id.push_back(kNone);
  calls.key.push_back(0);
}

// Sets correlations and puts the ranges in order of their end.
void FrameworkReader::finish_queue(auto& ranges, std::vector<std::int64_t>& links) const {
  const bool has_offset = std::all_of(links.begin(), links.end(), [](std::int64_t link) {
    return link == kNoId || link >= kFirstOfFramework;
  });
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::int64_t link = has_offset ? links[i] - kFirstOfFramework : links[i];
    ranges.correlation[i] = static_cast<std::uint64_t>(links[i] == kNoId ? kNoId : link);
  }
  reorder_rows(ranges, stable_order(ranges.end_ns));
}

void FrameworkReader::finish_queues() {
  if (!waiting_enqueues_.empty()) {
    const IdRows kept(dequeue_links_);
    trace::reserve_rows(trace_.enqueues(), trace_.dequeues().size());
    enqueue_links_.reserve(dequeue_links_.size());
    for (const StoredRange& range : waiting_enqueues_) {
      if (kept.find(connection_id(range.link)) == kNone) continue;
      append_queue(trace_.enqueues(), enqueue_links_, range, waiting_pids_[range.tid]);
    }
    // There are about as many of them as operators, and the rest needs room of its own.
    release_memory(waiting_enqueues_);
    ::malloc_trim(0);
  }
  finish_queue(trace_.enqueues(), enqueue_links_);
  finish_queue(trace_.dequeues(), dequeue_links_);
}

void FrameworkReader::link_ops() {
  if (is_mindspore()) first_own_ = std::max(first_own_, kFirstOfFramework);
  const LinkHolders holders(connections_, op_connections_, first_own_);
  // A link that two operators hold joins them; any other leads to tasks.
  trace::KernelOps& kernel_ops = trace_.kernel_ops();
  const auto& started_ns = trace_.framework_ops().start_ns;
  const auto& begun_ns = trace_.tasks().start_ns;
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t op = 0; op < op_connections_.size(); ++op) {
    tasks.clear();
    connections_.for_each(connection_id(op_connections_[op]), [&](std::int64_t to) {
      if (holders.are_two(to)) return;
      const IdRows& of_connection = database_.tasks_of_connection;
      for (std::uint32_t task = of_connection.find(to); task != kNone;
           task = of_connection.next(task)) {
        if (is_backward_in_time(started_ns[op], begun_ns[task])) {
          ++database_.backward_links;
        } else {
          tasks.push_back(task);
        }
      }
    });
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    for (const std::uint32_t task : tasks) {
      kernel_ops.op.push_back(op);
      kernel_ops.task.push_back(task);
    }
  }
  if (is_mindspore()) {
    link_flows(holders);
  } else {
    link_forward_backward(holders);
  }
}

// Of two operators the one that began first handed work on to the other.
void FrameworkReader::link_flows(const LinkHolders& holders) {
  const trace::FrameworkOps& ops = trace_.framework_ops();
  holders.for_each_pair([&](std::int64_t link, std::uint32_t from, std::uint32_t to) {
    if (ops.start_ns[to] < ops.start_ns[from]) std::swap(from, to);
    append_flow(static_cast<std::uint64_t>(link), ops.start_ns[from], ops.pid[from], ops.tid[from],
                to, trace_);
  });
}

void FrameworkReader::link_forward_backward(const LinkHolders& holders) {
  const auto& sequences = trace_.framework_ops().sequence;
  struct Joined {
    std::int64_t sequence;
    std::uint32_t forward;
    std::uint32_t backward;
  };
  std::vector<Joined> joined;
  holders.for_each_pair([&](std::int64_t, std::uint32_t forward, std::uint32_t backward) {
    if (is_backward_[forward]) std::swap(forward, backward);
    joined.push_back({sequences.empty() ? 0 : sequences[forward], forward, backward});
  });
  const auto before = [](const Joined& a, const Joined& b) {
    return std::pair(a.sequence, a.forward) < std::pair(b.sequence, b.forward);
  };
  if (!std::is_sorted(joined.begin(), joined.end(), before)) {
    std::sort(joined.begin(), joined.end(), before);
  }
  database_.lacks_backward_pairs =
      joined.empty() &&
      std::find(is_backward_.begin(), is_backward_.end(), true) != is_backward_.end();
  for (const Joined& pair : joined) {
    trace_.forward_backward().sequence.push_back(pair.sequence);
    trace_.forward_backward().forward.push_back(pair.forward);
    trace_.forward_backward().backward.push_back(pair.backward);
  }
}

void read_steps(Database& database) {
  namespace step = results::step_time;
  TableReader row(database.file, step::kTable, {{step::kId, step::kStart, step::kEnd}, {}},
                  database.losses);
  trace::Steps& steps = database.trace.steps();
  while (row.next()) {
    steps.id.push_back(row.integer(0));
    steps.host_start_ns.push_back(row.integer(1));
    steps.host_end_ns.push_back(row.integer(2));
    steps.device_start_ns.push_back(row.integer(1));
    steps.device_end_ns.push_back(row.integer(2));
    steps.has_kernels.push_back(0);
    steps.op.push_back(kNone);
  }
  reorder_rows(steps, stable_order(steps.host_start_ns));
}

void read_garbage_collections(Database& database) {
  namespace collection = results::gc_record;
  TableReader row(database.file, collection::kTable,
                  {{collection::kStart, collection::kEnd}, {collection::kThread}}, database.losses);
  trace::GarbageCollections& collections = database.trace.garbage_collections();
  while (row.next()) {
    collections.start_ns.push_back(row.integer(0));
    collections.end_ns.push_back(row.integer(1));
    collections.pid.push_back(pid_of(row.integer(2)));
  }
}

}  // namespace

void read_framework(Database& database) {
  FrameworkReader(database).read();
  read_steps(database);
  read_garbage_collections(database);
}

}  // namespace npuprof::load
