#pragma once

// One simulated device of one rank: streams, kernels, copies, events, graphs and collectives in
// virtual time, and the records that CANN and the device would have written about them.
//
// All functions that stand for a call of the program take the calling thread's id and the virtual
// time at which it calls, and return when the call comes back. Calls of one thread must be made in
// order of time and not overlap. A Npu is used by one (real) thread at a time.

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval_sweep.h"
#include "base/result.h"
#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "sim/model/chip.h"
#include "sim/model/clock.h"
#include "sim/model/frequency.h"
#include "sim/model/random.h"
#include "sim/npu/communicator.h"
#include "sim/npu/device_log.h"
#include "sim/npu/host_log.h"
#include "sim/npu/kernel_template.h"
#include "sim/npu/load_meter.h"
#include "sim/npu/streams.h"
#include "sim/npu/truth.h"
#include "sim/prof/collection_options.h"
#include "sim/prof/device_samples.h"

namespace npuprof::sim {

struct NpuOptions {
  const ChipSpec* chip = nullptr;
  std::uint32_t rank = 0;
  std::uint32_t device = 0;
  std::uint32_t process_id = 1000;
  std::uint64_t seed = 1;
  CollectionOptions collection;

  // Faults.
  double compute_slowdown = 1;                 // Every kernel takes so many times as long.
  double host_slowdown = 1;                    // Every call takes so many times as long.
  std::vector<FrequencyDrop> frequency_drops;  // The AI core clock is lowered for a while.
  double dropped_kernel_share = 0;             // Part of the kernels whose end is never logged.
  std::uint16_t first_task_id = 0;             // Of each stream; near 65534 it wraps at once.
};

// When a call came back and when its task runs on the device.
struct TaskRun {
  std::int64_t host_end_ns = 0;
  std::int64_t device_begin_ns = 0;
  std::int64_t device_end_ns = 0;
};

// A function of the operator library or of the runtime, as call intervals name it.
struct AclCall {
  std::uint32_t type = 0;
};

// An event of the runtime: done when everything before its record is.
struct Event {
  std::int64_t done_ns = 0;
};

// Where a kernel of a graph runs: `stream` counts the graph's own streams from 0.
struct GraphKernel {
  const KernelTemplate* kernel = nullptr;
  std::uint32_t stream = 0;
};
using GraphId = std::uint32_t;
using CommunicatorId = std::uint32_t;

class Npu {
 public:
  Npu(NpuOptions options, const SimClock& clock);
  Npu(const Npu&) = delete;
  Npu& operator=(const Npu&) = delete;

  // What the next collection asks for; not while one runs. Kernels get the counters of its metrics.
  void set_collection(CollectionOptions collection);
  // Collection begins and ends; in between records are written and the truth is counted. Between
  // collections the device runs on. Reporters must stay until detach().
  void attach(HostReporter& host, DeviceReporter& device, std::int64_t time_ns);
  void detach(std::int64_t time_ns);
  bool collecting() const { return host_.on(); }
  // The process is killed at `time_ns`: nothing that happens later leaves a record or counts,
  // though calls still work. A task that is running then has a start and no end.
  void stop_at(std::int64_t time_ns);
  std::int64_t stop_ns() const { return stop_ns_; }
  // No call will begin before `time_ns` any more, and nothing on the device either (true after a
  // synchronisation): what happened up to then can leave the buffers that bring device records in
  // order, and is sampled.
  void settle(std::int64_t time_ns);
  // The same, and what is settled survives the death of the process.
  void flush(std::int64_t time_ns);
  // Memory the samplers report from now on.
  void set_memory(std::uint64_t program_bytes, std::uint64_t collective_bytes);

  const ChipSpec& chip() const { return *options_.chip; }
  const NpuOptions& options() const { return options_; }
  const SimClock& clock() const { return *clock_; }
  TruthCounter& truth() { return truth_; }

  // Things that are prepared once and used often.
  const KernelTemplate& add_kernel(KernelDesc desc);
  AclCall acl_call(std::string_view name);

