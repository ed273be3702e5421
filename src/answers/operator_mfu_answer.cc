#include "answers/operator_mfu_answer.h"

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "analyze/operator_mfu.h"
#include "analyze/peer_mfu.h"
#include "analyze/tensor_shapes.h"
#include "answers/module_statistic_answer.h"
#include "answers/peak_options.h"
#include "answers/wording.h"
#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernels.h"

namespace npuprof::answers {
namespace {

constexpr ModeOption kMfuOptions[] = {kPeakTflopsOption, kPeakBandwidthOption};

constexpr ModuleColumnNames kMfuModuleNames = {
    "parent_module",           "module",   "op_name", "kernel_list", "total_kernel_duration(ns)",
    "avg_kernel_duration(ns)", "op_count", "avg_mfu"};

double rounded_mfu(double value, double steps) { return std::nearbyint(value * steps) / steps; }

Table use_table(const trace::Trace& trace, const std::vector<analyze::KernelTypeUse>& uses,
                Table table, bool with_shapes) {
  table.usual_rows = 30;
  table.text("type", "Type");
  if (with_shapes) table.text("input_shapes", "Input shapes");
  table.text("numbers", "Numbers");
  table.integer("count", "Count");
  table.duration("total", "Total");
  table.share("share", "Share");
  table.real("flops", "Operations", "FLOP");
  table.real("tflops", "Speed", "TFLOP/s");
  table.share("mfu", "MFU");
  table.real("moved", "Moved", "GB");
  table.real("bandwidth", "Bandwidth", "GB/s");
  table.real("intensity", "Intensity", "FLOP/B");
  table.text("bound", "Bound by");
  table.comparison = {.names = {"type", "input_shapes", "numbers"},
                      .also = {},
                      .sums = {"count", "total"},
                      .values = {"mfu"}};
  for (const analyze::KernelTypeUse& use : uses) {
    table.add(trace.strings.view(use.op_type));
    if (with_shapes) table.add(analyze::without_quotes(trace.strings.view(use.input_shapes)));
    table.row(analyze::number_type_name(use.type), use.count, use.total_ns, use.share, use.flops,
              use.tflops, use.mfu, use.bytes / 1e9, use.gb_s, use.intensity,
              analyze::bound_name(use.bound));
  }
  return table;
}

Table kernel_type_table(const trace::Trace& trace,
                        const std::vector<analyze::KernelTypeUse>& uses) {
  Table table = use_table(trace, uses, Table("mfu", "What kernels reach, by type"), false);
  table.notes.push_back(
      "Operations follow from shapes, or from what the program told. A kernel is bound by what it "
      "uses to at least 60 %, by neither if it uses less of both; each tensor counts as moved "
      "once, so caches can exceed the peak.");
  return table;
}

Table call_table(const std::vector<analyze::CallUse>& uses) {
  Table table("mfu_calls", "What calls of the program reach");
  table.text("call", "Call");
  table.text("numbers", "Numbers");
  table.integer("count", "Count");
  table.real("flops", "Operations", "FLOP");
  table.duration("cube", "Multiplying");
  table.duration("helpers", "Helpers");
  table.real("tflops", "Speed", "TFLOP/s");
  table.share("mfu", "MFU");
  for (const analyze::CallUse& use : uses) {
    table.row(use.name, analyze::number_type_name(use.type), use.count, use.flops, use.cube_ns,
              use.helper_ns, use.tflops, use.mfu);
  }
  return table;
}

Table peer_kernel_table(const trace::Trace& trace, const analyze::OperatorWork& work,
                        const analyze::PeerMfu& mfu) {
  Table table("OperatorMFU", "What kernels reach, one by one");
  table.on_terminal = false;
  table.file = "OperatorMfu/operator_mfu_kernel";
  table.integer("rank_id", "Rank ID");
  table.text("op_name", "Op Name");
  table.text("kernel_name", "Kernel Name");
  table.integer("kernel_start(ns)", "Kernel Start(ns)");
  table.integer("kernel_end(ns)", "Kernel End(ns)");
  table.real("kernel_duration(ns)", "Kernel Duration(ns)");
  table.real("mfu", "MFU");
  for (const char* key : {"actual_tflops", "chip_peak_tflops", "flops"}) table.real(key, key);
  for (const char* key : {"flops_op_name", "input_shapes", "output_shapes"}) table.text(key, key);
  constexpr double kWidths[] = {10, 40, 50, 22, 22, 20, 10, 15, 18, 20, 25, 40, 40};
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    table.column(i).key_is_final = true;
    table.column(i).width = kWidths[i];
  }
  const auto& kernels = trace.kernels();
  for (const analyze::PeerKernelMfu& row : mfu.rows) {
    const std::size_t at = row.work_row;
    const std::size_t kernel = work.row[at];
    const auto shapes = [&](StringId id) {
      return analyze::without_quotes(trace.strings.view(id));
    };
    table.row(trace.session.rank, trace.strings.view(trace.framework_ops().name[work.op[at]]),
              trace.strings.view(work.name[at]), work.start_ns[at],
              saturated_sum(work.start_ns[at], work.duration_ns[at]),
              static_cast<double>(work.duration_ns[at]), rounded_mfu(row.mfu, 1e4),
              rounded_mfu(row.tflops, 100), rounded_mfu(row.peak_tflops, 100), row.flops,
              row.flops_name, shapes(kernels.input_shapes[kernel]),
              shapes(kernels.output_shapes[kernel]));
  }
  return table;
}

Table peer_module_table(const trace::Trace& trace, const analyze::ModuleStatistic& statistic) {
  Table table("ModuleMFU", "What modules reach");
  table.on_terminal = false;
  table.file = "OperatorMfu/operator_mfu_module";
  table.column(table.integer("rank_id", "Rank ID")).key_is_final = true;
  const bool with_mfu = has_utilization(statistic);
  declare_module_columns(table, kMfuModuleNames, with_mfu);
  for (const analyze::ModuleStatisticRow& row : statistic.rows) {
    table.add(trace.session.rank);
    add_module_cells(table, trace, statistic, row, with_mfu);
  }
  return table;
}

std::string total_sentence(const analyze::TotalUse& total, bool is_peak_known) {
  const auto share = [](double part, std::int64_t all) {
    return share_text(part / static_cast<double>(all));
  };
  if (!is_peak_known) {
    return fmt::format(
        "Kernels made {:.1f} TFLOP in {}. The profile does not say how many cores the device has: "
        "give --peak-tflops to see what part of its peak that is.",
        total.flops / 1e12, duration_text(total.kernel_ns));
  }
  if (total.counted_ns <= 0) return "No kernel is known to multiply matrices.";
  return fmt::format(
      "Kernels that multiply matrices reach {} of the peak; they are {} of the time of all "
      "kernels, "
      "which together reach {}.",
      share(total.ideal_ns, total.counted_ns),
      share(static_cast<double>(total.counted_ns), total.kernel_ns),
      share(total.ideal_ns, total.kernel_ns));
}

// The peaks that all is measured by.
std::string peak_of_chip_sentence(const trace::Trace& trace, const analyze::Peaks& peaks,
                                  const analyze::PeakOptions& options,
                                  const analyze::MemoryRoof& roof) {
  std::string text;
  const auto add_peaks = [&](std::uint16_t device, const std::string& how) {
    const double half = peaks.nominal(device, analyze::NumberType::kHalf);
    if (std::isnan(half)) return;
    text += fmt::format("{}{:.1f} TFLOP/s FP16, {:.1f} TOP/s INT8 ({})",
                        text.empty() ? "Peak of the cube units: " : "; ", half / 1e12,
                        peaks.nominal(device, analyze::NumberType::kByte) / 1e12, how);
  };
  if (options.tflops > 0) {
    add_peaks(0, "--peak-tflops");
  } else {
    for (const trace::DeviceInfo& device : trace.devices) {
      add_peaks(device.id, fmt::format("device {}: {}, {:.0f} MHz", device.id,
                                       count_text(device.ai_core_count, "core"),
                                       peaks.nominal_mhz(device.id)));
    }
  }
  if (text.empty()) text = "Peak of the cube units: not known";
  if (std::isnan(roof.gb_s)) return text + "; of the memory: not known (--peak-gb-s).";
  return text + fmt::format("; of the memory: {:.1f} GB/s ({}).", roof.gb_s,
                            roof.is_told
                                ? "--peak-gb-s"
                                : "what the fastest kernels that only move data reach; --peak-gb-s "
                                  "replaces it");
}

// Nothing is faster than its peak: then operations or the peak are not what they are taken for.
void explain_beyond_peak(const trace::Trace& trace, const std::vector<analyze::KernelTypeUse>& uses,
                         bool has_told_flops, Answer& answer) {
  for (const analyze::KernelTypeUse& use : uses) {
    if (!(use.mfu > 1)) continue;
    const std::string_view type = trace.strings.view(use.op_type);
    std::string_view why =
        "the peak may be too low (another chip, a higher clock: --peak-tflops replaces it), or "
        "numbers are multiplied at a higher rate than their type tells";
    if (analyze::kernel_family(type) == analyze::KernelFamily::kAttention) {
      why =
          "the profile does not tell how much of the products a mask leaves out, and all of them "
          "are counted; of a causal mask half are made. A mark of the mstx domain flash_attn_args "
          "with sparse_mode tells it";
    } else if (has_told_flops) {
      why = "the program told of more operations than these kernels make";
    }
    answer.sentences.push_back(
        fmt::format("{} reaches {} of the peak: {}.", type, share_text(use.mfu), why));
  }
}

bool has_costs(const std::vector<analyze::KernelTypeUse>& uses) {
  for (const analyze::KernelTypeUse& use : uses) {
    if (!std::isnan(use.flops) || !std::isnan(use.bytes)) return true;
  }
  return false;
}

Result<Answer> answer_operator_mfu(const Request& request) {
  NPUPROF_ASSIGN_OR_RETURN(const analyze::PeakOptions options, peak_options(request));
  const trace::Trace& trace = request.trace;
  const analyze::OperatorWork work = analyze::operator_work(trace);
  analyze::Peaks peaks(trace, options);
  const analyze::WorkFlops flops = analyze::work_flops(trace, work, peaks);
  const analyze::MemoryRoof roof = analyze::memory_roof(trace, work, flops, options.gb_s);
  const auto types = analyze::kernel_type_uses(trace, work, flops, roof);
  if (types.empty()) return Error{ErrorCode::kNoData, "the profile has no kernels"};
  if (!has_costs(types)) {
    return Error{ErrorCode::kNoData,
                 "the profile has neither shapes of kernels nor ranges of the mstx domain "
                 "'mfu_flops'"};
  }
  Answer answer;
  answer.sentences.push_back(total_sentence(analyze::total_use(work, flops), peaks.is_known()));
  answer.sentences.push_back(peak_of_chip_sentence(trace, peaks, options, roof));
  explain_beyond_peak(trace, types, !flops.ranges.empty(), answer);
  answer.tables.push_back(kernel_type_table(trace, types));
  answer.tables.push_back(use_table(
      trace, analyze::kernel_type_uses(trace, work, flops, roof, analyze::UseKey::kShapes),
      Table("mfu_shapes", "What kernels reach, by type and shapes"), true));
  if (flops.ranges.empty()) return answer;
  answer.tables.push_back(call_table(analyze::call_uses(work, flops)));
  const analyze::PeerMfu mfu = analyze::peer_mfu_of_ranges(trace, work, peaks);
  if (mfu.rows.empty()) return answer;
  answer.tables.push_back(peer_kernel_table(trace, work, mfu));
  const auto statistic =
      analyze::module_statistic(trace, work, {.backward = false, .utilization = mfu.by_work});
  if (statistic.ok()) answer.tables.push_back(peer_module_table(trace, *statistic));
  return answer;
}

}  // namespace

const Mode kOperatorMfuMode = {
    .name = "operator_mfu",
    .question = "How much of the device's peak do kernels reach, and what bounds them?",
    .explains =
        "Operations per second of kernels against the peak of the cube units, at the frequency "
        "that the device had and for the numbers they multiply (FP32 at a quarter, HF32 at half, "
        "INT8 at twice the rate of FP16). Operations come from shapes of products, convolutions "
        "and attention, or from ranges that the program told of. Files have the tables "
        "OperatorMFU and ModuleMFU besides, as other tools define them.",
    .needs = "kernels with shapes (level 1); cores and frequency of the device, or --peak-tflops",
    .collect = "profile at level 1 or higher; with_flops=True and mstx for operations of calls",
    .reads = {},
    .options = kMfuOptions,
    .answer = answer_operator_mfu,
};

}  // namespace npuprof::answers
