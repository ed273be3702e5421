#include "answers/op_statistic_answer.h"

#include <array>

#include <fmt/format.h>

#include "analyze/kernel_groups.h"
#include "answers/kernel_outliers.h"
#include "answers/time_columns.h"

namespace npuprof::answers {
namespace {

using analyze::KernelKey;

Result<KernelKey> statistic_key(const Request& request) {
  const std::string_view by = request.option("by").value_or("type");
  if (by == "type") return KernelKey::kType;
  if (by == "shape") return KernelKey::kShape;
  if (by == "name") return KernelKey::kName;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--by {} is not known: choose type, shape, name or module", by)};
}

Table statistic_table(const trace::Trace& trace, const std::vector<analyze::KernelGroup>& groups,
                      KernelKey key) {
  Table table("op_statistic", key == KernelKey::kType    ? "Kernels by type"
                              : key == KernelKey::kShape ? "Kernels by type and shapes of inputs"
                                                         : "Kernels by name");
  const bool by_name = key == KernelKey::kName;
  const bool by_shape = key == KernelKey::kShape;
  table.integer("device", "Device");
  if (by_name) table.text("name", "Name");
  table.text("type", "Type");
  table.text("core", "Core");
  if (by_shape) table.text("input_shapes", "Input shapes");
  if (by_shape) table.text("input_dtypes", "Input types");
  table.share("share", "Share");
  declare_times(table);
  table.duration("wait", "Wait");
  table.comparison = {.names = {"name", "type", "core", "input_shapes", "input_dtypes"},
                      .also = {"device"},
                      .sums = {"count", "total"},
                      .values = {"mean"}};
  bool has_names_for_types = false;
  for (const analyze::KernelGroup& group : groups) {
    const bool name_for_type = !by_name && group.type == kEmptyString;
    has_names_for_types = has_names_for_types || name_for_type;
    table.add(group.device);
    if (by_name) table.add(trace.strings.view(group.name));
    table.row(trace.strings.view(name_for_type ? group.name : group.type),
              trace.strings.view(group.core_type));
    if (by_shape) {
      table.row(trace.strings.view(group.input_shapes), trace.strings.view(group.input_dtypes));
    }
    table.add(group.share);
    add_times(table, group.times);
    table.add(group.wait_ns);
  }
  if (has_names_for_types) {
    table.notes.emplace_back(
        "Types of some kernels were not recorded: their names stand in their place.");
  }
  return table;
}

Result<Answer> statistic_by_module(const Request& request) {
  const auto groups =
      analyze::kernels_by_module(request.trace, analyze::operator_rows(request.trace));
  if (groups.empty()) {
    return Error{ErrorCode::kNoData,
                 "the profile does not tell for which modules kernels run: module_statistic says "
                 "what it takes"};
  }
  Table table("op_statistic", "Kernels by module");
  table.integer("device", "Device");
  table.text("module", "Module");
  table.share("share", "Share");
  declare_times(table);
  table.duration("wait", "Wait");
  table.comparison = {
      .names = {"module"}, .also = {"device"}, .sums = {"count", "total"}, .values = {"mean"}};
  for (const analyze::ModuleKernels& group : groups) {
    table.row(group.device, group.module.empty() ? "(outside of modules)" : group.module,
              group.share);
    add_times(table, group.times);
    table.add(group.wait_ns);
  }
  Answer answer;
  answer.tables.push_back(std::move(table));
  return answer;
}

Result<Answer> answer_op_statistic(const Request& request) {
  if (request.option("by") == "module") return statistic_by_module(request);
  NPUPROF_ASSIGN_OR_RETURN(const KernelKey key, statistic_key(request));
  const analyze::OperatorRows rows = analyze::operator_rows(request.trace);
  const std::vector<analyze::KernelGroup> groups = analyze::kernel_groups(request.trace, rows, key);
  if (groups.empty()) return Error{ErrorCode::kNoData, "the profile has no kernels"};
  Answer answer;
  answer.sentences.push_back(largest_kernel_sentence(request.trace, groups));
  // Kernels of one type differ by their shapes: only equal shapes are expected to take equal time.
  const std::vector<analyze::KernelGroup> alike =
      analyze::kernel_groups(request.trace, rows, KernelKey::kAlike);
  const auto outliers = kernel_outliers(alike);
  if (auto sentence = outlier_sentence(request.trace, outliers)) {
    answer.sentences.push_back(std::move(*sentence));
  }
  answer.tables.push_back(statistic_table(request.trace, groups, key));
  return answer;
}

constexpr std::array<ModeOption, 1> kStatisticOptions = {{
    {"by", "what to add up by: type (usual), shape, name or module"},
}};

}  // namespace

const Mode kOpStatisticMode = {
    .name = "op_statistic",
    .question = "Which types of kernels take the device's time?",
    .explains =
        "Kernels added up by type and core, with --by shape also by shapes and data types of "
        "their inputs, with --by name by name, with --by module by module of the model. Share is "
        "of the time of all kernels of the device; "
        "wait is how long they waited for what ran before them. Collectives: `communication`.",
    .needs = "kernels of a device; types and shapes from level 1 on",
    .collect = "profile with ProfilerActivity.NPU and profiler_level=ProfilerLevel.Level1",
    .reads = {trace::Part::kDetails},
    .options = kStatisticOptions,
    .answer = answer_op_statistic,
};

}  // namespace npuprof::answers
