#include "sim/npu/npu_kernels.h"

#include <cmath>
#include <span>
#include <string_view>

#include "sim/npu/runtime_calls.h"

namespace npuprof::sim {

namespace host = format::host;
using host::Age;

namespace {

// Launches differ by up to this much from the estimate, both ways.
constexpr double kKernelJitter = 0.02;

double type_slowdown(std::span<const SlowKernel> slow_kernels, std::string_view type) {
  double factor = 1;
  for (const SlowKernel& slow : slow_kernels) {
    if (slow.type == type) factor *= slow.factor;
  }
  return factor;
}

}  // namespace

NpuKernels::NpuKernels(NpuState& npu, TaskIssuer& issuer, NpuSamples& samples)
    : npu_(npu),
      issuer_(issuer),
      samples_(samples),
      frequency_(npu.chip().aic_mhz, npu.options.frequency_drops),
      random_(derive_seed(npu.options.seed, npu.options.rank)) {}

const KernelTemplate& NpuKernels::add(KernelDesc desc) {
  KernelTemplate& kernel =
      kernels_.emplace_back(npu_.chip(), npu_.options.collection.aic_metrics, std::move(desc));
  kernel.truth_type = npu_.truth.kernel_type(kernel.desc().type, kernel.core_name());
  kernel.slowdown = type_slowdown(npu_.options.slow_kernels, kernel.desc().type);
  return kernel;
}

void NpuKernels::renew_counters() {
  for (KernelTemplate& kernel : kernels_) {
    const std::uint32_t truth_type = kernel.truth_type;
    const double slowdown = kernel.slowdown;
    kernel = KernelTemplate(npu_.chip(), npu_.options.collection.aic_metrics, kernel.desc());
    kernel.truth_type = truth_type;
    kernel.slowdown = slowdown;
  }
}

void NpuKernels::begin_collection() {
  ++collection_;
  npu_.device_log.frequency(frequency_.entries());
}

void NpuKernels::register_strings(const KernelTemplate& kernel) {
  kernel.collection = collection_;
  npu_.host_log.hash(kernel.desc().name);
  npu_.host_log.hash(kernel.desc().type);
  npu_.host_log.hash(kernel.desc().attributes);
}

void NpuKernels::report_node(std::uint32_t thread, const KernelTemplate& kernel,
                             std::int64_t begin_ns, std::int64_t end_ns, Age age) {
  if (!npu_.host_log.tasks()) return;
  if (kernel.collection != collection_) register_strings(kernel);
  npu_.host_log.api(host::kLevelNode, host::kTypeNodeLaunch, thread, begin_ns, end_ns,
                    kernel.name_hash, age);
  const auto report = [&, ticks = npu_.host_log.ticks(end_ns)](auto record) {
    record.header.thread_id = thread;
    record.header.timestamp = ticks;
    npu_.host_log.record(age, record);
  };
  if (npu_.options.collection.op_attr && kernel.attributes.attributes != 0)
    report(kernel.attributes);
  if (kernel.has_context) report(kernel.contexts);
  if (!npu_.host_log.operator_details()) return;
  report(kernel.node);
  for (const host::TensorInfo& tensors : kernel.tensors) report(tensors);
}

NpuKernels::Launch NpuKernels::report_launch(std::uint32_t thread, StreamState& stream,
                                             const KernelTemplate& kernel, std::int64_t begin_ns,
                                             Age age) {
  const std::int64_t runtime_begin_ns = begin_ns + npu_.costs.node_head;
  const std::int64_t runtime_end_ns = runtime_begin_ns + npu_.costs.runtime;
  const std::int64_t end_ns = runtime_end_ns + npu_.costs.node_tail;
  const std::uint32_t task =
      issuer_.submit(thread, stream, npu_.host_log.ticks(runtime_begin_ns) + 1, kernel.track, age);
  npu_.host_log.runtime_api(runtime_call::kLaunchKernel, thread, runtime_begin_ns, runtime_end_ns);
  report_node(thread, kernel, begin_ns, end_ns, age);
  return {task, runtime_end_ns, end_ns};
}

TaskRun NpuKernels::launch(std::uint32_t thread, StreamNumber stream_id,
                           const KernelTemplate& kernel, std::int64_t begin_ns) {
  StreamState& stream = npu_.streams.at(stream_id);
  const Launch launched = report_launch(thread, stream, kernel, begin_ns, Age::kAging);
  const Interval times =
      run(stream, launched.task, kernel, launched.runtime_end_ns + npu_.chip().launch_latency_ns);
  return {launched.end_ns, times.begin, times.end};
}

TaskRun NpuKernels::launch_operator(std::uint32_t thread, StreamNumber stream, AclCall call,
                                    std::span<const KernelTemplate* const> kernels,
                                    std::int64_t begin_ns) {
  TaskRun last{.host_end_ns = begin_ns + npu_.costs.call_head};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::int64_t pause_ns = i == 0 ? 0 : npu_.costs.between_launches;
    last = launch(thread, stream, *kernels[i], last.host_end_ns + pause_ns);
  }
  last.host_end_ns += npu_.costs.call_tail;
  npu_.calls.report(thread, call, begin_ns, last.host_end_ns);
  return last;
}

Interval NpuKernels::run(StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
                         std::int64_t ready_ns) {
  const std::int64_t begin_ns = issuer_.begin_on(stream, ready_ns);
  const double jitter = 1.0 + kKernelJitter * (2.0 * random_.unit() - 1.0);
  const double slowdown = npu_.options.compute_slowdown * kernel.slowdown;
  const double busy_ns = kernel.busy_ns(frequency_.mhz_at(begin_ns)) * slowdown * jitter;
  const Interval times{begin_ns, begin_ns + kernel.overhead_ns() + std::llround(busy_ns)};
  stream.free_ns = times.end;
  if (npu_.device_log.on()) log(stream, task, kernel, times, busy_ns);
  return times;
}

void NpuKernels::log(const StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
                     Interval run, double busy_ns) {
  const LoggedTask key{stream.id, task};
  const bool lose_end =
      npu_.options.dropped_kernel_share > 0 && random_.unit() < npu_.options.dropped_kernel_share;
  if (lose_end) {
    npu_.device_log.task_without_end(key, kernel.sqe, run.begin);
    npu_.truth.count(TruthCount::kDroppedRecords);
    return;
  }
  Interval shown = run;
  npu_.device_log.task(key, kernel.sqe, run);
  if (!npu_.device_log.shows(run)) return;
  if (kernel.has_context) {
    // Readers show the context, not the task around it.
    shown = {run.begin + DeviceLog::kContextInsetNs, run.end - DeviceLog::kContextInsetNs};
    npu_.device_log.context(key, kernel.sub_task_type, shown);
  }
  npu_.device_log.kernel_counters(key, kernel, run, busy_ns, frequency_);
  samples_.add_kernel(kernel, run, busy_ns);
  if (kernel.desc().kind == KernelCore::kAicpu) {
    npu_.device_log.aicpu_kernel(key, run);
    npu_.truth.count(TruthCount::kAicpuKernels);
  }
  npu_.truth.count(TruthCount::kDeviceTasks);
  npu_.truth.count(TruthCount::kKernels);
  if (is_mix(kernel.desc().kind)) npu_.truth.count(TruthCount::kMixKernels);
  npu_.truth.add_kernel(kernel.truth_type, npu_.wall_of(shown));
}

}  // namespace npuprof::sim
