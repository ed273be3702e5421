#include "format/mindspore/cpu_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace npuprof::format::mindspore {
namespace {

// Sets `member` to the number in `text`; false if it is none.
template <typename T>
bool take_cell(std::string_view text, T& member) {
  const auto number = parse_number<T>(trim(text));
  if (number) member = *number;
  return number.has_value();
}

bool parse_run(std::string_view text, CpuOpRun& run) {
  const auto parts = split(text, ',');
  return parts.size() == 3 && take_cell(parts[0], run.start_ns) &&
         take_cell(parts[1], run.duration_ms) && take_cell(parts[2], run.worker);
}

}  // namespace

bool parse_cpu_op_times(std::string_view line, CpuOpTimes& times, std::uint64_t& bad_runs) {
  times.runs.clear();
  const auto parts = split(line, ';');
  if (parts.size() != 3) return false;
  times.name = parts[0];
  for (const std::string_view text : split(parts[2], ' ')) {
    if (trim(text).empty()) continue;
    CpuOpRun run;
    if (parse_run(text, run)) {
      times.runs.push_back(run);
    } else {
      ++bad_runs;
    }
  }
  return true;
}

void append_cpu_op_times(std::string& text, const CpuOpTimes& times) {
  fmt::format_to(std::back_inserter(text), "{};{};", times.name, CpuOpTimes::kTypeText);
  for (const CpuOpRun& run : times.runs) {
    fmt::format_to(std::back_inserter(text), "{},{:g},{} ", run.start_ns, run.duration_ms,
                   run.worker);
  }
  text += '\n';
}

bool parse_cpu_op_shapes(std::string_view line, CpuOpShapes& shapes) {
  shapes.inputs.clear();
  const auto parts = split(trim(line), ';');
  if (parts.size() < 3 || !take_cell(parts[2], shapes.graph)) return false;
  shapes.type = parts[0];
  shapes.name = parts[1];
  for (std::size_t i = 3; i < parts.size(); ++i) {
    const std::size_t open = parts[i].find('[');
    const std::size_t close = parts[i].rfind(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) continue;
    shapes.inputs.push_back(parts[i].substr(open + 1, close - open - 1));
  }
  return true;
}

void append_cpu_op_shapes(std::string& text, const CpuOpShapes& shapes) {
  fmt::format_to(std::back_inserter(text), "{};{};{};", shapes.type, shapes.name, shapes.graph);
  for (std::size_t i = 0; i < shapes.inputs.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "input_{}:[{}];", i, shapes.inputs[i]);
  }
  text += '\n';
}

std::optional<CpuMemory> parse_cpu_memory(std::string_view line) {
  const auto parts = split(trim(line), ',');
  CpuMemory memory;
  const bool whole = parts.size() == 4 && take_cell(parts[0], memory.time_ns) &&
                     take_cell(parts[1], memory.allocated_bytes) &&
                     take_cell(parts[2], memory.reserved_bytes) &&
                     take_cell(parts[3], memory.active_bytes);
  if (!whole) return std::nullopt;
  return memory;
}

void append_cpu_memory(std::string& text, const CpuMemory& memory) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", memory.time_ns, memory.allocated_bytes,
                 memory.reserved_bytes, memory.active_bytes);
}

}  // namespace npuprof::format::mindspore
