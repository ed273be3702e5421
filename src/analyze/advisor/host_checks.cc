// Settings of the process, and its calls for device memory.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "analyze/advisor/advised_calls.h"
#include "analyze/advisor/checks.h"
#include "analyze/advisor/thresholds.h"
#include "base/saturated.h"
#include "base/text.h"
#include "format/framework/profiler_metadata.h"

namespace npuprof::analyze {
namespace {

// Why a variable's value costs time; nothing if it is fine.
std::optional<std::string_view> advice_for_variable(std::string_view name, std::string_view value) {
  if (name == "ASCEND_GLOBAL_LOG_LEVEL" && !value.empty() && value != "3") {
    return "logs of this level slow the host down: set it to 3 (errors)";
  }
  if ((name == "HCCL_RDMA_TC" || name == "HCCL_RDMA_SL" || name == "HCCL_ALGO") && !value.empty()) {
    return "collectives choose for themselves unless this is set: unset it, or be sure of it";
  }
  if (name == "ACLNN_CACHE_LIMIT" &&
      parse_number<std::int64_t>(value).value_or(0) < advice::kAclnnCacheLimit) {
    return "a small cache of operators makes the host prepare them again: set it to 100000";
  }
  if (name == "HOST_CACHE_CAPACITY" && (value.empty() || value == "0")) {
    return "the host's cache for dynamic shapes is off: set it to 20 (GB)";
  }
  if (name == "PYTORCH_NPU_ALLOC_CONF" &&
      value.find("expandable_segments:True") == std::string_view::npos) {
    return "memory gets fragmented: add expandable_segments:True";
  }
  if (name == "ASCEND_LAUNCH_BLOCKING" && value == "1") {
    return "the host waits for each kernel: unset it";
  }
  return std::nullopt;
}

}  // namespace

Findings check_environment(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  if (trace.session.profiler_metadata.empty()) return {};
  const auto metadata = format::framework::parse_profiler_metadata(trace.session.profiler_metadata);
  if (!metadata.ok() || !metadata->environment) return {};
  Finding finding{.name = "environment"};
  finding.evidence.columns = {{"variable", "Variable"}, {"value", "Value"}, {"advice", "Advice"}};
  std::string names;
  for (const auto& variable : *metadata->environment) {
    const auto why = advice_for_variable(variable.name, variable.value);
    if (!why) continue;
    finding.evidence.rows.push_back({variable.name, variable.value, std::string(*why)});
    if (!names.empty()) names += ", ";
    names += variable.name;
  }
  if (finding.evidence.rows.empty()) return {};
  finding.sentence = "Variables of the environment that can cost time: " + names + ".";
  finding.action = "Set them as the table says, one at a time, and compare.";
  return {std::move(finding)};
}

Findings check_memory_calls(const SharedResults& results) {
  const trace::Trace& trace = results.trace();
  constexpr std::array<std::string_view, 3> kCalls = {"aclMallocMemInner", "aclrtFreePhysical",
                                                      "aclrtFree"};
  Finding finding{.name = "memory", .evidence = call_evidence(trace, kCalls)};
  bool is_long = false;
  for (const std::string_view call : kCalls) {
    const CallSums sums = sums_of_calls(trace, call);
    is_long = is_long || sums.total_ns >= advice::kMemoryCallsNs;
    add_saturated(finding.gain_ns, sums.total_ns);
  }
  if (!is_long) return {};
  finding.sentence = fmt::format(
      "Calls that reserve and free device memory took {:.3f} ms: the allocator's cache is too "
      "small or fragmented.",
      static_cast<double>(finding.gain_ns) / 1e6);
  finding.action =
      "Set PYTORCH_NPU_ALLOC_CONF=expandable_segments:True, use less memory, and do not call "
      "empty_cache() in the loop.";
  return {std::move(finding)};
}

}  // namespace npuprof::analyze
