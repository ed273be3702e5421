#pragma once

#include <string>

#include "load/cann_device/device_config.h"
#include "load/cann_device/device_files.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What one device contributes to a Trace, loaded on a thread of its own.
struct DevicePart {
  bool is_known = false;  // False: nothing could be read but the losses.
  std::string directory;
  bool is_clock_sure = false;  // The first tasks lie near the begin.
  trace::DeviceInfo info;
  trace::Trace tables;  // Those of device/ and machine/; with strings of its own.
  trace::Losses losses;

  // Moves all rows to the end of the trace's tables; leaves this empty but for the losses, to which
  // it adds rows with impossible times. The first DeviceInfo of a device counts.
  void append_to(trace::Trace& trace);
};

}  // namespace npuprof::load