  // --- streams and waiting
  // ------------------------------------------------------------------------
  Result<StreamId> create_stream(std::uint32_t thread, std::int64_t begin_ns,
                                 std::int64_t* host_end_ns = nullptr);
  std::int64_t destroy_stream(std::uint32_t thread, StreamId stream, std::int64_t begin_ns);
  // All that are left, as when a process ends.
  std::int64_t destroy_streams(std::uint32_t thread, std::int64_t begin_ns);
  TaskRun record_event(std::uint32_t thread, StreamId stream, Event& event, std::int64_t begin_ns);
  TaskRun wait_event(std::uint32_t thread, StreamId stream, const Event& event,
                     std::int64_t begin_ns);
  TaskRun record_notify(std::uint32_t thread, StreamId stream, Event& notify,
                        std::int64_t begin_ns);
  TaskRun wait_notify(std::uint32_t thread, StreamId stream, const Event& notify,
                      std::int64_t begin_ns);
  std::int64_t synchronize_event(std::uint32_t thread, const Event& event, std::int64_t begin_ns);
  std::int64_t synchronize_stream(std::uint32_t thread, StreamId stream, std::int64_t begin_ns);
  std::int64_t synchronize_device(std::uint32_t thread, std::int64_t begin_ns);
  std::int64_t stream_free_ns(StreamId stream) { return streams_.at(stream).free_ns; }
  std::int64_t device_free_ns() const { return streams_.latest_free_ns(); }

  // --- work
  // --------------------------------------------------------------------------------------- A call
  // interval at the ACL level.
  void acl_api(std::uint32_t thread, AclCall call, std::int64_t begin_ns, std::int64_t end_ns) {
    host_.api(format::host::kLevelAcl, call.type, thread, begin_ns, end_ns, 0);
  }
  // One launch: the node level and below. The caller writes the enclosing acl_api().
  TaskRun launch_kernel(std::uint32_t thread, StreamId stream, const KernelTemplate& kernel,
                        std::int64_t begin_ns);
  // A call of the operator library with all its launches; the last one's device times.
  TaskRun launch_operator(std::uint32_t thread, StreamId stream, AclCall call,
                          std::span<const KernelTemplate* const> kernels, std::int64_t begin_ns);
  // Copies longer than kMostCopyBytes take several tasks.
  static constexpr std::uint64_t kMostCopyBytes = 64ull << 20;
  TaskRun copy(std::uint32_t thread, StreamId stream, format::host::MemcpyDirection direction,
               std::uint64_t bytes, std::int64_t begin_ns);
  TaskRun fill(std::uint32_t thread, StreamId stream, std::uint64_t bytes, std::int64_t begin_ns);

  // --- graphs
  // ------------------------------------------------------------------------------------- Loads a
  // static graph: its kernels are reported once, here. `forward_end` is the number of kernels up to
  // the end of the forward pass (0: not a training graph).
  struct GraphDesc {
    std::string name;
    std::vector<GraphKernel> kernels;
    std::size_t forward_end = 0;
  };
  Result<GraphId> load_graph(std::uint32_t thread, const GraphDesc& desc, std::int64_t begin_ns,
                             std::int64_t* host_end_ns = nullptr);
  // Captures what a stream would run into a graph: known to readers by its captured streams.
  Result<GraphId> capture_graph(std::uint32_t thread, StreamId original, const GraphDesc& desc,
                                std::int64_t begin_ns, std::int64_t* host_end_ns = nullptr);
  TaskRun execute_graph(std::uint32_t thread, GraphId graph, StreamId stream,
                        std::int64_t begin_ns);
  std::int64_t destroy_graph(std::uint32_t thread, GraphId graph, std::int64_t begin_ns);

  // --- marks
  // -------------------------------------------------------------------------------------- User
  // marks (mstx). With a stream they also appear on the device. Return the mark's id, 0 if marks
  // are not collected. Calls take kMarkNs of host time.
  static constexpr std::int64_t kMarkNs = 400;
  std::uint64_t mark(std::uint32_t thread, std::string_view message, std::string_view domain,
                     std::int64_t begin_ns, std::optional<StreamId> stream = std::nullopt);
  std::uint64_t range_start(std::uint32_t thread, std::string_view message, std::string_view domain,
                            std::int64_t begin_ns, std::optional<StreamId> stream = std::nullopt);
  void range_end(std::uint32_t thread, std::uint64_t id, std::int64_t begin_ns);
  // Only the task on the stream, of a mark whose id and record are somebody else's business.
  void mark_stream(std::uint32_t thread, StreamId stream, std::uint64_t id, std::int64_t begin_ns);
  // Begin or end of a training step, marked by the framework on a stream.
  std::int64_t step_mark(std::uint32_t thread, StreamId stream, std::uint64_t step, bool is_begin,
                         std::int64_t begin_ns);
  // Memory taken (or, negative, given back) for an operator. Totals are of this device.
  void memory_event(std::uint32_t thread, std::uint64_t address, std::int64_t bytes,
                    std::string_view operator_name, std::uint64_t total_allocated,
                    std::uint64_t total_reserved, std::int64_t time_ns);

