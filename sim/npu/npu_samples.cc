#include "sim/npu/npu_samples.h"

#include <algorithm>

#include "sim/model/random.h"

namespace npuprof::sim {

namespace host = format::host;

namespace {

constexpr std::uint64_t kRuntimeBytes = 600ull << 20;  // Of the runtime and the driver.

}  // namespace

void NpuSamples::start(DeviceReporter& reporter, std::int64_t time_ns) {
  const CollectionSettings& options = npu_.options.collection;
  if (!options.memory && !options.sys_interconnection && !options.sys_io) return;
  const DeviceSampleOptions sample_options{
      .memory_hz = options.memory ? options.memory_hz : 0,
      .interconnection_hz = options.sys_interconnection ? options.sys_interconnection_hz : 0,
      .io_hz = options.sys_io ? options.sys_io_hz : 0,
      .dual_die = npu_.chip().dual_die,
      .network_port_mb_s = npu_.chip().link(Link::kRdma).gb_per_s * 1000,
      .seed = derive_seed(npu_.options.seed, npu_.options.rank)};
  samples_ = std::make_unique<DeviceSamples>(
      reporter.samples(), npu_.clock, npu_.chip().id(), npu_.options.device,
      std::max(time_ns, npu_.clock.first_event_ns()), sample_options);
}

void NpuSamples::set_memory(std::uint64_t program_bytes, std::uint64_t collective_bytes) {
  program_bytes_ = program_bytes;
  collective_bytes_ = collective_bytes;
}

void NpuSamples::advance_to(std::int64_t time_ns) {
  if (!is_on()) return;
  samples_->advance_to(time_ns, [this](std::int64_t at_ns) { return load_at(at_ns); });
  meter_.forget_before(time_ns - kWindowNs);
}

DeviceLoad NpuSamples::load_at(std::int64_t time_ns) const {
  const auto rate = [&](LoadMeter::Quantity quantity) {
    return meter_.rate(quantity, time_ns, kWindowNs);
  };
  DeviceLoad load;
  load.hbm_read_gb_s = rate(LoadMeter::kHbmRead);
  load.hbm_write_gb_s = rate(LoadMeter::kHbmWrite);
  load.ai_core_utilization = std::min(rate(LoadMeter::kCoreBusy), 1.0);
  load.app_bytes = program_bytes_;
  load.hccl_bytes = collective_bytes_;
  load.runtime_bytes = kRuntimeBytes;
  load.device_bytes = program_bytes_ + collective_bytes_ + kRuntimeBytes;
  load.pcie = {rate(LoadMeter::kPcieSent), rate(LoadMeter::kPcieReceived)};
  load.hccs = {rate(LoadMeter::kHccsSent), rate(LoadMeter::kHccsReceived)};
  load.roce = {rate(LoadMeter::kRdmaSent), rate(LoadMeter::kRdmaReceived)};
  load.sio = {rate(LoadMeter::kSioSent), rate(LoadMeter::kSioReceived)};
  return load;
}

void NpuSamples::add_kernel(const KernelTemplate& kernel, Interval run, double busy_ns) {
  if (!is_on()) return;
  meter_.add(LoadMeter::kHbmRead, run, kernel.nominal().hbm_read_bytes);
  meter_.add(LoadMeter::kHbmWrite, run, kernel.nominal().hbm_write_bytes);
  if (has_core_counters(kernel.desc().kind)) meter_.add(LoadMeter::kCoreBusy, run, busy_ns);
}

void NpuSamples::add_copy(host::MemcpyDirection direction, Interval run, std::uint64_t bytes) {
  if (!is_on()) return;
  const auto amount = static_cast<double>(bytes);
  const bool to_host = direction == host::MemcpyDirection::kDeviceToHost;
  const bool on_device = direction == host::MemcpyDirection::kDeviceToDevice;
  if (to_host || on_device) meter_.add(LoadMeter::kHbmRead, run, amount);
  if (!to_host) meter_.add(LoadMeter::kHbmWrite, run, amount);
  if (to_host) meter_.add(LoadMeter::kPcieSent, run, amount);
  if (!to_host && !on_device) meter_.add(LoadMeter::kPcieReceived, run, amount);
}

void NpuSamples::add_sub_task(const SubTask& task, bool receives_as_much) {
  if (!is_on() || task.bytes == 0) return;
  const Interval run{task.begin_ns, task.end_ns};
  const auto amount = static_cast<double>(task.bytes);
  meter_.add(LoadMeter::kHbmRead, run, amount);
  LoadMeter::Quantity sent = LoadMeter::kHccsSent;
  switch (task.link) {
    case Link::kOnChip:
      meter_.add(LoadMeter::kHbmWrite, run, amount);
      return;
    case Link::kHccs:
      sent = LoadMeter::kHccsSent;
      break;
    case Link::kPcie:
      sent = LoadMeter::kPcieSent;
      break;
    case Link::kRdma:
      sent = LoadMeter::kRdmaSent;
      break;
    case Link::kSio:
      sent = LoadMeter::kSioSent;
      break;
  }
  meter_.add(sent, run, amount);
  // In collectives a rank receives from its peers what it sends; each `received` follows its
  // `sent`.
  if (!receives_as_much) return;
  meter_.add(static_cast<LoadMeter::Quantity>(sent + 1), run, amount);
  meter_.add(LoadMeter::kHbmWrite, run, amount);
}

}  // namespace npuprof::sim
