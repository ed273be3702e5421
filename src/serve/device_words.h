#pragma once

// What layers and devices are called: a profile of a GPU has no CANN and no NPU.

#include <string>
#include <string_view>

#include "report/lanes/lane_set.h"
#include "trace/trace.h"

namespace npuprof::serve {

class DeviceWords {
 public:
  explicit DeviceWords(const trace::Trace& trace);

  bool is_gpu() const { return is_gpu_; }
  std::string_view device() const { return is_gpu_ ? "GPU" : "NPU"; }
  // As readers know them.
  std::string_view layer(const report::LaneGroup& group) const;
  std::string label(const report::LaneGroup& group) const;
  std::string lane(const report::Lane& lane) const;

 private:
  bool is_gpu_ = false;
};

}  // namespace npuprof::serve
