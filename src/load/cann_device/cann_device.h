#pragma once

// Loads what CANN recorded on devices: `device_<N>` of PROF_* directories.

#include <deque>
#include <span>

#include "load/cann_device/device_part.h"
#include "load/cann_host/cann_host.h"
#include "load/discover.h"
#include "load/load_jobs.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What the devices of one or more collections of a process recorded, not yet part of a Trace: so
// devices can be read beside the host.
class CannDevices {
 public:
  // A job for each device of the collection. `collection`, `facts` and this must outlive the jobs.
  void add_jobs(const CannDirectory& collection, const HostFacts& facts, LoadJobs& jobs);

  // Appends the tables of trace/device/ and a DeviceInfo for each device, in the order of the
  // collections and devices. Devices that cannot be understood at all, and everything that was
  // damaged, are in the losses.
  void append_to(trace::Trace& trace, trace::Losses& losses) &&;

 private:
  std::deque<DevicePart> parts_;  // In places that stay.
};

// All in one, for devices alone.
void load_cann_devices(std::span<const CannDirectory> collections, trace::Trace& trace,
                       trace::Losses& losses);

}  // namespace npuprof::load
