#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyze/keep_steps.h"
#include "analyze/memory_timeline.h"
#include "base/log.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "cli/validators.h"
#include "format/framework/tensor_text.h"
#include "link/link.h"
#include "load/discover.h"
#include "load/input_data.h"
#include "load/load_profile.h"
#include "report/output_file.h"
#include "report/single_file.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::cli {
namespace {

constexpr const char* kExportExamples =
    "Kinds:\n"
    "  chrome           the timeline for chrome://tracing, Perfetto, MindStudio Insight: .json, "
    ".json.gz\n"
    "  perfetto         the timeline as a native trace for ui.perfetto.dev\n"
    "  stacks           call stacks with their times, for flame graphs; needs with_stack\n"
    "  memory-timeline  memory by what it is for: .html draws it, .json has the totals,\n"
    "                   .raw.json.gz every change; needs profile_memory, record_shapes and "
    "with_stack\n"
    "                   or with_modules\n"
    "  key-averages     operators added up by name, as JSON\n"
    "  events           every call of an operator, as JSON\n"
    "\n"
    "Examples:\n"
    "  npuprof export worker_ascend_pt --to chrome -o trace.json.gz\n"
    "  npuprof export worker_ascend_pt --to chrome --from-zero -o for_the_browser.json\n"
    "  npuprof export worker_ascend_pt --to stacks --metric self_npu_time_total -o stacks.log\n"
    "  npuprof export runs/ --rank 3 --to memory-timeline --device npu:3 -o memory.html\n"
    "  npuprof export worker_ascend_pt --to key-averages -o - | jq .operators\n"
    "\n"
    "Exit status: 0 all well, 1 finished with losses, 2 wrong arguments, 3 nothing could be read\n"
    "or written.";

enum class ExportKind : std::uint8_t {
  kChrome,
  kPerfetto,
  kStacks,
  kMemoryTimeline,
  kKeyAverages,
  kEvents
};

struct ExportArguments : RunOptions {
  std::string path;
  std::string to;
  std::string output;
  std::optional<std::int32_t> rank;
  std::string steps;
  bool from_zero = false;
  std::string metric = "self_cpu_time_total";
  std::string device;
  analyze::KeyAverageOptions averages;
};

// What they come to.
struct ExportPlan {
  ExportKind kind = ExportKind::kChrome;
  std::vector<analyze::StepRange> steps;  // Empty = all.
  report::StackMetric metric = report::StackMetric::kSelfCpuTime;
  std::optional<analyze::MemoryDevice> device;  // Nothing = an NPU if there is one.
};

ExportKind kind_of(const std::string& name) {
  if (name == "chrome") return ExportKind::kChrome;
  if (name == "perfetto") return ExportKind::kPerfetto;
  if (name == "stacks") return ExportKind::kStacks;
  if (name == "memory-timeline") return ExportKind::kMemoryTimeline;
  if (name == "key-averages") return ExportKind::kKeyAverages;
  if (name == "events") return ExportKind::kEvents;
  fail("--to", "'" + name +
                   "' is no kind of export: chrome, perfetto, stacks, memory-timeline, "
                   "key-averages or events");
}

// "cpu", "npu:0" or "cpu:0".
analyze::MemoryDevice device_of(const std::string& text) {
  using format::framework::DeviceType;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::optional<std::uint8_t> index;
  if (colon != std::string::npos) index = parse_number<std::uint8_t>(text.substr(colon + 1));
  const bool has_number = index && *index <= 127;
  if (kind == "cpu" && (colon == std::string::npos || has_number)) {
    return analyze::memory_device(static_cast<std::uint8_t>(DeviceType::kCpu), -1);
  }
  if (kind == "npu" && has_number) {
    return analyze::memory_device(static_cast<std::uint8_t>(DeviceType::kNpu),
                                  static_cast<std::int8_t>(*index));
  }
  fail("--device", "'" + text + "' is neither cpu nor like npu:0");
}

ExportPlan plan_export(const ExportArguments& arguments) {
  ExportPlan plan{.kind = kind_of(arguments.to)};
  plan.steps = chosen_steps("--steps", arguments.steps);
  if (arguments.metric == "self_npu_time_total") {
    plan.metric = report::StackMetric::kSelfNpuTime;
  } else if (arguments.metric != "self_cpu_time_total") {
    fail("--metric",
         "'" + arguments.metric + "' is neither self_cpu_time_total nor self_npu_time_total");
  }
  if (!arguments.device.empty()) plan.device = device_of(arguments.device);
  return plan;
}

// The one profile that is meant.
Result<load::Profile> find_profile(const ExportArguments& arguments, trace::Losses& losses) {
  NPUPROF_ASSIGN_OR_RETURN(load::Discovery found, load::discover(arguments.path));
  found.prefer_raw_data();
  std::vector<load::Profile> chosen;
  std::vector<std::string> ranks;
  for (load::Profile& profile : found.profiles) {
    ranks.push_back(profile.rank < 0 ? "?" : std::to_string(profile.rank));
    if (!arguments.rank || profile.rank == *arguments.rank) chosen.push_back(std::move(profile));
  }
  // A rank that was asked for is not less whole because others are.
  for (const std::string& notice : found.notices) {
    if (arguments.rank && !chosen.empty()) {
      log::warning("{}", notice);
    } else {
      losses.add(arguments.path, 0, 0, notice);
    }
  }
  if (chosen.size() == 1) return std::move(chosen.front());
  const std::string known = fmt::format("{}", fmt::join(ranks, ", "));
  if (chosen.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("'{}' has no profile of rank {}, only of {}",
                                                   arguments.path, *arguments.rank, known)};
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("'{}' holds {} profiles{}; an export is of one: give its directory{}",
                           arguments.path, chosen.size(),
                           arguments.rank ? " of that rank" : " of ranks " + known,
                           arguments.rank ? "" : " or --rank")};
}

