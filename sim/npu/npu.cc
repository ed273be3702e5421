#include "sim/npu/npu.h"

#include <algorithm>
#include <cmath>

#include "format/host/compact_memory.h"
#include "format/host/compact_task.h"
#include "sim/npu/runtime_calls.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

// Launches differ by up to this much from the estimate, both ways.
constexpr double kKernelJitter = 0.02;

std::int64_t scaled(std::int64_t duration_ns, double factor) {
  return std::llround(static_cast<double>(duration_ns) * factor);
}

host::AclCategory category_of(std::string_view call) {
  if (call.starts_with("aclrt")) return host::AclCategory::kRuntime;
  if (call.starts_with("aclmdl")) return host::AclCategory::kModel;
  if (call.starts_with("aclnn")) return host::AclCategory::kNn;
  if (call.starts_with("aclop")) return host::AclCategory::kOp;
  return host::AclCategory::kOthers;
}

}  // namespace

Npu::HostCosts::HostCosts(double slowdown)
    : call_head(scaled(400, slowdown)),
      call_tail(scaled(300, slowdown)),
      node_head(scaled(900, slowdown)),
      runtime(scaled(1100, slowdown)),
      node_tail(scaled(800, slowdown)),
      between_launches(scaled(500, slowdown)),
      collective_task(scaled(600, slowdown)),
      synchronize(scaled(2500, slowdown)) {}

Npu::Npu(NpuOptions options, const SimClock& clock)
    : options_(std::move(options)),
      clock_(&clock),
      host_(options_.collection, clock),
      device_(options_.collection, *options_.chip, options_.device, clock),
      costs_(std::max(options_.host_slowdown, 0.1)),
      frequency_(options_.chip->aic_mhz, options_.frequency_drops),
      random_(derive_seed(options_.seed, options_.rank)),
      streams_(*options_.chip, options_.first_task_id) {}

void Npu::set_collection(CollectionOptions collection) {
  options_.collection = std::move(collection);
  for (KernelTemplate& kernel : kernels_) {
    const std::uint32_t truth_type = kernel.truth_type;
    kernel = KernelTemplate(chip(), options_.collection.aic_metrics, kernel.desc());
    kernel.truth_type = truth_type;
  }
}

void Npu::attach(HostReporter& host_reporter, DeviceReporter& device_reporter,
                 std::int64_t time_ns) {
  ++collection_;
  host_.attach(&host_reporter);
  device_.attach(&device_reporter);
  device_.frequency(frequency_.entries());
  for (const auto& [name, call] : acl_calls_) host_.name_type(host::kLevelAcl, call.type, name);
  start_samples(device_reporter, time_ns);
}

void Npu::detach(std::int64_t time_ns) {
  settle(time_ns);
  samples_.reset();
  host_.attach(nullptr);
  device_.attach(nullptr);
}

void Npu::stop_at(std::int64_t time_ns) {
  stop_ns_ = time_ns;
  host_.stop_at(time_ns);
  device_.stop_at(time_ns);
}

void Npu::settle(std::int64_t time_ns) {
  time_ns = std::min(time_ns, stop_ns_);
  device_.settle(time_ns);
  if (!sampling()) return;
  samples_->advance_to(time_ns, [this](std::int64_t at_ns) { return load_at(at_ns); });
  meter_.forget_before(time_ns - kLoadWindowNs);
}

void Npu::flush(std::int64_t time_ns) {
  settle(time_ns);
  device_.flush(std::min(time_ns, stop_ns_));
}

const KernelTemplate& Npu::add_kernel(KernelDesc desc) {
  KernelTemplate& kernel =
      kernels_.emplace_back(chip(), options_.collection.aic_metrics, std::move(desc));
  kernel.truth_type = truth_.kernel_type(kernel.desc().type, kernel.core_name());
  return kernel;
}

AclCall Npu::acl_call(std::string_view name) {
  const auto known = acl_calls_.find(name);
  if (known != acl_calls_.end()) return known->second;
  AclCall call;
  if (const auto command = host::hccl_command_from_name(name)) {
    call.type = host::kAclHcclBase + *command;
  } else {
    const host::AclCategory category = category_of(name);
    call.type = host::acl_type(category, ++acl_numbers_[static_cast<std::size_t>(category)]);
  }
  host_.name_type(host::kLevelAcl, call.type, name);
  return acl_calls_.emplace(std::string(name), call).first->second;
}

