#include "report/sqlite/framework_tables.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/sqlite/call_chains.h"
#include "report/sqlite/cann_tables.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
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

// Values of PYTORCH_API.type.
constexpr std::int64_t kTypeOp = 50001;
constexpr std::int64_t kTypeQueue = 50002;
constexpr std::int64_t kTypeTrace = 50003;
// Connections of the framework are numbered from here, above all those of host calls.
constexpr std::int64_t kFirstConnection = std::int64_t{5} << 28;

void put_time(PageBuilder& row, std::int64_t ns) {
  char digits[kMaxIntegerChars];
  const char* end = write_signed(digits, ns);
  row.text({digits, static_cast<std::size_t>(end - digits)});
}

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
  void put(PageBuilder& row, StringId text) const {
    if (text == kEmptyString) {
      row.null();
    } else {
      row.integer(ids_.at(text));
    }
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

class FrameworkTables {
 public:
  FrameworkTables(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database)
      : trace_(trace),
        strings_(strings),
        database_(database),
        chains_(trace, strings),
        lines_(trace.strings, strings) {
    pid_ = trace.framework_ops().size() > 0 ? trace.framework_ops().pid[0] : trace.session.pid;
  }

  void write() {
    build_connections();
    write_api();
    write_connections();
    chains_.write(database_);
    write_steps();
    write_garbage_collections();
  }

 private:
  // What a row of PYTORCH_API is connected to: ids in CONNECTION_IDS, in the order of rows.
  void build_connections();
  void write_api();
  void put_call(PageBuilder& row, std::size_t i) const;
  void put_queue(PageBuilder& row, const auto& ranges, std::size_t i, std::int64_t name,
                 std::int64_t connection) const;
  void put_op(PageBuilder& row, std::size_t op) const;
  void write_connections();
  void write_steps();
  void write_garbage_collections();

  const Trace& trace_;
  DatabaseStrings& strings_;
  BulkDatabase& database_;
  CallChains chains_;
  LineTexts lines_;
  std::uint32_t pid_ = 0;

  std::vector<std::int64_t> connection_row_;  // CONNECTION_IDS.id by row ...
  std::vector<std::int64_t> connected_to_;    // ... and its connectionId.
  std::vector<std::int64_t> op_connection_;   // By row of FrameworkOps; -1 = none.
};

void FrameworkTables::build_connections() {
  const auto& ops = trace_.framework_ops();
  const auto connect = [&](std::int64_t id, std::int64_t to) {
    connection_row_.push_back(id);
    connected_to_.push_back(to);
  };
  std::int64_t id = 0;
  std::uint64_t greatest = 0;
  for (std::size_t i = 0; i < trace_.dequeues().size(); ++i) {
    connect(id++, kFirstConnection + static_cast<std::int64_t>(trace_.dequeues().correlation[i]));
  }
  for (std::size_t i = 0; i < trace_.enqueues().size(); ++i) {
    connect(id++, kFirstConnection + static_cast<std::int64_t>(trace_.enqueues().correlation[i]));
    greatest = std::max(greatest, trace_.enqueues().correlation[i]);
  }
  // Per operator: the arrow to its backward operator, then the host calls that it led to. Those of
  // one operator stand together in `links`, from begin[op] on.
  const auto& pairs = trace_.forward_backward();
  const auto& kernel_ops = trace_.kernel_ops();
  std::vector<std::uint32_t> begin(ops.size() + 1);
  const auto count = [&](const std::vector<trace::Row<trace::FrameworkOps>>& rows) {
    for (const std::uint32_t op : rows) ++begin[op + 1];
  };
  count(pairs.forward);
  count(pairs.backward);
  count(kernel_ops.op);
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::int64_t> links(begin.back());
  std::vector<std::uint32_t> end(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::int64_t link = kFirstConnection + static_cast<std::int64_t>(greatest + 1 + i);
    links[end[pairs.forward[i]]++] = link;
    links[end[pairs.backward[i]]++] = link;
  }
  // By row of ApiCalls: the last operator that was connected to it.
  std::vector<std::uint32_t> op_of_call(trace_.api_calls().size(), kNone);
  for (std::size_t i = 0; i < kernel_ops.size(); ++i) {
    const std::uint32_t api = trace_.tasks().api[kernel_ops.task[i]];
    if (api == kNone) continue;
    const std::uint32_t op = kernel_ops.op[i];
    // Several tasks of one call are one link.
    if (std::exchange(op_of_call[api], op) == op) continue;
    links[end[op]++] = connection_id(api);
  }
  op_connection_.assign(ops.size(), -1);
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (end[op] == begin[op]) continue;
    op_connection_[op] = id;
    for (std::uint32_t i = begin[op]; i < end[op]; ++i) connect(id, links[i]);
    ++id;
  }
}

void FrameworkTables::put_call(PageBuilder& row, std::size_t i) const {
  const auto& calls = trace_.python_calls();
  put_time(row, calls.start_ns[i]);
  put_time(row, calls.end_ns[i]);
  row.integer(global_tid(pid_, calls.tid[i]));
  row.null();
  row.integer(strings_.id(calls.name[i]));
  for (int column = 0; column < 5; ++column) row.null();
  row.integer(kTypeTrace);
}

