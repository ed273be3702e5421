#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/communication.h"
#include "analyze/duration_summary.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// For each row of CollectiveOps how long nothing computed on its device while it ran, in ns.
// Nothing at all if the profile does not tell when the devices compute.
std::optional<std::vector<std::int64_t>> exposed_times(const trace::Trace& trace);

// For each row of CollectiveOps what communication_ops() made of it, nullptr = nothing (level 0,
// GPUs).
std::vector<const CommunicationOp*> details_of_collectives(const trace::Trace& trace,
                                                           std::span<const CommunicationOp> ops);

// The type of a collective; where that is not recorded what its name says: of
// `hcom_allReduce__967_0_1` that is `hcom_allReduce_`.
std::string_view collective_type(const trace::Trace& trace, std::uint32_t collective);
// What a collective does between two ranks, by its type; neither if it is one of many ranks.
struct TransferSides {
  bool sends = false;
  bool receives = false;

  bool any() const { return sends || receives; }
};
TransferSides transfer_sides(std::string_view type);
// The group's own name, or the number that stands for it.
StringId collective_group(const trace::Trace& trace, std::uint32_t collective);

// Collectives of one type within one group. Those that run side by side count each.
struct CollectiveGroup {
  std::uint16_t device = 0;
  std::string_view type;
  StringId group{};
  std::uint32_t rank_size = 0;             // Of the first; 0 = not known.
  DurationSummary times;                   // `longest` is a row of CollectiveOps.
  std::optional<std::int64_t> exposed_ns;  // While nothing computes.
  std::optional<CommunicationOp> details;  // Sum of those that have details.
};

// By device and falling total. Texts are views into the trace.
std::vector<CollectiveGroup> collective_groups(const trace::Trace& trace,
                                               std::span<const CommunicationOp> ops);

}  // namespace npuprof::analyze
