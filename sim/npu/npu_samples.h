#pragma once

#include <cstdint>
#include <memory>

#include "base/interval_sweep.h"
#include "format/host/enumerations.h"
#include "sim/model/collective.h"
#include "sim/npu/kernel_template.h"
#include "sim/npu/load_meter.h"
#include "sim/npu/npu_state.h"
#include "sim/prof/device_samples.h"

namespace npuprof::sim {

// What the samplers of the device see: how busy it is, and its memory.
class NpuSamples {
 public:
  explicit NpuSamples(const NpuState& npu) : npu_(npu) {}

  // Memory that is sampled from now on.
  void set_memory(std::uint64_t program_bytes, std::uint64_t collective_bytes);

  // A collection begins; nothing happens unless it asks for samples.
  void start(DeviceReporter& reporter, std::int64_t time_ns);
  // Samples up to then.
  void advance_to(std::int64_t time_ns);
  void stop() { samples_.reset(); }

  // Work that was done; counts only while something is sampled. The cores were busy for `busy_ns`
  // of the kernel's time.
  void add_kernel(const KernelTemplate& kernel, Interval run, double busy_ns);
  void add_copy(format::host::MemcpyDirection direction, Interval run, std::uint64_t bytes);
  void add_sub_task(const SubTask& task, bool receives_as_much);

 private:
  // Samples show the average over this much time.
  static constexpr std::int64_t kWindowNs = 10'000'000;

  bool is_on() const { return samples_ != nullptr; }
  DeviceLoad load_at(std::int64_t time_ns) const;

  const NpuState& npu_;
  LoadMeter meter_;
  std::unique_ptr<DeviceSamples> samples_;  // Only while something is sampled.
  std::uint64_t program_bytes_ = 0;
  std::uint64_t collective_bytes_ = 0;
};

}  // namespace npuprof::sim
