#include "analyze/peak_flops.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/sort_order.h"
#include "trace/device/frequencies.h"

namespace npuprof::analyze {
namespace {

// 16 x 16 x 16 products of half precision, each with an addition. Measured: a kernel that may use
// HF32 keeps the unit busy for 4096 operations a cycle. Single precision takes two passes of that.
constexpr double kHalfPerCycle = 16 * 16 * 16 * 2;
constexpr std::uint8_t kMegahertz = 0;  // Kind of Frequencies.

}  // namespace

double cube_flops_per_cycle(NumberType type) {
  switch (type) {
    case NumberType::kHalf:
      return kHalfPerCycle;
    case NumberType::kSingle:
      return kHalfPerCycle / 4;
    case NumberType::kHf32:
      return kHalfPerCycle / 2;
    case NumberType::kByte:
      return kHalfPerCycle * 2;
    case NumberType::kInt4:
      return kHalfPerCycle * 4;
    case NumberType::kUnknown:
      break;
  }
  return 0;
}

double peak_flops(std::uint32_t core_count, double mhz, NumberType type) {
  return core_count * mhz * 1e6 * cube_flops_per_cycle(type);
}

Peaks::Peaks(const trace::Trace& trace, const PeakOptions& options) : tflops_(options.tflops) {
  is_known_ = tflops_ > 0;
  for (const trace::DeviceInfo& info : trace.devices) {
    devices_.push_back({.id = info.id, .core_count = info.ai_core_count, .mhz = info.aic_mhz});
  }
  const auto& frequencies = trace.frequencies();
  const std::span<const std::int64_t> times(frequencies.time_ns);
  for (const std::uint32_t i : stable_order(times)) {
    const std::size_t row = i;
    Device* device = find(frequencies.device[row]);
    if (device == nullptr || frequencies.kind[row] != kMegahertz || frequencies.value[row] == 0) {
      continue;
    }
    device->times.push_back(times[row]);
    device->mhz_since.push_back(frequencies.value[row]);
  }
  for (Device& device : devices_) {
    // Results do not state a frequency: the highest that was seen is meant.
    if (device.mhz <= 0 && !device.mhz_since.empty()) {
      device.mhz = *std::max_element(device.mhz_since.begin(), device.mhz_since.end());
    }
    is_known_ = is_known_ || (device.core_count > 0 && device.mhz > 0);
  }
}

Peaks::Device* Peaks::find(std::uint16_t id) {
  return const_cast<Device*>(std::as_const(*this).find(id));
}

const Peaks::Device* Peaks::find(std::uint16_t id) const {
  for (const Device& device : devices_) {
    if (device.id == id) return &device;
  }
  return nullptr;
}

double Peaks::at(std::uint16_t device, NumberType type, std::int64_t time_ns) {
  Device* found = tflops_ > 0 ? nullptr : find(device);
  if (found == nullptr || found->times.empty()) return nominal(device, type);
  std::vector<std::int64_t>& times = found->times;
  std::size_t& place = found->place;
  if (place > 0 && times[place - 1] > time_ns) {
    place = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time_ns) -
                                     times.begin());
  }
  while (place < times.size() && times[place] <= time_ns) ++place;
  // Before the first change the frequency was what is stated.
  const double mhz = place == 0 ? found->mhz : found->mhz_since[place - 1];
  const double peak = peak_flops(found->core_count, mhz, type);
  return peak > 0 ? peak : kUnknownWork;
}

double Peaks::nominal(std::uint16_t device, NumberType type) const {
  double peak = tflops_ * 1e12 * cube_flops_per_cycle(type) / kHalfPerCycle;
  if (const Device* found = find(device); tflops_ <= 0 && found != nullptr) {
    peak = peak_flops(found->core_count, found->mhz, type);
  }
  return peak > 0 ? peak : kUnknownWork;
}

double Peaks::peer(std::string_view dtype) const {
  NumberType type = NumberType::kUnknown;
  for (const std::string_view half : {"FLOAT", "FLOAT16", "BF16", "DT_BF16"}) {
    if (dtype == half) type = NumberType::kHalf;
  }
  if (dtype == "INT8") type = NumberType::kByte;
  if (type == NumberType::kUnknown || (devices_.empty() && tflops_ <= 0)) return kUnknownWork;
  return nominal(devices_.empty() ? std::uint16_t{0} : devices_.front().id, type);
}

}  // namespace npuprof::analyze