void Npu::register_strings(const KernelTemplate& kernel) {
  kernel.collection = collection_;
  host_.hash(kernel.desc().name);
  host_.hash(kernel.desc().type);
  host_.hash(kernel.desc().attributes);
}

std::uint32_t Npu::next_task(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks) {
  if (!streams_.must_flip(stream)) return streams_.take_task(stream);
  streams_.flip(stream);
  if (host_.tasks()) {
    host::TaskTrack flip{};
    // One tick before the task that needs it, so that readers count it in.
    flip.header = host::header_of<host::TaskTrack>(thread, track_ticks - 1);
    flip.device = static_cast<std::uint16_t>(options_.device);
    flip.stream = stream.id;
    flip.task_id = host::TaskTrack::encode_task_id(0, stream.flips);
    flip.task_type = static_cast<std::uint64_t>(host::TaskType::kFlip);
    host_.record(Age::kAging, flip);
    // Between the last task of the old count and the first of the new one.
    const std::int64_t time_ns = stream.free_ns + chip().task_gap_ns / 2;
    device_.flip(stream.id, stream.flips, 0, time_ns);
    if (device_.shows({time_ns, time_ns})) truth_.count(TruthCount::kFlips);
  }
  return streams_.take_task(stream);
}

std::uint32_t Npu::submit(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks,
                          const host::TaskTrack& prototype, Age age) {
  const std::uint32_t task = next_task(thread, stream, track_ticks);
  if (!host_.tasks()) return task;
  host::TaskTrack track = prototype;
  track.header.thread_id = thread;
  track.header.timestamp = track_ticks;
  track.device = static_cast<std::uint16_t>(options_.device);
  track.stream = stream.id;
  track.task_id = streams_.has_wide_ids() ? task
                                          : host::TaskTrack::encode_task_id(
                                                static_cast<std::uint16_t>(task), stream.flips);
  host_.record(age, track);
  return task;
}

std::uint32_t Npu::submit(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks,
                          host::TaskType type) {
  host::TaskTrack track{};
  track.header = host::header_of<host::TaskTrack>(thread, track_ticks);
  track.task_type = static_cast<std::uint64_t>(type);
  return submit(thread, stream, track_ticks, track, Age::kAging);
}

std::int64_t Npu::begin_on(const StreamState& stream, std::int64_t ready_ns) const {
  return std::max(ready_ns, stream.free_ns + chip().task_gap_ns);
}

// --- kernels
// ---------------------------------------------------------------------------------------

void Npu::report_node(std::uint32_t thread, const KernelTemplate& kernel, std::int64_t begin_ns,
                      std::int64_t end_ns, Age age) {
  if (!host_.tasks()) return;
  if (kernel.collection != collection_) register_strings(kernel);
  host_.api(host::kLevelNode, host::kTypeNodeLaunch, thread, begin_ns, end_ns, kernel.name_hash,
            age);
  const auto report = [&, ticks = host_.ticks(end_ns)](auto record) {
    record.header.thread_id = thread;
    record.header.timestamp = ticks;
    host_.record(age, record);
  };
  if (options_.collection.op_attr && kernel.attributes.attributes != 0) report(kernel.attributes);
  if (kernel.has_context) report(kernel.contexts);
  if (!host_.operator_details()) return;
  report(kernel.node);
  for (const host::TensorInfo& tensors : kernel.tensors) report(tensors);
}

TaskRun Npu::launch_kernel(std::uint32_t thread, StreamId stream_id, const KernelTemplate& kernel,
                           std::int64_t begin_ns) {
  StreamState& stream = streams_.at(stream_id);
  const std::int64_t runtime_begin_ns = begin_ns + costs_.node_head;
  const std::int64_t runtime_end_ns = runtime_begin_ns + costs_.runtime;
  const std::int64_t end_ns = runtime_end_ns + costs_.node_tail;

  const std::uint32_t task =
      submit(thread, stream, host_.ticks(runtime_begin_ns) + 1, kernel.track, Age::kAging);
  host_.runtime_api(runtime_call::kLaunchKernel, thread, runtime_begin_ns, runtime_end_ns);
  report_node(thread, kernel, begin_ns, end_ns, Age::kAging);
  const Interval run = run_kernel(stream, task, kernel, runtime_end_ns + chip().launch_latency_ns);
  return {end_ns, run.begin, run.end};
}

