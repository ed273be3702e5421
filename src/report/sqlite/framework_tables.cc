#include "report/sqlite/framework_tables.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "format/results/framework_columns.h"
#include "report/sqlite/call_chains.h"
#include "report/sqlite/cann_tables.h"
#include "report/sqlite/mindspore_tables.h"
#include "report/tables/memory_record_table.h"
#include "report/tables/operator_memory_table.h"
#include "report/tables/stored_table.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::report::sqlite {
namespace {

using trace::kNone;
using trace::Trace;

namespace api = format::results::pytorch_api;
namespace connection = format::results::connection_ids;
namespace step = format::results::step_time;
namespace collection = format::results::gc_record;

using connection::kFirstOfFramework;

// Numbers of texts as the framework writes them: parts joined by ';' each have a line.
class LineTexts {
 public:
  LineTexts(const StringPool& pool, DatabaseStrings& strings) : pool_(pool), strings_(strings) {}

  void add(const std::vector<StringId>& texts) {
    for (const StringId text : texts) {
      const auto [place, is_new] = ids_.try_emplace(text, 0);
      if (is_new) place->second = strings_.id(lines_of(pool_.view(text)));
    }
  }
  // Nothing for the empty text.
  std::optional<std::int64_t> find(StringId text) const {
    if (text == kEmptyString) return std::nullopt;
    return ids_.at(text);
  }

 private:
  static std::string lines_of(std::string_view joined) {
    std::string lines;
    for (const char c : joined) {
      lines += c;
      if (c == ';') lines += "\r\n";
    }
    return lines;
  }

  const StringPool& pool_;
  DatabaseStrings& strings_;
  std::unordered_map<StringId, std::int64_t> ids_;
};

// CONNECTION_IDS: what rows of PYTORCH_API are connected to, in the order of its rows.
struct ConnectionRow {
  std::int64_t id;
  std::int64_t connected_to;
};
constexpr auto kConnectionTable =
    stored_table(connection::kTable,  //
                 column(connection::kId, &ConnectionRow::id),
                 column(connection::kConnection, &ConnectionRow::connected_to));

// Operators with an arrow between them: forward and backward ones, and of MindSpore those of which
// one handed work on to the other.
struct OperatorPair {
  std::uint32_t from;
  std::uint32_t to;
};

std::vector<OperatorPair> joined_operators(const Trace& trace) {
  std::vector<OperatorPair> joined;
  const trace::ForwardBackward& pairs = trace.forward_backward();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    joined.push_back({pairs.forward[i], pairs.backward[i]});
  }
  const trace::FlowMarks& marks = trace.flow_marks();
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks.from[i] != kNone && marks.to[i] != kNone) {
      joined.push_back({marks.from[i], marks.to[i]});
    }
  }
  return joined;
}

class Connections {
 public:
  explicit Connections(const Trace& trace);

  const std::vector<ConnectionRow>& rows() const { return rows_; }
  // The id of an operator; nothing if it has no connections.
  std::optional<std::int64_t> find(std::size_t op) const {
    const std::int64_t id = op_connection_[op];
    return id < 0 ? std::nullopt : std::optional(id);
  }

 private:
  std::vector<ConnectionRow> rows_;
  std::vector<std::int64_t> op_connection_;  // By row of FrameworkOps; -1 = none.
};

Connections::Connections(const Trace& trace) : op_connection_(trace.framework_ops().size(), -1) {
  const auto& ops = trace.framework_ops();
  const auto connect = [&](std::int64_t id, std::int64_t to) { rows_.push_back({id, to}); };
  std::int64_t id = 0;
  std::uint64_t greatest = 0;
  for (std::size_t i = 0; i < trace.dequeues().size(); ++i) {
    connect(id++, kFirstOfFramework + static_cast<std::int64_t>(trace.dequeues().correlation[i]));
  }
  for (std::size_t i = 0; i < trace.enqueues().size(); ++i) {
    connect(id++, kFirstOfFramework + static_cast<std::int64_t>(trace.enqueues().correlation[i]));
    greatest = std::max(greatest, trace.enqueues().correlation[i]);
  }
  // Per operator: arrows to operators, then the host calls that it led to. Those of one operator
  // stand together in `links`, from begin[op] on.
  const std::vector<OperatorPair> pairs = joined_operators(trace);
  const auto& kernel_ops = trace.kernel_ops();
  std::vector<std::uint32_t> begin(ops.size() + 1);
  for (const auto& [from, to] : pairs) {
    ++begin[from + 1];
    ++begin[to + 1];
  }
  for (const std::uint32_t op : kernel_ops.op) ++begin[op + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::int64_t> links(begin.back());
  std::vector<std::uint32_t> end(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::int64_t link = kFirstOfFramework + static_cast<std::int64_t>(greatest + 1 + i);
    links[end[pairs[i].from]++] = link;
    links[end[pairs[i].to]++] = link;
  }
  // By row of ApiCalls: the last operator that was connected to it.
  std::vector<std::uint32_t> op_of_call(trace.api_calls().size(), kNone);
  for (std::size_t i = 0; i < kernel_ops.size(); ++i) {
    const std::uint32_t api = trace.tasks().api[kernel_ops.task[i]];
    if (api == kNone) continue;
    const std::uint32_t op = kernel_ops.op[i];
    // Several tasks of one call are one link.
    if (std::exchange(op_of_call[api], op) == op) continue;
    links[end[op]++] = connection_id(api);
  }
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (end[op] == begin[op]) continue;
    op_connection_[op] = id;
    for (std::uint32_t i = begin[op]; i < end[op]; ++i) connect(id, links[i]);
    ++id;
  }
}

