#pragma once

// Devices of this process that communicate. A call of a rank waits in its group until all partners
// have called; whoever comes last moves the data and lets all of them run. The call itself returns
// at once, as on a device, but nothing else can be put on a device that waits.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/cann/state.h"

namespace npuprof::sim::cann {

// Where a rank's data is. Counts and offsets, in elements, are those of all-to-all-v only.
struct Buffers {
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::vector<std::uint64_t> send_counts;
  std::vector<std::uint64_t> send_offsets;
  std::vector<std::uint64_t> receive_counts;
  std::vector<std::uint64_t> receive_offsets;
};

// A collective as a rank asks for it.
struct CollectiveCall {
  CollectiveDesc desc;
  int type = 0;        // As the interface numbers it.
  int operation = -1;  // Of reductions.
  Buffers buffers;
  bool moves_data = true;  // A barrier does not.
};

struct TransferCall {
  Transfer transfer;  // `bytes` are bytes.
  std::byte* buffer = nullptr;
};

struct Group {
  // What a rank waits for. One thing at a time.
  struct Waiting {
    std::uint32_t thread = 0;
    StreamNumber stream = 0;
    PostedCollective posted;
    CollectiveCall call;                  // Collectives;
    std::vector<TransferCall> transfers;  // or else transfers,
    std::vector<SubTasks> tasks;          // the tasks of those that have met their partner,
    std::size_t open = 0;                 // and how many have not.
  };
  struct Member {
    DeviceState* device = nullptr;
    CommunicatorId id = 0;
    std::unique_ptr<Waiting> waiting;
  };

  std::string name;
  std::vector<Member> members;  // By rank.
  std::size_t joined = 0;
  Communicator* communicator = nullptr;  // Once all have joined; never for a rank alone.
  bool ready = false;
  bool broken = false;
  std::size_t collectives_waiting = 0;
  // Unmatched transfers by (from, to): who, and which of its transfers.
  std::map<std::pair<std::uint32_t, std::uint32_t>,
           std::deque<std::pair<std::uint32_t, std::size_t>>>
      posts;
};

// What a communicator handle stands for.
struct RankObject {
  std::shared_ptr<Group> group;
  std::uint32_t rank = 0;
};

// Both need the mutex; the virtual time at which the call returns, or nothing and the group broken.
std::optional<std::int64_t> run_collective(State& state, Group& group, std::uint32_t rank,
                                           StreamNumber stream, CollectiveCall call);
std::optional<std::int64_t> run_transfers(State& state, Group& group, std::uint32_t rank,
                                          StreamNumber stream, std::vector<TransferCall> transfers,
                                          ElementType type, std::uint64_t elements);
// Nobody can use the group any more; who waits in it goes on.
void break_group(State& state, Group& group);

}  // namespace npuprof::sim::cann
