#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/model/element_type.h"
#include "sim/model/network.h"

namespace npuprof::sim {

enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kScatter,
  kAlltoAll,
  kAlltoAllV,
  kSend,
  kReceive,
  kBatchSendReceive,
};

// "hcom_allReduce_" and so on: the name of the operator in all records.
std::string_view collective_name(CollectiveKind kind);
// The algorithm by level, as records name it: "MESH-RING".
std::string_view algorithm_name(CollectiveKind kind, bool several_nodes);

struct CollectiveDesc {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  ElementType type = ElementType::kBfloat16;
  // Elements, counted as the vendor's interface counts: of the whole buffer for all-reduce,
  // broadcast and reduce; of one rank's part for all others.
  std::uint64_t count = 0;
  std::uint32_t root = 0;  // Rank in the group.
  // All-to-all-v: elements this rank sends to each rank of the group.
  std::vector<std::uint64_t> send_counts;

  std::uint64_t bytes() const { return count * bytes_per_element(type); }
};

enum class SubTaskKind : std::uint8_t {
  kMemcpy,
  kReduceInline,
  kNotifyRecord,
  kNotifyWait,
  kRdmaPayload,
  kRdmaNotify,
};
// "Memcpy", "Reduce_Inline", "Notify_Record", "Notify_Wait", "RDMASend".
std::string_view sub_task_name(SubTaskKind kind);

// One task of a collective on one device. Planes are streams; tasks of a plane follow each other.
// Plane 0 is the main one and covers the whole operation. It copies within the device and talks to
// other nodes, while each peer in the node has a plane of its own.
struct SubTask {
  SubTaskKind kind = SubTaskKind::kMemcpy;
  Link link = Link::kOnChip;
  std::uint16_t plane = 0;
  std::uint16_t stage = 0;
  std::uint32_t remote_rank = 0;  // In the job; the own rank for local tasks.
  std::uint64_t bytes = 0;
  std::uint64_t notify_id = 0;  // Record and wait of a pair agree.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Tasks in the order in which the host issues them.
using SubTasks = std::vector<SubTask>;

// Lets all ranks of a group run a collective: `ready_ns[i]` is when rank `group[i]` reaches it on
// its device, `descs[i]` what it asked for. Returns each rank's tasks. Who comes early waits
// (Notify_Wait) for who comes late. A pure function: the same whoever calls it. Not for
// point-to-point kinds.
std::vector<SubTasks> schedule_collective(const Network& network,
                                          std::span<const std::uint32_t> group,
                                          std::span<const CollectiveDesc* const> descs,
                                          std::span<const std::int64_t> ready_ns);

// One transfer between two ranks; both sides' tasks.
struct TransferTasks {
  SubTasks sender;
  SubTasks receiver;
};
TransferTasks schedule_transfer(const Network& network, std::uint32_t from, std::uint32_t to,
                                std::uint64_t bytes, std::int64_t sender_ready_ns,
                                std::int64_t receiver_ready_ns);

// How many tasks a rank of the group issues; does not depend on sizes or times.
std::size_t collective_task_count(const Network& network, std::span<const std::uint32_t> group,
                                  CollectiveKind kind, std::size_t group_rank);
std::size_t transfer_task_count(const Network& network, std::uint32_t from, std::uint32_t to,
                                bool sends);

// How many planes the group's collectives use at most.
std::uint32_t plane_count(const Network& network, std::span<const std::uint32_t> group);

}  // namespace npuprof::sim
