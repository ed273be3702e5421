#include "serve/device_words.h"

#include <algorithm>

#include "base/units.h"
#include "format/results/timeline_names.h"
#include "report/timeline/cann_layers.h"
#include "trace/linked/tasks.h"

namespace npuprof::serve {

// Tasks of GPUs have this as their type.
DeviceWords::DeviceWords(const trace::Trace& trace) {
  const auto foreign = trace.strings.find("GPU");
  const auto& types = trace.tasks().shown_type;
  is_gpu_ = foreign && std::find(types.begin(), types.end(), *foreign) != types.end();
}

std::string_view DeviceWords::layer(const report::LaneGroup& group) const {
  if (!is_gpu_) return group.name;
  if (group.name == report::kHardwareLayer.name) return "GPU Hardware";
  if (group.name == report::kCannLayer.name) return "CUDA";
  return group.name;
}

std::string DeviceWords::label(const report::LaneGroup& group) const {
  if (!is_gpu_ || !group.label.starts_with("NPU")) return group.label;
  return "GPU" + group.label.substr(3);
}

// Timelines of GPUs need not tell the group of a collective; what their lane holds is known.
std::string DeviceWords::lane(const report::Lane& lane) const {
  namespace names = format::results::lane;
  static const std::string nameless =
      std::string(names::kGroup) + std::string(kNotAvailable) + " " + std::string(names::kWhole);
  return is_gpu_ && lane.name == nameless ? "Collectives" : lane.name;
}

}  // namespace npuprof::serve
