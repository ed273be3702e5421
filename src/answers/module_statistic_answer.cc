#include "answers/module_statistic_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "analyze/module_totals.h"
#include "analyze/operator_mfu.h"
#include "analyze/peer_mfu.h"
#include "answers/peak_options.h"
#include "answers/wording.h"
#include "base/release_memory.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::answers {
namespace {

using analyze::ModuleTotal;
using analyze::ModuleTotals;

constexpr std::string_view kAverageMfuOption = "avg-mfu";
constexpr ModeOption kModuleOptions[] = {
    kPeakTflopsOption,
    {kAverageMfuOption, "yes: the table ModuleStatistic has the column avgMFU, from shapes"}};

// A place counts as slow if it takes so many times as long as its like.
constexpr double kSlowPlace = 1.15;

constexpr ModuleColumnNames kStatisticNames = {
    "parentModule",          "module",  "opName", "kernelList", "totalKernelDuration(ns)",
    "avgKernelDuration(ns)", "opCount", "avgMFU"};

std::optional<double> module_share(std::int64_t part_ns, std::int64_t all_ns) {
  if (all_ns <= 0) return std::nullopt;
  return static_cast<double>(part_ns) / static_cast<double>(all_ns);
}

double module_spread(const ModuleTotal& module) {
  return module.typical_ns > 0 ? module.slowest_ns / module.typical_ns : 0;
}

// What is not backward need not be forward there: it is the optimizer, above all.
void add_outside_row(Table& table, std::string_view name, std::int64_t total_ns,
                     std::int64_t backward_ns, std::int64_t all_ns) {
  if (total_ns <= 0) return;
  table.add(name).add(total_ns).add(total_ns).add(module_share(total_ns, all_ns)).skip();
  table.add(backward_ns > 0 ? std::optional(backward_ns) : std::nullopt);
  for (std::size_t i = 6; i < table.columns().size(); ++i) table.skip();
}

Table module_tree_table(const ModuleTotals& totals) {
  Table table("modules", "Time on the device by module");
  table.usual_rows = 60;
  table.text("module", "Module");
  table.duration("total", "Total");
  table.duration("self", "Self");
  table.share("share", "Share");
  table.duration("forward", "Forward");
  table.duration("backward", "Backward");
  table.duration("communication", "Communication");
  table.duration("busy", "Busy");
  table.integer("calls", "Calls");
  table.duration("mean", "Mean");
  table.duration("min", "Min");
  table.duration("max", "Max");
  table.integer("places", "Places");
  table.real("spread", "Spread");
  table.text("slowest", "Slowest");
  table.share("mfu", "MFU");
  table.comparison = {
      .names = {"module"}, .also = {}, .sums = {"total", "self"}, .values = {"mfu"}};
  for (const ModuleTotal& module : totals.modules) {
    const std::int64_t total_ns = module.total_ns();
    const bool has_mfu = module.ideal_ns > 0 && total_ns > 0;
    const bool has_places = !module.slowest_place.empty() && module.typical_ns > 0;
    table.row(
        std::string(2 * std::size_t{module.depth}, ' ') + module.name, total_ns, module.self_ns,
        module_share(total_ns, totals.total_ns), module.forward_ns, module.backward_ns,
        module.communication_ns, module.busy_ns, module.calls, std::llround(module.mean_ns()),
        module.min_ns, module.max_ns, module.places,
        has_places ? std::optional(module_spread(module)) : std::nullopt, module.slowest_place,
        has_mfu ? std::optional(module.ideal_ns / static_cast<double>(total_ns)) : std::nullopt);
  }
  add_outside_row(table, "(outside of all modules)", totals.outside_ns, totals.outside_backward_ns,
                  totals.total_ns);
  add_outside_row(table, "(of no known operator)", totals.without_operator_ns, 0, totals.total_ns);
  table.notes.push_back(
      "Total, self and share add up kernels and collectives; busy counts what ran side by side "
      "once. A call is forward and backward together. Places are where a module is called in each "
      "pass; spread compares the slowest of them with the median.");
  return table;
}

Table module_statistic_table(const trace::Trace& trace, const analyze::ModuleStatistic& statistic) {
  Table table("ModuleStatistic", "Time by module, operator and kernels");
  table.on_terminal = false;
  table.file = "ModuleStatistic/module_statistic";
  const bool with_mfu = has_utilization(statistic);
  declare_module_columns(table, kStatisticNames, with_mfu);
  answers::Column& rank = table.column(table.integer("rankID", "Rank ID"));
  rank.key_is_final = true;
  rank.only_in_database = true;
  for (const analyze::ModuleStatisticRow& row : statistic.rows) {
    add_module_cells(table, trace, statistic, row, with_mfu);
    table.add(trace.session.rank);
  }
  return table;
}

// The module that costs most more than if all its places were like most.
const ModuleTotal* slowest_of_its_like(const ModuleTotals& totals) {
  const ModuleTotal* found = nullptr;
  double most_ns = 0;
  for (const ModuleTotal& module : totals.modules) {
    // Of two places none is the usual one.
    if (module.places < 3 || module_spread(module) < kSlowPlace) continue;
    const double lost_ns = module.slowest_ns - module.typical_ns;
    if (lost_ns <= most_ns) continue;
    most_ns = lost_ns;
    found = &module;
  }
  return found;
}

std::vector<std::string> module_sentences(const ModuleTotals& totals) {
  std::vector<std::string> sentences;
  const std::int64_t outside_ns = totals.outside_ns + totals.without_operator_ns;
  sentences.push_back(fmt::format(
      "Kernels and collectives took {}; {} of that lies in modules.",
      duration_text(totals.total_ns),
      share_text(module_share(totals.total_ns - outside_ns, totals.total_ns).value_or(0))));
  const auto largest = std::max_element(
      totals.modules.begin(), totals.modules.end(),
      [](const ModuleTotal& a, const ModuleTotal& b) { return a.self_ns < b.self_ns; });
  if (largest != totals.modules.end() && largest->self_ns > 0) {
    sentences.push_back(
        fmt::format("{} has most work of its own: {} ({}) in {}.", short_text(largest->name),
                    duration_text(largest->self_ns),
                    share_text(module_share(largest->self_ns, totals.total_ns).value_or(0)),
                    count_text(largest->calls, "call")));
  }
  if (const ModuleTotal* slow = slowest_of_its_like(totals); slow != nullptr) {
    sentences.push_back(fmt::format(
        "{} takes {} a call where {} like it {} {}.", short_text(slow->slowest_place),
        duration_text(std::llround(slow->slowest_ns)), count_text(slow->places - 1, "other"),
        for_count(slow->places - 1, "takes", "take"),
        duration_text(std::llround(slow->typical_ns))));
  }
  if (totals.is_from_python) {
    sentences.push_back(
        "Modules are calls of nn.Module or nn.Cell from Python's stack: the profile has no ranges "
        "of the mstx "
        "domain 'Module'.");
  }
  return sentences;
}

Result<Answer> answer_module_statistic(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const analyze::PeakOptions options, peak_options(request));
  const trace::Trace& trace = request.trace;
  if (trace.framework_ops().size() == 0) {
    return Error{
        ErrorCode::kNoData,
        "the profile has no operators of a framework, which launch the kernels of modules"};
  }
  const analyze::OperatorWork work = analyze::operator_work(trace);
  analyze::Peaks peaks(trace, options);
  std::vector<double> ideal_ns = analyze::work_flops(trace, work, peaks).ideal_ns;
  NPUPROF_ASSIGN_OR_RETURN(const ModuleTotals totals,
                           analyze::module_totals(trace, work, ideal_ns));
  release_memory(ideal_ns);
  Answer answer;
  answer.sentences = module_sentences(totals);
  answer.tables.push_back(module_tree_table(totals));
  std::vector<double> utilization;
  if (request.option(kAverageMfuOption)) {
    utilization = analyze::peer_mfu_of_shapes(trace, work, peaks);
  }
  const auto statistic =
      analyze::module_statistic(trace, work, {.backward = true, .utilization = utilization});
  if (statistic.ok()) answer.tables.push_back(module_statistic_table(trace, *statistic));
  return answer;
}

}  // namespace

