#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "format/device/chips.h"
#include "sim/model/sim_clock.h"
#include "sim/prof/device_sample_writer.h"

namespace npuprof::sim {

// Traffic one way and the other, 1 GB = 10^9 bytes.
struct LinkLoad {
  double sent_gb_s = 0;
  double received_gb_s = 0;
};

// What a device is doing at some moment.
struct DeviceLoad {
  double hbm_read_gb_s = 0;
  double hbm_write_gb_s = 0;
  double l2_hit_rate = 0.7;         // Of last-level cache lookups, 0 to 1.
  double ai_core_utilization = 0;   // 0 to 1.
  std::uint64_t app_bytes = 0;      // HBM reserved by this process' program,
  std::uint64_t hccl_bytes = 0;     // by its collectives,
  std::uint64_t runtime_bytes = 0;  // by its runtime,
  std::uint64_t device_bytes = 0;   // and by all processes together.
  LinkLoad pcie;
  LinkLoad hccs;
  LinkLoad nic;
  LinkLoad roce;
  LinkLoad sio;  // Between the two dies of a package.
};

// Which samples are taken how often; 0 = not at all.
struct DeviceSampleOptions {
  std::uint32_t memory_hz = 0;  // HBM, LLC, memory in use, accelerators, paths in the chip.
  std::uint32_t interconnection_hz = 0;  // PCIe, HCCS, links between chips and dies.
  std::uint32_t io_hz = 0;               // NIC and RoCE.
  bool llc_write = false;                // LLC counts writes; otherwise reads.
  bool dual_die = false;                 // The package has a second die (910_93).
  double network_port_mb_s = 25000;
  std::uint64_t seed = 1;
};

// Makes the periodic samples of one device from a description of its load. The same options and
// loads give the same samples. Small variations are added, as every measurement has them, but no
// sample ever tells of traffic where there is none.
class DeviceSamples {
 public:
  // `begin_ns` is when sampling begins, in virtual time like all times here: counters of the first
  // sample cover what happened since.
  DeviceSamples(DeviceSampleWriter& writer, const SimClock& clock, format::device::ChipId chip,
                std::uint32_t device, std::int64_t begin_ns, DeviceSampleOptions options);

  // Writes all samples that are due up to and including `time_ns`. `load_at(t)` is the load over
  // the sampling interval that ends at `t`; it is asked for each sample in order of time.
  void advance_to(std::int64_t time_ns, const std::function<DeviceLoad(std::int64_t)>& load_at);

  // When the next sample is due; the largest value if none ever is.
  std::int64_t next_ns() const;

 private:
  struct Series {
    std::int64_t period_ns = 0;  // 0: never due.
    std::int64_t next_ns = 0;
    std::uint64_t index = 0;
  };
  // Traffic so far, in bytes.
  struct LinkBytes {
    double sent = 0;
    double received = 0;
  };
  enum SeriesName : std::size_t { kMemory, kInterconnection, kIo, kSeriesCount };

  void sample(SeriesName name, const Series& series, const DeviceLoad& load);
  void sample_memory(std::int64_t time_ns, double seconds, const DeviceLoad& load);
  void sample_hbm(std::uint64_t time_us, double seconds, const DeviceLoad& load);
  void sample_llc(std::uint64_t time_us, double seconds, const DeviceLoad& load);
  void sample_modules(std::uint64_t host_ticks, const DeviceLoad& load);
  void sample_interconnection(std::int64_t time_ns, double seconds, const DeviceLoad& load);
  void sample_pcie(std::uint64_t monotonic_ns, const DeviceLoad& load);
  void sample_sio(std::uint64_t ticks, double seconds, const DeviceLoad& load);
  void sample_network(std::int64_t time_ns, double seconds, const DeviceLoad& load);

  // 1 with a deviation of a few percent, different for each (series, sample, what).
  double vary(std::uint64_t what) const;

  DeviceSampleWriter& writer_;
  const SimClock& clock_;
  format::device::ChipId chip_;
  std::uint32_t device_;
  DeviceSampleOptions options_;
  std::array<Series, kSeriesCount> series_{};
  std::uint64_t current_ = 0;  // Names the series and sample for vary().
  LinkBytes hccs_;
  LinkBytes nic_;
  LinkBytes roce_;
};

}  // namespace npuprof::sim
