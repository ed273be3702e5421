#include "answers/python_answer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analyze/python_frames.h"
#include "answers/wording.h"

namespace npuprof::answers {
namespace {

using analyze::FrameTotals;
using analyze::PythonFrames;

// "train.py(12): forward" is forward at train.py:12. What is not written so has no place.
struct FramePlace {
  std::string_view function;
  std::string place;
};

FramePlace frame_place(std::string_view name) {
  const std::size_t close = name.find("): ");
  if (close == std::string_view::npos) return {name, ""};
  const std::size_t open = name.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return {name, ""};
  return {name.substr(close + 3),
          fmt::format("{}:{}", name.substr(0, open), name.substr(open + 1, close - open - 1))};
}

double sum_of_self_times(const PythonFrames& all) {
  double sum_ns = 0;
  for (const FrameTotals& frame : all.frames) sum_ns += static_cast<double>(frame.self_ns);
  return sum_ns;
}

// Columns that functions and modules share.
class FrameColumns {
 public:
  FrameColumns(const PythonFrames& all, double self_sum_ns)
      : all_(all), self_sum_ns_(self_sum_ns) {}

  void declare(Table& table) const {
    if (!all_.from_stacks) table.integer("calls", "Calls");
    table.duration("self", "Self");
    table.share("self_share", "Self share");
    table.duration("total", "Total");
    table.duration("device_self", "Device self");
    table.duration("device_total", "Device total");
    table.share("device_total_share", "Device share");
    table.integer("operators", "Operators");
  }
  void add(Table& table, const FrameTotals& frame) const {
    if (!all_.from_stacks) table.add(frame.calls);
    const bool has_device = all_.device_ns > 0;
    const auto of_device = [&](std::int64_t time_ns) {
      return has_device ? std::optional(time_ns) : std::nullopt;
    };
    table.row(frame.self_ns, part_of(frame.self_ns, self_sum_ns_), frame.total_ns,
              of_device(frame.device_self_ns), of_device(frame.device_total_ns),
              part_of(frame.device_total_ns, static_cast<double>(all_.device_ns)), frame.operators);
  }

 private:
  static std::optional<double> part_of(std::int64_t part_ns, double sum_ns) {
    if (!(sum_ns > 0)) return std::nullopt;
    return static_cast<double>(part_ns) / sum_ns;
  }

  const PythonFrames& all_;
  double self_sum_ns_;
};

Table function_table(const PythonFrames& all, const FrameColumns& columns) {
  Table table("python_functions", "Python functions, longest self time first");
  table.text("function", "Function");
  table.text("place", "Place");
  columns.declare(table);
  table.comparison = {.names = {"function", "place"},
                      .also = {},
                      .sums = {"calls", "self", "device_total"},
                      .values = {}};
  for (const FrameTotals& frame : all.frames) {
    if (frame.is_module) continue;
    const FramePlace place = frame_place(frame.name);
    table.row(place.function, place.place);
    columns.add(table, frame);
  }
  if (all.from_stacks) {
    table.notes.emplace_back(
        "Calls of Python functions were not recorded: times are those of operators by their "
        "stacks, without the time of Python itself.");
  }
  return table;
}

// By total: the self time of a module is that of its wrapper.
std::vector<const FrameTotals*> modules_by_total(const PythonFrames& all) {
  std::vector<const FrameTotals*> modules;
  for (const FrameTotals& frame : all.frames) {
    if (frame.is_module) modules.push_back(&frame);
  }
  std::stable_sort(modules.begin(), modules.end(),
                   [](const auto* a, const auto* b) { return a->total_ns > b->total_ns; });
  return modules;
}

Table python_module_table(const std::vector<const FrameTotals*>& modules,
                          const FrameColumns& columns) {
  Table table("python_modules", "Modules (nn.Module), longest total time first");
  table.text("module", "Module");
  columns.declare(table);
  table.comparison = {
      .names = {"module"}, .also = {}, .sums = {"calls", "total", "device_total"}, .values = {}};
  for (const FrameTotals* module : modules) {
    table.add(module->name.substr(module->name.find(' ') + 1));
    columns.add(table, *module);
  }
  return table;
}

const FrameTotals* largest_frame(const PythonFrames& all, std::int64_t FrameTotals::*time) {
  const FrameTotals* largest = nullptr;
  for (const FrameTotals& frame : all.frames) {
    if (frame.is_module || frame.*time <= 0) continue;
    if (largest == nullptr || frame.*time > largest->*time) largest = &frame;
  }
  return largest;
}

std::string place_text(const FrameTotals& frame) {
  const FramePlace place = frame_place(frame.name);
  return place.place.empty() ? std::string(place.function)
                             : fmt::format("{} ({})", place.function, place.place);
}

void add_python_sentences(const PythonFrames& all, double self_sum_ns, Answer& answer) {
  if (const FrameTotals* frame = largest_frame(all, &FrameTotals::self_ns)) {
    answer.sentences.push_back(
        fmt::format("{} itself takes most of the host's time: {}, {} of all.", place_text(*frame),
                    duration_text(frame->self_ns),
                    share_text(static_cast<double>(frame->self_ns) / self_sum_ns)));
  }
  if (const FrameTotals* frame = largest_frame(all, &FrameTotals::device_self_ns)) {
    answer.sentences.push_back(fmt::format("{} launches most of the device's work: {}, {} of all.",
                                           place_text(*frame), duration_text(frame->device_self_ns),
                                           share_text(static_cast<double>(frame->device_self_ns) /
                                                      static_cast<double>(all.device_ns))));
  }
  if (all.device_outside_ns > 0 && all.device_ns > 0) {
    answer.sentences.push_back(fmt::format(
        "{} of the device's work is launched outside of Python (as backward passes are, on threads "
        "of their own).",
        share_text(static_cast<double>(all.device_outside_ns) /
                   static_cast<double>(all.device_ns))));
  }
}

Result<Answer> answer_python(const Request& request) {
  const PythonFrames all = analyze::python_frames(request.trace);
  if (all.frames.empty()) {
    return Error{ErrorCode::kNoData,
                 "the profile has no calls of Python functions and no stacks of operators"};
  }
  const double self_sum_ns = sum_of_self_times(all);
  const FrameColumns columns(all, self_sum_ns);
  Answer answer;
  add_python_sentences(all, self_sum_ns, answer);
  Table functions = function_table(all, columns);
  if (functions.size() > 0) answer.tables.push_back(std::move(functions));
  const std::vector<const FrameTotals*> modules = modules_by_total(all);
  if (!modules.empty()) answer.tables.push_back(python_module_table(modules, columns));
  return answer;
}

}  // namespace

const Mode kPythonMode = {
    .name = "python",
    .question = "Which Python functions and modules take the host's time, and launch the device's?",
    .explains =
        "Functions with place, calls, time of the host and device time of the kernels that they "
        "launch; modules (nn.Module) apart. Self is without the functions that it calls. Kernels "
        "that run side by side count each.",
    .needs = "calls of Python functions, or operators with stacks",
    .collect = "profile with ProfilerActivity.CPU and with_stack=True",
    .reads = {trace::Part::kDetails, trace::Part::kMemory, trace::Part::kStacks},
    .options = {},
    .answer = answer_python,
};

}  // namespace npuprof::answers
