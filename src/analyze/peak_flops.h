#pragma once

// What a device could do at best, to compare with what it did.

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/kernel_flops.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Operations of one core in a cycle; 0 if the cube unit does not take such numbers.
double cube_flops_per_cycle(NumberType type);

// Cores x MHz x 10^6 x operations of a core in a cycle.
double peak_flops(std::uint32_t core_count, double mhz, NumberType type);

struct PeakOptions {
  double tflops = 0;  // Of FP16, what the user says; 0 = from cores and frequency.
  double gb_s = 0;    // Of the memory, decimal; 0 = not known.
};

// Peaks of the devices of a profile over time.
class Peaks {
 public:
  Peaks(const trace::Trace& trace, const PeakOptions& options);

  // Whether anything is known of any device.
  bool is_known() const { return is_known_; }

  // Operations per second at the frequency that the device had then; NaN if not known. Questions in
  // order of device and time cost next to nothing.
  double at(std::uint16_t device, NumberType type, std::int64_t time_ns);

  // At the frequency of the first device, as other tools rate: FLOAT and INT8 are all there is
  // besides, and FLOAT counts as FLOAT16. NaN if the type or the device is not known.
  double peer(std::string_view dtype) const;

  // Of the device; the highest that was seen if none is stated, 0 if that is not known either.
  double nominal_mhz(std::uint16_t device) const {
    const Device* found = find(device);
    return found == nullptr ? 0 : found->mhz;
  }
  // At the nominal frequency.
  double nominal(std::uint16_t device, NumberType type) const;

 private:
  struct Device {
    std::uint16_t id = 0;
    std::uint32_t core_count = 0;
    double mhz = 0;
    std::vector<std::int64_t> times;  // When the frequency changed, ascending.
    std::vector<double> mhz_since;
    std::size_t place = 0;  // How many had changed at the last question.
  };
  Device* find(std::uint16_t id);
  const Device* find(std::uint16_t id) const;

  std::vector<Device> devices_;
  double tflops_;
  bool is_known_ = false;
};

}  // namespace npuprof::analyze
