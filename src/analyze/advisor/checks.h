#pragma once

// All checks of the advisor. Each looks at one thing and gives no finding if the profile lacks the
// data for it.

#include <span>
#include <string_view>
#include <vector>

#include "analyze/advisor/finding.h"
#include "analyze/shared_results.h"

namespace npuprof::analyze {

using Findings = std::vector<Finding>;

// Computation: compute_checks.cc, bound_checks.cc.
Findings check_aicpu(const SharedResults& results);
Findings check_dynamic_shape(const SharedResults& results);
Findings check_block_dim(const SharedResults& results);
Findings check_frequency(const SharedResults& results);
Findings check_matmul_performance(const SharedResults& results);
Findings check_attention_performance(const SharedResults& results);
Findings check_vector_performance(const SharedResults& results);
Findings check_operator_no_bound(const SharedResults& results);
Findings check_slow_family(const SharedResults& results);  // slow_family_check.cc.
// Communication: communication_checks.cc.
Findings check_packet(const SharedResults& results);
Findings check_bandwidth_contention(const SharedResults& results);
Findings check_retransmission(const SharedResults& results);
Findings check_byte_alignment(const SharedResults& results);
// Schedule: schedule_checks.cc, host_checks.cc.
Findings check_free_time(const SharedResults& results);
Findings check_operator_dispatch(const SharedResults& results);
Findings check_sync_batch_norm(const SharedResults& results);
Findings check_synchronize_stream(const SharedResults& results);
Findings check_garbage_collection(const SharedResults& results);
Findings check_dataloader(const SharedResults& results);
Findings check_memory_calls(const SharedResults& results);
Findings check_environment(const SharedResults& results);
// Fusion: fusion_checks.cc, affinity_checks.cc.
Findings check_fusible_operators(const SharedResults& results);
Findings check_affinity_api(const SharedResults& results);

struct Check {
  std::string_view name;
  std::string_view what;  // One line for help texts.
  Findings (*find)(const SharedResults& results);
};

// In the order of help texts.
std::span<const Check> all_checks();

// What all checks but the silenced ones find, with severities, largest gain first.
Findings advise(const SharedResults& results, std::span<const std::string_view> silenced = {});

// The time that gains are shares of: of all steps, or of the profile without any. Of the busiest
// device.
std::int64_t profile_time_ns(const SharedResults& results);

}  // namespace npuprof::analyze
