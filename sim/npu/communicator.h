#pragma once

// Where the ranks of a simulated job meet. Each rank runs on a thread of its own; all times are
// virtual, so results do not depend on how the threads are scheduled.

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/model/collective.h"
#include "sim/model/network.h"

namespace npuprof::sim {

class Communicator;

// All ranks of a job. A rank must call finish() or fail() when it ends: ranks that wait for it are
// then told instead of waiting for ever.
class World {
 public:
  // `present[i]` says whether rank i is simulated; the others take part in collectives as if they
  // came first. Empty: all ranks are simulated.
  World(Network network, std::uint32_t rank_count, std::vector<bool> present = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Network& network() const { return network_; }
  std::uint32_t rank_count() const { return rank_count_; }
  bool is_present(std::uint32_t rank) const { return present_[rank]; }

  // The communicator called `name`, made by the first rank that asks for it. Every rank must name
  // the same members, in the same order.
  Result<Communicator*> communicator(std::string_view name, std::span<const std::uint32_t> ranks);

  void finish(std::uint32_t rank) { end_rank(rank, "finished"); }
  void fail(std::uint32_t rank, std::string_view why);

 private:
  friend class Communicator;

  void end_rank(std::uint32_t rank, std::string how);
  // Counts a rank as waiting, and finds out that nobody is left who could wake it.
  void begin_wait();

  const Network network_;
  const std::uint32_t rank_count_;
  std::vector<bool> present_;

  std::mutex mutex_;  // Guards everything below, and the state of all communicators.
  std::vector<std::optional<std::string>> ended_;  // By rank: how it ended.
  std::size_t running_ = 0;                        // Simulated ranks that have not ended.
  std::size_t waiting_ = 0;                        // Of these, blocked in a communicator.
  std::map<std::string, std::unique_ptr<Communicator>, std::less<>> communicators_;
};

// A transfer this rank takes part in.
struct Transfer {
  std::uint32_t peer = 0;  // Rank in the group.
  bool sends = false;
  std::uint64_t bytes = 0;
};

// The tasks of the transfers of one call as one list. A single transfer is on plane 0. Of several,
// transfer i is on plane i + 1, and plane 0 waits from their begin until all have ended.
SubTasks merge_planes(std::vector<SubTasks> parts, std::uint32_t rank, std::int64_t gap_ns);
constexpr std::size_t exchange_planes(std::size_t transfers) {
  return transfers > 1 ? transfers + 1 : 1;
}

// One group of ranks. Calls block the thread (not virtual time) until all partners have called, and
// return the tasks of the calling rank. `rank` is always the rank in the job.
class Communicator {
 public:
  Communicator(World& world, std::string name, std::vector<std::uint32_t> ranks);
  ~Communicator();

  const std::string& name() const { return name_; }
  std::span<const std::uint32_t> ranks() const { return ranks_; }
  // Place of a rank of the job in this group; nothing if it is no member.
  std::optional<std::uint32_t> group_rank(std::uint32_t rank) const;
  bool spans_nodes() const { return spans_nodes_; }
  std::uint32_t plane_count() const { return plane_count_; }

  // The next collective of this rank in this group. The n-th calls of all members belong together;
  // if they ask for different things, every one of them gets an error that says who asked for what.
  Result<SubTasks> collective(std::uint32_t rank, const CollectiveDesc& desc,
                              std::int64_t ready_ns);

  // Sends and receives, all begun at `ready_ns` and each on a plane of its own. The n-th send from
  // a to b meets the n-th receive of b from a.
  Result<SubTasks> exchange(std::uint32_t rank, std::span<const Transfer> transfers,
                            std::int64_t ready_ns);

  // How many tasks a call will yield, for the host's time to issue them.
  std::size_t collective_tasks(std::uint32_t rank, CollectiveKind kind);
  std::size_t exchange_tasks(std::uint32_t rank, std::span<const Transfer> transfers) const;

 private:
  friend class World;
  struct Operation;
  struct Exchange;
  struct Post;

  // Blocks until `done`, which whoever completes or breaks the call sets.
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  const bool& done, std::size_t& waiters);
  void complete(std::unique_lock<std::mutex>& lock, Operation& operation);
  void release(Operation& operation);
  void release(Exchange& exchange);
  void post(std::uint32_t group_rank, const Transfer& transfer, std::size_t index,
            std::shared_ptr<Exchange> exchange);
  // Ends all that waits here, now and later, with this error.
  void break_with(Error error);
  void on_rank_ended(std::uint32_t rank, const std::string& how);
  std::optional<Error> missing_partner(const Operation& operation, std::uint64_t sequence) const;

  World& world_;
  const std::string name_;
  const std::vector<std::uint32_t> ranks_;
  bool spans_nodes_ = false;
  std::uint32_t plane_count_ = 1;
  std::size_t present_members_ = 0;

  // Guarded by World::mutex_.
  std::optional<Error> broken_;
  std::vector<std::uint64_t> next_sequence_;  // By group rank.
  std::map<std::uint64_t, std::shared_ptr<Operation>> operations_;
  // Unmatched sends (or receives) by (from, to).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Post>> posts_;
  std::map<std::pair<CollectiveKind, std::uint32_t>, std::size_t> task_counts_;
};

}  // namespace npuprof::sim