struct ApiRow {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int64_t thread;
  std::optional<std::int64_t> connection;
  std::int64_t name;
  std::optional<std::int64_t> sequence;
  std::optional<std::uint32_t> forward_thread;
  std::optional<std::int64_t> input_dtypes;
  std::optional<std::int64_t> input_shapes;
  std::optional<std::int64_t> call_chain;
  std::int64_t type;
  std::optional<std::int64_t> custom_info;
};
constexpr auto kApiTable = stored_table(
    api::kTable,  //
    column(api::kStart, &ApiRow::start_ns), column(api::kEnd, &ApiRow::end_ns),
    column(api::kThread, &ApiRow::thread), column(api::kConnection, &ApiRow::connection),
    column(api::kName, &ApiRow::name), column(api::kSequence, &ApiRow::sequence),
    column(api::kForwardThread, &ApiRow::forward_thread),
    column(api::kInputDtypes, &ApiRow::input_dtypes),
    column(api::kInputShapes, &ApiRow::input_shapes), column(api::kCallChain, &ApiRow::call_chain),
    column(api::kType, &ApiRow::type),
    only_if([](const auto& rows) { return rows.is_of_mindspore(); },
            column(api::kCustomInfo, &ApiRow::custom_info)));

// PYTORCH_API: calls of Python, what is put on the queue, what is taken from it, operators.
class ApiRows {
 public:
  ApiRows(const Trace& trace, const Connections& connections, const CallChains& chains,
          DatabaseStrings& strings);

  std::size_t size() const { return first_op_ + ops_.size(); }
  bool is_of_mindspore() const { return is_of_mindspore_; }
  ApiRow operator[](std::size_t i) const {
    if (i < first_enqueue_) return call(i);
    if (i < first_dequeue_) {
      const std::size_t enqueue = i - first_enqueue_;
      return queued(enqueues_, enqueue, enqueue_names_[enqueue], dequeues_.size() + enqueue);
    }
    if (i < first_op_) {
      const std::size_t dequeue = i - first_dequeue_;
      return queued(dequeues_, dequeue, dequeue_names_[dequeue], dequeue);
    }
    return op(ops_by_start_[i - first_op_]);
  }

 private:
  ApiRow call(std::size_t i) const {
    return {.start_ns = calls_.start_ns[i],
            .end_ns = calls_.end_ns[i],
            .thread = global_tid(pid_, calls_.tid[i]),
            .name = to_index(calls_.name[i]),
            .type = api::kTypeTrace};
  }
  ApiRow queued(const auto& ranges, std::size_t i, std::int64_t name,
                std::size_t connection_id) const {
    return {.start_ns = ranges.start_ns[i],
            .end_ns = ranges.end_ns[i],
            .thread = global_tid(pid_, ranges.tid[i]),
            .connection = static_cast<std::int64_t>(connection_id),
            .name = name,
            .type = api::kTypeQueue};
  }
  ApiRow op(std::size_t i) const {
    const std::int64_t chain = chains_.id_of(i);
    return {.start_ns = ops_.start_ns[i],
            .end_ns = ops_.end_ns[i],
            .thread = global_tid(pid_, ops_.tid[i]),
            .connection = connections_.find(i),
            .name = to_index(ops_.name[i]),
            .sequence = ops_.sequence[i],
            .forward_thread = ops_.forward_thread[i],
            .input_dtypes = lines_.find(ops_.input_dtypes[i]),
            .input_shapes = lines_.find(ops_.input_shapes[i]),
            .call_chain = chain < 0 ? std::nullopt : std::optional(chain),
            .type = api::kTypeOp,
            .custom_info = custom_info(i)};
  }
  std::optional<std::int64_t> custom_info(std::size_t op) const {
    if (op >= details_.size() || details_.custom_info[op] == kEmptyString) return std::nullopt;
    return to_index(details_.custom_info[op]);
  }