void FrameworkTables::put_queue(PageBuilder& row, const auto& ranges, std::size_t i,
                                std::int64_t name, std::int64_t connection) const {
  put_time(row, ranges.start_ns[i]);
  put_time(row, ranges.end_ns[i]);
  row.integer(global_tid(pid_, ranges.tid[i]));
  row.integer(connection);
  row.integer(name);
  for (int column = 0; column < 5; ++column) row.null();
  row.integer(kTypeQueue);
}

void FrameworkTables::put_op(PageBuilder& row, std::size_t op) const {
  const auto& ops = trace_.framework_ops();
  put_time(row, ops.start_ns[op]);
  put_time(row, ops.end_ns[op]);
  row.integer(global_tid(pid_, ops.tid[op]));
  if (op_connection_[op] < 0) {
    row.null();
  } else {
    row.integer(op_connection_[op]);
  }
  row.integer(strings_.id(ops.name[op]));
  row.integer(ops.sequence[op]);
  row.integer(ops.forward_thread[op]);
  lines_.put(row, ops.input_dtypes[op]);
  lines_.put(row, ops.input_shapes[op]);
  if (chains_.id_of(op) < 0) {
    row.null();
  } else {
    row.integer(chains_.id_of(op));
  }
  row.integer(kTypeOp);
}

void FrameworkTables::write_api() {
  const auto& ops = trace_.framework_ops();
  const auto& calls = trace_.python_calls();
  const auto& enqueues = trace_.enqueues();
  const auto& dequeues = trace_.dequeues();
  strings_.use(ops.name);
  lines_.add(ops.input_dtypes);
  lines_.add(ops.input_shapes);
  strings_.use(calls.name);
  // Queue rows are named after what is dequeued; the texts are made before the parallel part.
  std::vector<std::int64_t> dequeue_names(dequeues.size());
  for (std::size_t i = 0; i < dequeues.size(); ++i) {
    dequeue_names[i] = strings_.id("Dequeue@" + std::string(trace_.strings.view(dequeues.name[i])));
  }
  std::vector<std::int64_t> enqueue_names(enqueues.size());
  for (std::size_t i = 0; i < enqueues.size(); ++i) {
    std::string name = "Enqueue";
    if (enqueues.partner[i] != kNone) {
      name += "@" + std::string(trace_.strings.view(dequeues.name[enqueues.partner[i]]));
    }
    enqueue_names[i] = strings_.id(name);
  }
  std::vector<std::uint32_t> by_start(ops.size());
  for (std::uint32_t i = 0; i < by_start.size(); ++i) by_start[i] = i;
  std::stable_sort(by_start.begin(), by_start.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ops.start_ns[a] < ops.start_ns[b];
  });

  const std::size_t first_enqueue = calls.size();
  const std::size_t first_dequeue = first_enqueue + enqueues.size();
  const std::size_t first_op = first_dequeue + dequeues.size();
  database_.table({"PYTORCH_API",
                   {{"startNs", kT},
                    {"endNs", kT},
                    {"globalTid", kI},
                    {"connectionId", kI},
                    {"name", kI},
                    {"sequenceNumber", kI},
                    {"fwdThreadId", kI},
                    {"inputDtypes", kI},
                    {"inputShapes", kI},
                    {"callchainId", kI},
                    {"type", kI}}},
                  first_op + ops.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      auto& row = sink.row();
                      if (i < first_enqueue) {
                        put_call(row, i);
                      } else if (i < first_dequeue) {
                        const std::size_t enqueue = i - first_enqueue;
                        put_queue(row, enqueues, enqueue, enqueue_names[enqueue],
                                  static_cast<std::int64_t>(dequeues.size() + enqueue));
                      } else if (i < first_op) {
                        const std::size_t dequeue = i - first_dequeue;
                        put_queue(row, dequeues, dequeue, dequeue_names[dequeue],
                                  static_cast<std::int64_t>(dequeue));
                      } else {
                        put_op(row, by_start[i - first_op]);
                      }
                      row.end_row();
                    }
                  });
}

void FrameworkTables::write_connections() {
  if (connection_row_.empty()) return;
  database_.table({"CONNECTION_IDS", {{"id", kI}, {"connectionId", kI}}}, connection_row_.size(),
                  [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      auto& row = sink.row();
                      row.integer(connection_row_[i]);
                      row.integer(connected_to_[i]);
                      row.end_row();
                    }
                  });
}

void FrameworkTables::write_steps() {
  const auto& steps = trace_.steps();
  if (steps.size() == 0) return;
  database_.table({"STEP_TIME", {{"id", kI}, {"startNs", kI}, {"endNs", kI}}}, steps.size(),
                  [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      auto& row = sink.row();
                      row.integer(steps.id[i]);
                      row.integer(steps.host_start_ns[i]);
                      row.integer(steps.host_end_ns[i]);
                      row.end_row();
                    }
                  });
}

void FrameworkTables::write_garbage_collections() {
  const auto& collections = trace_.garbage_collections();
  if (collections.size() == 0) return;
  database_.table({"GC_RECORD", {{"startNs", kI}, {"endNs", kI}, {"globalTid", kI}}},
                  collections.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      auto& row = sink.row();
                      row.integer(collections.start_ns[i]);
                      row.integer(collections.end_ns[i]);
                      row.integer(global_tid(collections.pid[i], collections.pid[i]));
                      row.end_row();
                    }
                  });
}

}  // namespace

void write_framework_tables(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  FrameworkTables(trace, strings, database).write();
  write_memory_tables(trace, strings, database);
}

}  // namespace npuprof::report::sqlite
