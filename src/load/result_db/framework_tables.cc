#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/sort_order.h"
#include "format/results/framework.h"
#include "load/result_db/database.h"
#include "load/shown_text.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"

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
constexpr std::int64_t kNoId = -1;

// Rows of CONNECTION_IDS: what each row of PYTORCH_API is connected to.
class Connections {
 public:
  explicit Connections(Database& database) {
    namespace connection = results::connection_ids;
    TableReader row(database.file, connection::kTable,
                    {{connection::kId, connection::kConnection}, {}}, database.losses);
    std::vector<std::int64_t> ids;
    ids.reserve(row.expected_rows());
    to_.reserve(row.expected_rows());
    while (row.next()) {
      ids.push_back(row.integer(0));
      to_.push_back(row.integer(1));
    }
    rows_ = IdRows(ids);
  }

  // Whether an id of a row of PYTORCH_API says that it is connected, and nothing says to what.
  bool is_missing(std::int64_t id) const { return id != kNoId && rows_.find(id) == kNone; }

  template <typename Visit>
  void for_each(std::int64_t id, Visit visit) const {
    if (id == kNoId) return;
    for (std::uint32_t row = rows_.find(id); row != kNone; row = rows_.next(row)) visit(to_[row]);
  }
  std::int64_t first(std::int64_t id) const {
    const std::uint32_t row = id == kNoId ? kNone : rows_.find(id);
    return row == kNone ? kNoId : to_[row];
  }

 private:
  IdRows rows_;
  std::vector<std::int64_t> to_;
};

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

// How many operators hold each of the framework's own links, which are usually dense.
class HolderCounts {
 public:
  HolderCounts(const Connections& connections, const std::vector<std::int64_t>& ops,
               std::int64_t first_own)
      : first_(first_own) {
    std::int64_t last = first_own - 1;
    const auto for_each_link = [&](const auto& visit) {
      for (const std::int64_t op : ops) {
        connections.for_each(op, [&](std::int64_t to) {
          if (to >= first_own) visit(to);
        });
      }
    };
    for_each_link([&](std::int64_t to) { last = std::max(last, to); });
    const auto range = static_cast<std::uint64_t>(last - first_own) + 1;
    if (range / 16 <= ops.size()) dense_.assign(range, 0);
    for_each_link([&](std::int64_t to) {
      std::uint8_t& count = dense_.empty() ? sparse_[to] : dense_[offset(to)];
      if (count <= 2) ++count;
    });
  }

  bool are_two(std::int64_t link) const {
    if (link < first_) return false;
    if (!dense_.empty()) return offset(link) < dense_.size() && dense_[offset(link)] == 2;
    const auto found = sparse_.find(link);
    return found != sparse_.end() && found->second == 2;
  }

 private:
  std::size_t offset(std::int64_t link) const { return static_cast<std::size_t>(link - first_); }

  std::int64_t first_;
  std::vector<std::uint8_t> dense_;
  std::unordered_map<std::int64_t, std::uint8_t> sparse_;
};

class FrameworkReader {
 public:
  explicit FrameworkReader(Database& database)
      : database_(database), trace_(database.trace), connections_(database), chains_(database) {}

  void read() {
    read_api();
    finish_queue(trace_.enqueues(), enqueue_links_);
    finish_queue(trace_.dequeues(), dequeue_links_);
    link_ops();
    database_.add_loss(missing_connections_,
                       "rows of PYTORCH_API are not joined with others: CONNECTION_IDS does not "
                       "have their connection");
    database_.add_loss(chains_.missing(),
                       "operators have no stack: PYTORCH_CALLCHAINS does not have it");
  }

 private:
  enum Column : int { kStart, kEnd, kThread, kConnection, kName, kSequence, kForwardThread };
  enum MoreColumns : int { kDtypes = kForwardThread + 1, kShapes, kChain, kType };

  void read_api();
  void append_op(const TableReader& row);
  StringId input_text(const TableReader& row, int column);
  void append_queue(const TableReader& row, auto& ranges, std::vector<std::int64_t>& links);
  void append_call(const TableReader& row);
  void finish_queue(auto& ranges, std::vector<std::int64_t>& links) const;
  void link_ops();
  void link_forward_backward(const std::vector<std::pair<std::int64_t, std::uint32_t>>& links);

  Database& database_;
  trace::Trace& trace_;
  Connections connections_;
  StoredCallChains chains_;
  std::uint64_t missing_connections_ = 0;
  std::unordered_map<StringId, StringId> input_texts_;
  std::vector<std::int64_t> op_connections_;  // By row of FrameworkOps: its id in CONNECTION_IDS.
  std::vector<std::int64_t> enqueue_links_;
  std::vector<std::int64_t> dequeue_links_;
};

