#pragma once

// Causes of idle time, added up.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/idle_causes.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct IdleSum {
  std::int64_t total_ns = 0;
  std::size_t count = 0;           // Rows.
  std::int64_t longest_ns = 0;     // The longest row,
  std::int64_t longest_at_ns = 0;  // and when it began.

  void add(const IdleRow& row);
};

// All lists have the largest total first.

struct IdleCauseSum {
  IdleCause cause{};
  IdleSum sum;
};
std::vector<IdleCauseSum> idle_by_cause(std::span<const IdleRow> rows);

// Texts live as long as the trace.
struct IdleDetailSum {
  IdleCause cause{};
  std::string_view detail;
  IdleSum sum;
};
// Frames of built-in functions without the address of their object, which is another one each time.
std::vector<IdleDetailSum> idle_by_detail(const trace::Trace& trace, std::span<const IdleRow> rows);
// As it is called there.
std::string_view idle_detail(const trace::Trace& trace, const IdleRow& row);

struct IdleNameSum {
  std::string_view name;
  IdleSum sum;
};
// By the operator that the host was busy with, or launched for; rows without one are left out, here
// and below.
std::vector<IdleNameSum> idle_by_operator(const trace::Trace& trace, std::span<const IdleRow> rows);
// By the innermost Python frame, or the innermost one of the operator's stack.
std::vector<IdleNameSum> idle_by_python_line(const trace::Trace& trace,
                                             std::span<const IdleRow> rows);
// By the innermost module: a Python frame, a mark, or what the operator says.
std::vector<IdleNameSum> idle_by_module(const trace::Trace& trace, std::span<const IdleRow> rows);

// One device in one step; causes by their number.
struct IdleStepSum {
  std::uint16_t device = 0;
  std::optional<std::int64_t> step;  // Nothing when the profile has no steps.
  std::int64_t total_ns = 0;
  std::array<std::int64_t, kIdleCauseCount> by_cause_ns{};

  IdleCause largest() const;
};
// By (device, step).
std::vector<IdleStepSum> idle_by_step(const trace::Trace& trace, std::span<const IdleRow> rows);

// A whole gap: rows that follow each other, [first_row, end_row).
struct IdleGapSum {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::size_t first_row = 0;
  std::size_t end_row = 0;
};
// The longest ones, at most so many.
std::vector<IdleGapSum> longest_idle_gaps(std::span<const IdleRow> rows, std::size_t count);

}  // namespace npuprof::analyze