TaskRun Npu::launch_operator(std::uint32_t thread, StreamId stream, AclCall call,
                             std::span<const KernelTemplate* const> kernels,
                             std::int64_t begin_ns) {
  TaskRun last{.host_end_ns = begin_ns + costs_.call_head};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::int64_t pause_ns = i == 0 ? 0 : costs_.between_launches;
    last = launch_kernel(thread, stream, *kernels[i], last.host_end_ns + pause_ns);
  }
  last.host_end_ns += costs_.call_tail;
  acl_api(thread, call, begin_ns, last.host_end_ns);
  return last;
}

Interval Npu::run_kernel(StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
                         std::int64_t ready_ns) {
  const std::int64_t begin_ns = begin_on(stream, ready_ns);
  const double jitter = 1.0 + kKernelJitter * (2.0 * random_.unit() - 1.0);
  const double busy_ns =
      kernel.busy_ns(frequency_.mhz_at(begin_ns)) * options_.compute_slowdown * jitter;
  const Interval run{begin_ns, begin_ns + kernel.overhead_ns() + std::llround(busy_ns)};
  stream.free_ns = run.end;
  if (device_.on()) log_kernel(stream, task, kernel, run, busy_ns);
  return run;
}

void Npu::log_kernel(const StreamState& stream, std::uint32_t task, const KernelTemplate& kernel,
                     Interval run, double busy_ns) {
  const DeviceTask key{stream.id, task};
  const bool lose_end =
      options_.dropped_kernel_share > 0 && random_.unit() < options_.dropped_kernel_share;
  if (lose_end) {
    device_.task_without_end(key, kernel.sqe, run.begin);
    truth_.count(TruthCount::kDroppedRecords);
    return;
  }
  Interval shown = run;
  device_.task(key, kernel.sqe, run);
  if (!device_.shows(run)) return;
  if (kernel.has_context) {
    // Readers show the context, not the task around it.
    shown = {run.begin + DeviceLog::kContextInsetNs, run.end - DeviceLog::kContextInsetNs};
    device_.context(key, kernel.sub_task_type, shown);
  }
  device_.kernel_counters(key, kernel, run, busy_ns, frequency_);
  if (sampling()) meter_kernel(kernel, run, busy_ns);
  if (kernel.desc().kind == CoreKind::kAicpu) {
    device_.aicpu_kernel(key, run);
    truth_.count(TruthCount::kAicpuKernels);
  }
  truth_.count(TruthCount::kDeviceTasks);
  truth_.count(TruthCount::kKernels);
  if (is_mix(kernel.desc().kind)) truth_.count(TruthCount::kMixKernels);
  truth_.add_kernel(kernel.truth_type, wall_of(shown));
}

// --- simple tasks
// ----------------------------------------------------------------------------------

Npu::SimpleCall Npu::begin_simple(AclCall call, std::uint32_t runtime_api,
                                  std::int64_t begin_ns) const {
  SimpleCall result{.call = call, .runtime_api = runtime_api, .begin_ns = begin_ns};
  result.runtime_begin_ns = begin_ns + costs_.call_head;
  result.runtime_end_ns = result.runtime_begin_ns + costs_.runtime;
  result.end_ns = result.runtime_end_ns + costs_.call_tail;
  return result;
}

void Npu::report_simple(std::uint32_t thread, const SimpleCall& call) {
  host_.runtime_api(call.runtime_api, thread, call.runtime_begin_ns, call.runtime_end_ns);
  acl_api(thread, call.call, call.begin_ns, call.end_ns);
}

