#pragma once

#include <algorithm>
#include <utility>

#include "base/interval_sweep.h"
#include "sim/model/sim_clock.h"
#include "sim/npu/acl_calls.h"
#include "sim/npu/device_log.h"
#include "sim/npu/host_costs.h"
#include "sim/npu/host_log.h"
#include "sim/npu/npu_options.h"
#include "sim/npu/stream_table.h"
#include "sim/npu/truth.h"

namespace npuprof::sim {

// What all parts of a device share.
struct NpuState {
  NpuState(NpuOptions given, const SimClock& its_clock)
      : options(std::move(given)),
        clock(its_clock),
        host_log(options.collection, clock),
        device_log(options.collection, chip(), options.device, clock),
        costs(std::max(options.host_slowdown, 0.1)),
        streams(chip(), options.first_task_id),
        calls(host_log) {}
  NpuState(const NpuState&) = delete;
  NpuState& operator=(const NpuState&) = delete;

  const ChipSpec& chip() const { return *options.chip; }
  // As readers find it.
  Interval wall_of(Interval run) const {
    return {clock.wall_ns_of_device_time(run.begin), clock.wall_ns_of_device_time(run.end)};
  }

  NpuOptions options;
  const SimClock& clock;
  HostLog host_log;
  DeviceLog device_log;
  TruthCounter truth;
  const HostCosts costs;
  StreamTable streams;
  AclCalls calls;
};

}  // namespace npuprof::sim
