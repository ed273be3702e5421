#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "sim/model/frequency_plan.h"
#include "sim/model/random.h"
#include "sim/npu/kernel_template.h"
#include "sim/npu/npu_samples.h"
#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

// Kernels: how long each launch takes, and what it leaves in the records of both sides.
class NpuKernels {
 public:
  NpuKernels(NpuState& npu, TaskIssuer& issuer, NpuSamples& samples);

  // A kernel is prepared once and launched often. It lives as long as the device.
  const KernelTemplate& add(KernelDesc desc);
  // The metrics of the collection are others from now on.
  void renew_counters();
  // A collection begins: it knows no strings yet, nor the AI core clock.
  void begin_collection();

  // One launch: the node level and below. The caller reports the ACL call around it.
  TaskRun launch(std::uint32_t thread, StreamNumber stream, const KernelTemplate& kernel,
                 std::int64_t begin_ns);
  // A call of the operator library with all its launches; the last one's device times.
  TaskRun launch_operator(std::uint32_t thread, StreamNumber stream, AclCall call,
                          std::span<const KernelTemplate* const> kernels, std::int64_t begin_ns);

  // What the launch of a graph's kernel has of these: all but the task on the device,
  struct Launch {
    std::uint32_t task = 0;
    std::int64_t runtime_end_ns = 0;
    std::int64_t end_ns = 0;
  };
  Launch report_launch(std::uint32_t thread, StreamState& stream, const KernelTemplate& kernel,
                       std::int64_t begin_ns, format::host::Age age);
  // and the task alone.
  Interval run(StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
               std::int64_t ready_ns);

 private:
  void report_node(std::uint32_t thread, const KernelTemplate& kernel, std::int64_t begin_ns,
                   std::int64_t end_ns, format::host::Age age);
  void register_strings(const KernelTemplate& kernel);
  void log(const StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
           Interval run, double busy_ns);

  NpuState& npu_;
  TaskIssuer& issuer_;
  NpuSamples& samples_;
  FrequencyPlan frequency_;
  Random random_;
  std::uint32_t collection_ = 0;  // Counts collections, to register strings anew.
  std::deque<KernelTemplate> kernels_;
};

}  // namespace npuprof::sim
