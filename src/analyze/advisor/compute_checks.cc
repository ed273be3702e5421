// Kernels: where they run, how they are spread over cores, at which clock.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "analyze/advisor/advised_kernels.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "base/count_text.h"
#include "base/saturated.h"
#include "trace/device/frequencies.h"
#include "trace/device/pmu_records.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

double in_ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

const trace::DeviceInfo* device_of(const trace::Trace& trace, std::uint32_t kernel) {
  const std::uint16_t id = trace.tasks().device[trace.kernels().task[kernel]];
  const auto found = std::find_if(trace.devices.begin(), trace.devices.end(),
                                  [&](const trace::DeviceInfo& device) { return device.id == id; });
  return found == trace.devices.end() ? nullptr : &*found;
}

// Blocks and the cores they are spread over; no value if that makes no sense for the kernel.
struct BlockSpread {
  std::uint32_t blocks = 0;
  std::uint32_t cores = 0;

  bool is_even() const { return blocks % cores == 0; }
  // Part of the time that cores have nothing to do, if all blocks take equally long.
  double idle_share() const {
    const double rounds = std::ceil(static_cast<double>(blocks) / cores);
    return 1 - blocks / (rounds * cores);
  }
};

std::optional<BlockSpread> block_spread(const trace::Trace& trace, std::uint32_t kernel) {
  const trace::DeviceInfo* device = device_of(trace, kernel);
  if (device == nullptr) return std::nullopt;
  const std::string_view type = trace.strings.view(trace.kernels().task_type[kernel]);
  BlockSpread spread{trace.kernels().block_num[kernel], device->ai_core_count};
  if (type == "AI_VECTOR_CORE") {
    if (device->vector_core_count > 0) spread.cores = device->vector_core_count;
  } else if (type == "MIX_AIC") {
    spread.blocks = trace.kernels().mix_block_num[kernel];
    spread.cores = device->vector_core_count;
  } else if (type != "AI_CORE") {
    return std::nullopt;
  }
  if (spread.blocks == 0 || spread.cores == 0) return std::nullopt;
  return spread;
}

// Clock of kernels: that of their counters, else the last one sampled before they began.
class KernelClocks {
 public:
  explicit KernelClocks(const trace::Trace& trace) : trace_(trace) {
    const auto& samples = trace.frequencies();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (samples.kind[i] != 0 || samples.value[i] == 0) continue;
      changes_[samples.device[i]].emplace_back(samples.time_ns[i], samples.value[i]);
    }
    for (auto& [device, list] : changes_) std::sort(list.begin(), list.end());
  }

  std::optional<double> mhz(std::uint32_t kernel) const {
    const auto pmu = trace_.kernels().pmu[kernel];
    if (pmu != trace::kNone && trace_.pmu_records().mhz[pmu] > 0) {
      return trace_.pmu_records().mhz[pmu];
    }
    const auto task = trace_.kernels().task[kernel];
    const auto found = changes_.find(trace_.tasks().device[task]);
    if (found == changes_.end()) return std::nullopt;
    const auto behind = std::partition_point(
        found->second.begin(), found->second.end(),
        [&](const auto& change) { return change.first <= trace_.tasks().start_ns[task]; });
    if (behind == found->second.begin()) return std::nullopt;
    return static_cast<double>((behind - 1)->second);
  }

 private:
  const trace::Trace& trace_;
  std::map<std::uint16_t, std::vector<std::pair<std::int64_t, std::uint32_t>>> changes_;
};

}  // namespace

Findings check_aicpu(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const auto ai_cpu = trace.strings.find("AI_CPU");
  if (!ai_cpu) return {};
  const auto groups = alike_kernels(
      trace, [&](std::uint32_t row) { return trace.kernels().task_type[row] == *ai_cpu; });
  std::int64_t longest_ns = 0;
  Finding finding{.name = "aicpu"};
  finding.evidence.columns = group_columns();
  finding.evidence.columns.push_back({"hint", "Hint"});
  std::size_t count = 0;
  for (const AlikeKernels& group : groups) {
    longest_ns = std::max(longest_ns, group.longest_ns);
    add_saturated(finding.gain_ns, group.total_ns);
    count += group.kernels.size();
    if (finding.evidence.rows.size() == advice::kEvidenceRows) continue;
    auto& row = finding.evidence.rows.emplace_back(group_cells(trace, group));
    const bool is_double =
        trace.strings.view(group.input_dtypes).find("DOUBLE") != std::string_view::npos;
    row.emplace_back(std::string(is_double ? "has inputs of type DOUBLE: use FLOAT" : ""));
  }
  if (longest_ns < advice::kLongestAicpuNs) return {};
  finding.sentence =
      fmt::format("{} ran on AI CPUs for {:.3f} ms, the longest for {:.3f} ms.",
                  count_text(count, "kernel"), in_ms(finding.gain_ns), in_ms(longest_ns));
  finding.action =
      "Convert inputs to types that AI cores support (float, half, int32), or replace the operator "
      "by one that has an AI core kernel.";
  return {std::move(finding)};
}

