#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "sim/npu/communicator.h"
#include "sim/npu/npu_samples.h"
#include "sim/npu/npu_streams.h"
#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

using CommunicatorId = std::uint32_t;

// A collective that was issued and waits for its partners.
struct PostedCollective {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  ElementType type = ElementType::kBfloat16;
  std::uint64_t count = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;    // On the host.
  std::int64_t ready_ns = 0;  // When the device reaches it.
};

// Collectives: a launch at the node level, and for each task on its plane's stream an interval of
// the communication library with a runtime call inside.
class NpuCollectives {
 public:
  NpuCollectives(NpuState& npu, TaskIssuer& issuer, NpuStreams& streams, NpuSamples& samples)
      : npu_(npu), issuer_(issuer), streams_(streams), samples_(samples) {}

  // Gives the device its streams for a communicator it is a member of.
  Result<CommunicatorId> join(std::uint32_t thread, Communicator& communicator,
                              std::int64_t begin_ns, std::int64_t* host_end_ns = nullptr);
  // The stream collectives of a communicator run on: order them with events.
  StreamNumber main_stream(CommunicatorId communicator) const;
  Result<TaskRun> run(std::uint32_t thread, CommunicatorId communicator, const CollectiveDesc& desc,
                      std::int64_t begin_ns);
  // kSend, kReceive, or several at once (kBatchSendReceive). Counts are in elements of `type`.
  Result<TaskRun> exchange(std::uint32_t thread, CommunicatorId communicator, ElementType type,
                           std::span<const Transfer> transfers, std::int64_t begin_ns);

  // The two halves of the above, for whoever brings the ranks together in another way. Nothing else
  // may be put on the device between post and finish. `desc.count` is the number of elements of all
  // transfers of a point-to-point kind; `tasks` are how many will be issued, on `planes` streams.
  Result<PostedCollective> post(std::uint32_t thread, CommunicatorId communicator,
                                const CollectiveDesc& desc, std::size_t tasks, std::size_t planes,
                                std::int64_t begin_ns);
  TaskRun finish(std::uint32_t thread, CommunicatorId communicator, const PostedCollective& posted,
                 const SubTasks& tasks);

 private:
  struct Joined {
    Communicator* communicator = nullptr;
    std::vector<StreamNumber> planes;
    std::uint64_t group_hash = 0;
    std::uint64_t tag_hash = 0;
  };

  std::int64_t end_ns(std::int64_t begin_ns, std::size_t tasks) const;
  std::int64_t ready_ns(const Joined& joined, std::int64_t host_end_ns);
  Result<std::int64_t> ensure_planes(std::uint32_t thread, Joined& joined, std::size_t planes,
                                     std::int64_t begin_ns);
  TaskRun report(std::uint32_t thread, Joined& joined, const PostedCollective& posted,
                 const SubTasks& tasks);
  void report_operator(std::uint32_t thread, const Joined& joined, const PostedCollective& posted);
  void report_sub_task(std::uint32_t thread, const Joined& joined, const PostedCollective& posted,
                       const SubTask& task, std::int64_t host_begin_ns);
  void count(const Joined& joined, const PostedCollective& posted, const SubTasks& tasks);

  NpuState& npu_;
  TaskIssuer& issuer_;
  NpuStreams& streams_;
  NpuSamples& samples_;
  std::vector<Joined> joined_;
};

}  // namespace npuprof::sim
