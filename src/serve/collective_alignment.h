#pragma once

// Collectives of several ranks side by side, and what their clocks differ by.
//
// A collective that waits for all of its ranks ends on all of them at about one moment. So the
// difference of two clocks is the median of the differences of its ends, over all collectives that
// both ranks took part in. Ranks that share none with the first are compared by way of others.
// Sends and receives go by who sends to whom, which their parts tell (profiler level 1).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::serve {

struct CollectiveAt {
  std::size_t profile = 0;  // Place in the list of traces.
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t row = 0;  // In CollectiveOps.
};

// The n-th collective of a group, on all ranks that have one. The first ones of a profile may not
// be those of another, so they are counted from the end that has the same type.
struct AlignedCollective {
  std::string group;  // Of transfers with who sends to whom: "123, 0 to 1".
  std::string type;
  std::size_t number = 0;
  std::vector<CollectiveAt> ranks;
};

struct ClockOffset {
  std::optional<std::int64_t> offset_ns;  // To be added to its times; nothing = no collective.
  std::int64_t error_ns = 0;              // Median of what is left, added up on the way.
  std::size_t collectives = 0;
};

struct CollectiveAlignment {
  std::vector<AlignedCollective> collectives;  // By group, then in order.
  std::vector<ClockOffset> clocks;             // Of each trace, against the first.
};

CollectiveAlignment align_collectives(const std::vector<const trace::Trace*>& traces);

// How its ranks come to a collective, on one clock.
struct Arrivals {
  std::vector<std::int64_t> after_ns;  // After the first of them, in the order of its ranks.
  std::size_t last = 0;                // Place of the last one among its ranks.
  std::int64_t spread_ns = 0;          // How long the first one waits for the last one.
};
Arrivals arrivals_of(const AlignedCollective& collective, const std::vector<ClockOffset>& clocks);

// A rank that keeps others waiting.
struct Latecomer {
  std::size_t profile = 0;      // Place in the list of traces.
  std::uint64_t times = 0;      // How often it came last.
  std::int64_t waited_ns = 0;   // By the others, the first ones each time.
  std::int64_t longest_ns = 0;  // Of these,
  std::size_t longest = 0;      // and the collective of that.
};
// Longest first. In a pipeline one side always waits for the other, however even ranks are: sends
// and receives count only where there is nothing else.
std::vector<Latecomer> latecomers(const CollectiveAlignment& aligned);

}  // namespace npuprof::serve
