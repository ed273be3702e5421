#pragma once

// Loads what CANN recorded on devices: `device_<N>` of PROF_* directories.

#include <span>
#include <vector>

#include "load/cann_device/device_part.h"
#include "load/cann_host/session.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What the devices of one or more collections of a process recorded, not yet part of a Trace: so
// devices can be read while another thread reads the host.
class CannDevices {
 public:
  // Reads all devices in parallel. From the host's files it takes what device records cannot be
  // understood without: clocks (in `sessions`, one for each collection), the width of stream ids
  // and, for collectives on AI CPUs, names.
  static CannDevices read(std::span<const CannDirectory> collections,
                          std::span<const HostSession> sessions);

  // Appends the tables of cann_device.h and a DeviceInfo for each device, in the order of the
  // collections and devices. Devices that cannot be understood at all, and everything that was
  // damaged, are in the losses.
  void append_to(trace::Trace& trace, trace::Losses& losses) &&;

 private:
  std::vector<DevicePart> devices_;
};

// All in one, for devices alone.
void load_cann_devices(std::span<const CannDirectory> collections, trace::Trace& trace,
                       trace::Losses& losses);

}  // namespace npuprof::load