void declare_module_columns(Table& table, const ModuleColumnNames& names, bool has_utilization) {
  const auto finish = [&](std::size_t place, double width, bool is_merged = false) {
    Column& column = table.column(place);
    column.key_is_final = true;
    column.width = width;
    column.is_merged = is_merged;
  };
  const auto text = [&](std::string_view key, const char* title) {
    return table.text(std::string(key), title);
  };
  const auto real = [&](std::string_view key, const char* title) {
    return table.real(std::string(key), title);
  };
  finish(text(names.parent_module, "Parent Module"), 40, true);
  finish(text(names.module, "Module"), 40, true);
  finish(text(names.op_name, "Op Name"), 40);
  finish(text(names.kernel_list, "Kernel List"), 50);
  finish(real(names.total, "Total Kernel Duration(ns)"), 10);
  finish(real(names.average, "Avg Kernel Duration(ns)"), 10);
  finish(table.integer(std::string(names.count), "Op Count"), 10);
  if (has_utilization) finish(text(names.utilization, "Avg MFU"), 0);
}

void add_module_cells(Table& table, const trace::Trace& trace,
                      const analyze::ModuleStatistic& statistic,
                      const analyze::ModuleStatisticRow& row, bool has_utilization) {
  table.row(statistic.paths.view(row.parent_module), statistic.paths.view(row.module),
            trace.strings.view(row.op_name), statistic.kernels(trace.strings, row),
            static_cast<double>(row.total_ns), row.average_ns(), row.count);
  if (has_utilization) table.add(analyze::utilization_text(row.utilization));
}

bool has_utilization(const analyze::ModuleStatistic& statistic) {
  return std::any_of(statistic.rows.begin(), statistic.rows.end(), [](const auto& row) {
    return std::any_of(row.utilization.begin(), row.utilization.end(),
                       [](double value) { return value > 0; });
  });
}

const Mode kModuleStatisticMode = {
    .name = "module_statistic",
    .question = "Which modules of the model does the device spend its time on?",
    .explains =
        "A tree of modules with their time on the device, forward and backward, how often and "
        "how evenly, and what lies outside of all modules. Layers of the same structure are one "
        "line. An operator belongs to the innermost module of its thread; the backward pass to "
        "the modules of its forward operators. Files have the table ModuleStatistic besides.",
    .needs =
        "ranges of the mstx domain 'Module', or calls of nn.Module or nn.Cell in Python's stack; "
        "operators of the framework and tasks of a device",
    .collect =
        "put mstx ranges of the domain 'Module' around the forward functions of modules, or "
        "profile with with_modules=True or with_stack=True; with ProfilerActivity.CPU and NPU",
    .reads = {},
    .options = kModuleOptions,
    .answer = answer_module_statistic,
};

}  // namespace npuprof::answers
