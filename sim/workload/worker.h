#pragma once

// One rank of a simulated PyTorch job: a process with a main thread, an autograd thread, perhaps
// child threads, and the thread behind the task queue, in virtual time. A program says what happens
// in which order; the worker lets the threads take their time, runs the work on the simulated
// device, and records both sides as the framework's profiler would.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "sim/npu/npu.h"
#include "sim/torch/autograd.h"
#include "sim/torch/caching_allocator.h"
#include "sim/torch/framework_writer.h"
#include "sim/torch/python_side.h"
#include "sim/torch/task_queue.h"
#include "sim/torch/workspace_allocator.h"
#include "sim/workload/live_tensors.h"
#include "sim/workload/operator.h"
#include "sim/workload/parallel.h"

namespace npuprof::sim {

// A communicator this rank is a member of; a group of one has none.
struct GroupHandle {
  CommunicatorId communicator = 0;
  std::uint32_t size = 1;
  bool alone() const { return size == 1; }
};

// An operator made ready: its kernels known to the device, its texts encoded for the framework
// files.
struct PreparedOperator {
  Operator desc;
  AclCall call;
  std::vector<const KernelTemplate*> kernels;
  std::vector<OpTemplate> names;           // Nested, outermost first.
  std::vector<BackwardTemplate> backward;  // None or one.
};

// A forward operator that autograd comes back to, and the memory it keeps until then.
struct TapeEntry {
  const PreparedOperator* op = nullptr;
  std::int64_t sequence = -1;
  std::uint64_t output = 0;  // Address of the result, 0 = none.
};

struct WorkerOptions {
  std::uint32_t process_id = 1000;
  double host_slowdown = 1;           // The framework takes so many times as long for everything.
  bool module_ranges = false;         // mstx ranges in the domain "Module".
  std::int64_t begin_ns = 0;          // When the program starts.
  std::int64_t loading_stall_ns = 0;  // What the data loader takes longer than usual.
};

class Worker {
 public:
  Worker(const WorkerOptions& options, Npu& npu, FrameworkWriter& writer);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Status set_up();

  Npu& npu() { return npu_; }
  const CachingAllocator::Totals& memory_totals() const { return allocator_.totals(); }
  std::int64_t now_ns() const { return current().now_ns; }

  // Structure.

  void begin_step(std::uint64_t step);
  // Waits for the device. Fails if the program needed more memory than the device has.
  Status end_step();
  // A module call: Python frames, a range in the domain "Module", the module in the truth.
  void enter_module(std::string_view class_name, std::string_view path);
  void leave_module();
  // A range of the framework, such as "Optimizer.step#AdamW.step".
  void enter_range(std::string_view name);
  void leave_range();
  // mstx; with `on_stream` also on the compute stream.
  std::uint64_t range_start(std::string_view message, std::string_view domain, bool on_stream);
  void range_end(std::uint64_t id);
  void mark(std::string_view message, std::string_view domain);
  // Work of the host alone.
  void spend(std::int64_t ns) { current().now_ns += scaled(ns); }
  void collect_garbage(std::int64_t ns);
  // The data loader fetches a batch: an mstx range, and, if it stalls, a range of the framework.
  void load_data(std::int64_t ns);
  // Goes on on another thread of the process, 0 being the main one.
  void switch_thread(std::size_t index);

  // The program has ended: streams go, and what the tracer kept is written.
  void finish();

  // Operators.

  // Gives a module a parameter: memory that stays, and a tensor that the profile tells of at the
  // first call of the module and at the first step of the optimizer.
  void add_parameter(std::string_view path, std::string_view name, ElementType type,
                     const Shape& shape);
  // The optimizer's step: a Python frame and a range.
  void enter_optimizer(std::string_view class_name);
  void leave_optimizer();

  const PreparedOperator* prepare(Operator op);
  // Runs on the current thread. What is to be differentiated the caller keeps on a tape.
  TapeEntry run(const PreparedOperator* op);
  // Runs without a gradient; the result is given back a few operators later.
  void run_once(const PreparedOperator* op);
  // The backward node of an entry, on the autograd thread, with the operators it calls. Their
  // results are given back after the next node, the entry's own memory at once.
  void run_backward(const TapeEntry& entry, std::span<const PreparedOperator* const> ops);
  void begin_backward();
  void end_backward();
  // Memory that stays: parameters, optimizer state, caches. Returns its address, 0 if there is
  // none.
  std::uint64_t allocate(std::uint64_t bytes);

  // Data and waiting.

  void copy_to_device(std::uint64_t bytes);
  void copy_to_host(std::uint64_t bytes);  // Waits, as .item() does.
  void synchronize();

  // Communication.

  Result<GroupHandle> join(World& world, const ProcessGroup& group, std::uint32_t rank);
  // Runs after all that the compute stream has so far, beside what follows; wait() lets the compute
  // stream wait for all of the group so far. Nothing happens in a group of one.
  Status collective(const GroupHandle& group, const CollectiveDesc& desc);
  Status exchange(const GroupHandle& group, ElementType type, std::span<const Transfer> transfers);
  void wait(const GroupHandle& group);

