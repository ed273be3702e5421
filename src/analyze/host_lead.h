#pragma once

// Whether the host runs ahead of the device. The lead of a kernel is its start on the device minus
// the end of the call that launched it: large when the device has work in store, near the start
// latency when it waited for the host.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/chosen_times.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// A kernel with a smaller lead started as soon as it was launched: the device waited for the host.
inline constexpr std::int64_t kStarvedLeadNs = 20'000;
// From here on the host is safely ahead.
inline constexpr std::int64_t kHealthyLeadNs = 100'000;
// Of the curve.
inline constexpr std::size_t kLeadBuckets = 60;

// Leads of kernels that start in one of equal parts of the profile. Times in ns.
struct LeadBucket {
  std::uint16_t device = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t kernels = 0;
  std::uint64_t starved = 0;
  std::int64_t min_ns = 0;  // Of the lead; nothing to say without kernels.
  std::int64_t median_ns = 0;
};

// From the first kernel that found the device waiting to the first with a healthy lead again.
struct LostLead {
  enum class Cause : std::uint8_t { kFirstKernel, kSynchronization, kHost };

  std::uint16_t device = 0;
  std::optional<std::int64_t> step;
  std::int64_t begin_ns = 0;  // Start of its first kernel.
  std::int64_t end_ns = 0;    // End of its last.
  std::uint64_t kernels = 0;
  std::int64_t idle_ns = 0;  // Between its kernels, and before the first one.
  std::optional<std::int64_t> lead_before_ns;
  Cause cause = Cause::kHost;
  std::uint32_t call = trace::kNone;  // The synchronisation: row in ApiCalls.
  // From its end to the end of the next launch: what the host did before it went on.
  std::optional<std::int64_t> host_after_ns;
  std::uint32_t op = trace::kNone;  // Who asked for it, or for the first kernel: FrameworkOps.
};

// Calls that wait for the device, by name and by operator around them.
struct Synchronization {
  StringId name{};
  StringId op{};  // Empty = outside of operators.
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::uint64_t lost_leads = 0;
  std::int64_t idle_ns = 0;  // Of the device in the intervals it began.
};

// What operators of one name cost the host. Times are sums in ns and do not overlap, but for the
// wait, which costs nobody anything.
struct DispatchCost {
  StringId name{};
  std::uint64_t calls = 0;
  std::uint64_t kernels = 0;
  std::int64_t self_ns = 0;  // Without operators inside it, enqueues and synchronisation.
  std::int64_t enqueue_ns = 0;
  std::int64_t queue_wait_ns = 0;   // From the end of the enqueue to the begin of the dequeue.
  std::int64_t dequeue_ns = 0;      // The consumer's work, launches included.
  std::int64_t launch_ns = 0;       // Calls that launched its tasks.
  std::int64_t synchronize_ns = 0;  // Calls that waited for the device.

  std::int64_t producer_ns() const;
  std::int64_t host_ns() const;  // Of all threads; launches that went through the queue once.
};

struct HostLead {
  std::uint64_t kernels = 0;         // With a known launch.
  std::uint64_t starved = 0;         // Lead below kStarvedLeadNs.
  std::uint64_t not_known = 0;       // Kernels whose launch was not recorded.
  std::uint64_t by_launch_time = 0;  // The end of the call is not known, its time is taken.
  std::int64_t median_ns = 0;
  std::int64_t producer_ns = 0;  // Sums over all operators.
  std::int64_t consumer_ns = 0;
  std::int64_t queue_wait_median_ns = 0;
  std::uint64_t queued = 0;  // Tasks that went through the queue.
  std::vector<LeadBucket> curve;
  std::vector<LostLead> lost;                     // By device and begin.
  std::vector<Synchronization> synchronizations;  // Most idle time first.
  std::vector<DispatchCost> costs;                // Most expensive first.
};

// Of kernels that began on the device in the chosen times, and of what the host began then.
HostLead host_lead(const trace::Trace& trace, std::size_t buckets = kLeadBuckets,
                   const ChosenTimes& chosen = {});

// A call of the host that returns when the device has finished something.
bool is_synchronization(std::string_view call_name);

}  // namespace npuprof::analyze