  // --- communication
  // ------------------------------------------------------------------------------ Gives the device
  // its streams for a communicator it is a member of.
  Result<CommunicatorId> join(std::uint32_t thread, Communicator& communicator,
                              std::int64_t begin_ns, std::int64_t* host_end_ns = nullptr);
  // The stream collectives of a communicator run on: order them with events.
  StreamId main_stream(CommunicatorId communicator) const;
  Result<TaskRun> collective(std::uint32_t thread, CommunicatorId communicator,
                             const CollectiveDesc& desc, std::int64_t begin_ns);
  // kSend, kReceive, or several at once (kBatchSendReceive). Counts are in elements of `type`.
  Result<TaskRun> exchange(std::uint32_t thread, CommunicatorId communicator, DataType type,
                           std::span<const Transfer> transfers, std::int64_t begin_ns);

  // The two halves of the above, for whoever brings the ranks together in another way. Nothing else
  // may be put on the device between post and finish. `desc.count` is the number of elements of all
  // transfers of a point-to-point kind; `tasks` are how many will be issued, on `planes` streams.
  struct PostedCollective {
    CollectiveKind kind = CollectiveKind::kAllReduce;
    DataType type = DataType::kBfloat16;
    std::uint64_t count = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;    // On the host.
    std::int64_t ready_ns = 0;  // When the device reaches it.
  };
  Result<PostedCollective> post_collective(std::uint32_t thread, CommunicatorId communicator,
                                           const CollectiveDesc& desc, std::size_t tasks,
                                           std::size_t planes, std::int64_t begin_ns);
  TaskRun finish_collective(std::uint32_t thread, CommunicatorId communicator,
                            const PostedCollective& posted, const SubTasks& tasks);

 private:
  // Samples show the average over this much time.
  static constexpr std::int64_t kLoadWindowNs = 10'000'000;

  // Host time of the parts of a call, ns.
  struct HostCosts {
    explicit HostCosts(double slowdown);
    std::int64_t call_head;  // ACL begin to the first thing inside; likewise `call_tail`.
    std::int64_t call_tail;
    std::int64_t node_head;  // Node begin to the runtime call.
    std::int64_t runtime;
    std::int64_t node_tail;
    std::int64_t between_launches;
    std::int64_t collective_task;  // One task of a collective.
    std::int64_t synchronize;      // Shortest wait, and from the device's end to the return.
  };
  struct Graph {
    std::uint32_t model_id = 0;
    bool captured = false;
    std::size_t forward_end = 0;
    std::uint64_t executions = 0;
    std::vector<StreamId> streams;
    StreamId original = 0;
    struct Task {
      const KernelTemplate* kernel;
      StreamId stream;
      std::uint32_t task;
    };
    std::vector<Task> tasks;
  };
  struct OpenRange {
    std::string message;
    std::uint64_t domain = 0;
    std::int64_t begin_ns = 0;
    std::optional<StreamId> stream;
  };
  struct JoinedCommunicator {
    Communicator* communicator = nullptr;
    std::vector<StreamId> planes;
    std::uint64_t group_hash = 0;
    std::uint64_t tag_hash = 0;
  };

