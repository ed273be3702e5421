#pragma once

// One simulated device of one rank: streams, kernels, copies, graphs, marks and collectives in
// virtual time, and the records that CANN and the device would have written about them.
//
// All functions of its parts that stand for a call of the program take the calling thread's id and
// the virtual time at which it calls, and return when the call comes back. Calls of one thread must
// be made in order of time and not overlap. A Npu is used by one (real) thread at a time.

#include <cstdint>
#include <limits>

#include "sim/npu/npu_collectives.h"
#include "sim/npu/npu_copies.h"
#include "sim/npu/npu_graphs.h"
#include "sim/npu/npu_kernels.h"
#include "sim/npu/npu_marks.h"
#include "sim/npu/npu_samples.h"
#include "sim/npu/npu_state.h"
#include "sim/npu/npu_streams.h"
#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

class Npu {
 public:
  Npu(NpuOptions options, const SimClock& clock) : state_(std::move(options), clock) {}
  Npu(const Npu&) = delete;
  Npu& operator=(const Npu&) = delete;

  const ChipSpec& chip() const { return state_.chip(); }
  const NpuOptions& options() const { return state_.options; }
  const SimClock& clock() const { return state_.clock; }
  TruthCounter& truth() { return state_.truth; }

  AclCalls& calls() { return state_.calls; }
  NpuStreams& streams() { return streams_; }
  const NpuStreams& streams() const { return streams_; }
  NpuKernels& kernels() { return kernels_; }
  NpuCopies& copies() { return copies_; }
  NpuGraphs& graphs() { return graphs_; }
  NpuMarks& marks() { return marks_; }
  NpuCollectives& collectives() { return collectives_; }
  NpuSamples& samples() { return samples_; }

  // What the next collection asks for; not while one runs. Kernels get the counters of its metrics.
  void set_collection(CollectionSettings collection);
  // Collection begins and ends; in between records are written and the truth is counted. Between
  // collections the device runs on. Reporters must stay until detach().
  void attach(HostReporter& host, DeviceReporter& device, std::int64_t time_ns);
  void detach(std::int64_t time_ns);
  bool collecting() const { return state_.host_log.on(); }
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

 private:
  NpuState state_;
  TaskIssuer issuer_{state_};
  NpuSamples samples_{state_};
  NpuStreams streams_{state_, issuer_};
  NpuKernels kernels_{state_, issuer_, samples_};
  NpuCopies copies_{state_, issuer_, samples_};
  NpuMarks marks_{state_, issuer_};
  NpuCollectives collectives_{state_, issuer_, streams_, samples_};
  NpuGraphs graphs_{state_, issuer_, kernels_, collectives_};
  std::int64_t stop_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace npuprof::sim