  const trace::FrameworkOps& ops_;
  const trace::MindSporeOps& details_;  // In the order of ops_, or empty.
  const trace::PythonCalls& calls_;
  const trace::Enqueues& enqueues_;
  const trace::Dequeues& dequeues_;
  const Connections& connections_;
  const CallChains& chains_;
  LineTexts lines_;
  bool is_of_mindspore_;
  std::uint32_t pid_;
  std::vector<std::int64_t> enqueue_names_;
  std::vector<std::int64_t> dequeue_names_;
  std::vector<std::uint32_t> ops_by_start_;
  std::size_t first_enqueue_;
  std::size_t first_dequeue_;
  std::size_t first_op_;
};

// Texts are numbered here, before the parallel part.
ApiRows::ApiRows(const Trace& trace, const Connections& connections, const CallChains& chains,
                 DatabaseStrings& strings)
    : ops_(trace.framework_ops()),
      details_(trace.mindspore_ops()),
      calls_(trace.python_calls()),
      enqueues_(trace.enqueues()),
      dequeues_(trace.dequeues()),
      connections_(connections),
      chains_(chains),
      lines_(trace.strings, strings),
      is_of_mindspore_(trace.session.framework == trace::Framework::kMindSpore),
      pid_(ops_.size() > 0 ? ops_.pid[0] : trace.session.pid),
      enqueue_names_(enqueues_.size()),
      dequeue_names_(dequeues_.size()),
      ops_by_start_(stable_order(ops_.start_ns)),
      first_enqueue_(calls_.size()),
      first_dequeue_(first_enqueue_ + enqueues_.size()),
      first_op_(first_dequeue_ + dequeues_.size()) {
  strings.use(ops_.name);
  strings.use(details_.custom_info);
  lines_.add(ops_.input_dtypes);
  lines_.add(ops_.input_shapes);
  strings.use(calls_.name);
  // Queue rows are named after what is dequeued.
  for (std::size_t i = 0; i < dequeues_.size(); ++i) {
    dequeue_names_[i] = strings.id("Dequeue@" + std::string(trace.strings.view(dequeues_.name[i])));
  }
  for (std::size_t i = 0; i < enqueues_.size(); ++i) {
    std::string name = "Enqueue";
    if (enqueues_.partner[i] != kNone) {
      name += "@" + std::string(trace.strings.view(dequeues_.name[enqueues_.partner[i]]));
    }
    enqueue_names_[i] = strings.id(name);
  }
}

constexpr auto kStepTable = stored_table(step::kTable,  //
                                         column(step::kId, cell(&trace::Steps::id)),
                                         column(step::kStart, cell(&trace::Steps::host_start_ns)),
                                         column(step::kEnd, cell(&trace::Steps::host_end_ns)));

using trace::GarbageCollections;
constexpr auto kCollectionTable =
    stored_table(collection::kTable,  //
                 column(collection::kStart, cell(&GarbageCollections::start_ns)),
                 column(collection::kEnd, cell(&GarbageCollections::end_ns)),
                 column(collection::kThread, [](const TraceRow<GarbageCollections>& row) {
                   const std::uint32_t pid = row.table.pid[row.i];
                   return global_tid(pid, pid);
                 }));

}  // namespace

void write_framework_tables(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  const CallChains chains(trace, strings);
  const Connections connections(trace);
  const ApiRows rows(trace, connections, chains, strings);
  write_stored_table<kApiTable>(rows, database,
                                rows.is_of_mindspore() ? api::kMindSporeTable : api::kTable);
  if (rows.is_of_mindspore()) write_mindspore_tables(trace, strings, database);
  if (!connections.rows().empty()) {
    write_stored_table<kConnectionTable>(connections.rows(), database);
  }
  chains.write(database);
  if (trace.steps().size() > 0) {
    write_stored_table<kStepTable>(AllRows<trace::Steps>{trace.steps()}, database);
  }
  if (trace.garbage_collections().size() > 0) {
    write_stored_table<kCollectionTable>(AllRows<GarbageCollections>{trace.garbage_collections()},
                                         database);
  }
  write_operator_memory(trace, strings, database);
  write_memory_record(trace, strings, database);
}

}  // namespace npuprof::report::sqlite
