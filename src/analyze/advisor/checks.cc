#include "analyze/advisor/checks.h"

#include <algorithm>
#include <array>
#include <map>

#include "analyze/advisor/thresholds.h"
#include "analyze/step_time.h"
#include "base/saturated.h"

namespace npuprof::analyze {
namespace {

constexpr std::array kChecks = {
    Check{"free_time", "The device waits for more than a tenth of the time", check_free_time},
    Check{"aicpu", "Kernels that run on slow AI CPUs", check_aicpu},
    Check{"dynamic_shape", "Operators are compiled while the program runs", check_dynamic_shape},
    Check{"block_dim", "Kernels that leave cores without work", check_block_dim},
    Check{"frequency", "Kernels that ran at a lowered clock", check_frequency},
    Check{"matmul_performance", "Matrix products that are far from any limit",
          check_matmul_performance},
    Check{"attention_performance", "Attention that is far from any limit",
          check_attention_performance},
    Check{"vector_performance", "Vector operators that are far from any limit",
          check_vector_performance},
    Check{"operator_no_bound", "Long kernels that keep no unit busy", check_operator_no_bound},
    Check{"slow_family", "Types of kernels that take far longer than their work explains",
          check_slow_family},
    Check{"packet", "Collectives that move small packets", check_packet},
    Check{"bandwidth_contention", "Transfers slowed down by matrix products beside them",
          check_bandwidth_contention},
    Check{"retransmission", "Collectives that sent packets again", check_retransmission},
    Check{"byte_alignment", "Transfers of sizes that are no multiples of 512 bytes",
          check_byte_alignment},
    Check{"operator_dispatch", "Operators that go through the compiling interface",
          check_operator_dispatch},
    Check{"sync_batch_norm", "Many SyncBatchNorm operators", check_sync_batch_norm},
    Check{"synchronize_stream", "The host waits for the device after most launches",
          check_synchronize_stream},
    Check{"garbage_collection", "Long collections of Python's garbage", check_garbage_collection},
    Check{"dataloader", "Slow loading of data", check_dataloader},
    Check{"memory", "Time in calls that reserve and free device memory", check_memory_calls},
    Check{"environment", "Settings of the environment that cost time", check_environment},
    Check{"fusible_operators", "Short sequences of kernels that repeat with gaps",
          check_fusible_operators},
    Check{"affinity_api", "Operators for which there is a fused one", check_affinity_api},
};

Severity severity_of(std::int64_t gain_ns, std::int64_t total_ns) {
  if (total_ns <= 0) return Severity::kLow;
  const double share = static_cast<double>(gain_ns) / static_cast<double>(total_ns);
  if (share >= advice::kHighShare) return Severity::kHigh;
  return share >= advice::kMediumShare ? Severity::kMedium : Severity::kLow;
}

}  // namespace

std::string_view severity_name(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"high", "medium", "low"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::span<const Check> all_checks() { return kChecks; }

std::int64_t profile_time_ns(const SharedResults& results) {
  std::map<std::uint16_t, std::int64_t> by_device;
  for (const StepTime& step : results.steps()) {
    std::int64_t& total = by_device[step.device];
    add_saturated(total, step.computing_ns);
    add_saturated(total, step.not_overlapped_ns);
    add_saturated(total, step.free_ns);
  }
  std::int64_t longest = 0;
  for (const auto& [device, total] : by_device) longest = std::max(longest, total);
  return longest;
}

Findings advise(const SharedResults& results, std::span<const std::string_view> silenced) {
  const std::int64_t total_ns = profile_time_ns(results);
  Findings all;
  for (const Check& check : kChecks) {
    if (std::find(silenced.begin(), silenced.end(), check.name) != silenced.end()) continue;
    for (Finding& finding : check.find(results)) {
      finding.severity = severity_of(finding.gain_ns, total_ns);
      all.push_back(std::move(finding));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding& a, const Finding& b) { return a.gain_ns > b.gain_ns; });
  return all;
}

}  // namespace npuprof::analyze