Findings check_dynamic_shape(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const auto& kernels = trace.kernels();
  std::size_t dynamic = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto state = static_cast<trace::OpState>(kernels.op_state[i]);
    if (state == trace::OpState::kStatic) return {};
    dynamic += state == trace::OpState::kDynamic ? 1 : 0;
  }
  if (dynamic == 0) return {};
  // Kernels of single operators are dynamic too, and precompiled. Only compiling costs time.
  std::map<StringId, std::pair<std::int64_t, std::int64_t>> compiling;  // Count, ns.
  Finding finding{.name = "dynamic_shape"};
  for (const std::string_view name : {"opCompile", "OpCompile", "aclopCompile"}) {
    const auto id = trace.strings.find(name);
    for (std::size_t i = 0; id && i < trace.api_calls().size(); ++i) {
      if (trace.api_calls().name[i] != *id) continue;
      const std::int64_t ns =
          saturated_difference(trace.api_calls().end_ns[i], trace.api_calls().start_ns[i]);
      ++compiling[*id].first;
      add_saturated(compiling[*id].second, ns);
      add_saturated(finding.gain_ns, ns);
    }
  }
  if (compiling.empty()) return {};
  finding.evidence.columns = {{"call", "Call"},
                              {"count", "Count", EvidenceKind::kCount},
                              {"total", "Total", EvidenceKind::kTime}};
  for (const auto& [name, sums] : compiling) {
    finding.evidence.rows.push_back(
        {std::string(trace.strings.view(name)), sums.first, sums.second});
  }
  finding.sentence = fmt::format(
      "{} with dynamic shapes, none with a static one, and operators are compiled while the "
      "program runs: {:.3f} ms.",
      count_text(dynamic, "kernel"), in_ms(finding.gain_ns));
  finding.action =
      "Turn compilation at run time off: torch_npu.npu.set_compile_mode(jit_compile=False) and "
      "torch_npu.npu.config.allow_internal_format = False.";
  return {std::move(finding)};
}

Findings check_block_dim(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const auto groups = alike_kernels(trace, [&](std::uint32_t row) {
    const auto spread = block_spread(trace, row);
    return spread && !spread->is_even() && kernel_ns(trace, row) >= advice::kSmallestBlockKernelNs;
  });
  if (groups.empty()) return {};
  Finding finding{.name = "block_dim"};
  finding.evidence.columns = group_columns();
  finding.evidence.columns.push_back({"blocks", "Blocks", EvidenceKind::kCount});
  finding.evidence.columns.push_back({"available", "Cores there", EvidenceKind::kCount});
  finding.evidence.columns.push_back({"gain", "Gain", EvidenceKind::kTime});
  std::size_t count = 0;
  for (const AlikeKernels& group : groups) {
    double gain_ns = 0;
    for (const std::uint32_t row : group.kernels) {
      gain_ns +=
          static_cast<double>(kernel_ns(trace, row)) * block_spread(trace, row)->idle_share();
    }
    count += group.kernels.size();
    add_saturated(finding.gain_ns, std::llround(gain_ns));
    if (finding.evidence.rows.size() == advice::kEvidenceRows) continue;
    const BlockSpread spread = *block_spread(trace, group.kernels.front());
    auto& row = finding.evidence.rows.emplace_back(group_cells(trace, group));
    row.emplace_back(std::int64_t{spread.blocks});
    row.emplace_back(std::int64_t{spread.cores});
    row.emplace_back(static_cast<std::int64_t>(std::llround(gain_ns)));
  }
  finding.sentence =
      fmt::format("{} {} split into blocks that cannot be spread evenly over the cores.",
                  count_text(count, "kernel"), for_count(count, "is", "are"));
  finding.action =
      "Choose batch size and dimensions so that the work divides by the number of cores, or tune "
      "the tiling of the operators listed.";
  return {std::move(finding)};
}

Findings check_frequency(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  const KernelClocks clocks(trace);
  const auto ai_cpu = trace.strings.find("AI_CPU");
  const auto groups = alike_kernels(trace, [&](std::uint32_t row) {
    const trace::DeviceInfo* device = device_of(trace, row);
    return device != nullptr && device->aic_mhz > 0 && clocks.mhz(row) &&
           (!ai_cpu || trace.kernels().task_type[row] != *ai_cpu);
  });
  Finding finding{.name = "frequency"};
  finding.evidence.columns = group_columns();
  finding.evidence.columns.push_back({"mean_clock", "Mean clock", EvidenceKind::kReal, "MHz"});
  finding.evidence.columns.push_back({"shortfall", "Shortfall", EvidenceKind::kShare});
  std::size_t slow_groups = 0;
  for (const AlikeKernels& group : groups) {
    const double nominal = device_of(trace, group.kernels.front())->aic_mhz;
    double sum = 0;
    double lost_ns = 0;
    for (const std::uint32_t row : group.kernels) {
      const double mhz = *clocks.mhz(row);
      sum += mhz;
      lost_ns += static_cast<double>(kernel_ns(trace, row)) * std::max(0.0, 1 - mhz / nominal);
    }
    const double mean = sum / static_cast<double>(group.kernels.size());
    if (1 - mean / nominal < advice::kFrequencyShortfall) continue;
    ++slow_groups;
    add_saturated(finding.gain_ns, std::llround(lost_ns));
    if (finding.evidence.rows.size() == advice::kEvidenceRows) continue;
    auto& row = finding.evidence.rows.emplace_back(group_cells(trace, group));
    row.emplace_back(mean);
    row.emplace_back(1 - mean / nominal);
  }
  if (slow_groups == 0) return {};
  finding.sentence = fmt::format(
      "{} of {} of kernels ran at a clock that was at least {:.0f} % below that of the chip.",
      slow_groups, count_text(groups.size(), "kind"), 100 * advice::kFrequencyShortfall);
  finding.action = "Check temperature, power limits and other users of the device.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
