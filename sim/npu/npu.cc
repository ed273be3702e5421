#include "sim/npu/npu.h"

#include <algorithm>
#include <utility>

namespace npuprof::sim {

void Npu::set_collection(CollectionSettings collection) {
  state_.options.collection = std::move(collection);
  kernels_.renew_counters();
}

void Npu::attach(HostReporter& host, DeviceReporter& device, std::int64_t time_ns) {
  state_.host_log.attach(&host);
  state_.device_log.attach(&device);
  kernels_.begin_collection();
  graphs_.begin_collection();
  state_.calls.tell_names();
  samples_.start(device, time_ns);
}

void Npu::detach(std::int64_t time_ns) {
  settle(time_ns);
  samples_.stop();
  state_.host_log.attach(nullptr);
  state_.device_log.attach(nullptr);
}

void Npu::stop_at(std::int64_t time_ns) {
  stop_ns_ = time_ns;
  state_.host_log.stop_at(time_ns);
  state_.device_log.stop_at(time_ns);
}

void Npu::settle(std::int64_t time_ns) {
  time_ns = std::min(time_ns, stop_ns_);
  state_.device_log.settle(time_ns);
  samples_.advance_to(time_ns);
}

void Npu::flush(std::int64_t time_ns) {
  settle(time_ns);
  state_.device_log.flush(std::min(time_ns, stop_ns_));
}

}  // namespace npuprof::sim