  // npu.cc
  void register_strings(const KernelTemplate& kernel);
  // Takes the stream's next task id; a wrap is reported on both sides first.
  std::uint32_t next_task(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks);
  std::uint32_t submit(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks,
                       const format::host::TaskTrack& prototype, format::host::Age age);
  std::uint32_t submit(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks,
                       format::host::TaskType type);
  void report_node(std::uint32_t thread, const KernelTemplate& kernel, std::int64_t begin_ns,
                   std::int64_t end_ns, format::host::Age age);
  std::int64_t begin_on(const StreamState& stream, std::int64_t ready_ns) const;
  Interval run_kernel(StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
                      std::int64_t ready_ns);
  void log_kernel(const StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
                  Interval run, double busy_ns);
  Interval run_simple(StreamState& stream, std::uint32_t task, format::device::SqeKind sqe,
                      std::int64_t ready_ns, std::int64_t duration_ns);
  // An ACL call that puts one task on a stream; nothing but its records and times.
  struct SimpleCall {
    AclCall call;
    std::uint32_t runtime_api;
    std::int64_t begin_ns;
    std::int64_t runtime_begin_ns;
    std::int64_t runtime_end_ns;
    std::int64_t end_ns;
  };
  SimpleCall begin_simple(AclCall call, std::uint32_t runtime_api, std::int64_t begin_ns) const;
  void report_simple(std::uint32_t thread, const SimpleCall& call);
  TaskRun event_task(std::uint32_t thread, StreamId stream, const char* call_name,
                     std::uint32_t runtime_api, format::host::TaskType type,
                     format::device::SqeKind sqe, std::int64_t wait_until_ns,
                     std::int64_t begin_ns);
  std::int64_t synchronize_until(std::uint32_t thread, const char* call_name,
                                 std::uint32_t runtime_api, std::int64_t free_ns,
                                 std::int64_t begin_ns);
  Interval wall_of(Interval device) const {
    return {clock_->wall_ns_of_device_time(device.begin),
            clock_->wall_ns_of_device_time(device.end)};
  }

  // npu_samples.cc
  void start_samples(DeviceReporter& reporter, std::int64_t time_ns);
  DeviceLoad load_at(std::int64_t time_ns) const;
  bool sampling() const { return samples_ != nullptr; }
  void meter_kernel(const KernelTemplate& kernel, Interval run, double busy_ns);
  void meter_copy(format::host::MemcpyDirection direction, Interval run, std::uint64_t bytes);
  void meter_sub_task(const SubTask& task, bool receives_as_much);

  // npu_graph.cc
  Result<GraphId> make_graph(const GraphDesc& desc);
  void report_model_event(std::uint32_t thread, std::uint32_t type, std::uint32_t model_id,
                          std::uint32_t request_id, std::int64_t begin_ns, std::int64_t end_ns);

  // npu_marks.cc
  void trace_on_stream(std::uint32_t thread, StreamId stream, std::uint64_t index,
                       std::uint64_t model_id, std::uint16_t tag, std::int64_t time_ns);
  void report_mark(std::uint32_t thread, std::uint64_t id, std::uint32_t event_type,
                   std::string_view message, std::uint64_t domain, std::int64_t begin_ns,
                   std::int64_t end_ns);

  // npu_collective.cc
  struct CollectiveReport {
    CollectiveKind kind;
    DataType type;
    std::uint64_t count;
    std::int64_t begin_ns;
    std::int64_t end_ns;
  };
  std::int64_t collective_end_ns(std::int64_t begin_ns, std::size_t tasks) const;
  Result<std::int64_t> ensure_planes(std::uint32_t thread, JoinedCommunicator& joined,
                                     std::size_t planes, std::int64_t begin_ns);
  std::int64_t collective_ready_ns(const JoinedCommunicator& joined, std::int64_t host_end_ns);
  TaskRun report_collective(std::uint32_t thread, JoinedCommunicator& joined,
                            const CollectiveReport& report, const SubTasks& tasks);
  void report_sub_task(std::uint32_t thread, const JoinedCommunicator& joined,
                       const CollectiveReport& report, const SubTask& task,
                       std::int64_t host_begin_ns);
  void count_collective(const JoinedCommunicator& joined, const CollectiveReport& report,
                        const SubTasks& tasks);

  NpuOptions options_;
  const SimClock* clock_;
  HostLog host_;
  DeviceLog device_;
  TruthCounter truth_;
  HostCosts costs_;
  FrequencyPlan frequency_;
  Random random_;
  StreamTable streams_;
  std::uint32_t collection_ = 0;  // Counts attach() calls, to register strings anew.
  std::deque<KernelTemplate> kernels_;
  std::map<std::string, AclCall, std::less<>> acl_calls_;
  std::array<std::uint16_t, 16> acl_numbers_{};  // Last number used in each category.
  std::vector<Graph> graphs_;
  std::uint64_t last_mark_id_ = 0;
  std::map<std::uint64_t, OpenRange> open_ranges_;
  std::vector<JoinedCommunicator> communicators_;
  LoadMeter meter_;
  std::unique_ptr<DeviceSamples> samples_;  // Only while something is sampled.
  std::int64_t stop_ns_ = std::numeric_limits<std::int64_t>::max();
  std::uint64_t program_bytes_ = 0;
  std::uint64_t collective_bytes_ = 0;
};

}  // namespace npuprof::sim
