#pragma once

#include "analyze/peak_flops.h"
#include "answers/mode.h"
#include "base/result.h"

namespace npuprof::answers {

inline constexpr ModeOption kPeakTflopsOption = {
    "peak-tflops", "What the device can do with FP16, in TFLOP/s, if the profile does not say"};
inline constexpr ModeOption kPeakBandwidthOption = {
    "peak-gb-s", "What the device's memory can do, in GB/s: tells what memory bounds"};

// Fails if a value is not a positive number.
Result<analyze::PeakOptions> peak_options(const Request& request);

}  // namespace npuprof::answers
