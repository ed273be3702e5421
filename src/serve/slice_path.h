#pragma once

// The way from a module to an operator to its kernels, from any slice on it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serve/lane_index.h"
#include "serve/shown_profile.h"

namespace npuprof::serve {

struct SlicePath {
  std::string module;                   // "Net/Linear"; empty = none is known.
  std::vector<SliceId> frames;          // Python frames of modules around it, outermost first.
  std::optional<SliceId> op;            // The operator that launched it.
  std::uint32_t kernel = trace::kNone;  // Row in Kernels of the slice itself.
  // Of operators and modules: what they launched on the device.
  std::vector<SliceId> kernels;  // The first ones.
  std::uint64_t kernel_count = 0;
  std::int64_t kernel_ns = 0;
  double ideal_ns = 0;  // At the peak of the device; 0 = not known.
  double flops = 0;

  bool empty() const {
    return module.empty() && frames.empty() && !op && kernel == trace::kNone && kernel_count == 0;
  }
};

// Empty for slices that are neither kernels, nor operators, nor modules.
SlicePath path_of_slice(const ShownProfile& profile, SliceId slice);

}  // namespace npuprof::serve