  // Graphs.

  Result<GraphId> load_graph(const GraphDesc& desc);
  Status execute_graph(GraphId graph);

 private:
  static constexpr std::size_t kThreads = 4;  // Main, two children, autograd.
  static constexpr std::size_t kAutograd = kThreads - 1;
  static constexpr std::int64_t kTickNs = 10;  // Of the host counter.
  // Host time of the parts of an operator, ns. Each nested range begins so much after the outer one
  // and ends so much before it.
  static constexpr std::int64_t kOperatorHeadNs = 600;
  static constexpr std::int64_t kOperatorTailNs = 400;
  static constexpr std::int64_t kPutNs = 900;                // Putting a task on the queue.
  static constexpr std::int64_t kBetweenOperatorsNs = 1200;  // The interpreter.

  struct HostThread {
    std::uint32_t tid = 0;
    std::int64_t now_ns = 0;
  };
  struct OpenRange {
    const OpTemplate* op = nullptr;
    std::int64_t begin_ns = 0;
  };
  struct OpenModule {
    PythonSide::Module function{};
    std::uint64_t range = 0;
    std::uint32_t truth_module = TruthCounter::kNoModule;
    const std::vector<Parameter>* parameters = nullptr;
  };

  HostThread& current() { return threads_[current_]; }
  const HostThread& current() const { return threads_[current_]; }
  std::int64_t scaled(std::int64_t ns) const {
    return static_cast<std::int64_t>(static_cast<double>(ns) * options_.host_slowdown) / kTickNs *
           kTickNs;
  }
  // An operator on the current thread that ends now.
  void put_op(const OpTemplate& op, std::int64_t begin_ns);
  const OpTemplate& op_without_inputs(std::string_view name, format::framework::OpScope scope);
  const OpTemplate& user_scope(std::string_view name) {
    return op_without_inputs(name, format::framework::OpScope::kUserScope);
  }
  // Does something inside an operator without inputs.
  template <typename Work>
  void in_op(std::string_view name, format::framework::OpScope scope, Work&& work) {
    const std::int64_t begin_ns = now_ns();
    spend(kOperatorHeadNs);
    work();
    spend(kOperatorTailNs);
    put_op(op_without_inputs(name, scope), begin_ns);
    spend(kBetweenOperatorsNs);
  }
  // Puts a task on the queue; `work(thread, begin_ns)` returns when it is done there.
  template <typename Work>
  void enqueue(std::string_view name, Work&& work) {
    const std::int64_t end_ns = now_ns() + scaled(kPutNs);
    const TaskQueue::Task task = queue_.put(name, current().tid, now_ns(), end_ns);
    const std::int64_t done_ns = work(static_cast<std::uint32_t>(task.thread_id), task.start_ns);
    queue_.done(task, done_ns);
    current().now_ns = std::max(task.put_end_ns, end_ns);
  }
  // What a call of the operator reads, if the profile is to tell.
  CallTensors tensors_of(const Operator& op);
  // Runs the nested ranges of an operator around the queueing of its call.
  std::uint64_t run_call(const PreparedOperator& op, std::int64_t sequence, bool backward);
  std::uint64_t take_memory(std::uint64_t bytes);
  void give_memory(std::uint64_t address);
  // Orders a group's stream after the compute stream.
  void wait_for_compute(const GroupHandle& group);

  WorkerOptions options_;
  Npu& npu_;
  FrameworkWriter& writer_;
  TaskQueue queue_;
  DriverMemory memory_;
  CachingAllocator allocator_;
  WorkspaceAllocator workspace_;
  PythonSide tracer_;
  LiveTensors tensors_;
  std::array<HostThread, kThreads> threads_;
  std::size_t current_ = 0;
  std::size_t before_backward_ = 0;
  StreamNumber compute_ = 0;
  std::int64_t next_sequence_ = 0;
  std::vector<OpenRange> ranges_;
  std::vector<OpenModule> modules_;
  std::vector<std::uint64_t> gradients_;  // Results of the backward node before.
  std::deque<std::uint64_t> discarded_;   // Results of operators without a gradient.
  std::vector<std::unique_ptr<PreparedOperator>> operators_;
  std::unordered_map<std::string, std::unique_ptr<OpTemplate>> ops_without_inputs_;
  std::unordered_map<std::string, std::vector<Parameter>> parameters_;  // By path of the module.
  std::vector<std::string> parameter_paths_;                            // In the order given.
  std::unordered_set<std::string> told_parameters_;                     // Paths and optimizers.
  std::uint64_t missing_bytes_ = 0;  // Asked for when the device was full.
  std::uint64_t step_ = 0;
  std::uint64_t step_range_ = 0;
  std::int64_t step_begin_ns_ = 0;
};

}  // namespace npuprof::sim
