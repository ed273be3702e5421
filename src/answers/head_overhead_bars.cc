#include "answers/head_overhead_bars.h"

#include <algorithm>
#include <array>
#include <string>

namespace npuprof::answers {
namespace {

using analyze::GraphExecution;

constexpr std::int64_t kBarWidth = 60;  // Characters of the longest.

struct BarPart {
  char sign;
  std::int64_t length_ns;
};

// In the order of time; compilation is left out, it would hide all the rest.
std::array<BarPart, 6> bar_parts(const GraphExecution& execution) {
  const auto known = [](const std::optional<std::int64_t>& value) {
    return std::max<std::int64_t>(0, value.value_or(0));
  };
  return {{{'f', known(execution.front_end_ns)},
           {'p', known(execution.torchair_py_ns)},
           {'c', known(execution.torchair_cpp_ns)},
           {'g', known(execution.ge_launch_ns ? execution.ge_launch_ns : execution.replay_ns)},
           {'o', known(execution.post_cpp_ns)},
           {'y', known(execution.post_py_ns)}}};
}

double bar_length(const GraphExecution& execution) {
  double sum = 0;
  for (const BarPart& part : bar_parts(execution)) sum += static_cast<double>(part.length_ns);
  return sum;
}

// The ends of parts are rounded, not their lengths, so that the bar as a whole is to scale.
std::string bar_text(const GraphExecution& execution, double longest_ns) {
  std::string text;
  double end_ns = 0;
  for (const BarPart& part : bar_parts(execution)) {
    end_ns += static_cast<double>(part.length_ns);
    const double end = std::min(end_ns / longest_ns, 1.0) * kBarWidth;
    const auto columns = static_cast<std::size_t>(end + 0.5);
    if (columns > text.size()) text.append(columns - text.size(), part.sign);
  }
  if (end_ns > longest_ns) text += '>';
  return text;
}

}  // namespace

Table head_overhead_bars(const analyze::HeadOverhead& overhead) {
  Table table("bars", "Each execution, to scale");
  table.in_files = false;
  table.integer("step", "Step");
  table.text("graph", "Graph");
  table.text("state", "State");
  table.duration("parts", "Parts");
  table.text("bar", "Bar");
  // Tracing before a compilation takes a thousand times as long as a warm execution.
  double longest_ns = 0;
  double longest_of_all_ns = 0;
  for (const GraphExecution& execution : overhead.executions) {
    longest_of_all_ns = std::max(longest_of_all_ns, bar_length(execution));
    if (execution.compile_ns == 0) longest_ns = std::max(longest_ns, bar_length(execution));
  }
  if (longest_ns <= 0) longest_ns = longest_of_all_ns;
  if (longest_ns <= 0) return table;
  for (const GraphExecution& execution : overhead.executions) {
    if (execution.mode == analyze::GraphMode::kEager) continue;
    table.row(execution.step, execution.group, execution.is_cold() ? "cold" : "warm",
              static_cast<std::int64_t>(bar_length(execution)), bar_text(execution, longest_ns));
  }
  table.notes.push_back(
      "f front end, p TorchAir in Python, c TorchAir in C++, g launch by GE or replay, o outputs "
      "in "
      "C++, y outputs in Python; compiling and loading are left out, and > is where a bar was "
      "cut.");
  return table;
}

}  // namespace npuprof::answers
