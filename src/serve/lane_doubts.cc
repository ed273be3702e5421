#include "serve/lane_doubts.h"

#include <algorithm>
#include <array>
#include <span>

#include "format/results/timeline_names.h"
#include "serve/idle_lane.h"

namespace npuprof::serve {

namespace layer = format::results::layer;
namespace {

// Parts of the names of files, raw ones and tables of results.
struct LayerSources {
  std::string_view layer;
  std::array<std::string_view, 8> files;
};
constexpr LayerSources kSources[] = {
    {layer::kPython, {"torch.op_range", "torch.op_mark", "PYTORCH_API", "op_range"}},
    {layer::kCann, {"api_event", "CANN_API", "event_record"}},
    {layer::kHardware,
     {"stars_soc", "hwts", "ts_track", "task_track", "ffts_profile", "node_basic_info",
      "COMPUTE_TASK_INFO", "no task on the device"}},
    {layer::kCommunication, {"stars_soc", "hccl", "mc2", "COMMUNICATION", "task_track"}},
    {layer::kOverlap, {"stars_soc", "hwts", "ts_track", "OVERLAP_ANALYSIS"}},
    {kIdleLayerName, {"stars_soc", "hwts", "ts_track", "api_event", "op_range"}},
    {layer::kGarbageCollections, {"torch.gc", "gc_record"}},
    {layer::kMindSpore, {"mindspore.op_range", "op_range"}},
};
constexpr std::string_view kPythonFiles[] = {"python_tracer", "torch.python", "PYTHON"};

bool names_any(std::string_view loss, std::span<const std::string_view> files) {
  return std::any_of(files.begin(), files.end(), [&](std::string_view file) {
    return !file.empty() && loss.find(file) != std::string_view::npos;
  });
}

std::span<const std::string_view> files_of(std::string_view layer, bool is_python) {
  if (is_python) return kPythonFiles;
  for (const LayerSources& sources : kSources) {
    if (sources.layer == layer) return sources.files;
  }
  return {};
}

}  // namespace

std::string_view doubt_of_layer(std::string_view layer, bool is_python,
                                const std::vector<std::string>& losses) {
  const auto files = files_of(layer, is_python);
  const auto found = std::find_if(losses.begin(), losses.end(),
                                  [&](const std::string& loss) { return names_any(loss, files); });
  return found == losses.end() ? std::string_view() : std::string_view(*found);
}

}  // namespace npuprof::serve
