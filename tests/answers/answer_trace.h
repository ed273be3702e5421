#pragma once

// Traces for questions, made row by row, and answers looked at cell by cell.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "answers/mode.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/trace.h"

namespace npuprof::answers::testing {

struct KernelOf {
  std::string_view name;
  std::string_view type = {};
  std::string_view shapes = {};
  std::uint16_t device = 0;
};

// Times in ns. Rows are added in order of time, as a linked trace has them.
class AnswerTrace {
 public:
  trace::Trace& operator*() { return trace_; }
  trace::Trace* operator->() { return &trace_; }
  StringId text(std::string_view text) { return trace_.strings.intern(text); }

  std::uint32_t add_task(std::int64_t start_ns, std::int64_t end_ns, std::uint16_t device = 0) {
    trace::Tasks& tasks = trace_.tasks();
    const std::uint32_t row = new_row(tasks);
    tasks.start_ns[row] = start_ns;
    tasks.end_ns[row] = end_ns;
    tasks.device[row] = device;
    tasks.stream[row] = 7;
    tasks.context[row] = trace::kNone;
    return row;
  }
  // Returns its task.
  std::uint32_t add_kernel(std::int64_t start_ns, std::int64_t end_ns, const KernelOf& of) {
    const std::uint32_t task = add_task(start_ns, end_ns, of.device);
    trace::Kernels& kernels = trace_.kernels();
    const std::uint32_t row = new_row(kernels);
    kernels.task[row] = task;
    kernels.kind[row] = static_cast<std::uint8_t>(trace::KernelKind::kCompute);
    kernels.name[row] = text(of.name);
    kernels.op_type[row] = text(of.type);
    kernels.task_type[row] = text(of.type.empty() ? "" : "AI_CORE");
    kernels.input_shapes[row] = text(of.shapes);
    trace_.tasks().kernel[task] = row;
    return task;
  }
  std::uint32_t add_op(std::int64_t start_ns, std::int64_t end_ns, std::string_view name,
                       std::uint32_t tid = 1, std::string_view stack = {}) {
    trace::FrameworkOps& ops = trace_.framework_ops();
    const std::uint32_t row = new_row(ops);
    ops.start_ns[row] = start_ns;
    ops.end_ns[row] = end_ns;
    ops.tid[row] = tid;
    ops.sequence[row] = -1;
    ops.name[row] = text(name);
    ops.stack[row] = text(stack);
    return row;
  }
  void launch(std::uint32_t op, std::uint32_t task) {
    trace_.kernel_ops().op.push_back(op);
    trace_.kernel_ops().task.push_back(task);
  }
  void add_step(std::int64_t id, std::int64_t start_ns, std::int64_t end_ns) {
    trace::Steps& steps = trace_.steps();
    const std::uint32_t row = new_row(steps);
    steps.id[row] = id;
    steps.host_start_ns[row] = steps.device_start_ns[row] = start_ns;
    steps.host_end_ns[row] = steps.device_end_ns[row] = end_ns;
    steps.has_kernels[row] = 1;
  }
  std::uint32_t add_collective(std::int64_t start_ns, std::int64_t end_ns, std::string_view name,
                               std::string_view type = {}, std::string_view group = "1234") {
    trace::CollectiveOps& ops = trace_.collective_ops();
    const std::uint32_t row = new_row(ops);
    ops.start_ns[row] = start_ns;
    ops.end_ns[row] = end_ns;
    ops.name[row] = text(name);
    ops.type[row] = text(type);
    ops.group[row] = text(group);
    return row;
  }
  void add_computing(std::int64_t start_ns, std::int64_t end_ns) {
    trace::OverlapIntervals& intervals = trace_.overlap_intervals();
    const std::uint32_t row = new_row(intervals);
    intervals.start_ns[row] = start_ns;
    intervals.end_ns[row] = end_ns;
    intervals.kind[row] = static_cast<std::uint8_t>(trace::OverlapKind::kComputing);
  }

  Result<Answer> ask(const Mode& mode, std::string_view by = {}) {
    const analyze::SharedResults results(trace_);
    Request request{.trace = trace_, .results = results};
    if (!by.empty()) request.options["by"] = by;
    return mode.answer(request);
  }

  template <trace::Columnar Table>
  static std::uint32_t new_row(Table& table) {
    const std::size_t rows = row_count(table);
    resize_rows(table, rows + 1);
    return static_cast<std::uint32_t>(rows);
  }

 private:
  trace::Trace trace_;
};

inline const Table* find_table(const Answer& answer, std::string_view name) {
  for (const Table& table : answer.tables) {
    if (table.name() == name) return &table;
  }
  return nullptr;
}

// Cells by the column's key. A column that is not there fails the test.
class TableView {
 public:
  TableView(const Answer& answer, std::string_view name) : table_(find_table(answer, name)) {
    EXPECT_NE(table_, nullptr) << name;
  }
  std::size_t size() const { return table_ == nullptr ? 0 : table_->size(); }
  std::string text(std::size_t row, std::string_view key) const {
    return place(row, key) ? std::string(table_->text_at(*place(row, key), row)) : "?";
  }
  std::int64_t number(std::size_t row, std::string_view key) const {
    return place(row, key) ? table_->column(*place(row, key)).numbers.at(row) : -999;
  }
  double real(std::size_t row, std::string_view key) const {
    return place(row, key) ? table_->column(*place(row, key)).reals.at(row) : -999;
  }
  bool absent(std::size_t row, std::string_view key) const {
    return place(row, key) && table_->is_absent(*place(row, key), row);
  }

 private:
  std::optional<std::size_t> place(std::size_t row, std::string_view key) const {
    if (row >= size()) {
      ADD_FAILURE() << "no row " << row;
      return std::nullopt;
    }
    const auto found = table_->find(key);
    if (!found) ADD_FAILURE() << "no column " << key;
    return found;
  }

  const Table* table_;
};

// Whether one of the sentences has this part.
inline bool says(const Answer& answer, std::string_view part) {
  for (const std::string& sentence : answer.sentences) {
    if (sentence.find(part) != std::string::npos) return true;
  }
  return false;
}

// A mode without data says so, and how to get it.
inline void expect_no_data(const Mode& mode) {
  AnswerTrace trace;
  const auto answer = trace.ask(mode);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kNoData);
  EXPECT_FALSE(answer.error().message.empty());
  EXPECT_FALSE(mode.needs.empty());
  EXPECT_FALSE(mode.collect.empty());
}

}  // namespace npuprof::answers::testing
