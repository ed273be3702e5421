#pragma once

#include <cstdint>
#include <vector>

#include "load/cann_device/device_part.h"

namespace npuprof::load {

// The AI core frequency over time.
class FrequencyTable {
 public:
  // `nominal_mhz` holds from `first_syscnt` until the first change, or throughout if there is none.
  FrequencyTable(std::uint64_t first_syscnt, double nominal_mhz)
      : nominal_mhz_(nominal_mhz), changes_{{first_syscnt, nominal_mhz}} {}

  // A change before the first counter value sets the frequency collecting began with. Call in order
  // of time.
  void add(std::uint64_t syscnt, double mhz);

  // The frequency in force. A frequency of 0 among the changes means that the chip does not report
  // them: the nominal one counts then.
  double at(std::uint64_t syscnt) const;

 private:
  struct Change {
    std::uint64_t syscnt;
    double mhz;
  };
  double nominal_mhz_;
  bool usable_ = true;
  std::vector<Change> changes_;
};

// Reads lpmFreqConv.data and lpmInfoConv.data, where newer collectors put frequencies and voltages
// alike, into Frequencies. The first row of each kind is the value collecting began with.
FrequencyTable load_frequency_files(const DeviceFiles& files, const DeviceConfig& config,
                                    DevicePart& out);

}  // namespace npuprof::load
