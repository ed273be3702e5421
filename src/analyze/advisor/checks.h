#pragma once

// All checks of the advisor. Each looks at one thing and gives no finding if the profile lacks the
// data for it.

#include <span>
#include <string_view>
#include <vector>

#include "analyze/advisor/finding.h"
#include "trace/trace.h"

namespace npuprof::analyze {

using Findings = std::vector<Finding>;

// Computation: compute_checks.cc, bound_checks.cc.
Findings check_aicpu(const trace::Trace& trace);
Findings check_dynamic_shape(const trace::Trace& trace);
Findings check_block_dim(const trace::Trace& trace);
Findings check_frequency(const trace::Trace& trace);
Findings check_matmul_performance(const trace::Trace& trace);
Findings check_attention_performance(const trace::Trace& trace);
Findings check_vector_performance(const trace::Trace& trace);
Findings check_operator_no_bound(const trace::Trace& trace);
// Communication: communication_checks.cc.
Findings check_packet(const trace::Trace& trace);
Findings check_bandwidth_contention(const trace::Trace& trace);
Findings check_retransmission(const trace::Trace& trace);
Findings check_byte_alignment(const trace::Trace& trace);
// Schedule: schedule_checks.cc, host_checks.cc.
Findings check_free_time(const trace::Trace& trace);
Findings check_operator_dispatch(const trace::Trace& trace);
Findings check_sync_batch_norm(const trace::Trace& trace);
Findings check_synchronize_stream(const trace::Trace& trace);
Findings check_garbage_collection(const trace::Trace& trace);
Findings check_dataloader(const trace::Trace& trace);
Findings check_memory_calls(const trace::Trace& trace);
Findings check_environment(const trace::Trace& trace);
// Fusion: fusion_checks.cc, affinity_checks.cc.
Findings check_fusible_operators(const trace::Trace& trace);
Findings check_affinity_api(const trace::Trace& trace);

struct Check {
  std::string_view name;
  std::string_view what;  // One line for help texts.
  Findings (*find)(const trace::Trace& trace);
};

// In the order of help texts.
std::span<const Check> all_checks();

// What all checks but the silenced ones find, with severities, largest gain first.
Findings advise(const trace::Trace& trace, std::span<const std::string_view> silenced = {});

// The time that gains are shares of: of all steps, or of the profile without any. Of the busiest
// device.
std::int64_t profile_time_ns(const trace::Trace& trace);

}  // namespace npuprof::analyze