Interval Npu::run_simple(StreamState& stream, std::uint32_t task, device::SqeKind sqe,
                         std::int64_t ready_ns, std::int64_t duration_ns) {
  const std::int64_t begin_ns = begin_on(stream, ready_ns);
  const Interval run{begin_ns, begin_ns + duration_ns};
  stream.free_ns = run.end;
  if (device_.on()) device_.task({stream.id, task}, sqe, run);
  if (device_.shows(run)) truth_.count(TruthCount::kDeviceTasks);
  return run;
}

TaskRun Npu::copy(std::uint32_t thread, StreamId stream_id, host::MemcpyDirection direction,
                  std::uint64_t bytes, std::int64_t begin_ns) {
  StreamState& stream = streams_.at(stream_id);
  const SimpleCall call =
      begin_simple(acl_call("aclrtMemcpyAsync"), runtime_call::kMemcpyAsync, begin_ns);
  // The time by which readers find the size of each task.
  const std::uint64_t ticks = host_.ticks(call.runtime_begin_ns) + 1;
  if (host_.tasks()) {
    host::MemcpyInfo info{};
    info.header = host::header_of<host::MemcpyInfo>(thread, ticks);
    info.data_size = bytes;
    info.max_size = kMostCopyBytes;
    info.direction = static_cast<std::uint16_t>(direction);
    host_.record(Age::kAging, info);
  }
  const bool on_device = direction == host::MemcpyDirection::kDeviceToDevice;
  const double gb_per_s =
      on_device ? chip().link(Link::kOnChip).gb_per_s : chip().host_copy_gb_per_s;
  const device::SqeKind sqe = on_device        ? device::SqeKind::kSdma
                              : chip().is_v6() ? device::SqeKind::kAsyncDma
                                               : device::SqeKind::kPcieDma;
  TaskRun result{.host_end_ns = call.end_ns};
  streams_.keep_together(stream,
                         std::max<std::uint64_t>((bytes + kMostCopyBytes - 1) / kMostCopyBytes, 1));
  std::uint64_t left = bytes;
  do {
    const std::uint64_t part = std::min(left, kMostCopyBytes);
    left -= part;
    const std::uint32_t task = submit(thread, stream, ticks, host::TaskType::kMemcpyAsync);
    const std::int64_t duration_ns =
        chip().copy_overhead_ns + std::llround(static_cast<double>(part) / gb_per_s);
    const Interval run =
        run_simple(stream, task, sqe, call.runtime_end_ns + chip().launch_latency_ns, duration_ns);
    if (result.device_end_ns == 0) result.device_begin_ns = run.begin;
    result.device_end_ns = run.end;
    if (device_.shows(run)) {
      const Interval wall = wall_of(run);
      truth_.add_copy(static_cast<std::uint16_t>(direction), part, wall.end - wall.begin);
      if (sampling()) meter_copy(direction, run, part);
    }
  } while (left > 0);
  report_simple(thread, call);
  return result;
}

TaskRun Npu::fill(std::uint32_t thread, StreamId stream_id, std::uint64_t bytes,
                  std::int64_t begin_ns) {
  StreamState& stream = streams_.at(stream_id);
  const SimpleCall call =
      begin_simple(acl_call("aclrtMemsetAsync"), runtime_call::kMemsetAsync, begin_ns);
  const std::uint64_t ticks = host_.ticks(call.runtime_begin_ns) + 1;
  const std::uint32_t task = submit(thread, stream, ticks, host::TaskType::kMemsetAsync);
  if (host_.tasks()) {
    host::MemsetInfo info{};
    info.header = host::header_of<host::MemsetInfo>(thread, ticks);
    info.data_size = bytes;
    info.stream = stream.id;
    info.device = static_cast<std::uint16_t>(options_.device);
    host_.record(Age::kAging, info);
  }
  const std::int64_t duration_ns =
      chip().copy_overhead_ns + std::llround(static_cast<double>(bytes) / chip().hbm_gb_per_s);
  const Interval run = run_simple(stream, task, device::SqeKind::kSdma,
                                  call.runtime_end_ns + chip().launch_latency_ns, duration_ns);
  if (device_.shows(run)) truth_.count(TruthCount::kFills);
  report_simple(thread, call);
  return {call.end_ns, run.begin, run.end};
}

}  // namespace npuprof::sim