void FrameworkReader::read_api() {
  const bool is_mindspore = database_.file.has_table(api::kMindSporeTable);
  if (is_mindspore) trace_.session.framework = trace::Framework::kMindSpore;
  TableReader row(database_.file, is_mindspore ? api::kMindSporeTable : api::kTable,
                  {{api::kStart, api::kEnd, api::kThread},
                   {api::kConnection, api::kName, api::kSequence, api::kForwardThread,
                    api::kInputDtypes, api::kInputShapes, api::kCallChain, api::kType}},
                  database_.losses);
  row.expect_column(kName, api::kName);
  row.expect_column(kConnection, api::kConnection);
  if (database_.wanted.has(trace::Part::kStacks) &&
      database_.file.has_table(results::pytorch_callchains::kTable)) {
    row.expect_column(kChain, api::kCallChain);
  }
  trace::reserve_rows(trace_.framework_ops(), row.expected_rows());
  while (row.next()) {
    missing_connections_ += connections_.is_missing(row.integer(kConnection, kNoId)) ? 1 : 0;
    const std::string_view name = trace_.strings.view(database_.text(row, kName));
    std::int64_t type = row.integer(kType, 0);
    // The first releases do not say of what sort a row is.
    if (!row.has_column(kType) && (name.starts_with(kEnqueue) || name.starts_with(kDequeue))) {
      type = kTypeQueue;
    }
    if (type == kTypeQueue && name.starts_with(kEnqueue)) {
      append_queue(row, trace_.enqueues(), enqueue_links_);
    } else if (type == kTypeQueue) {
      append_queue(row, trace_.dequeues(), dequeue_links_);
    } else if (type == kTypeTrace) {
      append_call(row);
    } else {
      append_op(row);
    }
  }
}

void FrameworkReader::append_op(const TableReader& row) {
  trace::FrameworkOps& ops = trace_.framework_ops();
  const std::int64_t thread = row.integer(kThread);
  ops.start_ns.push_back(row.integer(kStart));
  ops.end_ns.push_back(row.integer(kEnd));
  ops.sequence.push_back(row.integer(kSequence, -1));
  ops.pid.push_back(pid_of(thread));
  ops.tid.push_back(static_cast<std::uint32_t>(thread));
  ops.forward_thread.push_back(row.number<std::uint32_t>(kForwardThread, 0));
  ops.scope.push_back(0);
  ops.is_async.push_back(0);
  ops.name.push_back(database_.text(row, kName));
  ops.input_dtypes.push_back(input_text(row, kDtypes));
  ops.input_shapes.push_back(input_text(row, kShapes));
  ops.stack.push_back(chains_.find(row.integer(kChain, kNoId)));
  for (auto* column : {&ops.module_hierarchy, &ops.extra_args, &ops.input_tensors,
                       &ops.input_tensor_lists, &ops.input_scalars}) {
    column->push_back(kEmptyString);
  }
  ops.has_inputs.push_back(row.is_null(kDtypes) && row.is_null(kShapes) ? 0 : 1);
  ops.parent.push_back(kNone);
  op_connections_.push_back(row.integer(kConnection, kNoId));
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

// `ranges`: enqueues or dequeues.
void FrameworkReader::append_queue(const TableReader& row, auto& ranges,
                                   std::vector<std::int64_t>& links) {
  const std::int64_t thread = row.integer(kThread);
  // "Dequeue@aclnnMatmul"
  const std::string_view name = trace_.strings.view(database_.text(row, kName));
  const std::size_t at = name.find('@');
  const std::string_view task = at == std::string_view::npos ? name : name.substr(at + 1);
  ranges.start_ns.push_back(row.integer(kStart));
  ranges.end_ns.push_back(row.integer(kEnd));
  ranges.correlation.push_back(0);
  ranges.tid.push_back(static_cast<std::uint32_t>(thread));
  ranges.pid.push_back(pid_of(thread));
  ranges.name.push_back(trace_.strings.intern(task));
  ranges.partner.push_back(kNone);
  ranges.op.push_back(kNone);
  links.push_back(connections_.first(row.integer(kConnection, kNoId)));
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

void FrameworkReader::link_ops() {
  // The framework's connections come after the greatest one of the queue.
  std::int64_t first_own = 0;
  for (const std::int64_t link : enqueue_links_) first_own = std::max(first_own, link + 1);
  const HolderCounts holders(connections_, op_connections_, first_own);
  // A link that two operators hold joins them; any other leads to tasks.
  std::vector<std::pair<std::int64_t, std::uint32_t>> pairs;
  trace::KernelOps& kernel_ops = trace_.kernel_ops();
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t op = 0; op < op_connections_.size(); ++op) {
    tasks.clear();
    connections_.for_each(op_connections_[op], [&](std::int64_t to) {
      if (holders.are_two(to)) {
        pairs.emplace_back(to, op);
        return;
      }
      const IdRows& of_connection = database_.tasks_of_connection;
      for (std::uint32_t task = of_connection.find(to); task != kNone;
           task = of_connection.next(task)) {
        tasks.push_back(task);
      }
    });
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    for (const std::uint32_t task : tasks) {
      kernel_ops.op.push_back(op);
      kernel_ops.task.push_back(task);
    }
  }
  link_forward_backward(pairs);
}

void FrameworkReader::link_forward_backward(
    const std::vector<std::pair<std::int64_t, std::uint32_t>>& links) {
  auto sorted = links;
  std::sort(sorted.begin(), sorted.end());
  const trace::FrameworkOps& ops = trace_.framework_ops();
  struct Joined {
    std::int64_t sequence;
    std::uint32_t forward;
    std::uint32_t backward;
  };
  std::vector<Joined> joined;
  for (std::size_t i = 0; i + 1 < sorted.size(); i += 2) {
    std::uint32_t forward = sorted[i].second;
    std::uint32_t backward = sorted[i + 1].second;
    if (ops.forward_thread[forward] != 0) std::swap(forward, backward);
    joined.push_back({ops.sequence[forward], forward, backward});
  }
  std::sort(joined.begin(), joined.end(), [](const Joined& a, const Joined& b) {
    return std::pair(a.sequence, a.forward) < std::pair(b.sequence, b.forward);
  });
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