bool has_tensors(const trace::Trace& trace) {
  for (const StringId tensors : trace.framework_ops().input_tensors) {
    if (tensors != kEmptyString) return true;
  }
  return false;
}

Status export_memory(const trace::Trace& trace, const ExportPlan& plan,
                     const report::OutputFile& output, ThreadPool& pool) {
  const std::vector<analyze::MemoryDevice> devices = analyze::memory_devices(trace);
  // The CPU comes first; if there are devices, these are meant.
  analyze::MemoryDevice device = plan.device.value_or(analyze::MemoryDevice{});
  if (!plan.device && !devices.empty()) device = devices[devices.size() > 1 ? 1 : 0];
  NPUPROF_RETURN_IF_ERROR(report::export_memory_timeline(trace, device, output, pool));
  if (!has_tensors(trace)) {
    log::warning(
        "the tensors of operators were not recorded, so it is not known what memory is for: that "
        "needs record_shapes, profile_memory and with_stack or with_modules");
  }
  return ok_status();
}

Status write_export(const trace::Trace& trace, bool framework, const ExportArguments& arguments,
                    const ExportPlan& plan, const report::OutputFile& output, ThreadPool& pool) {
  switch (plan.kind) {
    case ExportKind::kChrome:
      return report::export_chrome(trace, framework, arguments.from_zero, output, pool);
    case ExportKind::kPerfetto:
      return report::export_perfetto(trace, framework, output, pool);
    case ExportKind::kStacks:
      return report::export_stacks(trace, plan.metric, output, pool);
    case ExportKind::kMemoryTimeline:
      return export_memory(trace, plan, output, pool);
    case ExportKind::kKeyAverages:
      return report::export_key_averages(trace, arguments.averages, output);
    case ExportKind::kEvents:
      return report::export_events(trace, output);
  }
  return ok_status();
}

Status export_profile(const load::Profile& profile, const ExportArguments& arguments,
                      const ExportPlan& plan, const report::OutputFile& output,
                      trace::Losses& losses) {
  if (!output.is_stream() && load::is_in_the_way_of(profile, output.path())) {
    return Error{ErrorCode::kInvalidArgument,
                 "'" + arguments.output +
                     "' is or lies among what the export is made of: choose another --output"};
  }
  ThreadPool& pool = shared_thread_pool();
  NPUPROF_ASSIGN_OR_RETURN(trace::Trace trace, load::load_profile(profile, pool, losses));
  losses.append(link::link_all(trace, &pool), profile.path.native());
  if (!plan.steps.empty()) NPUPROF_RETURN_IF_ERROR(analyze::keep_steps(trace, plan.steps));
  return write_export(trace, !profile.is_cann_only(), arguments, plan, output, pool);
}

int run_export(const ExportArguments& arguments) {
  arguments.take_effect();
  const ExportPlan plan = plan_export(arguments);
  const auto output = report::OutputFile::find(arguments.output);
  if (!output.ok()) {
    log::error("{}", output.error().message);
    return kUnreadable;
  }
  trace::Losses losses;
  auto profile = find_profile(arguments, losses);
  if (!profile.ok()) {
    log::error("{}", profile.error().message);
    return profile.error().code == ErrorCode::kInvalidArgument ? kUsage : kUnreadable;
  }
  Status status = ok_status();
  try {
    status = export_profile(*profile, arguments, plan, *output, losses);
  } catch (const std::bad_alloc&) {
    status = Error{ErrorCode::kInternal, "there is not enough memory"};
  }
  warn_of(losses);
  if (!status.ok()) {
    log::error("'{}': {}", profile->path.native(), status.error().message);
    return kUnreadable;
  }
  if (!arguments.quiet && !output->is_stream()) print(arguments.output + "\n");
  return losses.empty() ? kOk : kLosses;
}

}  // namespace

void add_export_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "One file of a profile, in a form of choice");
  command
      ->add_option("path", arguments->path,
                   "A *_ascend_pt, *_ascend_ms or PROF_* directory, or a folder above some")
      ->required();
  command->add_option("--to", arguments->to, "What to write, see below")->required();
  command->add_option("-o,--output", arguments->output, "The file to write; - is standard output")
      ->required()
      ->check(not_empty());
  command->add_option("--rank", arguments->rank, "Which of several profiles");
  command->add_option("--steps", arguments->steps,
                      "Only what belongs to these steps: 7, 3-5 or 1-3,8");
  command->add_flag(
      "--from-zero", arguments->from_zero,
      "chrome: times count from the begin of the profile; exact in chrome://tracing,\n"
      "not for MindStudio Insight");
  command->add_option("--metric", arguments->metric,
                      "stacks: self_cpu_time_total (default) or self_npu_time_total");
  command->add_option("--device", arguments->device,
                      "memory-timeline: cpu or npu:N (default: the first NPU)");
  command->add_flag("--group-by-input-shape", arguments->averages.by_input_shape,
                    "key-averages: tell calls with different shapes apart");
  command->add_option("--group-by-stack-n", arguments->averages.stack_frames,
                      "key-averages: tell calls apart by so many frames of their stacks");
  add_run_options(*command, *arguments);
  command->footer(kExportExamples);
  command->callback([arguments, &status] { status = run_export(*arguments); });
}

}  // namespace npuprof::cli
