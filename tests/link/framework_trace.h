#pragma once

#include <cstdint>
#include <string_view>

#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"
#include "trace/linked/tasks.h"
#include "trace/trace.h"

namespace npuprof::link::testing {

inline constexpr std::uint32_t kPid = 7;

// Makes a trace row by row. Each add_ function returns the number of the new row.
class FrameworkTrace {
 public:
  trace::Trace& operator*() { return trace_; }
  trace::Trace* operator->() { return &trace_; }

  std::uint32_t add_op(std::uint32_t tid, std::int64_t start_ns, std::int64_t end_ns,
                       std::string_view name = "aten::op", std::int64_t sequence = -1,
                       std::uint32_t forward_thread = 0) {
    trace::FrameworkOps& ops = trace_.framework_ops();
    const auto row = new_row(ops);
    ops.start_ns[row] = start_ns;
    ops.end_ns[row] = end_ns;
    ops.sequence[row] = sequence;
    ops.pid[row] = kPid;
    ops.tid[row] = tid;
    ops.forward_thread[row] = forward_thread;
    ops.name[row] = trace_.strings.intern(name);
    ops.parent[row] = trace::kNone;
    return row;
  }

  // Category: 0/1 enqueue start/end, 2/3 dequeue start/end.
  std::uint32_t add_mark(std::uint8_t category, std::int64_t time_ns, std::uint64_t correlation,
                         std::uint32_t tid, std::string_view name = "aclnnMm") {
    trace::QueueMarks& marks = trace_.queue_marks();
    const auto row = new_row(marks);
    marks.time_ns[row] = time_ns;
    marks.category[row] = category;
    marks.correlation[row] = correlation;
    marks.tid[row] = tid;
    marks.pid[row] = kPid;
    marks.name[row] = trace_.strings.intern(name);
    return row;
  }
  void add_enqueue(std::uint64_t correlation, std::uint32_t tid, std::int64_t start_ns,
                   std::int64_t end_ns) {
    add_mark(0, start_ns, 0, tid);
    add_mark(1, end_ns, correlation, tid);
  }
  void add_dequeue(std::uint64_t correlation, std::uint32_t tid, std::int64_t start_ns,
                   std::int64_t end_ns) {
    add_mark(2, start_ns, correlation, tid);
    add_mark(3, end_ns, correlation, tid);
  }

  std::uint32_t add_memory(std::uint8_t kind, std::int64_t time_ns, std::uint64_t address,
                           std::uint32_t tid = 1) {
    trace::MemoryEvents& events = trace_.memory_events();
    const auto row = new_row(events);
    events.time_ns[row] = time_ns;
    events.address[row] = address;
    events.size_bytes[row] = kind == 0 ? 512 : -512;
    events.device_type[row] = 20;
    events.kind[row] = kind;
    events.tid[row] = tid;
    events.pid[row] = kPid;
    return row;
  }

  // Tag: 0 call, 1 return, 2 C call, 3 C return.
  void add_python(std::uint8_t tag, std::int64_t time_ns, std::uint64_t key = 0,
                  std::uint32_t tid = 1) {
    trace::PythonEvents& events = trace_.python_events();
    const auto row = new_row(events);
    events.time_ns[row] = time_ns;
    events.tid[row] = tid;
    events.pid[row] = kPid;
    events.key[row] = key;
    events.tag[row] = tag;
  }
  void add_python_name(std::uint64_t key, std::string_view text) {
    trace_.python_names().key.push_back(key);
    trace_.python_names().text.push_back(trace_.strings.intern(text));
  }

  std::uint32_t add_task(std::uint32_t tid, std::int64_t launch_ns, std::int64_t start_ns,
                         std::int64_t end_ns) {
    trace::Tasks& tasks = trace_.tasks();
    const auto row = new_row(tasks);
    tasks.start_ns[row] = start_ns;
    tasks.end_ns[row] = end_ns;
    tasks.tid[row] = tid;
    tasks.launch_ns[row] = launch_ns;
    tasks.api[row] = trace::kNone;
    return row;
  }

 private:
  template <trace::Columnar Table>
  static std::uint32_t new_row(Table& table) {
    const std::size_t rows = row_count(table);
    resize_rows(table, rows + 1);
    return static_cast<std::uint32_t>(rows);
  }

  trace::Trace trace_;
};

}  // namespace npuprof::link::testing
