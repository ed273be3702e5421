#pragma once

#include <cstdint>
#include <initializer_list>

#include "format/device/stars_soc_profile.h"
#include "load/cann_device/device_part.h"
#include "trace/device/link_samples.h"

namespace npuprof::load {

// Puts samples of links, accelerators and power into LinkSamples and, on chips 15 and 16, the AI
// core frequency into Frequencies. Other records are ignored.
class SocSamples {
 public:
  SocSamples(const DeviceConfig& config, DevicePart& out) : config_(config), out_(out) {}

  void add(const format::device::SocSample& sample);

 private:
  void append(std::uint64_t syscnt, trace::LinkKind kind, std::uint32_t unit,
              std::initializer_list<double> values);
  void add_chip_trans(const format::device::SocSample& sample);
  void add_sio(const format::device::SocSample& sample);
  void add_low_power(const format::device::LowPowerSample& sample);
  void add_qos(const format::device::QosSampleV6& sample);

  const DeviceConfig& config_;
  DevicePart& out_;
};

// Whether SocSamples has a use for records with this function.
constexpr bool is_soc_sample(format::device::StarsFunction function) {
  return function >= format::device::StarsFunction::kQos &&
         function <= format::device::StarsFunction::kLowPower;
}

// Reads stars_soc_profile.data.
void load_soc_profile(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out);

}  // namespace npuprof::load
